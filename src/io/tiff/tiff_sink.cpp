// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/tiff_sink.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/tiff/page_runs.hpp"
#include "io/tiff/page_sink.hpp"
#include "io/tiff/stack.hpp"
#include "io/tiff/tiff_source.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// The bytes of a strip: large enough to compress well, small enough that several threads can decode.
constexpr Index strip_nbytes = Index{1} << 20;

void require_tiff_type(DType dtype, std::string_view operation) {
  const bool is_missing = dtype == DType::bfloat16 || dtype == DType::float8_e4m3fn ||
                          dtype == DType::float8_e5m2 || dtype == DType::complex32;
  if (!is_missing) return;
  throw TypeError(message(operation, ": elements of ", name(dtype),
                          " must be of a type that TIFF has; use .to(",
                          is_complex(dtype) ? "complex64" : "float32", ")"));
}

/// Whether the last axis is one of samples.
bool has_samples(const Dims& shape, DType dtype, const std::vector<std::string>& names) {
  if (shape.size() < 3) return false;
  if (!names.empty()) {
    const std::string& before = names[names.size() - 2];
    return (before == "x" || before == "y") && (names.back() == "c" || names.back() == "s");
  }
  return (shape.back() == 3 || shape.back() == 4) && (dtype == DType::uint8 || dtype == DType::uint16);
}

void require_tiff_shape(const Dims& shape, const TiffPages& pages, std::string_view operation) {
  const auto refuse = [&](const auto&... pieces) {
    throw ShapeError(message(operation, ": shape ", shape, " ", pieces...), shape, shape);
  };
  constexpr Index longest = 0xFFFFFFFF;
  if (std::max(pages.height, pages.width) > longest) {
    refuse("must have a height and width of at most ", longest);
  }
  if (pages.samples > 65535) refuse("must have at most 65535 samples in its last axis");
  if (pages.count > static_cast<Index>(max_tiff_pages))
    refuse("must have at most ", max_tiff_pages, " pages");
  if (static_cast<std::uint64_t>(pages.stored_row_nbytes()) > max_tiff_chunk) {
    refuse("must have rows of at most ", max_tiff_chunk, " bytes");
  }
}

/// Whether the file may be larger than 4 GB - 1 MB, where offsets of 4 bytes end. Directories have about 300
/// bytes and 16 for each strip, the first one the attributes, too; LZW makes random bytes half as long again.
bool is_above_classic(Index nbytes, const TiffPages& pages, TiffCompression compression) {
  constexpr Index longest = (Index{1} << 32) - (Index{1} << 20);
  if (nbytes > longest) return true;
  const Index stored = compression == TiffCompression::lzw ? nbytes / 2 * 3 : nbytes / 100 * 101;
  Index directories = pages.count * (300 + 16 * pages.strips());
  directories += static_cast<Index>(pages.description.size());
  for (const TiffValue& value : pages.values)
    directories += static_cast<Index>(20 + 8 * value.numbers.size() + value.text.size());
  return stored + directories > longest;
}

TiffPages describe_pages(const Dims& shape, DType dtype, const TiffOptions& options) {
  const std::string_view operation = options.operation;
  require_tiff_type(dtype, operation);
  if (shape.size() < 2 || *std::min_element(shape.begin(), shape.end()) < 1) {
    throw ShapeError(
        message(operation, ": shape ", shape, " must have at least 2 axes, (y,x), of at least 1"), shape,
        shape);
  }
  if (!options.axis_names.empty() && options.axis_names.size() != shape.size()) {
    throw ValueError(message(operation, ": ", options.axis_names.size(),
                             " axis names given, must be one for each axis (shape ", shape, ")"));
  }
  const Index elements = count_elements(shape, operation);
  const Index nbytes = checked_multiply(elements, static_cast<Index>(item_size(dtype)), operation);
  TiffPages pages;
  pages.dtype = dtype;
  const std::size_t page_rank = shape.size() - (has_samples(shape, dtype, options.axis_names) ? 3 : 2);
  pages.axes = shape;
  pages.axes.resize(page_rank);
  pages.count = count_elements(pages.axes, operation);
  pages.height = shape[page_rank];
  pages.width = shape[page_rank + 1];
  if (page_rank + 3 == shape.size()) pages.samples = shape.back();
  require_tiff_shape(shape, pages, operation);
  pages.strip_height = std::clamp<Index>(strip_nbytes / pages.stored_row_nbytes(), 1, pages.height);
  pages.description =
      options.description.empty() ? tiff_axes_text(pages, shape, options) : options.description;
  pages.values = tiff_values(options.attributes, operation);
  pages.is_big = is_above_classic(nbytes, pages, options.compression);
  return pages;
}

