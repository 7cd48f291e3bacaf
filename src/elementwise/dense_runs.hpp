// SPDX-License-Identifier: Apache-2.0
// Reading tensors of any layout and element type as short dense runs of one type: what comparisons and
// reductions to a truth value are made of.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <vector>

#include "copy/kernels/kernels.hpp"
#include "plan/nest_cursor.hpp"
#include "tenstride/layout/coalesce.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::detail {

/// A loop nest over N layouts of one shape together, in the order of the first one's strides: its slowest
/// axis is the outermost loop.
template <std::size_t N>
class JointLoops {
 public:
  using Positions = std::array<Index, N>;

  /// Precondition: equal shapes.
  explicit JointLoops(const std::array<Layout, N>& layouts) {
    const Dims& steps = layouts[0].strides;
    const auto is_slower = [](Index a, Index b) { return magnitude(a) > magnitude(b); };
    layouts_ = std::is_sorted(steps.begin(), steps.end(), is_slower) ? coalesce(layouts)
                                                                     : coalesce(sorted_by_stride(layouts));
    count_ = numel(layouts_[0]);
  }

  [[nodiscard]] Index count() const noexcept { return count_; }
  /// Returns layout k with its axes in the order of the loops, and merged where they are one loop.
  [[nodiscard]] const Layout& layout(std::size_t k) const { return layouts_[k]; }
  /// Returns the stride of layout k in the innermost loop; 1 where there is only one element.
  [[nodiscard]] Index inner_stride(std::size_t k) const {
    return layouts_[k].rank() == 0 ? 1 : layouts_[k].strides.back();
  }

  /// Returns whether every layout is one contiguous run.
  [[nodiscard]] bool is_one_run() const {
    if (layouts_[0].rank() > 1) return false;
    for (std::size_t k = 0; k < N; ++k) {
      if (inner_stride(k) != 1) return false;
    }
    return true;
  }

  /// Visits elements [from, to) in runs of at most `longest`. Calls f(positions, strides, n) with the
  /// position of the run's first element in each layout and the stride in each, and stops where f returns
  /// false. Returns whether f never returned false.
  template <class F>
  bool operator()(Index from, Index to, Index longest, F&& f) const {
    if (from >= to) return true;
    const Nest nest(layouts_);
    Positions positions{};
    Positions strides{};
    for (std::size_t k = 0; k < N; ++k) {
      positions[k] = layouts_[k].offset;
      if (nest.size() > 0) strides[k] = nest.stride(nest.size() - 1, k);
    }
    NestCursor<Nest, N> at(nest, positions);
    for (at.seek(from); from < to;) {
      const Index n = std::min({at.run_left(), to - from, longest});
      if (!f(at.offsets(), strides, n)) return false;
      from += n;
      at.skip(n);
    }
    return true;
  }

 private:
  /// Returns the layouts with their axes sorted from the largest to the smallest stride of the first one.
  static std::array<Layout, N> sorted_by_stride(const std::array<Layout, N>& layouts) {
    const std::size_t rank = layouts[0].rank();
    std::array<std::size_t, max_rank> axes;
    for (std::size_t d = 0; d < rank; ++d) axes[d] = d;
    std::stable_sort(axes.begin(), axes.begin() + static_cast<std::ptrdiff_t>(rank),
                     [&](std::size_t a, std::size_t b) {
                       return magnitude(layouts[0].strides[a]) > magnitude(layouts[0].strides[b]);
                     });
    std::array<Layout, N> sorted = layouts;
    for (std::size_t k = 0; k < N; ++k) {
      for (std::size_t d = 0; d < rank; ++d) {
        sorted[k].shape[d] = layouts[k].shape[axes[d]];
        sorted[k].strides[d] = layouts[k].strides[axes[d]];
      }
    }
    return sorted;
  }

  /// The layouts as a nest; refers to them.
  class Nest {
   public:
    explicit Nest(const std::array<Layout, N>& layouts) : layouts_(&layouts) {}
    [[nodiscard]] std::size_t size() const { return layouts_->front().rank(); }
    [[nodiscard]] Index extent(std::size_t loop) const { return layouts_->front().shape[loop]; }
    [[nodiscard]] Index stride(std::size_t loop, std::size_t k) const { return (*layouts_)[k].strides[loop]; }

   private:
    const std::array<Layout, N>* layouts_;
  };

  std::array<Layout, N> layouts_;
  Index count_ = 0;
};

/// Conjugates `count` elements and returns `out`, which may be `in`.
inline const std::byte* conjugate_run(DType type, std::byte* out, const std::byte* in, std::size_t count) {
  visit(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      store_element<T>(out + i * sizeof(T), tenstride::conjugate(load_element<T>(in + i * sizeof(T))));
    }
  });
  return out;
}

/// Negates `count` elements and returns `out`, which may be `in`.
inline const std::byte* negate_run(DType type, std::byte* out, const std::byte* in, std::size_t count) {
  visit(type, [&]<class T>(std::type_identity<T>) {
    for (std::size_t i = 0; i < count; ++i) {
      store_element<T>(out + i * sizeof(T), tenstride::negate(load_element<T>(in + i * sizeof(T))));
    }
  });
  return out;
}

/// `rows` rows of `columns` elements of a layout. Steps are in elements.
struct RowBlock {
  Index position = 0;
  Index row_step = 0;
  Index step = 1;
  Index rows = 1;
  Index columns = 0;

