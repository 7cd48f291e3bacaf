// SPDX-License-Identifier: Apache-2.0
// JPEG 2000: files (JP2) and codestreams, as tiles of TIFF have them.
#ifdef TENSTRIDE_HAS_OPENJPEG
#include <openjpeg.h>
#endif

#include <algorithm>
#include <cstring>
#include <optional>
#include <set>
#include <string_view>

#include "base/message.hpp"
#include "io/image/absent_decoder.hpp"
#include "io/image/still_pictures.hpp"
#include "io/stream/big_endian.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_OPENJPEG
namespace {

using tenstride::detail::message;

using Jp2Bytes = std::span<const std::byte>;

std::uint64_t jp2_number(Jp2Bytes bytes, std::size_t at, std::size_t width) {
  return big_endian(bytes.subspan(at, width));
}

/// What a box of that name holds, the first of those that lie one after the other; empty where there is none.
Jp2Bytes find_box(Jp2Bytes boxes, std::string_view name) {
  constexpr std::size_t head = 8, long_head = 16;
  while (boxes.size() >= head) {
    std::uint64_t nbytes = jp2_number(boxes, 0, 4);
    std::size_t begin = head;
    if (nbytes == 0) nbytes = boxes.size();  // to the end
    if (nbytes == 1 && boxes.size() >= long_head) {
      nbytes = jp2_number(boxes, head, 8);
      begin = long_head;
    }
    if (nbytes < begin || nbytes > boxes.size()) return {};
    if (std::memcmp(boxes.data() + 4, name.data(), 4) == 0) return boxes.subspan(begin, nbytes - begin);
    boxes = boxes.subspan(nbytes);
  }
  return {};
}

/// The channels that a palette makes of one component, and their bits.
struct Jp2Palette {
  Index channels = 0;
  int bits = 0;
};
std::optional<Jp2Palette> find_palette(Jp2Bytes file) {
  constexpr std::size_t head = 4, map_nbytes = 4;
  const Jp2Bytes header = find_box(file, "jp2h");
  const Jp2Bytes palette = find_box(header, "pclr");
  if (palette.size() < head) return std::nullopt;
  return Jp2Palette{static_cast<Index>(find_box(header, "cmap").size() / map_nbytes),
                    static_cast<int>(jp2_number(palette, 3, 1) & 0x7FU) + 1};
}

/// Whether the file says that its colours are in YCbCr (18) or e-sYCC (24), whatever OpenJPEG knows of it.
bool has_ycbcr(Jp2Bytes file) {
  constexpr std::size_t enumerated_nbytes = 7;
  const Jp2Bytes colours = find_box(find_box(file, "jp2h"), "colr");
  if (colours.size() < enumerated_nbytes || jp2_number(colours, 0, 1) != 1) return false;
  const std::uint64_t kind = jp2_number(colours, 3, 4);
  return kind == 18 || kind == 24;
}

/// How many tiles a codestream has parts of.
std::size_t count_tiles(Jp2Bytes codestream) {
  constexpr std::uint64_t start_of_tile = 0xFF90;
  constexpr std::size_t mark_nbytes = 2, start_of_tile_nbytes = 12;
  std::size_t at = mark_nbytes;
  while (at + 4 <= codestream.size() && jp2_number(codestream, at, 2) != start_of_tile) {
    at += mark_nbytes + jp2_number(codestream, at + mark_nbytes, 2);
  }
  std::set<std::uint64_t> tiles;
  while (at + start_of_tile_nbytes <= codestream.size() && jp2_number(codestream, at, 2) == start_of_tile) {
    tiles.insert(jp2_number(codestream, at + 4, 2));
    const std::uint64_t nbytes = jp2_number(codestream, at + 6, 4);
    if (nbytes < start_of_tile_nbytes || nbytes > codestream.size() - at) break;  // 0: to the end
    at += nbytes;
  }
  return tiles.size();
}

/// The bytes that OpenJPEG reads.
class Jp2Stream {
 public:
  explicit Jp2Stream(Jp2Bytes bytes) : bytes_(bytes) {
    stream_ = opj_stream_default_create(OPJ_TRUE);
    if (stream_ == nullptr) return;
    opj_stream_set_read_function(stream_, read);
    opj_stream_set_skip_function(stream_, skip);
    opj_stream_set_seek_function(stream_, seek);
    opj_stream_set_user_data(stream_, this, nullptr);
    opj_stream_set_user_data_length(stream_, bytes.size());
  }
  ~Jp2Stream() {
    if (stream_ != nullptr) opj_stream_destroy(stream_);
  }
  Jp2Stream(const Jp2Stream&) = delete;
  Jp2Stream& operator=(const Jp2Stream&) = delete;

