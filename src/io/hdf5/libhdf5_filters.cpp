// SPDX-License-Identifier: Apache-2.0
// The filters of this build for libhdf5, which decodes by them what only it can read: fields of compounds,
// sources of virtual datasets, values that it converts. Runs in the child process.
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <optional>

#include "io/hdf5/filters.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "io/stream/big_endian.hpp"

namespace tenstride::io {
namespace {

/// How many bytes a chunk unpacks to, as it says itself; nothing where it does not.
std::optional<std::uint64_t> announced_nbytes(const Hdf5Filter& filter, std::span<const std::byte> in) {
  const bool has_blocks =
      filter.number == hdf5_filter::bitshuffle && filter.parameters.size() > 4 && filter.parameters[4] != 0;
  if (filter.number == hdf5_filter::bitshuffle && !has_blocks) return in.size();
  if (filter.number == hdf5_filter::lzf && filter.parameters.size() > 2) return filter.parameters[2];
  if (in.size() >= 8 && (has_blocks || filter.number == hdf5_filter::lz4)) return big_endian(in.first(8));
  if (in.size() < 8 || filter.number != hdf5_filter::blosc) return std::nullopt;
  std::uint64_t value = 0;
  for (std::size_t i = 8; i-- > 4;) value = value << 8 | std::to_integer<std::uint64_t>(in[i]);
  return value;
}

/// The bytes of a chunk in memory of libhdf5's; null where they are damaged.
class DecodedChunk {
 public:
  DecodedChunk(const Hdf5Filter& filter, std::span<const std::byte> in) {
    const std::optional<std::uint64_t> announced = announced_nbytes(filter, in);
    if (announced) {
      decode(filter, in, *announced);
      return;
    }
    constexpr std::uint64_t growth = 4;
    for (std::uint64_t size = 4096 + growth * in.size(); bytes == nullptr; size *= growth) {
      decode(filter, in, std::min(size, max_hdf5_chunk));
      if (size >= max_hdf5_chunk) return;
    }
  }

  void* bytes = nullptr;
  std::size_t nbytes = 0;
  std::size_t room = 0;

 private:
  void decode(const Hdf5Filter& filter, std::span<const std::byte> in, std::uint64_t size) {
    if (size == 0 || size > max_hdf5_chunk) return;
    bytes = H5allocate_memory(size, 0);
    if (bytes == nullptr) return;
    try {
      Hdf5Scratch scratch;
      nbytes = decode_hdf5_filter(filter, in, {static_cast<std::byte*>(bytes), size}, scratch, "");
      room = size;
    } catch (...) {
      H5free_memory(bytes);
      bytes = nullptr;
    }
  }
};

/// No exception passes through C.
template <int number>
std::size_t run_filter(unsigned flags, std::size_t count, const unsigned values[], std::size_t nbytes,
                       std::size_t* room, void** buffer) try {
  if ((flags & H5Z_FLAG_REVERSE) == 0) return 0;
  const Hdf5Filter filter{number, {}, {values, values + count}};
  const DecodedChunk chunk(filter, {static_cast<const std::byte*>(*buffer), nbytes});
  if (chunk.bytes == nullptr) return 0;
  H5free_memory(*buffer);
  *buffer = chunk.bytes;
  *room = chunk.room;
  return chunk.nbytes;
} catch (...) {
  return 0;
}

template <int number>
void register_filter() {
  const auto has = [](unsigned blocks) { return is_decoded_here({number, {}, {0, 0, 0, 0, blocks}}); };
  // A plugin may have all ways of bitshuffle.
  if (!has(0) || (number == hdf5_filter::bitshuffle && !(has(2) && has(3)))) return;
  const H5Z_class2_t described{
      H5Z_CLASS_T_VERS, number, 0, 1, hdf5_filter_name(number).data(), nullptr, nullptr, run_filter<number>};
  H5Zregister(&described);
}

}  // namespace

void register_hdf5_filters() {
  register_filter<hdf5_filter::lzf>();
  register_filter<hdf5_filter::blosc>();
  register_filter<hdf5_filter::lz4>();
  register_filter<hdf5_filter::bzip2>();
  register_filter<hdf5_filter::bitshuffle>();
  register_filter<hdf5_filter::zstd>();
}

}  // namespace tenstride::io
#endif