  [[nodiscard]] Index count() const noexcept { return rows * columns; }
  /// Returns the block as a single row where its rows are contiguous.
  [[nodiscard]] RowBlock joined() const noexcept {
    if (rows == 1 || columns == 1) return {position, 0, rows == 1 ? step : row_step, 1, count()};
    return row_step == step * columns ? RowBlock{position, 0, step, 1, count()} : *this;
  }
};

/// Reads the elements of a tensor as dense runs of another type. Each thread has one of its own. Its address
/// must not change.
class BlockReader {
 public:
  /// The longest run of one call, in elements: three buffers of it, 24 KiB at most, stay in the L1 cache.
  /// Where no type that is read or written has more than n bytes, a run may have bytes / n elements.
  static constexpr Index longest = 512;
  static constexpr Index bytes = longest * 16;

  /// Elements are converted to `meeting`, the common type of the operands, then to `type`, negated and
  /// conjugated as the tensor's bits say.
  BlockReader(const Tensor& tensor, DType meeting, DType type)
      : base_(tensor.storage_data()),
        item_(static_cast<Index>(item_size(tensor.dtype()))),
        conjugates_(tensor.is_conj()),
        negates_(tensor.is_neg()),
        given_(tensor.dtype()),
        type_(type) {
    DType at = tensor.dtype();
    for (const DType next : {meeting, type}) {
      if (next != at) steps_[step_count_++] = copy::kernels().convert(next, at);
      at = next;
    }
    while ((Index{1} << item_log2_) < item_) ++item_log2_;
  }
  BlockReader(const BlockReader&) = delete;
  BlockReader& operator=(const BlockReader&) = delete;

  /// Returns `count` elements from a position on, `stride` apart, as a dense run that is valid until the next
  /// call.
  const std::byte* operator()(Index position, Index stride, Index count) {
    if (stride == 0 && last_stride_ == 0 && last_row_step_ < 0 && position == last_position_ &&
        count <= last_count_) {
      return last_;
    }
    const std::byte* row = base_ + position * item_;
    bool is_gathered = false;
    if (stride != 1 && count > 1) {
      gather(buffers_[0].data(), row, stride, count);
      row = buffers_[0].data();
      is_gathered = true;
    }
    last_position_ = position;
    last_stride_ = stride;
    last_row_step_ = -1;
    last_count_ = count;
    last_ = finished(row, is_gathered, static_cast<std::size_t>(count));
    return last_;
  }

  /// Returns the elements of a block, one row after the other.
  const std::byte* operator()(const RowBlock& given) {
    const RowBlock block = given.joined();
    if (block.rows == 1) return operator()(block.position, block.step, block.columns);
    // A repeated row is read once.
    const bool is_known = block.position == last_position_ && block.row_step == 0 && last_row_step_ == 0 &&
                          block.step == last_stride_ && block.columns == last_columns_ &&
                          block.count() <= last_count_;
    if (is_known) return last_;
    const std::byte* row = base_ + block.position * item_;
    for (Index i = 0; i < block.rows; ++i, row += block.row_step * item_) {
      gather(buffers_[0].data() + i * block.columns * item_, row, block.step, block.columns);
    }
    last_position_ = block.position;
    last_stride_ = block.step;
    last_row_step_ = block.row_step;
    last_columns_ = block.columns;
    last_count_ = block.count();
    last_ = finished(buffers_[0].data(), true, static_cast<std::size_t>(last_count_));
    return last_;
  }

 private:
  using Buffer = std::array<std::byte, static_cast<std::size_t>(bytes) + copy::spill_bytes>;

  void gather(std::byte* out, const std::byte* in, Index stride, Index count) const {
    if (stride == 1) {
      std::memcpy(out, in, static_cast<std::size_t>(count * item_));
    } else if (stride == 0) {
      copy::kernels().fill_rows[item_log2_](out, 0, in, 0, 1, static_cast<std::size_t>(count));
    } else {
      copy::kernels().gather[item_log2_](out, in, stride * item_, static_cast<std::size_t>(count));
    }
  }

  /// Negates, converts and conjugates a dense run, which is in the first buffer or in the tensor's memory.
  const std::byte* finished(const std::byte* row, bool is_gathered, std::size_t n) {
    std::size_t free = is_gathered ? 1 : 0;
    if (negates_) {
      row = negate_run(given_, buffers_[free].data(), row, n);
      free = 1 - free;
    }
    for (std::size_t i = 0; i < step_count_; ++i) {
      steps_[i](buffers_[free].data(), row, n, copy::Stores::ordinary);
      row = buffers_[free].data();
      free = 1 - free;
    }
    if (conjugates_) row = conjugate_run(type_, buffers_[free].data(), row, n);
    return row;
  }

  const std::byte* base_;
  Index item_;
  std::size_t item_log2_ = 0;
  bool conjugates_;
  bool negates_;
  DType given_;
  DType type_;
  std::array<copy::ConvertRow, 2> steps_{};
  std::size_t step_count_ = 0;
  Index last_position_ = -1;
  Index last_stride_ = 1;
  Index last_row_step_ = -1;
  Index last_columns_ = 0;
  Index last_count_ = 0;
  const std::byte* last_ = nullptr;
  alignas(64) std::array<Buffer, 2> buffers_;
};

}  // namespace tenstride::detail
