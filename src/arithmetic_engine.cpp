// SPDX-License-Identifier: Apache-2.0
#include "arithmetic_engine.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "arithmetic_blocks.hpp"
#include "compare_blocks.hpp"
#include "copy/ledger_watch.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Elements that one thread takes at a time; below that an operation is serial.
constexpr Index grain = Index{1} << 16;
/// Rows below so many elements are taken several at a time.
constexpr Index short_row = 128;
/// The longest run that is looked at together where nothing goes through a buffer.
constexpr Index longest_in_place = Index{1} << 14;

/// An operand as it is, or copied into the result's order where walking that order would leap through a large
/// tensor: a transpose in tiles and a dense run cost less than a leap for each element.
Tensor in_order_of(const Layout& layout, const Tensor& x) {
  constexpr Index small = Index{1} << 16;  // stays in the L2 cache
  if (x.shape() != layout.shape || x.numel() < small) return x;
  const JointWalk<2> walk({layout, x.layout()});
  if (const Index step = walk.inner_stride(1); step == 0 || step == 1) return x;
  const ReasonScope reason([] { return "brought into the order of the result"; });
  return materialize(x, is_non_overlapping_and_dense(layout) ? layout : row_major(layout.shape), x.dtype());
}

/// Whether dense runs are looked at where they lie.
bool is_direct(const ElementSource& source) {
  const DType type = source.tensor.dtype();
  return !source.tensor.is_conj() && type == source.meeting && type == source.type;
}

template <std::size_t N>
Index widest_of(const Tensor& result, const std::array<ElementSource, N>& sources, ElementTarget target) {
  std::size_t widest = std::max({result.itemsize(), item_size(target.given), item_size(target.meeting)});
  for (const ElementSource& source : sources) {
    widest = std::max({widest, source.tensor.itemsize(), item_size(source.meeting), item_size(source.type)});
  }
  return static_cast<Index>(widest);
}

/// The walk with, for short rows, its innermost axis taken out: rows of it are blocks.
template <std::size_t N>
struct Rows {
  explicit Rows(const JointWalk<N>& whole) : walk(whole) {
    const Layout& first = whole.layout(0);
    if (first.rank() < 2 || first.shape.back() >= short_row) return;
    columns = first.shape.back();
    std::array<Layout, N> outer;
    for (std::size_t k = 0; k < N; ++k) {
      outer[k] = whole.layout(k);
      steps[k] = outer[k].strides.back();
      outer[k].shape.pop_back();
      outer[k].strides.pop_back();
    }
    walk = JointWalk<N>(outer);
  }
  JointWalk<N> walk;
  Index columns = 0;  ///< 0: the walk's runs are the rows
  std::array<Index, N> steps{};
};

template <std::size_t N, std::size_t... I>
void call_row(typename RowOf<N>::type row, std::byte* out, const std::array<const std::byte*, N>& in,
              Index count, std::index_sequence<I...>) {
  row(out, in[I]..., count);
}

}  // namespace

template <std::size_t N>
void run_elementwise(Tensor& result, const std::array<ElementSource, N>& given, typename RowOf<N>::type row,
                     ElementTarget target) {
  if (result.numel() == 0) return;
  std::array<ElementSource, N> sources = given;
  std::array<Layout, N + 1> layouts;
  layouts[0] = result.layout();
  for (std::size_t k = 0; k < N; ++k) {
    sources[k].tensor = in_order_of(result.layout(), sources[k].tensor);
    layouts[k + 1] = expand(sources[k].tensor.layout(), result.shape());
  }
  const Rows<N + 1> rows{JointWalk<N + 1>(layouts)};
  const JointWalk<N + 1>& walk = rows.walk;
  const bool gives_truths = target.given == DType::uint8 && result.dtype() == DType::bool_;
  const bool is_written_once = target.given == target.meeting && target.meeting == result.dtype();
  bool is_plain = rows.columns == 0 && walk.inner_stride(0) == 1 && (is_written_once || gives_truths);
  for (std::size_t k = 0; k < N; ++k) {
    is_plain = is_plain && walk.inner_stride(k + 1) == 1 && is_direct(sources[k]);
  }
  const Index fitting = BlockReader::bytes / widest_of(result, sources, target);
  const Index longest = is_plain            ? longest_in_place
                        : rows.columns == 0 ? fitting
                                            : std::max<Index>(fitting / rows.columns, 1);
  std::byte* const base = result.mutable_storage_data();
  const Index row_grain = std::max<Index>(grain / std::max<Index>(rows.columns, 1), 1);
  parallel_for(0, walk.count(), row_grain, [&](Index from, Index to) {
    std::array<std::optional<BlockReader>, N> readers;
    for (std::size_t k = 0; k < N; ++k)
      readers[k].emplace(sources[k].tensor, sources[k].meeting, sources[k].type);
    BlockWriter writer(base, target.given, target.meeting, result.dtype(), result.is_conj());
    walk(from, to, longest, [&](const auto& at, const auto& strides, Index count) {
      const auto block = [&](std::size_t k) {
        if (rows.columns == 0) return Block{at[k], 0, strides[k], 1, count};
        return Block{at[k], strides[k], rows.steps[k], count, rows.columns};
      };
      std::array<const std::byte*, N> in;
      for (std::size_t k = 0; k < N; ++k) in[k] = (*readers[k])(block(k + 1));
      const Block to_block = block(0);
      call_row<N>(row, writer.begin(to_block), in, to_block.rows * to_block.columns,
                  std::make_index_sequence<N>());
      writer.end(to_block);
      return true;
    });
  });
}

template void run_elementwise<1>(Tensor&, const std::array<ElementSource, 1>&, copy::UnaryRow, ElementTarget);
template void run_elementwise<2>(Tensor&, const std::array<ElementSource, 2>&, copy::BinaryRow,
                                 ElementTarget);
template void run_elementwise<3>(Tensor&, const std::array<ElementSource, 3>&, copy::TernaryRow,
                                 ElementTarget);

}  // namespace tenstride::detail
