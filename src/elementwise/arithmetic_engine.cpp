// SPDX-License-Identifier: Apache-2.0
#include "elementwise/arithmetic_engine.hpp"

#include <algorithm>
#include <cstring>
#include <optional>

#include "elementwise/arithmetic_blocks.hpp"
#include "elementwise/dense_runs.hpp"
#include "ledger/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::detail {
namespace {

/// The least number of elements for a thread. Smaller operations are serial.
constexpr Index grain = Index{1} << 16;
/// Rows of fewer elements than this are computed several at a time.
constexpr Index short_row = 128;
/// The longest run of one call where no operand goes through a buffer.
constexpr Index longest_in_place = Index{1} << 14;

/// The greatest number of elements for which an operand of one element is repeated without a reader.
constexpr Index max_repeated = 64;

/// Converts the one element of a tensor and writes it `count` times.
void repeat_element(std::byte* out, const Tensor& x, DType meeting, DType type, Index count) {
  alignas(16) std::array<std::byte, 16 + copy::spill_bytes> first;
  alignas(16) std::array<std::byte, 16 + copy::spill_bytes> second;
  const std::byte* at = x.storage_data() + x.storage_offset() * static_cast<Index>(x.itemsize());
  if (x.dtype() != meeting) {
    copy::kernels().convert(meeting, x.dtype())(first.data(), at, 1, copy::Stores::ordinary);
    at = first.data();
  }
  if (meeting != type) {
    copy::kernels().convert(type, meeting)(second.data(), at, 1, copy::Stores::ordinary);
    at = second.data();
  }
  const std::size_t item = item_size(type);
  for (Index i = 0; i < count; ++i) std::memcpy(out + i * static_cast<Index>(item), at, item);
}

/// Returns whether dense runs are read without a buffer.
bool is_direct(const ElementSource& source) {
  const DType type = source.tensor.dtype();
  return source.tensor.is_resolved() && type == source.meeting && type == source.type;
}

template <std::size_t N>
Index widest_of(const Tensor& result, const std::array<ElementSource, N>& sources, ElementTarget target) {
  std::size_t widest = std::max({result.itemsize(), item_size(target.given), item_size(target.meeting)});
  for (const ElementSource& source : sources) {
    widest = std::max({widest, source.tensor.itemsize(), item_size(source.meeting), item_size(source.type)});
  }
  return static_cast<Index>(widest);
}

/// A loop nest whose innermost loop, where it is short, is taken out: several rows of it make a block.
template <std::size_t N>
struct Rows {
  explicit Rows(const JointLoops<N>& whole) : loops(whole) {
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
    loops = JointLoops<N>(outer);
  }
  JointLoops<N> loops;
  Index columns = 0;  ///< 0 where the runs of the loop nest are the rows
  std::array<Index, N> steps{};
};

template <std::size_t N, std::size_t... I>
void call_row(typename RowOf<N>::type row, std::byte* out, const std::array<const std::byte*, N>& in,
              Index count, std::index_sequence<I...>) {
  row(out, in[I]..., count);
}

/// An operation: what all its parts have in common.
template <std::size_t N>
struct Operation {
  Tensor& result;
  const std::array<ElementSource, N>& sources;
  typename RowOf<N>::type row;
  ElementTarget target;
  std::byte* base;
};

/// Computes parts of an operation. Each thread has one of its own. Its address must not change.
template <std::size_t N>
class Worker {
 public:
  Worker(const Operation<N>& operation, const std::array<Tensor, N>& tensors)
      : Worker(operation, tensors, std::make_index_sequence<N>()) {}

  void operator()(const Rows<N + 1>& rows, Index from, Index to, Index longest) {
    rows.loops(from, to, longest, [&](const auto& at, const auto& strides, Index count) {
      const auto block = [&](std::size_t k) {
        if (rows.columns == 0) return RowBlock{at[k], 0, strides[k], 1, count};
        return RowBlock{at[k], strides[k], rows.steps[k], count, rows.columns};
      };
      std::array<const std::byte*, N> in;
      for (std::size_t k = 0; k < N; ++k) in[k] = readers_[k](block(k + 1));
      const RowBlock written = block(0);
      call_row<N>(operation_.row, writer_.begin(written), in, written.count(), std::make_index_sequence<N>());
      writer_.end(written);
      return true;
    });
  }

 private:
  // Constructed in place, with uninitialised buffers.
  template <std::size_t... I>
  Worker(const Operation<N>& operation, const std::array<Tensor, N>& tensors, std::index_sequence<I...>)
      : operation_(operation),
        readers_{BlockReader(tensors[I], operation.sources[I].meeting, operation.sources[I].type)...},
        writer_(operation.base, operation.target.given, operation.target.meeting, operation.result) {}

