// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/permute_in_place.hpp"

#include <algorithm>
#include <limits>

#include "base/message.hpp"
#include "copy/in_place/steps.hpp"
#include "ledger/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

void require_dense(std::string_view operation, const Tensor& x) {
  if (x.is_non_overlapping_and_dense()) return;
  throw RuntimeError(detail::message(
      operation, ": a tensor of ", to_string(x.layout()),
      " must be dense (each element in a place of its own, no gap between them, no stride negative); use "
      ".permute(...).contiguous() or .contiguous(memory_format), which take memory for a second tensor"));
}

/// The axes of a dense layout, sorted by falling strides; axes of equal strides, as those of extent 1, stay
/// in order.
Dims axes_in_memory(const Layout& layout) {
  Dims axes = Dims::of_size(layout.rank());
  for (std::size_t d = 0; d < axes.size(); ++d) axes[d] = static_cast<Index>(d);
  const auto key = [&](Index axis) {
    const std::size_t d = detail::at(axis);
    return layout.shape[d] == 1 ? Index{0} : layout.strides[d];
  };
  std::stable_sort(axes.begin(), axes.end(), [&](Index a, Index b) { return key(a) > key(b); });
  return axes;
}

/// The plan that moves a dense block of memory from one layout to another of the same shape.
InPlacePlan plan_between(std::string_view operation, const Layout& from, const Layout& to,
                         Index element_bytes, std::size_t extra_bytes) {
  if (is_empty(from)) return {};
  const Dims before = axes_in_memory(from);
  const Dims after = axes_in_memory(to);
  Dims shape;
  for (const Index axis : before) shape.push_back(from.shape[detail::at(axis)]);
  Dims order;
  for (const Index axis : after) {
    order.push_back(static_cast<Index>(std::find(before.begin(), before.end(), axis) - before.begin()));
  }
  const auto max_extra = static_cast<std::size_t>(std::numeric_limits<Index>::max());
  return plan_in_place(shape, order, element_bytes, static_cast<Index>(std::min(extra_bytes, max_extra)),
                       operation);
}

InPlacePlan plan_for(std::string_view operation, const Tensor& x, const Layout& from, const Layout& to,
                     const InPlaceOptions& options) {
  return plan_between(
      operation, from, to, static_cast<Index>(x.element_size()),
      options.extra_bytes.value_or(default_extra_bytes(static_cast<std::size_t>(x.nbytes()))));
}

/// Moves the elements, and records each step as one copy.
void run_recorded(const InPlacePlan& plan, Tensor& x, const Layout& from, const Layout& to) {
  const Tensor before = with_layout(x, from);
  const Tensor after = with_layout(x, to);
  std::byte* const bytes = x.mutable_storage_data();
  if (plan.steps.empty()) return;
  const detail::ReasonScope reason([] { return "the elements change places in their own memory"; });
  if (detail::is_watched()) {
    // NoCopy refuses before scratch memory is allocated.
    detail::require_copy_allowed(to, x.dtype(), before);
  }
  Storage scratch;
  std::byte* data = nullptr;
  if (x.has_memory()) {
    scratch = Storage::allocate(static_cast<std::size_t>(plan.scratch_bytes));
    data = bytes + from.offset * static_cast<Index>(x.element_size());
  }
  for (const InPlaceStep& step : plan.steps) {
    const auto work = [&]() -> std::string_view {
      if (data != nullptr) copy::run_step(step, data, scratch.mutable_data());
      return name(step.method);
    };
    if (!detail::is_watched()) {
      work();
      continue;
    }
    LedgerEntry entry = detail::copy_entry(after, before, x.numel());
    entry.bytes_read = step.bytes_moved;
    entry.bytes_written = step.bytes_moved;
    detail::record({&entry, 1}, x.storage(), work);
  }
}

}  // namespace

std::size_t default_extra_bytes(std::size_t nbytes) {
  return std::max(std::size_t{1} << 20, nbytes / 100);
}

InPlacePlan permute_plan(const Tensor& x, const Dims& dims, const InPlaceOptions& options) {
  require_dense("permute_", x);
  const Layout from = permute(x.layout(), dims);
  return plan_for("permute_", x, from, row_major(from.shape), options);
}

Tensor& permute_(Tensor& x, const Dims& dims, const InPlaceOptions& options, Caller caller) {
  const detail::OperationScope scope("permute_", caller);
  require_dense("permute_", x);
  const Layout from = permute(x.layout(), dims);
  Layout to = row_major(from.shape);
  to.offset = from.offset;
  run_recorded(plan_for("permute_", x, from, to, options), x, from, to);
  return x.as_strided_(to.shape, to.strides, to.offset);
}

Tensor& to_memory_format_(Tensor& x, MemoryFormat format, const InPlaceOptions& options, Caller caller) {
  const detail::OperationScope scope("to_memory_format_", caller);
  require_dense("to_memory_format_", x);
  if (format == MemoryFormat::preserve) {
    throw ValueError(
        "to_memory_format_: the format preserve must be one that says where elements lie "
        "(contiguous, channels_last or channels_last_3d)");
  }
  const Layout from = x.layout();
  const Layout to{from.shape, format_strides(from.shape, format, "to_memory_format_"), from.offset};
  run_recorded(plan_for("to_memory_format_", x, from, to, options), x, from, to);
  return x.as_strided_(to.shape, to.strides, to.offset);
}

}  // namespace tenstride
