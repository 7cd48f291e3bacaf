// SPDX-License-Identifier: Apache-2.0
#include "io/format/flat_elements.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "copy/swap_bytes.hpp"
#include "io/ends/parts.hpp"
#include "io/input.hpp"
#include "io/plan/boxes.hpp"
#include "io/plan/default_chunk.hpp"
#include "io/stream/crc32.hpp"
#include "io/stream/inflate_stream.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

std::size_t number_nbytes(const FileInfo& info) {
  return item_size(component_type(info.dtype));
}

/// The bytes of the elements, with whatever lies between them.
std::size_t reach_nbytes(const FileInfo& info) {
  const auto touched = reach(info.layout);
  return touched ? static_cast<std::size_t>(touched->highest + 1) * item_size(info.dtype) : 0;
}

[[noreturn]] void refuse_info(const FileInfo& info, std::string_view operation, const std::string& text) {
  throw FileError(message(operation, ": \"", info.address(), "\" ", text), info.path);
}

/// The file, which may have become shorter since its header was read.
Storage map_whole(const FileInfo& info, MapMode mode, std::string_view operation) {
  Storage file = map_input(info.path, operation, mode);
  const std::uint64_t end = info.data_begin + reach_nbytes(info);
  if (file.nbytes() < end) {
    refuse_info(info, operation,
                message("must have ", end, " bytes for its elements, it has ", file.nbytes()));
  }
  return file;
}

void check_crc(const FileInfo& info, const Storage& file, std::string_view operation) {
  const CompressedStream& part = info.stream;
  if (!part.crc || part.begin > file.nbytes() || part.nbytes > file.nbytes() - part.begin) return;
  const std::optional<std::uint32_t> found = crc32_of(bytes_of(file).subspan(part.begin, part.nbytes));
  if (found && *found != *part.crc)
    refuse_info(info, operation, "is damaged: its CRC-32 must be that of the directory");
}

}  // namespace

bool is_mappable(const FileInfo& info) {
  return info.storage == ElementStorage::flat && info.obstacle.empty() && !info.is_byte_swapped &&
         info.data_begin % number_nbytes(info) == 0;
}

Tensor map_flat(const FileInfo& info, MapMode mode, std::string_view operation) {
  if (info.storage != ElementStorage::flat) {
    refuse_info(info, operation,
                message("must hold its elements one after the other to be mapped, not ",
                        info.codec.empty() ? "encoded" : "compressed by " + info.codec, "; load it"));
  }
  if (info.is_byte_swapped) {
    refuse_info(info, operation,
                message("must hold elements in this machine's byte order to be mapped, it holds ",
                        name(info.dtype), " in the other; load it"));
  }
  if (!is_mappable(info)) {
    refuse_info(info, operation,
                message("has elements from byte ", info.data_begin, " on, which must be a multiple of ",
                        number_nbytes(info), " to be mapped (", name(info.dtype), "); load it"));
  }
  if (mode == MapMode::read_write && info.stream.crc) {
    refuse_info(info, operation,
                "must not be mapped to be written: the file has a CRC-32 of the elements, which would become "
                "wrong; map it read-only or copy-on-write");
  }
  const Storage file = map_whole(info, mode, operation);
  auto* const first = const_cast<std::byte*>(file.data()) + info.data_begin;
  const Access access = file.is_read_only() ? Access::read_only : Access::read_write;
  Storage elements = Storage::adopt(
      first, reach_nbytes(info), [kept = file](void*) {}, access);
  return Tensor(std::move(elements), info.layout, info.dtype);
}

namespace {

/// Elements among more bytes of others, as in records of many variables: part by part, row-major.
Tensor load_among_others(const FileInfo& info, std::string_view operation) {
  const Dims& shape = info.layout.shape;
  Tensor result = empty(shape, {.dtype = info.dtype});
  const FlatPartReader reader(info, last_axes_chunk(shape, static_cast<Index>(item_size(info.dtype))),
                              operation);
  std::vector<std::byte> buffer;
  std::uint64_t nbytes_read = 0;
  for (const Box& box : reader.parts({Dims::filled(shape.size(), 0), shape})) {
    buffer.resize(reader.nbytes(box));
    const Layout layout = reader.read(box, buffer, nbytes_read);
    Tensor target = part_of(result, box.first, box.extents);
    target.copy_(tensor_on_memory(buffer.data(), layout, info.dtype));
  }
  return result;
}

}  // namespace

Tensor load_flat(const FileInfo& info, std::string_view operation) {
  const auto held = static_cast<std::size_t>(numel(info.layout)) * item_size(info.dtype);
  if (reach_nbytes(info) / 2 > held) return load_among_others(info, operation);
  const Storage file = map_whole(info, MapMode::read_only, operation);
  const std::size_t nbytes = reach_nbytes(info);
  const Storage storage = Storage::allocate(nbytes);
  // Of a number that stands as it must there is nothing to swap but single bytes.
  const std::size_t width = info.is_byte_swapped ? number_nbytes(info) : 1;
  swap_bytes(storage.mutable_data(), file.data() + info.data_begin, nbytes, width);
  check_crc(info, file, operation);
  return Tensor(storage, info.layout, info.dtype);
}

Tensor load_stream(const FileInfo& info, std::string_view operation) {
  InflateStream stream(info.path, info.stream, info.codec, operation);
  std::vector<std::byte> buffer(std::size_t{1} << 20);
  const auto skip = [&](std::uint64_t count) {
    while (count > 0) {
      const std::size_t part = std::min<std::uint64_t>(count, buffer.size());
      const std::size_t got = stream.read(std::span(buffer).first(part));
      count -= got;
      if (got < part) return count;
    }
    return count;
  };
  const std::size_t nbytes = reach_nbytes(info);
  std::uint64_t missing = skip(info.data_begin);
  Storage storage = missing > 0 ? Storage() : Storage::allocate(nbytes);
  if (missing > 0) {
    missing += nbytes;
  } else {
    missing = nbytes - stream.read({storage.mutable_data(), nbytes});
  }
  if (missing > 0) {
    refuse_info(info, operation,
                message("must unpack to ", info.data_begin + nbytes, " bytes, ", missing, " are missing"));
  }
  skip(UINT64_MAX);  // to its end, where its CRC is checked
  if (info.is_byte_swapped) {
    const Storage swapped = Storage::allocate(nbytes);
    swap_bytes(swapped.mutable_data(), storage.data(), nbytes, number_nbytes(info));
    storage = swapped;
  }
  return Tensor(storage, info.layout, info.dtype);
}

Tensor load_chunks(const ChunkSource& source) {
  const ChunkGrid& grid = source.grid();
  const Dims counts = grid.counts();
  const auto item = static_cast<Index>(item_size(source.dtype()));
  Tensor result = empty(grid.shape, {.dtype = source.dtype()});
  const Dims zeros = Dims::filled(counts.size(), 0);
  const auto chunk_nbytes = static_cast<std::size_t>(numel(row_major(grid.chunk)) * item);
  parallel_for(0, count_elements(counts), 1, [&](Index first, Index last) {
    const ThreadScope serial(1);
    const Storage buffer = Storage::allocate(chunk_nbytes);
    const Tensor chunk(buffer, source.chunk_layout(), source.dtype());
    for (Index number = first; number < last; ++number) {
      const Dims index = unit_index(counts, number);
      source.read(index, {buffer.mutable_data(), chunk_nbytes});
      const Box box = chunk_box(grid, index);
      Tensor target = part_of(result, box.first, box.extents);
      target.copy_(part_of(chunk, zeros, box.extents));
    }
  });
  return result;
}

}  // namespace tenstride::io
