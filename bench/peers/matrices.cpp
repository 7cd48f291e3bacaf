// SPDX-License-Identifier: Apache-2.0
#include "matrices.hpp"

#include <algorithm>

#include "tenstride/layout/coalesce.hpp"

namespace tenstride::bench {
namespace {

constexpr Index max_matrices = 200000;

}  // namespace

std::optional<Matrices> as_matrices(const CopyCase& what) {
  const Layout view = coalesce(what.view);
  const std::size_t rank = view.rank();
  if (rank == 0) return std::nullopt;
  if (std::any_of(view.strides.begin(), view.strides.end(), [](Index s) { return s <= 0; })) {
    return std::nullopt;
  }
  const Dims dst = row_major_strides(view.shape);
  const auto dense = std::find(view.strides.begin(), view.strides.end(), 1);
  if (dense == view.strides.end()) return std::nullopt;
  const std::size_t inner = rank - 1;
  auto outer = static_cast<std::size_t>(dense - view.strides.begin());

  Matrices result;
  result.transposed = outer != inner;
  result.columns = view.shape[inner];
  result.dst_stride = result.columns;
  result.src_stride = result.transposed ? view.strides[inner] : result.columns;
  if (!result.transposed) outer = inner == 0 ? rank : inner - 1;  // rank: there is no other axis
  if (outer < rank) {
    result.rows = view.shape[outer];
    result.dst_stride = dst[outer];
    if (!result.transposed) result.src_stride = view.strides[outer];
  }

  std::vector<Matrices::Place> places{{0, view.offset}};
  for (std::size_t d = 0; d < rank; ++d) {
    if (d == outer || d == inner) continue;
    if (static_cast<Index>(places.size()) * view.shape[d] > max_matrices) return std::nullopt;
    std::vector<Matrices::Place> more;
    for (const Matrices::Place& place : places) {
      for (Index i = 0; i < view.shape[d]; ++i) {
        more.push_back({place.dst + i * dst[d], place.src + i * view.strides[d]});
      }
    }
    places = std::move(more);
  }
  result.places = std::move(places);
  return result;
}

}  // namespace tenstride::bench
