// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_BZIP2
#include <bzlib.h>
#endif

#include <algorithm>

#include "base/message.hpp"
#include "io/hdf5/filters.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {

std::size_t decode_bzip2([[maybe_unused]] std::span<const std::byte> in,
                         [[maybe_unused]] std::span<std::byte> out, const std::string& where) {
#ifdef TENSTRIDE_HAS_BZIP2
  constexpr std::size_t most = UINT32_MAX;
  auto count = static_cast<unsigned>(std::min(out.size(), most));
  char* const src = const_cast<char*>(reinterpret_cast<const char*>(in.data()));
  const int state = BZ2_bzBuffToBuffDecompress(reinterpret_cast<char*>(out.data()), &count, src,
                                               static_cast<unsigned>(std::min(in.size(), most)), /*small=*/0,
                                               /*verbosity=*/0);
  if (state == BZ_OK) return count;
  if (state == BZ_OUTBUFF_FULL) {
    throw FileError(
        where + tenstride::detail::message("at most ", out.size(), " bytes of elements, it has more"), "");
  }
#endif
  throw FileError(where + "bzip2 data, which are damaged", "");
}

}  // namespace tenstride::io
