// SPDX-License-Identifier: Apache-2.0
#include "io/hdf5/filters.hpp"

#include <algorithm>
#include <cstring>

#include "base/message.hpp"
#include "io/stream/fletcher32.hpp"
#include "ledger/watch.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/copy/copy.hpp"

namespace tenstride::io {
namespace {

/// Bytes that checksums and headers add to a chunk.
constexpr std::size_t filter_slack = 64;

template <typename... Pieces>
[[noreturn]] void refuse_filter(const std::string& where, const Pieces&... pieces) {
  throw FileError(where + tenstride::detail::message(pieces...), "");
}

/// A copy of bytes from (rows, columns) to (columns, rows).
void transpose_bytes(std::byte* dst, const std::byte* src, std::size_t rows, std::size_t columns) {
  const std::size_t nbytes = rows * columns;
  const auto view = [&](const std::byte* bytes, const Layout& layout) {
    Storage storage = Storage::adopt(const_cast<std::byte*>(bytes), nbytes, [](void*) {});
    return Tensor(std::move(storage), layout, DType::uint8);
  };
  const Dims shape{static_cast<Index>(rows), static_cast<Index>(columns)};
  Tensor to = view(dst, column_major(shape));
  const tenstride::detail::MutedScope muted;
  copy_elements(to, view(src, row_major(shape)));
}

std::span<const std::byte> check_fletcher32(std::span<const std::byte> bytes, const std::string& where) {
  if (bytes.size() < 4) refuse_filter(where, "a checksum of 4 bytes, it has ", bytes.size());
  const std::span<const std::byte> content = bytes.first(bytes.size() - 4);
  std::uint32_t stored = 0;
  for (std::size_t i = 4; i-- > 0;) {
    stored = stored << 8 | std::to_integer<std::uint32_t>(bytes[content.size() + i]);
  }
  const std::uint32_t sum = fletcher32(content);
  // HDF5 before 1.6.3 wrote each half with its bytes exchanged on little-endian machines.
  const std::uint32_t old_sum = (sum & 0x00ff00ff) << 8 | (sum >> 8 & 0x00ff00ff);
  if (stored != sum && stored != old_sum) {
    refuse_filter(where, "the checksum (fletcher32) ", sum, ", it has ", stored, ": its bytes are damaged");
  }
  return content;
}

std::size_t shuffled_width(const Hdf5Filter& filter) {
  return filter.parameters.empty() ? 1 : std::max<std::size_t>(filter.parameters[0], 1);
}

}  // namespace

void shuffle_bytes(std::span<std::byte> dst, std::span<const std::byte> src, std::size_t width) {
  const std::size_t count = src.size() / width;
  if (count > 0) transpose_bytes(dst.data(), src.data(), count, width);
  std::copy(src.begin() + static_cast<std::ptrdiff_t>(count * width), src.end(),
            dst.begin() + static_cast<std::ptrdiff_t>(count * width));
}

void unshuffle_bytes(std::span<std::byte> dst, std::span<const std::byte> src, std::size_t width) {
  const std::size_t count = src.size() / width;
  if (count > 0) transpose_bytes(dst.data(), src.data(), width, count);
  std::copy(src.begin() + static_cast<std::ptrdiff_t>(count * width), src.end(),
            dst.begin() + static_cast<std::ptrdiff_t>(count * width));
}

std::uint64_t max_stored_hdf5_chunk(std::span<const Hdf5Filter> filters, std::uint64_t nbytes) {
  return filters.empty() ? nbytes : 2 * nbytes + 4096;
}

void decode_hdf5_chunk(std::span<const Hdf5Filter> filters, std::uint32_t mask,
                       std::span<const std::byte> stored, std::span<std::byte> elements, Hdf5Scratch& scratch,
                       const std::string& where) {
  const std::size_t max_nbytes = elements.size() + filter_slack;
  std::size_t next = 1;
  const auto take_buffer = [&](std::size_t nbytes) {
    std::string& buffer = scratch.buffers[next];
    next = 1 - next;
    buffer.resize(nbytes);
    return std::as_writable_bytes(std::span(buffer));
  };
  for (std::size_t i = filters.size(); i-- > 0;) {
    if (i < 32 && (mask >> i & 1U) != 0) continue;
    const Hdf5Filter& filter = filters[i];
    // The last step writes where the elements are wanted.
    const auto is_last = [&] {
      for (std::size_t k = i; k-- > 0;) {
        if (filters[k].number != hdf5_filter::fletcher32 && (k >= 32 || (mask >> k & 1U) == 0)) return false;
      }
      return true;
    };
    if (filter.number == hdf5_filter::fletcher32) {
      stored = check_fletcher32(stored, where);
    } else if (filter.number == hdf5_filter::shuffle) {
      const bool is_direct = is_last() && stored.size() == elements.size();
      const std::span<std::byte> out = is_direct ? elements : take_buffer(stored.size());
      unshuffle_bytes(out, stored, shuffled_width(filter));
      stored = out;
    } else {
      const bool is_direct = is_last() && i == 0;
      const std::span<std::byte> out = is_direct ? elements : take_buffer(max_nbytes);
      stored = out.first(decode_hdf5_filter(filter, stored, out, scratch, where));
    }
  }
  if (stored.size() != elements.size()) {
    refuse_filter(where, elements.size(), " bytes of elements, it has ", stored.size());
  }
  if (stored.data() != elements.data()) std::memcpy(elements.data(), stored.data(), elements.size());
}

}  // namespace tenstride::io
