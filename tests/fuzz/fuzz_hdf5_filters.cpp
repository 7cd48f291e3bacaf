// SPDX-License-Identifier: Apache-2.0
// Chunks of HDF5, decoded by the filters that are read here. The structure of a file is read by libhdf5 in a
// process of its own and is no part of this; all that comes out of it is filters, a mask and bytes.
#include <array>
#include <cstring>

#include "fuzz/support.hpp"
#include "io/hdf5/filters.hpp"

namespace tenstride::fuzz {
namespace {

using namespace io;

/// In front of the stored bytes, all with the lowest byte first: the size of the chunk (2 bytes), the mask
/// (1), the number of filters (1), and of each its place in `numbers` (1), how many parameters it has (1),
/// and these (4 each). seeds.py writes it.
constexpr std::array numbers{hdf5_filter::deflate, hdf5_filter::shuffle, hdf5_filter::fletcher32,
                             hdf5_filter::lzf,     hdf5_filter::lz4,     hdf5_filter::bzip2,
                             hdf5_filter::zstd,    hdf5_filter::blosc,   hdf5_filter::bitshuffle};
constexpr std::size_t max_filters = 5;
constexpr std::size_t max_parameters = 8;

class Input {
 public:
  explicit Input(std::span<const std::uint8_t> bytes) : bytes_(bytes) {}

  std::uint32_t number(std::size_t nbytes) {
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < nbytes && !bytes_.empty(); ++i, bytes_ = bytes_.subspan(1)) {
      value |= std::uint32_t{bytes_.front()} << (8 * i);
    }
    return value;
  }
  [[nodiscard]] std::span<const std::byte> rest() const { return std::as_bytes(bytes_); }

 private:
  std::span<const std::uint8_t> bytes_;
};

struct Chunk {
  std::size_t nbytes = 0;
  std::uint32_t mask = 0;
  std::vector<Hdf5Filter> filters;
};

Chunk read_chunk(Input& input) {
  Chunk chunk{std::max(input.number(2), std::uint32_t{1}), input.number(1), {}};  // none is empty
  chunk.filters.resize(input.number(1) % (max_filters + 1));
  for (Hdf5Filter& filter : chunk.filters) {
    filter.number = numbers[input.number(1) % numbers.size()];
    filter.name = hdf5_filter_name(filter.number);
    filter.parameters.resize(input.number(1) % (max_parameters + 1));
    for (unsigned& parameter : filter.parameters) parameter = input.number(4);
  }
  return chunk;
}

/// The elements, decoded into memory that is full of one byte.
std::optional<std::vector<std::byte>> decode(const Chunk& chunk, std::span<const std::byte> stored,
                                             Hdf5Scratch& scratch, std::byte before) {
  static const std::string where = "load: \"x.h5\" has a chunk (0) of \"x\" that must have ";
  std::vector<std::byte> elements(chunk.nbytes, before);
  try {
    decode_hdf5_chunk(chunk.filters, chunk.mask, stored, elements, scratch, where);
  } catch (const FileError& error) {
    require(std::string_view(error.what()).starts_with(where), "an error says which chunk it is about");
    return std::nullopt;
  }
  return elements;
}

/// What was decoded, encoded as this library writes it, and decoded again.
void check_written(const std::vector<std::byte>& elements, std::size_t width, Hdf5Scratch& scratch) {
  std::vector<std::byte> shuffled(elements.size());
  shuffle_bytes(shuffled, elements, width);
  const auto stored = deflate_bytes(shuffled, 1, scratch, "save: ");
  const Chunk chunk{elements.size(),
                    0,
                    {{hdf5_filter::shuffle, "shuffle", {static_cast<unsigned>(width)}},
                     {hdf5_filter::deflate, "deflate", {1}}}};
  require(decode(chunk, stored, scratch, std::byte{0}) == elements, "a chunk is read as it was written");
}

void check(Input input) {
  static Hdf5Scratch kept;
  const Chunk chunk = read_chunk(input);
  for (const Hdf5Filter& filter : chunk.filters) {
    if (!is_decoded_here(filter)) return;
  }
  // A copy of exactly its size, so that a read beyond its end is found.
  const std::vector<std::byte> stored(input.rest().begin(), input.rest().end());
  if (stored.size() > max_stored_hdf5_chunk(chunk.filters, chunk.nbytes)) return;
  Hdf5Scratch fresh;
  const auto elements = decode(chunk, stored, fresh, std::byte{0});
  // As files are read: from a buffer of the scratch, which has decoded others.
  kept.buffers[0].assign(reinterpret_cast<const char*>(stored.data()), stored.size());
  const auto again = decode(chunk, std::as_bytes(std::span(kept.buffers[0])), kept, std::byte{0xff});
  require(elements == again, "elements depend on the stored bytes alone");
  if (elements) check_written(*elements, 1 + chunk.mask % 16, kept);
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::Input({data, size}));
  return 0;
}
