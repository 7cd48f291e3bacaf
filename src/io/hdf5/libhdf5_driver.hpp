// SPDX-License-Identifier: Apache-2.0
// How libhdf5 reads and writes bytes for this library: from a descriptor that is open already, to memory, or
// to a new file.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "files/descriptor.hpp"
#include "io/hdf5/libhdf5.hpp"
#include "io/hdf5/superblock.hpp"

namespace tenstride::io {

/// A file to be read, and those that its links and virtual datasets lead to, which are opened by name and
/// checked as it was. Reads of elements can be caught: then their place is noted and nothing is read, which
/// finds the address of a chunk by one search in the file's index. H5Dget_chunk_info_by_coord of libhdf5 1.10
/// visits all chunks before it instead.
struct Hdf5ReadFile {
  const Hdf5Input* input = nullptr;
  bool is_catching = false;
  /// Where the first read that was caught begins: in bytes from the beginning of the file.
  std::uint64_t caught_begin = 0;
  std::uint64_t caught_nbytes = 0;
  /// Why it could not be opened.
  std::string reason = {};
  /// Why another file could not be opened that a link leads to.
  std::string refused = {};
};

/// A file that is made in memory, where elements take no room. Example: the metadata of a dataset of 50 GB
/// take one page of 64 KiB.
struct Hdf5MemoryFile {
  static constexpr std::uint64_t page_nbytes = std::uint64_t{1} << 16;
  std::map<std::uint64_t, std::string> pages;
  /// Whether elements are dropped that are written. To libhdf5 the texts of attributes are such elements,
  /// too, until they are flushed.
  bool is_dropping = false;
  /// The end of what was allocated, that when it was last flushed, and the end of what was written and is no
  /// element.
  std::uint64_t end = 0;
  std::uint64_t flushed_end = 0;
  std::uint64_t written_end = 0;

  /// The first bytes; those that were not written are zero.
  [[nodiscard]] std::string start(std::uint64_t nbytes) const;
};

/// A new file on the disk. Where a write fails, `error` is its `errno`, and libhdf5 is not told: it cannot
/// close a file whose last bytes have no room, and the process would end in it. Nothing more is written then.
struct Hdf5DiskFile {
  Descriptor file;
  int error = 0;
  /// The byte behind the last one that was written.
  std::uint64_t end = 0;
};

/// Gives libhdf5 the filters that this build decodes and it does not. Once in a process that reads.
void register_hdf5_filters();

/// Opens a file whose superblock was checked. Not open where libhdf5 refuses it. `file` must outlive the
/// result.
Hdf5Id open_hdf5_file(Hdf5ReadFile& file);

/// Makes an empty file in memory.
Hdf5Id create_hdf5_file(Hdf5MemoryFile& file);
/// Opens it again, to allocate elements, when it was closed. Then libhdf5 does not know of the room that was
/// free in it.
Hdf5Id reopen_hdf5_file(Hdf5MemoryFile& file);
/// Makes a file on the disk, whose descriptor is open and empty.
Hdf5Id create_hdf5_file(Hdf5DiskFile& file);

}  // namespace tenstride::io