  const Operation<N>& operation_;
  std::array<BlockReader, N> readers_;
  BlockWriter writer_;
};

/// Returns whether the row kernel writes elements of the result without a conversion.
template <std::size_t N>
bool is_written_once(const Operation<N>& operation) {
  const ElementTarget target = operation.target;
  const DType to = operation.result.dtype();
  const bool gives_truths = target.given == DType::uint8 && to == DType::bool_;
  return (target.given == target.meeting && target.meeting == to) || gives_truths;
}

/// Returns the longest run of one call, in iterations of the loop nest.
template <std::size_t N>
Index longest_run(const Operation<N>& operation, const Rows<N + 1>& rows) {
  const ElementTarget target = operation.target;
  bool is_plain = rows.columns == 0 && rows.loops.inner_stride(0) == 1 && is_written_once(operation);
  for (std::size_t k = 0; k < N; ++k) {
    is_plain = is_plain && rows.loops.inner_stride(k + 1) == 1 && is_direct(operation.sources[k]);
  }
  if (is_plain) return longest_in_place;
  const Index fitting = BlockReader::bytes / widest_of(operation.result, operation.sources, target);
  return rows.columns == 0 ? fitting : std::max<Index>(fitting / rows.columns, 1);
}

/// Computes a small operation of dense tensors with equal strides, and of numbers, in one call without a loop
/// nest, which would be a third of the time for six elements. Returns whether it did.
template <std::size_t N>
bool run_at_once(const Operation<N>& operation) {
  const Tensor& result = operation.result;
  const Index count = result.numel();
  if (count > longest_in_place || !is_written_once(operation) || !result.is_resolved()) return false;
  if (!is_non_overlapping_and_dense(result.layout())) return false;
  std::array<std::array<std::byte, max_repeated * 16>, N> repeated;
  std::array<const std::byte*, N> in;
  for (std::size_t k = 0; k < N; ++k) {
    const ElementSource& source = operation.sources[k];
    const Tensor& x = source.tensor;
    if (x.numel() == 1 && count <= max_repeated && x.is_resolved()) {
      repeat_element(repeated[k].data(), x, source.meeting, source.type, count);
      in[k] = repeated[k].data();
      continue;
    }
    const bool is_alike = x.strides() == result.strides() && x.shape() == result.shape();
    if (!is_alike || !is_direct(source)) return false;
    in[k] = x.storage_data() + x.storage_offset() * static_cast<Index>(x.itemsize());
  }
  std::byte* const out = operation.base + result.storage_offset() * static_cast<Index>(result.itemsize());
  call_row<N>(operation.row, out, in, count, std::make_index_sequence<N>());
  return true;
}

/// Computes all elements in the order of the result.
template <std::size_t N>
void run_in_order(const Operation<N>& operation, const JointLoops<N + 1>& whole) {
  const Rows<N + 1> rows(whole);
  const Index longest = longest_run(operation, rows);
  std::array<Tensor, N> tensors;
  for (std::size_t k = 0; k < N; ++k) tensors[k] = operation.sources[k].tensor;
  const Index each = std::max<Index>(grain / std::max<Index>(rows.columns, 1), 1);
  parallel_for(0, rows.loops.count(), each, [&](Index from, Index to) {
    Worker<N> worker(operation, tensors);
    worker(rows, from, to, longest);
  });
}

/// Boxes that the loop nest is divided into: 4 KiB along the axis on which an operand is dense, and as much
/// as fits along the result's innermost axis.
struct Boxes {
  Boxes(const Dims& shape, std::size_t axis, Index item)
      : shape_(shape), extents_(Dims::filled(shape.size(), 1)) {
    const Index each = numel(Layout{shape, shape, 0}) / (boxes_per_thread * num_threads());
    Index left = std::clamp(each, min_bytes / item, max_bytes / item);
    const auto take = [&](std::size_t d, Index max_extent) {
      extents_[d] = std::clamp<Index>(std::min(shape[d], max_extent), 1, std::max<Index>(left, 1));
      left /= extents_[d];
    };
    const std::size_t last = shape.size() - 1;
    take(axis, run_bytes / item);
    if (axis != last) take(last, left);
    left *= extents_[axis];  // where the row is shorter, more along the axis
    take(axis, left);
    for (std::size_t d = shape.size(); d-- > 0;) {
      if (d != axis && d != last) take(d, left);
    }
    for (std::size_t d = 0; d < shape.size(); ++d) counts_.push_back(ceil_divide(shape[d], extents_[d]));
  }

  [[nodiscard]] Index count() const { return numel(Layout{counts_, counts_, 0}); }
  /// Returns the part of a layout that belongs to box `number`.
  [[nodiscard]] Layout of(const Layout& layout, Index number) const {
    Layout part = layout;
    const Dims at = unravel(number, counts_);
    for (std::size_t d = 0; d < shape_.size(); ++d) {
      const Index start = at[d] * extents_[d];
      part.offset += start * layout.strides[d];
      part.shape[d] = std::min(extents_[d], shape_[d] - start);
    }
    return part;
  }
  [[nodiscard]] Index largest() const { return numel(Layout{extents_, extents_, 0}); }

 private:
  /// Transposing an operand is fastest in large boxes. 512 KiB → 8 MiB: .4 → .5-.55 of a plain sum (the sum
  /// of a tensor and a transposed one).
  static constexpr Index boxes_per_thread = 8;
  static constexpr Index min_bytes = Index{32} << 10;
  static constexpr Index max_bytes = Index{8} << 20;
  static constexpr Index run_bytes = 4096;

