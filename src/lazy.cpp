// SPDX-License-Identifier: Apache-2.0
#include "tenstride/lazy.hpp"

#include <algorithm>

#include "message.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/text.hpp"

/// Chains carried out on tensors.
namespace tenstride {

using detail::message;

Tensor carry_out(const Tensor& x, const ChainPlan& plan) {
  Tensor memory = x;
  for (const ChainCopy& copy : plan.copies) {
    memory = materialize(memory.with_layout(copy.src), copy.dst, x.dtype());
  }
  return memory.with_layout(plan.result);
}

ChainCost cost(const ChainPlan& plan, DType dtype) {
  ChainCost result;
  std::size_t held = 0;
  for (const ChainCopy& copy : plan.copies) {
    const auto elements = static_cast<std::size_t>(numel(copy.dst));
    const std::size_t bytes = elements * item_size(dtype);
    ++result.copies;
    result.elements += elements;
    result.bytes_read += bytes;
    result.bytes_written += bytes;
    result.peak_bytes = std::max(result.peak_bytes, held + bytes);
    held = bytes;
  }
  return result;
}

Tensor detail::materialize_chain(const Tensor& x, const Chain& chain, CopyRule copy,
                                 std::string_view operation) {
  if (copy == CopyRule::always) return carry_out(x, chain.copy_plan());
  if (std::optional<Layout> layout = chain.try_view()) return x.with_layout(*std::move(layout));
  const ChainPlan plan = chain.plan();
  if (copy == CopyRule::never) {
    throw ValueError(message(operation, ": copy = never, but it takes ", plan.copies.size(),
                             plan.copies.size() == 1 ? " copy" : " copies", " (", chain.to_string(),
                             "); allow it with copy = if_needed"));
  }
  return carry_out(x, plan);
}

Lazy Lazy::rearrange(std::string_view pattern, const AxisSizes& sizes) const {
  return with(Pattern::cached(pattern, PatternVerb::rearrange)->bind(shape(), sizes).apply(chain_));
}

Lazy Lazy::repeat(std::string_view pattern, const AxisSizes& sizes) const {
  return with(Pattern::cached(pattern, PatternVerb::repeat)->bind(shape(), sizes).apply(chain_));
}

std::string Lazy::to_string() const {
  std::string text = "chain   " + chain_.to_string() + "\n" + tenstride::to_string(plan());
  for (const ChainCut& cut : chain_.cuts()) text += "\n" + tenstride::to_string(cut);
  const ChainCost price = cost();
  return text + message("\ncost    ", price.copies, price.copies == 1 ? " copy, " : " copies, ",
                        price.bytes_written, " bytes written, ", price.peak_bytes, " bytes at the same time");
}

Tensor Lazy::materialize(CopyRule copy) const {
  return detail::materialize_chain(source_, chain_, copy, "materialize");
}

}  // namespace tenstride
