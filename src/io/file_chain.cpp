// SPDX-License-Identifier: Apache-2.0
#include "file_chain.hpp"

#include "../message.hpp"
#include "tenstride/expression.hpp"

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

std::string call_text(std::string_view chain, TextRange range) {
  return std::string(chain.substr(range.begin, range.end - range.begin));
}

}  // namespace

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
  Chain origin(info.layout);
  DType dtype = info.dtype;
  std::optional<std::size_t> before;
  for (std::size_t i = 0; i < evaluation.steps.size(); ++i) {
    const Step& step = evaluation.steps[i];
    if (step.origin && step.source != before) {
      result.obstacle = "it is no single chain on x";
      return result;
    }
    if (!step.origin || step.kind == StepKind::transfer) {
      result.obstacle =
          message(call_text(chain, step.range), " does more than move or convert elements of x");
      return result;
    }
    if (step.dtype != dtype) result.conversions.push_back(step.dtype);
    dtype = step.dtype;
    origin = *step.origin;
    before = i;
  }
  if (evaluation.value.step() != before || tensor->is_conj() || tensor->is_neg()) {
    result.obstacle = "it is no single chain on x";
    return result;
  }
  result.copies = origin.copy_plan().copies;
  if (result.copies.empty()) result.copies.push_back({origin.plan().result, row_major(result.shape)});
  return result;
}

}  // namespace tenstride::io
