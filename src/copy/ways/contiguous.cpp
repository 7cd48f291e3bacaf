// SPDX-License-Identifier: Apache-2.0
#include <cstring>

#include "copy/shares.hpp"
#include "copy/sink.hpp"
#include "copy/ways/ways.hpp"

namespace tenstride::copy {
namespace {

/// Pieces of at most this many bytes are copied by the C library's memcpy, which may write lines without
/// reading them first (`rep movsb`): .8 to .9 of the time where both sides just fill the L2 cache.
constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// Bytes of a piece, which is one thread's range.
constexpr Index piece_bytes = Index{128} << 10;

}  // namespace

void run(const Contiguous& way, const Bound& bound) {
  const LinePieces pieces(static_cast<Index>(bound.row_bytes()), piece_bytes,
                          static_cast<Index>(line_offset(bound.dst)));
  share_out(bound.threads, {pieces.count(), pieces.count()}, [&](Index piece, Index end) {
    const Index first = pieces.first(piece);
    const auto bytes = static_cast<std::size_t>(pieces.last(end - 1) - first);
    if (way.stores != Stores::ordinary) {
      Sink(bound.kernels, way.stores).write(bound.dst + first, bound.src + first, bytes);
    } else if (bytes <= cached_bytes) {
      std::memcpy(bound.dst + first, bound.src + first, bytes);
    } else {
      bound.kernels.copy_rows(bound.dst + first, 0, bound.src + first, 0, 1, bytes);
    }
  });
}

}  // namespace tenstride::copy
