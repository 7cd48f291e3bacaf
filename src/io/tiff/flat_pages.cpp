// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstring>
#include <utility>
#include <vector>

#include "io/tiff/directory.hpp"
#include "io/tiff/page_sink.hpp"

namespace tenstride::io {
namespace {

/// Where the first element stands: a multiple of every element's size, and of a cache line.
constexpr std::uint64_t flat_begin = 64;

enum class FlatTagType : std::uint16_t {
  text = 2,
  int16 = 3,
  int32 = 4,
  rational = 5,
  float64 = 12,
  int64 = 16
};

constexpr std::uint64_t flat_tag_width(FlatTagType type) {
  return type == FlatTagType::text ? 1 : type == FlatTagType::int16 ? 2 : type == FlatTagType::int32 ? 4 : 8;
}

/// The quotient of two numbers of 32 bits, by continued fractions: the first within a double's precision, or
/// the last that fits. Pre: 0 <= value < 2^32. Example: 0.4 is 2 / 5.
std::array<std::uint32_t, 2> quotient_of(double value) {
  constexpr double longest = 0xFFFFFFFF;
  std::array<double, 2> before{0, 1}, now{1, 0};
  for (double rest = value; std::isfinite(rest); rest = 1 / (rest - std::floor(rest))) {
    const double whole = std::floor(rest);
    const std::array<double, 2> next{whole * now[0] + before[0], whole * now[1] + before[1]};
    if (next[0] > longest || next[1] > longest) break;
    before = std::exchange(now, next);
    if (std::abs(now[0] / now[1] - value) <= value * 1e-15) break;
  }
  return {static_cast<std::uint32_t>(now[0]), static_cast<std::uint32_t>(now[1])};
}

template <typename Number>
void append_number(std::string& bytes, Number value) {
  const std::size_t begin = bytes.size();
  bytes.resize(begin + sizeof value);
  std::memcpy(bytes.data() + begin, &value, sizeof value);
}

/// The bytes of one directory: entries, then the values that do not fit into them.
class DirectoryBytes {
 public:
  DirectoryBytes(std::uint64_t begin, bool is_big) : begin_(begin), is_big_(is_big) {}

  void add(std::uint16_t tag, FlatTagType type, std::string values) {
    const auto behind =
        std::find_if(tags_.begin(), tags_.end(), [&](const Tag& one) { return one.tag > tag; });
    tags_.insert(behind, {tag, type, std::move(values)});
  }
  void add_value(const TiffValue& value) {
    std::string values;
    if (value.type == TiffValueType::text) values = value.text + '\0';
    for (const double number : value.numbers) {
      if (value.type == TiffValueType::int16) {
        append_number(values, static_cast<std::uint16_t>(number));
      } else if (value.type == TiffValueType::float64) {
        append_number(values, number);
      } else {
        for (const std::uint32_t part : quotient_of(number)) append_number(values, part);
      }
    }
    add(value.tag, static_cast<FlatTagType>(value.type), std::move(values));
  }
  void add_numbers(std::uint16_t tag, std::uint16_t value, std::size_t count = 1) {
    std::string values;
    for (std::size_t i = 0; i < count; ++i) append_number(values, value);
    add(tag, FlatTagType::int16, std::move(values));
  }
  void add_long(std::uint16_t tag, Index value) {
    std::string values;
    append_number(values, static_cast<std::uint32_t>(value));
    add(tag, FlatTagType::int32, std::move(values));
  }
  /// Offsets or lengths.
  void add_offsets(std::uint16_t tag, const std::vector<std::uint64_t>& offsets) {
    std::string values;
    for (const std::uint64_t offset : offsets) append_offset(values, offset);
    add(tag, is_big_ ? FlatTagType::int64 : FlatTagType::int32, std::move(values));
  }

  /// All of it, a multiple of 8 long; the next one begins behind it unless this is the last.
  [[nodiscard]] std::string bytes(bool is_last) const {
    const std::uint64_t inline_nbytes = is_big_ ? 8 : 4;
    const std::uint64_t entries_nbytes =
        (is_big_ ? 16 : 6) + tags_.size() * (is_big_ ? 20 : 12);  // with the count, and the next one's offset
    std::string entries;
    std::string values;
    if (is_big_) {
      append_number(entries, static_cast<std::uint64_t>(tags_.size()));
    } else {
      append_number(entries, static_cast<std::uint16_t>(tags_.size()));
    }
    const std::uint64_t values_begin = begin_ + (entries_nbytes + 7) / 8 * 8;
    for (const Tag& tag : tags_) {
      append_number(entries, tag.tag);
      append_number(entries, static_cast<std::uint16_t>(tag.type));
      append_offset(entries, tag.values.size() / flat_tag_width(tag.type));
      if (tag.values.size() <= inline_nbytes) {
        entries += tag.values + std::string(inline_nbytes - tag.values.size(), '\0');
      } else {
        append_offset(entries, values_begin + values.size());
        values += tag.values;
        values.resize((values.size() + 7) / 8 * 8, '\0');
      }
    }
    append_offset(entries, is_last ? 0 : values_begin + values.size());
    entries.resize(values_begin - begin_, '\0');
    return entries + values;
  }

