// SPDX-License-Identifier: Apache-2.0
#include <numeric>

#include "copy/in_place/steps.hpp"
#include "plan/in_place/transpose.hpp"
#include "tenstride/copy/run_plan.hpp"

/// The steps that follow cycles: of a matrix's items, and of the rows in a decomposition.
namespace tenstride::copy {
namespace {

/// Shorter parts of an item take longer to reach than to copy, so items are not cut into shorter parts for
/// more threads.
constexpr Index min_part_bytes = 256;

/// Permutes items part by part; each thread has a bitmap and a part of its own.
template <class Source>
void permute_items(std::byte* data, Index batch, Index count, Index item, std::byte* scratch,
                   Index scratch_bytes, const Source& source) {
  const Index bitmap = detail::bitmap_bytes(count);
  const Index threads = num_threads();
  // Only as many slots as leave each thread a part of the minimum length.
  const Index wanted = std::min(item, min_part_bytes);
  const Index held = std::max(scratch_bytes / (bitmap + (wanted + 7) / 8 * 8), Index{1});
  Index slots = std::min(threads, held);
  Index part = std::min(item, scratch_bytes / slots / 8 * 8 - bitmap);
  if (slots == 1) part = std::min(item, scratch_bytes - bitmap);
  if (batch < slots) part = std::min(part, std::max(min_part_bytes, (item / slots + 63) / 64 * 64));
  const Index parts = (item + part - 1) / part;
  slots = std::min(slots, batch * parts);
  const Index slot_bytes = slots == 1 ? scratch_bytes : scratch_bytes / slots / 8 * 8;
  run_in_slots(slots, batch * parts, [&](Index slot, Index task) {
    const Index offset = task % parts * part;
    const ItemParts items{data + task / parts * count * item, item, offset, std::min(part, item - offset)};
    std::byte* const slot_scratch = scratch + slot * slot_bytes;
    follow_cycles(items, count, reinterpret_cast<std::uint64_t*>(slot_scratch), slot_scratch + bitmap,
                  source);
  });
}

/// The decomposition of one m x n matrix; the names are those of the paper.
struct Decomposition {
  Index m;
  Index n;
  Index c = std::gcd(m, n);
  Index a = m / c;
  Index b = n / c;

  /// The number of rows by which column j is rotated before the rows are permuted.
  [[nodiscard]] Index rotation(Index j) const { return j / b % m; }
  /// The row that becomes row i at the end.
  [[nodiscard]] Index row_source(Index i) const { return ((i * n - i / a) % m + m) % m; }
};

/// Whether each column of a panel is rotated by one row more than the column before it.
enum class Skew : unsigned char { none, by_column };

/// A panel of `width` columns from `first` on, whose columns are rotated upwards through the scratch memory.
class Panel {
 public:
  Panel(const Decomposition& matrix, std::byte* data, Index item, Index first, Index width)
      : matrix_(matrix), data_(data + first * item), item_(item), first_(first), width_(width) {}

  /// Rotates each column j by matrix.rotation(j) rows.
  void rotate(std::byte* scratch) const {
    lift(scratch, 0);
    for (Index begin = 0; begin < width_;) {
      const Index shift = matrix_.rotation(first_ + begin);
      const Index end = std::min(width_, (shift + 1) * matrix_.b - first_);
      drop(scratch, begin, end, shift, Skew::none);
      begin = end;
    }
  }

  /// Rotates each column j by j rows.
  void skew(std::byte* scratch) const {
    lift(scratch, width_ - 1);
    drop(scratch, 0, width_, first_ % matrix_.m, Skew::by_column);
  }

 private:
  /// Copies the panel to the scratch memory, row by row, and appends its first `repeated_rows` rows.
  void lift(std::byte* scratch, Index repeated_rows) const {
    const Layout held = row_major({matrix_.m, width_});
    run_plan(plan_items(held, {held.shape, {matrix_.n, 1}, 0}, item_, 1), scratch, data_);
    std::memcpy(scratch + matrix_.m * width_ * item_, scratch,
                static_cast<std::size_t>(repeated_rows * width_ * item_));
  }

  /// Copies columns [begin, end) back, rotated by `shift` rows, and by one more from column to column where
  /// skewed.
  void drop(std::byte* scratch, Index begin, Index end, Index shift, Skew skewed) const {
    const Dims strides{width_, skewed == Skew::none ? 1 : width_ + 1};
    const auto rows = [&](Index from, Index to, Index source) {
      const Dims shape{to - from, end - begin};
      run_plan(plan_items({shape, {matrix_.n, 1}, from * matrix_.n + begin},
                          {shape, strides, source * width_ + begin}, item_, 1),
               data_, scratch);
    };
    rows(0, matrix_.m - shift, shift);
    rows(matrix_.m - shift, matrix_.m, 0);
  }