  [[nodiscard]] opj_stream_t* get() const { return stream_; }

 private:
  static OPJ_SIZE_T read(void* to, OPJ_SIZE_T count, void* user) {
    auto& self = *static_cast<Jp2Stream*>(user);
    const std::size_t nbytes = std::min<std::size_t>(count, self.bytes_.size() - self.at_);
    if (nbytes == 0) return static_cast<OPJ_SIZE_T>(-1);
    std::memcpy(to, self.bytes_.data() + self.at_, nbytes);
    self.at_ += nbytes;
    return nbytes;
  }
  static OPJ_OFF_T skip(OPJ_OFF_T count, void* user) {
    auto& self = *static_cast<Jp2Stream*>(user);
    const auto size = static_cast<OPJ_OFF_T>(self.bytes_.size());
    const auto at = static_cast<OPJ_OFF_T>(self.at_);
    if (count < 0 || count > size - at) return -1;
    self.at_ += static_cast<std::size_t>(count);
    return count;
  }
  static OPJ_BOOL seek(OPJ_OFF_T place, void* user) {
    auto& self = *static_cast<Jp2Stream*>(user);
    if (place < 0 || place > static_cast<OPJ_OFF_T>(self.bytes_.size())) return OPJ_FALSE;
    self.at_ = static_cast<std::size_t>(place);
    return OPJ_TRUE;
  }

  Jp2Bytes bytes_;
  std::size_t at_ = 0;
  opj_stream_t* stream_ = nullptr;
};

class Jpeg2000Decoder final : public ImageDecoder {
 public:
  ~Jpeg2000Decoder() override {
    if (image_ != nullptr) opj_image_destroy(image_);
    if (codec_ != nullptr) opj_destroy_codec(codec_);
  }

  std::string begin(Jp2Bytes file) override {
    const bool is_codestream = file.size() > 1 && jp2_number(file, 0, 2) == 0xFF4F;
    codestream_ = is_codestream ? file : find_box(file, "jp2c");
    stream_.emplace(file);
    codec_ = opj_create_decompress(is_codestream ? OPJ_CODEC_J2K : OPJ_CODEC_JP2);
    if (stream_->get() == nullptr || codec_ == nullptr) return "needs memory to be read";
    opj_set_error_handler(codec_, take_error, this);
    opj_dparameters_t parameters;
    opj_set_default_decoder_parameters(&parameters);
    if (opj_setup_decoder(codec_, &parameters) == OPJ_FALSE) return failure();
    if (opj_has_thread_support() != OPJ_FALSE) opj_codec_set_threads(codec_, num_threads());
    if (opj_read_header(stream_->get(), codec_, &image_) == OPJ_FALSE) return failure();
    if (!is_codestream) palette_ = find_palette(file);
    if (!is_codestream && has_ycbcr(file))
      return "has colours in YCbCr, which must be gray, RGB or without a name";
    return wrong_of_header();
  }

  [[nodiscard]] ImageInfo info() const override { return info_; }

  std::string decode(std::byte* rows) override {
    if (opj_decode(codec_, stream_->get(), image_) == OPJ_FALSE ||
        opj_end_decompress(codec_, stream_->get()) == OPJ_FALSE) {
      return failure();
    }
    if (lacks_tiles()) return "must be a JPEG 2000 image with all of its tiles";
    if (static_cast<Index>(image_->numcomps) != info_.channels) {
      return message("has ", image_->numcomps, " channels when decoded, which must be ", info_.channels);
    }
    for (Index c = 0; c < info_.channels; ++c) {
      const opj_image_comp_t& channel = image_->comps[c];
      if (channel.data == nullptr || Index{channel.h} != info_.height || Index{channel.w} != info_.width) {
        return message("has a channel of ", channel.h, " x ", channel.w,
                       " elements when decoded, which must be ", info_.height, " x ", info_.width);
      }
      switch (item_size(info_.dtype)) {
        case 1:
          write_channel<std::uint8_t>(channel.data, c, rows);
          break;
        case 2:
          write_channel<std::uint16_t>(channel.data, c, rows);
          break;
        default:
          write_channel<std::uint32_t>(channel.data, c, rows);
      }
    }
    return {};
  }