 private:
  struct Tag {
    std::uint16_t tag;
    FlatTagType type;
    std::string values;
  };
  void append_offset(std::string& bytes, std::uint64_t offset) const {
    if (is_big_) return append_number(bytes, offset);
    append_number(bytes, static_cast<std::uint32_t>(offset));
  }

  std::uint64_t begin_;
  bool is_big_;
  std::vector<Tag> tags_;
};

class FlatPages final : public TiffPageSink {
 public:
  FlatPages(const TiffPages& pages, const std::string& path, const TiffOptions& options)
      : pages_(pages), file_(path, options.overwrite, options.operation) {
    file_.reserve(directories_begin());
    const bool is_little = std::endian::native == std::endian::little;
    std::string start = is_little ? "II" : "MM";
    append_number(start, static_cast<std::uint16_t>(pages_.is_big ? 43 : 42));
    if (pages_.is_big) {
      append_number(start, std::uint16_t{8});
      append_number(start, std::uint16_t{0});
      append_number(start, directories_begin());
    } else {
      append_number(start, static_cast<std::uint32_t>(directories_begin()));
    }
    start.resize(flat_begin, '\0');
    file_.write(std::as_bytes(std::span(start)));
  }

  void write(std::span<const std::byte> elements) override {
    if (pages_.dtype != DType::bool_) return file_.write(elements);
    const auto row = static_cast<std::size_t>(pages_.row_elements());
    const auto row_nbytes = static_cast<std::size_t>(pages_.stored_row_nbytes());
    std::vector<std::byte> bits(page_nbytes());
    for (std::size_t y = 0; y < static_cast<std::size_t>(pages_.height); ++y) {
      pack_tiff_bits(elements.subspan(y * row, row), bits.data() + y * row_nbytes);
    }
    file_.write(bits);
  }

  void commit() override {
    std::string bytes(directories_begin() - data_end(), '\0');
    std::uint64_t begin = directories_begin();
    for (Index page = 0; page < pages_.count; ++page) {
      const std::string one = directory(page, begin);
      begin += one.size();
      bytes += one;
      constexpr std::size_t flush_above = std::size_t{1} << 20;
      if (bytes.size() < flush_above) continue;
      file_.write(std::as_bytes(std::span(bytes)));
      bytes.clear();
    }
    file_.write(std::as_bytes(std::span(bytes)));
    file_.commit();
  }

 private:
  [[nodiscard]] std::uint64_t page_nbytes() const {
    return static_cast<std::uint64_t>(pages_.stored_row_nbytes() * pages_.height);
  }
  [[nodiscard]] std::uint64_t data_end() const {
    return flat_begin + page_nbytes() * static_cast<std::uint64_t>(pages_.count);
  }
  [[nodiscard]] std::uint64_t directories_begin() const { return (data_end() + 7) / 8 * 8; }

  [[nodiscard]] std::string directory(Index page, std::uint64_t begin) const {
    std::vector<std::uint64_t> offsets;
    std::vector<std::uint64_t> lengths;
    const std::uint64_t first = flat_begin + page_nbytes() * static_cast<std::uint64_t>(page);
    for (Index y = 0; y < pages_.height; y += pages_.strip_height) {
      const Index rows = std::min(pages_.strip_height, pages_.height - y);
      offsets.push_back(first + static_cast<std::uint64_t>(y * pages_.stored_row_nbytes()));
      lengths.push_back(static_cast<std::uint64_t>(rows * pages_.stored_row_nbytes()));
    }
    const auto samples = static_cast<std::uint16_t>(pages_.samples);
    DirectoryBytes result(begin, pages_.is_big);
    result.add_long(tiff_tag::image_width, pages_.width);
    result.add_long(tiff_tag::image_length, pages_.height);
    result.add_numbers(tiff_tag::bits_per_sample, pages_.bits(), samples);
    result.add_numbers(tiff_tag::compression, 1);
    result.add_numbers(tiff_tag::photometric, pages_.is_rgb() ? 2 : 1);
    if (page == 0 && !pages_.description.empty()) {
      result.add(tiff_tag::image_description, FlatTagType::text, pages_.description + '\0');
    }
    result.add_offsets(tiff_tag::strip_offsets, offsets);
    result.add_numbers(tiff_tag::samples_per_pixel, samples);
    result.add_long(tiff_tag::rows_per_strip, pages_.strip_height);
    result.add_offsets(tiff_tag::strip_byte_counts, lengths);
    result.add_numbers(tiff_tag::planar_configuration, 1);
    if (page == 0) result.add(tiff_tag::software, FlatTagType::text, std::string(tiff_software) + '\0');
    if (pages_.extra_samples() > 0) {
      result.add_numbers(tiff_tag::extra_samples, pages_.extra_sample(), pages_.extra_samples());
    }
    result.add_numbers(tiff_tag::sample_format, pages_.sample_format(), samples);
    for (const TiffValue& value : pages_.values) {
      if (page == 0 || !value.is_of_first_page()) result.add_value(value);
    }
    return result.bytes(page + 1 == pages_.count);
  }

  TiffPages pages_;
  AtomicFile file_;
};

}  // namespace

std::unique_ptr<TiffPageSink> make_flat_pages(const TiffPages& pages, const std::string& path,
                                              const TiffOptions& options) {
  return std::make_unique<FlatPages>(pages, path, options);
}

}  // namespace tenstride::io
