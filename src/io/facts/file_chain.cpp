// SPDX-License-Identifier: Apache-2.0
#include "io/facts/file_chain.hpp"

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

/// Splits the axes of the last copy along those of the result, and gives those of `reduced` the stride
/// 0; what a cut has laid across them is copied once more. Pre: there are elements.
void reduce_last(FileChain& chain, const Dims& reduced) {
  Dims all = chain.shape;
  for (const Index extent : reduced) all.push_back(extent);
  std::optional<AxisCopy> last = copy_by_axes(chain.copies.back(), all);
  if (!last) {
    chain.copies.push_back({row_major(all), row_major(all)});
    last = copy_by_axes(chain.copies.back(), all);
  }
  // Row-major, and the reduced axes are the fastest.
  const auto rank = static_cast<Index>(chain.shape.size());
  for (Index& stride : last->copy.dst.strides) stride /= count_elements(reduced);
  for (Index& axis : last->axes) axis = std::min(axis, rank);
  chain.copies.back() = last->copy;
  chain.copy_axes = last->axes;
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

FileChain follow(std::string_view chain, const FileInfo& info) {
  const Evaluation evaluation = evaluate(Program::parse(chain), {.inputs = {{"x", without_memory(info)}},
                                                                 .device = Device::meta,
                                                                 .origins = OriginRule::followed,
                                                                 .slices = SliceRule::both_ways});
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
  const Chain origin = before ? *evaluation.steps[*before].origin : Chain::with_index_map(info.layout);
  result.map = origin.index_map().value();
  if (!before || !evaluation.steps[*before].reduced) {
    result.copies = origin.copy_plan().copies;
    const std::optional<AxisCopy> last = copy_by_axes(result.copies.back(), result.shape);
    if (last) result.copies.back() = last->copy;
    if (last) result.copy_axes = last->axes;
    return result;
  }
  const ReducedOrigin& reduced = *evaluation.steps[*before].reduced;
  const std::vector<ChainCopy> behind = origin.copy_plan().copies;
  const bool keeps_order = behind.size() == 1 &&
                           coalesce(behind[0].src).strides == coalesce(behind[0].dst).strides &&
                           numel(behind[0].src) == numel(row_major(result.shape));
  if (!keeps_order) return refused("axes are moved behind the reduction (move them before it)");
  if (is_empty(info.layout)) return refused("there is no element to reduce");
  result.reduction = reduced.reduction;
  result.copies = reduced.axes.copy_plan().copies;
  const IndexMap map = reduced.axes.index_map().value();
  Dims extents;
  for (std::size_t d = reduced.kept; d < reduced.axes.rank(); ++d) {
    extents.push_back(reduced.axes.shape()[d]);
    result.reduced_axes.push_back({map.axes[d], extents.back()});
  }
  reduce_last(result, extents);
  return result;
}

}  // namespace tenstride::io