  const Decomposition& matrix_;
  std::byte* data_;
  Index item_;
  Index first_;
  Index width_;
};

/// Moves each item j of row i to its new position in the row. `Item` is the length of an item, known to the
/// compiler for common lengths.
template <class Item>
void shuffle_row(const Decomposition& matrix, std::byte* row, Index i, std::byte* scratch, const Item& item) {
  const Index step = matrix.m % matrix.n;
  Index along = 0;
  for (Index begin = 0; begin < matrix.n; begin += matrix.b) {
    const Index base = (i + matrix.rotation(begin)) % matrix.m % matrix.n;
    for (Index j = begin; j < begin + matrix.b; ++j) {
      const Index to = base + along < matrix.n ? base + along : base + along - matrix.n;
      std::memcpy(scratch + to * item, row + j * item, static_cast<std::size_t>(item));
      along += step;
      if (along >= matrix.n) along -= matrix.n;
    }
  }
  std::memcpy(row, scratch, static_cast<std::size_t>(matrix.n * item));
}

void shuffle_row_of(const Decomposition& matrix, std::byte* row, Index i, std::byte* scratch, Index item) {
  switch (item) {
    case 1:
      return shuffle_row(matrix, row, i, scratch, std::integral_constant<Index, 1>{});
    case 2:
      return shuffle_row(matrix, row, i, scratch, std::integral_constant<Index, 2>{});
    case 4:
      return shuffle_row(matrix, row, i, scratch, std::integral_constant<Index, 4>{});
    case 8:
      return shuffle_row(matrix, row, i, scratch, std::integral_constant<Index, 8>{});
    case 16:
      return shuffle_row(matrix, row, i, scratch, std::integral_constant<Index, 16>{});
    default:
      return shuffle_row(matrix, row, i, scratch, item);
  }
}

/// The width of the widest panel within `bytes` bytes, at most about four cache lines.
Index panel_width(const Decomposition& matrix, Index item, Index bytes) {
  Index width = std::clamp(Index{256} / item, Index{1}, std::min(matrix.m, matrix.n));
  while (width > 1 && (matrix.m + width - 1) * width * item > bytes) --width;
  return width;
}

void decompose(const Decomposition& matrix, std::byte* data, Index item, std::byte* scratch,
               Index scratch_bytes) {
  const Index row = matrix.n * item;
  const Index threads = num_threads();
  // Panels narrower than a line, for the sake of more threads, would read lines in parts.
  const Index line = std::max(Index{64} / item, Index{1});
  const bool has_room = panel_width(matrix, item, scratch_bytes / threads) >= std::min(line, matrix.n) &&
                        row <= scratch_bytes / threads;
  const Index slots = has_room ? threads : 1;
  const Index slot_bytes = scratch_bytes / slots;
  const Index width = panel_width(matrix, item, slot_bytes);
  const Index panels = (matrix.n + width - 1) / width;
  const auto panel = [&](Index task) {
    return Panel(matrix, data, item, task * width, std::min(width, matrix.n - task * width));
  };
  if (matrix.c > 1) {
    run_in_slots(slots, panels,
                 [&](Index slot, Index task) { panel(task).rotate(scratch + slot * slot_bytes); });
  }
  run_in_slots(slots, matrix.m, [&](Index slot, Index i) {
    shuffle_row_of(matrix, data + i * row, i, scratch + slot * slot_bytes, item);
  });
  run_in_slots(slots, panels, [&](Index slot, Index task) { panel(task).skew(scratch + slot * slot_bytes); });
  permute_items(data, 1, matrix.m, row, scratch, scratch_bytes,
                [&](Index i) { return matrix.row_source(i); });
}

}  // namespace

void run_by_cycles(const InPlaceStep& step, std::byte* data, std::byte* scratch) {
  const Index rows = step.shape[0];
  const Index columns = step.shape[1];
  permute_items(data, step.batch, rows * columns, step.item_bytes, scratch, step.scratch_bytes,
                [=](Index i) { return i % rows * columns + i / rows; });
}

void run_by_decomposition(const InPlaceStep& step, std::byte* data, std::byte* scratch) {
  const Decomposition matrix{step.shape[0], step.shape[1]};
  const Index bytes = matrix.m * matrix.n * step.item_bytes;
  for (Index block = 0; block < step.batch; ++block) {
    decompose(matrix, data + block * bytes, step.item_bytes, scratch, step.scratch_bytes);
  }
}

}  // namespace tenstride::copy
