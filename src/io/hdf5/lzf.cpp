// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

// A byte below 32 stands before that many and one literal bytes. Any other begins a copy of earlier bytes:
// its upper three bits are the length less 2, and where they are 7 the next byte is added to it; its lower
// five and one more byte are the distance less 1.
std::size_t decode_lzf(std::span<const std::byte> in, std::span<std::byte> out, const std::string& where) {
  std::size_t at = 0;
  std::size_t count = 0;
  const auto refuse = [&](std::string_view what) { throw FileError(where + std::string(what), ""); };
  const auto next = [&] {
    if (at == in.size()) refuse("lzf data, which are cut off");
    return std::to_integer<std::size_t>(in[at++]);
  };
  const auto require_room = [&](std::size_t nbytes) {
    if (nbytes > out.size() - count) refuse("lzf data of fewer bytes than they have");
  };
  while (at < in.size()) {
    const std::size_t control = next();
    if (control < 32) {
      const std::size_t length = control + 1;
      if (length > in.size() - at) refuse("lzf data, which are cut off");
      require_room(length);
      std::copy_n(in.begin() + static_cast<std::ptrdiff_t>(at), length,
                  out.begin() + static_cast<std::ptrdiff_t>(count));
      at += length;
      count += length;
      continue;
    }
    std::size_t length = (control >> 5) + 2;
    if (control >> 5 == 7) length += next();
    const std::size_t distance = ((control & 31) << 8 | next()) + 1;
    if (distance > count) refuse("lzf data, which are damaged");
    require_room(length);
    // The copy may reach into what it writes.
    for (std::size_t i = 0; i < length; ++i, ++count) out[count] = out[count - distance];
  }
  return count;
}

}  // namespace tenstride::io
