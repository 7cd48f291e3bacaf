// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/lazy.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "ledger/reasons.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/layout/text.hpp"

/// Chains carried out on tensors.
namespace tenstride {

using detail::message;

namespace {

/// `reason(i)` tells why copy i is made.
template <class Reason>
Tensor carry_out(const Tensor& x, const ChainPlan& plan, const Reason& reason) {
  Tensor memory = x;
  for (std::size_t i = 0; i < plan.copies.size(); ++i) {
    const ChainCopy& copy = plan.copies[i];
    const detail::ReasonScope scope([&] { return reason(i); });
    memory = materialize(with_layout(memory, copy.src), copy.dst, x.dtype());
  }
  return with_layout(memory, plan.result);
}

/// Why copy i of a plan is made. The first are for the chain's cuts; one that serves several tells all.
std::string reason_of_copy(const Chain& chain, const ChainPlan& plan, std::size_t i) {
  const std::vector<ChainCut> cuts = chain.cuts();
  if (i >= cuts.size()) return detail::chain_reason(chain);
  std::string text = detail::cut_reason(cuts[i]);
  if (cuts.size() <= plan.copies.size()) return text;
  for (std::size_t more = i + 1; more < cuts.size(); ++more) text += "; " + detail::cut_reason(cuts[more]);
  return text;
}

}  // namespace

Tensor carry_out(const Tensor& x, const ChainPlan& plan, Caller caller) {
  const detail::OperationScope scope("carry_out", caller);
  return carry_out(x, plan, [](std::size_t) { return "the plan has it"; });
}

ChainCost cost(const ChainPlan& plan, DType dtype) {
  ChainCost result;
  std::uint64_t held = 0;
  for (const ChainCopy& copy : plan.copies) {
    const auto elements = static_cast<std::uint64_t>(numel(copy.dst));
    const std::uint64_t bytes = elements * item_size(dtype);
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
                                 std::string_view operation, const Caller& caller) {
  const OperationScope scope(operation, caller);
  const auto carried_out = [&](const ChainPlan& plan) {
    return carry_out(x, plan, [&](std::size_t i) {
      return chain.is_view() ? std::string("copy = always was asked for") : reason_of_copy(chain, plan, i);
    });
  };
  if (copy == CopyRule::always) return carried_out(chain.copy_plan());
  if (std::optional<Layout> layout = chain.try_view()) return with_layout(x, *std::move(layout));
  const ChainPlan plan = chain.plan();
  if (copy == CopyRule::never) {
    throw ValueError(message(operation, ": copy = never, but it takes ", plan.copies.size(),
                             plan.copies.size() == 1 ? " copy" : " copies", " (", chain.to_string(),
                             "); allow it with copy = if_needed"));
  }
  return carried_out(plan);
}

Lazy Lazy::reshape(const Dims& sizes, Caller caller) const {
  Lazy result = with(chain_.reshape(sizes));
  if (detail::watch != nullptr) detail::watch->reshaped(shape(), result.shape(), "reshape", caller);
  return result;
}

Lazy Lazy::view(const Dims& sizes, Caller caller) const {
  Lazy result = with(chain_.view(sizes));
  if (detail::watch != nullptr) detail::watch->reshaped(shape(), result.shape(), "view", caller);
  return result;
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

Tensor Lazy::materialize(CopyRule copy, Caller caller) const {
  return detail::materialize_chain(source_, chain_, copy, "materialize", caller);
}

}  // namespace tenstride
