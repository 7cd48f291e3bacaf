// SPDX-License-Identifier: Apache-2.0
#include "ops/along.hpp"

#include <algorithm>

#include "ledger/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::detail {
namespace {

/// Bytes of the destination that are written by all parts before the next.
constexpr Index piece_bytes = Index{1} << 17;
/// Below this the whole stays in the cache anyway.
constexpr Index min_bytes = Index{1} << 16;
/// Parts with longer runs write few lines that another part writes too.
constexpr Index short_run_bytes = 256;

void copy_whole(Tensor& dst, std::size_t axis, std::span<const Tensor> parts) {
  Index start = 0;
  for (const Tensor& part : parts) {
    const Index size = part.shape()[axis];
    Tensor place = dst.narrow(static_cast<Index>(axis), start, size);
    copy_elements(place, part);
    start += size;
  }
}

/// The axis other than the joined one with the longest steps; the joined one where there is none with longer
/// steps.
std::size_t outermost(const Tensor& dst, std::size_t axis) {
  std::size_t outer = axis;
  for (std::size_t d = 0; d < dst.layout().rank(); ++d) {
    if (dst.shape()[d] > 1 && dst.strides()[d] > dst.strides()[outer]) outer = d;
  }
  return outer;
}

/// Whether `dst` is a dense matrix whose columns are the parts.
bool is_column_by_column(const Tensor& dst, std::size_t axis, std::size_t outer,
                         std::span<const Tensor> parts) {
  const auto count = static_cast<Index>(parts.size());
  return dst.strides()[axis] == 1 && dst.shape()[axis] == count && dst.is_non_overlapping_and_dense() &&
         dst.strides()[outer] * dst.shape()[outer] == dst.numel() &&
         std::all_of(parts.begin(), parts.end(), [&](const Tensor& x) { return x.shape()[axis] == 1; });
}

/// How a piece of `dst` is written: as the whole would be.
PlanOptions piece_options(const Tensor& dst) {
  PlanOptions options = options_here();
  options.max_threads = 1;
  if (dst.numel() * static_cast<Index>(dst.element_size()) >= options.sequential_streaming_above())
    options.streaming_above = 0;
  return options;
}

/// Copies the parts into rows of a scratch matrix and transposes it into the destination, each byte of which
/// is written once.
void copy_columns(Tensor& piece, std::size_t axis, std::span<const Tensor> parts, Index outer, Index from,
                  const PlanOptions& options) {
  const auto count = static_cast<Index>(parts.size());
  const Index length = piece.numel() / count;
  const Tensor scratch = empty({count, length}, {.dtype = piece.dtype()});
  Layout row = piece.layout();
  row.shape[axis] = 1;
  for (Index& stride : row.strides) stride /= count;
  for (Index k = 0; k < count; ++k) {
    row.offset = k * length;
    Tensor place = with_layout(scratch, row);
    copy_elements(place, parts[static_cast<std::size_t>(k)].narrow(outer, from, piece.size(outer)));
  }
  const Layout matrix{{length, count}, {count, 1}, piece.storage_offset()};
  run_plan(plan_copy(matrix, piece.dtype(), scratch.transpose(0, 1).layout(), piece.dtype(), options),
           piece.mutable_storage_data(), scratch.storage_data());
}

/// All parts of a piece of the destination, then the next.
void copy_in_pieces(Tensor& dst, std::size_t axis, std::size_t outer, std::span<const Tensor> parts) {
  const auto item = static_cast<Index>(dst.element_size());
  const auto along = static_cast<Index>(outer);
  const Index steps = dst.shape()[outer];
  const Index bytes_of_step = dst.numel() / steps * item;
  // Many short steps are taken by 64: no two threads then write one cache line of a dense destination.
  const Index fitting = std::max<Index>(piece_bytes / bytes_of_step, 1);
  const Index piece_steps = fitting >= 64 ? fitting / 64 * 64 : fitting;
  const bool by_columns = is_column_by_column(dst, axis, outer, parts);
  const PlanOptions options = piece_options(dst);
  parallel_for(0, ceil_divide(steps, piece_steps), 1, [&](Index first, Index last) {
    const ThreadScope serial(1);
    for (Index p = first; p < last; ++p) {
      const Index from = p * piece_steps;
      const Index count = std::min(piece_steps, steps - from);
      Tensor piece = dst.narrow(along, from, count);
      if (by_columns) {
        copy_columns(piece, axis, parts, along, from, options);
        continue;
      }
      Index start = 0;
      for (const Tensor& part : parts) {
        const Index size = part.shape()[axis];
        Tensor place = piece.narrow(static_cast<Index>(axis), start, size);
        copy_elements(place, part.narrow(along, from, count));
        start += size;
      }
    }
  });
}

}  // namespace

void copy_along(Tensor& dst, std::size_t axis, std::span<const Tensor> parts) {
  const auto item = static_cast<Index>(dst.element_size());
  const std::size_t outer = dst.numel() == 0 ? axis : outermost(dst, axis);
  const bool is_short =
      parts.size() > 1 && outer != axis && dst.numel() * item >= min_bytes &&
      dst.strides()[axis] * dst.shape()[axis] * item < short_run_bytes * static_cast<Index>(parts.size());
  if (!is_short || !dst.has_memory()) {
    copy_whole(dst, axis, parts);
    return;
  }
  if (!is_watched()) {
    copy_in_pieces(dst, axis, outer, parts);
    return;
  }
  // Told as it was asked for: part by part.
  std::vector<LedgerEntry> entries;
  Index start = 0;
  for (const Tensor& part : parts) {
    const Index size = part.shape()[axis];
    const Tensor place = dst.narrow(static_cast<Index>(axis), start, size);
    start += size;
    if (part.numel() == 0) continue;
    entries.push_back(copy_entry(place, part, part.numel()));
    PlanOptions options = options_here();
    options.conjugation = part.is_conj() ? Conjugation::conjugate : Conjugation::keep;
    options.negation = part.is_neg() ? Negation::source : Negation::none;
    entries.back().plan = std::make_shared<const CopyPlan>(
        plan_copy(place.layout(), place.dtype(), part.layout(), part.dtype(), options));
  }
  record(entries, dst.storage(), [&]() -> std::string_view {
    copy_in_pieces(dst, axis, outer, parts);
    return "pieces";
  });
}

}  // namespace tenstride::detail
