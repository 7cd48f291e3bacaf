// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_LZ4
#include <lz4.h>
#endif

#include <algorithm>
#include <cstring>

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "io/stream/big_endian.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

bool decode_lz4_block([[maybe_unused]] std::span<const std::byte> in,
                      [[maybe_unused]] std::span<std::byte> out) {
#ifdef TENSTRIDE_HAS_LZ4
  if (in.size() > INT32_MAX || out.size() > INT32_MAX) return false;
  const int count =
      LZ4_decompress_safe(reinterpret_cast<const char*>(in.data()), reinterpret_cast<char*>(out.data()),
                          static_cast<int>(in.size()), static_cast<int>(out.size()));
  return count >= 0 && static_cast<std::size_t>(count) == out.size();
#else
  return false;  // no such filter is decoded here
#endif
}

// The size of all and that of a block, then each block behind its own size. One that did not become smaller
// is stored as it is.
std::size_t decode_hdf5_lz4(std::span<const std::byte> in, std::span<std::byte> out,
                            const std::string& where) {
  constexpr std::size_t head = 12;
  if (in.size() < head) throw FileError(where + "lz4 data, which are cut off", "");
  const std::uint64_t total = big_endian(in.first(8));
  const std::uint64_t block = big_endian(in.subspan(8, 4));
  if (total > out.size()) {
    throw FileError(
        where + tenstride::detail::message("at most ", out.size(), " bytes of elements, it has ", total), "");
  }
  in = in.subspan(head);
  for (std::size_t done = 0; done < total;) {
    const std::size_t count = std::min<std::uint64_t>(block, total - done);
    if (count == 0) throw FileError(where + "lz4 data, which are damaged", "");
    if (in.size() < 4) throw FileError(where + "lz4 data, which are cut off", "");
    const std::uint64_t stored = big_endian(in.first(4));
    in = in.subspan(4);
    if (stored > in.size()) throw FileError(where + "lz4 data, which are cut off", "");
    if (stored == count) {
      std::memcpy(out.data() + done, in.data(), count);
    } else if (!decode_lz4_block(in.first(stored), out.subspan(done, count))) {
      throw FileError(where + "lz4 data, which are damaged", "");
    }
    in = in.subspan(stored);
    done += count;
  }
  return total;
}

}  // namespace tenstride::io