  Dims shape_;
  Dims extents_;
  Dims counts_;
};

/// Returns the axis along which an operand is dense, where it is faster to copy it box by box in the order of
/// the result: where it is in another order, or its rows are short and lie apart. Small operands, and those
/// that are repeated along the result's innermost axes, are read in place.
template <std::size_t N>
std::optional<std::size_t> boxed_axis(const Operation<N>& operation, const JointLoops<N + 1>& loops,
                                      std::size_t k) {
  constexpr Index min_elements = Index{1} << 16;  // fewer stay in the L2 cache
  constexpr Index short_row_bytes = 64;  // read by the copy engine: .05-.13 → .2-.27 of a plain copy
  const Layout& own = loops.layout(k + 1);
  const std::size_t last = own.rank() - 1;
  const Index step = own.strides[last];
  const Tensor& x = operation.sources[k].tensor;
  if (x.numel() < min_elements) return std::nullopt;
  if (step == 0 || step == 1) {
    const Index outer = own.strides[last - 1];
    const bool is_apart = outer != 0 && outer != own.shape[last] * step;
    const bool is_short = own.shape[last] * static_cast<Index>(x.itemsize()) < short_row_bytes;
    return is_apart && is_short ? std::optional(last) : std::nullopt;
  }
  std::size_t axis = last;
  for (std::size_t d = 0; d < own.rank(); ++d) {
    const std::uint64_t size = magnitude(own.strides[d]);
    if (size != 0 && size < magnitude(own.strides[axis])) axis = d;
  }
  return axis != last ? std::optional(axis) : std::nullopt;
}

/// Computes box by box. Operands with an axis are copied into a buffer in the order of the result, a box at a
/// time.
template <std::size_t N>
void run_in_boxes(const Operation<N>& operation, const JointLoops<N + 1>& loops,
                  const std::array<std::optional<std::size_t>, N>& axes) {
  std::size_t axis = loops.layout(0).rank() - 1;
  Index item = 1;
  for (std::size_t k = 0; k < N; ++k) {
    axis = std::min(axis, axes[k].value_or(axis));
    item = std::max(item, static_cast<Index>(operation.sources[k].tensor.itemsize()));
  }
  const Boxes boxes(loops.layout(0).shape, axis, item);
  parallel_for(0, boxes.count(), 1, [&](Index from, Index to) {
    std::array<Tensor, N> tensors;
    for (std::size_t k = 0; k < N; ++k) {
      const Tensor& source = operation.sources[k].tensor;
      tensors[k] = !axes[k] ? source : empty({boxes.largest()}, {.dtype = source.dtype()});
    }
    Worker<N> worker(operation, tensors);
    const ThreadScope alone(1);
    for (Index number = from; number < to; ++number) {
      std::array<Layout, N + 1> parts;
      parts[0] = boxes.of(loops.layout(0), number);
      for (std::size_t k = 0; k < N; ++k) {
        parts[k + 1] = boxes.of(loops.layout(k + 1), number);
        if (!axes[k]) continue;
        const Layout transposed = row_major(parts[0].shape);
        Tensor scratch = with_layout(tensors[k], transposed);
        copy_elements(scratch, with_layout(operation.sources[k].tensor, parts[k + 1]));
        parts[k + 1] = transposed;
      }
      const Rows<N + 1> rows{JointLoops<N + 1>(parts)};
      worker(rows, 0, rows.loops.count(), longest_run(operation, rows));
    }
  });
}

}  // namespace

template <std::size_t N>
void run_elementwise(Tensor& result, const std::array<ElementSource, N>& sources, typename RowOf<N>::type row,
                     ElementTarget target) {
  if (result.numel() == 0) return;
  const Operation<N> operation{result, sources, row, target, result.mutable_storage_data()};
  if (run_at_once(operation)) return;
  std::array<Layout, N + 1> layouts;
  layouts[0] = result.layout();
  for (std::size_t k = 0; k < N; ++k) {
    layouts[k + 1] = expand(sources[k].tensor.layout(), result.shape());
  }
  const JointLoops<N + 1> loops(layouts);
  if (loops.layout(0).rank() < 2) return run_in_order(operation, loops);
  std::array<std::optional<std::size_t>, N> axes{};
  bool has_boxes = false;
  for (std::size_t k = 0; k < N; ++k) {
    axes[k] = boxed_axis(operation, loops, k);
    has_boxes = has_boxes || axes[k];
  }
  if (!has_boxes) return run_in_order(operation, loops);
  const MutedScope muted;  // scratch memory
  run_in_boxes(operation, loops, axes);
}

template void run_elementwise<1>(Tensor&, const std::array<ElementSource, 1>&, elementwise::UnaryRow,
                                 ElementTarget);
template void run_elementwise<2>(Tensor&, const std::array<ElementSource, 2>&, elementwise::BinaryRow,
                                 ElementTarget);
template void run_elementwise<3>(Tensor&, const std::array<ElementSource, 3>&, elementwise::TernaryRow,
                                 ElementTarget);

}  // namespace tenstride::detail
