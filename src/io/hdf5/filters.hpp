// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "io/hdf5/dataset.hpp"
#include "io/stream/zlib_decoder.hpp"
#include "io/zarr/codecs.hpp"

namespace tenstride::io {

/// What one thread needs to decode and encode chunks, kept from chunk to chunk.
struct Hdf5Scratch {
  /// The bytes of the file, and those between two filters.
  std::array<std::string, 2> buffers;
  std::string elements;
  ZlibDecoder inflater;
  std::shared_ptr<void> deflater;
  int level = -1;
  /// Of the codecs that Zarr has, too.
  CodecScratch codecs;
  /// A block of bitshuffle.
  std::string block;
};

/// The name by which a filter is known, "blosc"; empty of a number that is not known.
std::string_view hdf5_filter_name(int number);
/// Whether this build decodes what the filter makes.
bool is_decoded_here(const Hdf5Filter& filter);
/// Why a filter keeps chunks from being read by libhdf5, as the end of "must …"; empty where it does not.
/// `has_libhdf5`: libhdf5 has it, as a plugin or by register_hdf5_filters.
std::string obstacle_of_filter(const Hdf5Filter& filter, bool has_libhdf5);

/// Decodes the bytes of a chunk into `elements`, which they must fill exactly; bit i of `mask` says that
/// filter i was left out. Checksums are compared. No step allocates more than the chunk's size allows,
/// whatever the bytes say. `stored` may be of buffers[0]. Throws FileError with `where`: `operation: "path"
/// has …`. Pre: all filters are decoded here.
void decode_hdf5_chunk(std::span<const Hdf5Filter> filters, std::uint32_t mask,
                       std::span<const std::byte> stored, std::span<std::byte> elements, Hdf5Scratch& scratch,
                       const std::string& where);

/// How many bytes a chunk of `nbytes` may have in the file; more is refused before it is read.
std::uint64_t max_stored_hdf5_chunk(std::span<const Hdf5Filter> filters, std::uint64_t nbytes);

/// First bytes of all items, then second bytes …; and back. Bytes behind the last whole item stay where they
/// are. Example: items of 2 bytes, "aAbBc" to "abABc". Pre: the memories do not overlap; width > 0.
void shuffle_bytes(std::span<std::byte> dst, std::span<const std::byte> src, std::size_t width);
void unshuffle_bytes(std::span<std::byte> dst, std::span<const std::byte> src, std::size_t width);

/// Compresses as zlib does, at a level of 1 to 9. Valid until the scratch is used again.
std::span<const std::byte> deflate_bytes(std::span<const std::byte> bytes, int level, Hdf5Scratch& scratch,
                                         const std::string& where);
/// How many bytes it writes. Throws FileError.
std::size_t inflate_bytes(std::span<const std::byte> in, std::span<std::byte> out, Hdf5Scratch& scratch,
                          const std::string& where);

/// Each decodes what one filter makes, and gives how many bytes it writes. Throws FileError.
std::size_t decode_hdf5_filter(const Hdf5Filter& filter, std::span<const std::byte> in,
                               std::span<std::byte> out, Hdf5Scratch& scratch, const std::string& where);
/// lzf is the compression of h5py.
std::size_t decode_lzf(std::span<const std::byte> in, std::span<std::byte> out, const std::string& where);
/// Blocks of LZ4 behind their size, as the registered filter writes them.
std::size_t decode_hdf5_lz4(std::span<const std::byte> in, std::span<std::byte> out,
                            const std::string& where);
/// A block of LZ4 that must fill `out`. False where it does not.
bool decode_lz4_block(std::span<const std::byte> in, std::span<std::byte> out);
/// Bits sorted by their place in the element, in blocks that may be compressed by LZ4 or zstd.
std::size_t decode_bitshuffle(const Hdf5Filter& filter, std::span<const std::byte> in,
                              std::span<std::byte> out, Hdf5Scratch& scratch, const std::string& where);

}  // namespace tenstride::io