void require_tile(const Dims& tile, const TiffPages& pages, std::string_view operation) {
  if (tile.empty()) return;
  const bool is_pair = tile.size() == 2 && std::min(tile[0], tile[1]) >= 16 && tile[0] % 16 == 0 &&
                       tile[1] % 16 == 0 && std::max(tile[0], tile[1]) <= (Index{1} << 24);
  if (!is_pair) throw ValueError(message(operation, ": tile ", tile, " must be two multiples of 16"));
  const Index pixel = pages.samples * static_cast<Index>(item_size(pages.dtype));
  const std::optional<Index> nbytes = try_multiply(tile[0] * tile[1], pixel);
  if (nbytes && static_cast<std::uint64_t>(*nbytes) <= max_tiff_chunk) return;
  throw ValueError(message(operation, ": tile ", tile, " of ", pages.samples, " samples of ",
                           name(pages.dtype), " must have at most ", max_tiff_chunk, " bytes"));
}

}  // namespace

std::uint16_t TiffPages::sample_format() const {
  switch (kind(dtype)) {
    case DTypeKind::signed_integer:
      return 2;
    case DTypeKind::floating:
      return 3;
    case DTypeKind::complex:
      return 6;
    case DTypeKind::boolean:
    case DTypeKind::unsigned_integer:
      break;
  }
  return 1;
}

void pack_tiff_bits(std::span<const std::byte> row, std::byte* bits) {
  std::fill_n(bits, (row.size() + 7) / 8, std::byte{0});
  for (std::size_t x = 0; x < row.size(); ++x) {
    if (row[x] != std::byte{0}) bits[x / 8] |= std::byte{128} >> (x % 8);
  }
}

struct TiffWriter::State {
  std::string path;
  std::string operation;
  TiffPages pages;
  Dims page_shape;
  Index next = 0;
  std::unique_ptr<TiffPageSink> sink;

  template <typename... Pieces>
  [[noreturn]] void refuse(const Pieces&... pieces) const {
    throw ValueError(message(operation, ": \"", path, "\" ", pieces...));
  }
};

TiffWriter::TiffWriter(const std::string& path, const Dims& shape, DType dtype, const TiffOptions& options)
    : state_(std::make_unique<State>()) {
  State& state = *state_;
  state.path = path;
  state.operation = options.operation;
  state.pages = describe_pages(shape, dtype, options);
  require_tile(options.tile, state.pages, options.operation);
  state.page_shape = {state.pages.height, state.pages.width};
  if (shape.size() - state.pages.axes.size() == 3) state.page_shape.push_back(state.pages.samples);
  const bool is_flat = options.compression == TiffCompression::none && options.tile.empty();
  state.sink =
      is_flat ? make_flat_pages(state.pages, path, options) : make_libtiff_pages(state.pages, path, options);
}
TiffWriter::~TiffWriter() = default;

Index TiffWriter::page_count() const noexcept {
  return state_->pages.count;
}
const Dims& TiffWriter::page_shape() const noexcept {
  return state_->page_shape;
}
std::size_t TiffWriter::page_nbytes() const noexcept {
  return static_cast<std::size_t>(state_->pages.row_elements() * state_->pages.height) *
         item_size(state_->pages.dtype);
}

void TiffWriter::write_page(Index page, std::span<const std::byte> elements) {
  if (page != state_->next || page >= page_count()) {
    state_->refuse("was given page ", page, ", which must be the next one, ", state_->next, " of ",
                   page_count());
  }
  if (elements.size() != page_nbytes()) {
    state_->refuse("was given a page of ", elements.size(), " bytes, which must be ", page_nbytes());
  }
  state_->sink->write(elements);
  ++state_->next;
}

void TiffWriter::close() {
  if (state_->next != page_count()) {
    state_->refuse("has ", state_->next, " of its ", page_count(), " pages and must have all to be closed");
  }
  state_->sink->commit();
}

}  // namespace tenstride::io
