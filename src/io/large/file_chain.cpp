// SPDX-License-Identifier: Apache-2.0
#include "io/large/file_chain.hpp"

#include <algorithm>
#include <array>
#include <string_view>
#include <utility>

#include "base/message.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

Tensor without_memory(const FileInfo& info) {
  const auto touched = reach(info.layout);
  const auto nbytes = touched ? static_cast<std::size_t>(touched->highest + 1) * item_size(info.dtype) : 0;
  return Tensor(Storage::meta(nbytes), info.layout, info.dtype);
}

[[noreturn]] void refuse(const Failure& failure) {
  const std::string text = failure.type + ": " + failure.message;
  if (failure.type == "ValueError") throw ValueError(text);
  if (failure.type == "TypeError") throw TypeError(text);
  throw RuntimeError(text);
}

/// The last copy of a chain to axes of which the first `kept` stay: in the row-major order of those, the
/// others with stride 0.
/// Pre: there are elements.
void reduce_last(std::vector<ChainCopy>& copies, const Chain& axes, std::size_t kept) {
  Index reduced = 1;
  for (std::size_t d = kept; d < axes.rank(); ++d) reduced *= axes.shape()[d];
  // Axes of both kinds may be merged; where they end is one place in all of them.
  copies.back() = split_along(copies.back(), {numel(copies.back().dst) / reduced, reduced}).value();
  for (Index& stride : copies.back().dst.strides) stride /= reduced;
}

std::string call_text(std::string_view chain, TextRange range) {
  return std::string(chain.substr(range.begin, range.end - range.begin));
}

/// Copies in which other numbers stand beside those of the tensor they are called on.
constexpr std::array<std::string_view, 20> mixing_copies{"tril",
                                                         "triu",
                                                         "block_diag",
                                                         "diag",
                                                         "diag_embed",
                                                         "diagflat",
                                                         "scatter",
                                                         "scatter_add",
                                                         "scatter_reduce",
                                                         "put",
                                                         "index_put",
                                                         "index_copy",
                                                         "index_fill",
                                                         "index_add",
                                                         "masked_scatter",
                                                         "masked_fill",
                                                         "slice_scatter",
                                                         "select_scatter",
                                                         "diagonal_scatter",
                                                         "as_strided_scatter"};

/// Whether a step gives elements that its tensor does not have.
bool computes(const Step& step) {
  if (step.kind == StepKind::fresh || (step.kind == StepKind::self && step.op.ends_with('_'))) return true;
  if (step.kind == StepKind::copy)
    return std::find(mixing_copies.begin(), mixing_copies.end(), step.op) != mixing_copies.end();
  return step.kind == StepKind::view && step.dtype != step.from_dtype;  // other bits of the same bytes
}

}  // namespace

std::optional<ChainCopy> split_along(const ChainCopy& copy, const Dims& shape) {
  const Dims rows = row_major_strides(shape);
  ChainCopy result{{{}, {}, copy.src.offset}, {{}, {}, copy.dst.offset}};
  const auto push = [&](std::size_t at, Index extent, Index src_stride, Index dst_stride) {
    for (auto [layout, stride] : {std::pair(&result.src, src_stride), std::pair(&result.dst, dst_stride)}) {
      layout->shape.insert(at, extent);
      layout->strides.insert(at, stride);
    }
  };
  for (std::size_t d = 0; d < copy.dst.rank(); ++d) {
    const std::size_t at = result.dst.rank();
    Index left = copy.dst.shape[d], src_stride = copy.src.strides[d], dst_stride = copy.dst.strides[d];
    for (std::size_t axis = shape.size(); axis-- > 0 && left > 1;) {
      const Index end = rows[axis] * shape[axis];
      if (dst_stride < rows[axis] || dst_stride >= end) continue;
      if (dst_stride % rows[axis] != 0) return std::nullopt;
      if (left * dst_stride <= end) break;
      const Index room = end / dst_stride;
      if (end % dst_stride != 0 || left % room != 0) return std::nullopt;
      push(at, room, src_stride, dst_stride);
      left /= room;
      src_stride *= room;
      dst_stride *= room;
    }
    push(at, left, src_stride, dst_stride);
  }
  return result;
}

FileChain follow(std::string_view chain, const FileInfo& info) {
  const Evaluation evaluation = evaluate(
      Program::parse(chain),
      {.inputs = {{"x", without_memory(info)}}, .device = Device::meta, .origins = OriginRule::followed});
  if (evaluation.failure) refuse(*evaluation.failure);
  FileChain result;
  const Tensor* tensor = evaluation.value.tensor();
  if (tensor == nullptr) {
    result.obstacle = message("it gives ", evaluation.value.type_name(), ", not a Tensor");
    return result;
  }
  result.shape = tensor->shape();
  result.dtype = tensor->dtype();
  result.is_computed = std::any_of(evaluation.steps.begin(), evaluation.steps.end(), computes);
  const auto refused = [&](std::string obstacle) {
    result.obstacle = std::move(obstacle);
    return result;
  };
  DType dtype = info.dtype;
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < evaluation.steps.size(); ++i) {
    const Step& step = evaluation.steps[i];
    if (step.origin && step.source != before) return refused("it is no single chain on x");
    if (!step.origin || step.kind == StepKind::transfer) {
      return refused(call_text(chain, step.range) +
                     " does more than move, convert or once reduce elements of x");
    }
    const bool reduces = step.reduced && (!before || !evaluation.steps[*before].reduced);
    if (reduces && step.reduced->dtype && *step.reduced->dtype != dtype) {
      result.conversions.push_back(*step.reduced->dtype);
    } else if (!step.reduced && step.dtype != dtype) {
      result.conversions.push_back(step.dtype);
    } else if (!reduces && step.dtype != dtype) {
      return refused(call_text(chain, step.range) + " converts what was reduced (--dtype does that)");
    }
    dtype = step.dtype;
    before = i;
  }
  if (evaluation.value.step() != before || tensor->is_conj() || tensor->is_neg()) {
    return refused("it is no single chain on x");
  }
  const Chain origin = before ? *evaluation.steps[*before].origin : Chain(info.layout);
  const std::optional<ReducedOrigin> reduced =
      before ? evaluation.steps[*before].reduced : std::optional<ReducedOrigin>();
  result.copies = (reduced ? reduced->axes : origin).copy_plan().copies;
  if (!reduced) {
    result.view = origin.try_view();
    return result;
  }
  const std::vector<ChainCopy> behind = origin.copy_plan().copies;
  const bool keeps_order = behind.size() == 1 &&
                           coalesce(behind[0].src).strides == coalesce(behind[0].dst).strides &&
                           numel(behind[0].src) == numel(row_major(result.shape));
  if (!keeps_order) return refused("axes are moved behind the reduction (move them before it)");
  if (is_empty(info.layout)) return refused("there is no element to reduce");
  result.reduction = reduced->reduction;
  reduce_last(result.copies, reduced->axes, reduced->kept);
  return result;
}

}  // namespace tenstride::io
