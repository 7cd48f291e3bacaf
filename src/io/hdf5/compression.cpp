// SPDX-License-Identifier: Apache-2.0
// The filters that compress: which of them this build has, and what each decodes.
#include <array>

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "io/zarr/codec_libraries.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

#ifdef TENSTRIDE_HAS_BLOSC
constexpr bool has_blosc = true;
#else
constexpr bool has_blosc = false;
#endif
#ifdef TENSTRIDE_HAS_ZSTD
constexpr bool has_zstd = true;
#else
constexpr bool has_zstd = false;
#endif
#ifdef TENSTRIDE_HAS_LZ4
constexpr bool has_lz4 = true;
#else
constexpr bool has_lz4 = false;
#endif
#ifdef TENSTRIDE_HAS_BZIP2
constexpr bool has_bzip2 = true;
#else
constexpr bool has_bzip2 = false;
#endif

struct NamedFilter {
  int number;
  std::string_view name;
};
/// Of those that are registered with the HDF Group, the ones that people have in their files.
constexpr std::array named_filters{NamedFilter{hdf5_filter::deflate, "deflate"},
                                   NamedFilter{hdf5_filter::shuffle, "shuffle"},
                                   NamedFilter{hdf5_filter::fletcher32, "fletcher32"},
                                   NamedFilter{4, "szip"},
                                   NamedFilter{5, "nbit"},
                                   NamedFilter{6, "scaleoffset"},
                                   NamedFilter{305, "lzo"},
                                   NamedFilter{hdf5_filter::bzip2, "bzip2"},
                                   NamedFilter{hdf5_filter::lzf, "lzf"},
                                   NamedFilter{hdf5_filter::blosc, "blosc"},
                                   NamedFilter{hdf5_filter::lz4, "lz4"},
                                   NamedFilter{hdf5_filter::bitshuffle, "bitshuffle"},
                                   NamedFilter{32013, "zfp"},
                                   NamedFilter{hdf5_filter::zstd, "zstd"},
                                   NamedFilter{32017, "sz"},
                                   NamedFilter{32018, "fcidecomp"},
                                   NamedFilter{32019, "jpeg"},
                                   NamedFilter{32020, "vbz"},
                                   NamedFilter{32023, "bitround"},
                                   NamedFilter{32024, "sz3"},
                                   NamedFilter{32026, "blosc2"},
                                   NamedFilter{32028, "sperr"}};

/// The parameter of bitshuffle that says how its blocks are compressed.
unsigned compression_of(const Hdf5Filter& bitshuffle) {
  return bitshuffle.parameters.size() > 4 ? bitshuffle.parameters[4] : 0;
}

/// Whether bitshuffle's blocks are as they were, of LZ4 or of zstd.
bool has_known_blocks(const Hdf5Filter& bitshuffle) {
  const unsigned blocks = compression_of(bitshuffle);
  return blocks == 0 || blocks == 2 || blocks == 3;
}

/// The library that a filter needs; empty where it needs none, or the filter is not known.
std::string_view library_of(const Hdf5Filter& filter) {
  const unsigned blocks = filter.number == hdf5_filter::bitshuffle ? compression_of(filter) : 0;
  if (filter.number == hdf5_filter::blosc) return "c-blosc";
  if (filter.number == hdf5_filter::zstd || blocks == 3) return "zstd";
  if (filter.number == hdf5_filter::lz4 || blocks == 2) return "liblz4";
  return filter.number == hdf5_filter::bzip2 ? "libbz2" : "";
}

/// What libraries of Zarr's codecs decode; they speak of files of Zarr.
template <class Decode>
std::size_t decode_as_in_zarr(std::string_view name, const std::string& where, const Decode& decode) {
  try {
    return decode();
  } catch (const FileError&) {
    throw FileError(where + tenstride::detail::message(name, " data, which are damaged"), "");
  }
}

}  // namespace

std::string_view hdf5_filter_name(int number) {
  for (const NamedFilter& filter : named_filters) {
    if (filter.number == number) return filter.name;
  }
  return {};
}

bool is_decoded_here(const Hdf5Filter& filter) {
  switch (filter.number) {
    case hdf5_filter::deflate:
    case hdf5_filter::shuffle:
    case hdf5_filter::fletcher32:
    case hdf5_filter::lzf:
      return true;
    case hdf5_filter::blosc:
      return has_blosc;
    case hdf5_filter::zstd:
      return has_zstd;
    case hdf5_filter::lz4:
      return has_lz4;
    case hdf5_filter::bzip2:
      return has_bzip2;
    case hdf5_filter::bitshuffle: {
      const unsigned blocks = compression_of(filter);
      return blocks == 0 || (blocks == 2 && has_lz4) || (blocks == 3 && has_zstd);
    }
    default:
      return false;
  }
}

std::string obstacle_of_filter(const Hdf5Filter& filter, bool has_libhdf5) {
  if (has_libhdf5 && (filter.number != hdf5_filter::bitshuffle || has_known_blocks(filter))) return {};
  using tenstride::detail::message;
  const std::string_view library = library_of(filter);
  const std::string missing =
      library.empty() || is_decoded_here(filter) ? "" : message("; this build has no ", library);
  return message("be compressed by filters that can be read, not by ", filter.name, " (number ",
                 filter.number, ")", missing,
                 "; a plugin in a folder of HDF5_PLUGIN_PATH lets libhdf5 read it");
}

std::size_t decode_hdf5_filter(const Hdf5Filter& filter, std::span<const std::byte> in,
                               std::span<std::byte> out, Hdf5Scratch& scratch, const std::string& where) {
  switch (filter.number) {
    case hdf5_filter::lzf:
      return decode_lzf(in, out, where);
    case hdf5_filter::lz4:
      return decode_hdf5_lz4(in, out, where);
    case hdf5_filter::bzip2:
      return decode_as_in_zarr("bzip2", where, [&] { return decode_bz2(in, out, ""); });
    case hdf5_filter::bitshuffle:
      return decode_bitshuffle(filter, in, out, scratch, where);
    case hdf5_filter::blosc:
      return decode_as_in_zarr("blosc", where, [&] { return decode_blosc(in, out, ""); });
    case hdf5_filter::zstd:
      return decode_as_in_zarr("zstd", where, [&] { return decode_zstd(in, out, scratch.codecs, ""); });
    default:
      return inflate_bytes(in, out, scratch, where);
  }
}

}  // namespace tenstride::io