 private:
  static void take_error(const char* words, void* user) {
    auto& text = static_cast<Jpeg2000Decoder*>(user)->error_;
    // The first one is the cause.
    if (!text.empty()) return;
    text = words;
    while (!text.empty() && std::string_view(" .\n").find(text.back()) != std::string_view::npos)
      text.pop_back();
  }

  [[nodiscard]] std::string failure() const {
    return message("must be a JPEG 2000 image that can be read: ", error_.empty() ? "it is damaged" : error_);
  }

  /// Makes the info of the header. Returns what is wrong with it, or nothing ("").
  std::string wrong_of_header() {
    if (image_->numcomps == 0) return "must be a JPEG 2000 image with channels";
    const opj_image_comp_t& first = image_->comps[0];
    info_ = {.format = ImageFormat::jpeg2000,
             .height = Index{first.h},
             .width = Index{first.w},
             .channels = palette_ ? palette_->channels : Index{image_->numcomps},
             .bits = palette_ ? palette_->bits : static_cast<int>(first.prec)};
    const bool is_signed = first.sgnd != 0;
    for (std::size_t c = 1; c < image_->numcomps; ++c) {
      const opj_image_comp_t& channel = image_->comps[c];
      if (channel.h != first.h || channel.w != first.w) {
        return message("has channels of ", first.h, " x ", first.w, " and ", channel.h, " x ", channel.w,
                       " elements, which must be of one size");
      }
      if ((channel.sgnd != 0) != is_signed) return "has signed and unsigned channels, which must be alike";
      if (!palette_) info_.bits = std::max(info_.bits, static_cast<int>(channel.prec));
    }
    constexpr int max_bits = 32;
    if (info_.bits > max_bits)
      return message("has ", info_.bits, " bits in an element, which must be at most 32");
    info_.dtype = info_.bits <= 8    ? (is_signed ? DType::int8 : DType::uint8)
                  : info_.bits <= 16 ? (is_signed ? DType::int16 : DType::uint16)
                                     : (is_signed ? DType::int32 : DType::uint32);
    constexpr Index max_channels_of_largest = 4;
    std::string wrong = too_many_pixels(info_.height, info_.width);
    if (wrong.empty() && info_.channels > max_channels_of_largest) {
      wrong = too_many_pixels(info_.height, info_.width * (info_.channels / max_channels_of_largest));
    }
    return wrong;
  }

  /// OpenJPEG goes on without those that the codestream does not have.
  [[nodiscard]] bool lacks_tiles() const {
    opj_codestream_info_v2_t* info = opj_get_cstr_info(codec_);
    if (info == nullptr) return false;
    const std::uint64_t tiles = std::uint64_t{info->tw} * info->th;
    opj_destroy_cstr_info(&info);
    return count_tiles(codestream_) < tiles;
  }

  template <typename Element>
  void write_channel(const OPJ_INT32* from, Index channel, std::byte* rows) const {
    Element* to = reinterpret_cast<Element*>(rows) + channel;
    const Index pixels = info_.height * info_.width;
    for (Index i = 0; i < pixels; ++i, to += info_.channels) *to = static_cast<Element>(from[i]);
  }

  Jp2Bytes codestream_;
  std::optional<Jp2Stream> stream_;
  opj_codec_t* codec_ = nullptr;
  opj_image_t* image_ = nullptr;
  std::optional<Jp2Palette> palette_;
  ImageInfo info_{};
  std::string error_;
};

}  // namespace

std::unique_ptr<ImageDecoder> make_jpeg2000_decoder() {
  return std::make_unique<Jpeg2000Decoder>();
}

#else

std::unique_ptr<ImageDecoder> make_jpeg2000_decoder() {
  return absent_decoder("JPEG 2000", "OpenJPEG");
}

#endif

std::unique_ptr<ImageFile> open_jpeg2000(std::span<const std::byte> file) {
  return std::make_unique<StillPictures>(file, make_jpeg2000_decoder);
}

}  // namespace tenstride::io
