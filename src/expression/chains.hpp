// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <span>
#include <vector>

#include "operations/call.hpp"
#include "tenstride/expression/expression.hpp"

/// The calls of an expression seen as chains: what is done tensor by tensor here could be held back.
namespace tenstride::detail {

/// The chain after a layout operation; nothing where the call is another kind of operation.
std::optional<Chain> on_chain(const Chain& chain, const Call& call);
/// The chain after an index of ints, slices, None and `...`; nothing where an entry walks backwards.
std::optional<Chain> on_chain(const Chain& chain, std::span<const TensorIndex> entries);

/// How many axes such an index takes beside those of `...`.
std::size_t axes_taken(std::span<const TensorIndex> entries);

/// A call that reduces axes, on the chain before it; nothing where it is another kind of operation.
std::optional<ReducedOrigin> on_reduction(const Chain& chain, const Call& call);

/// What einops does on a library that carries each operation out at once: split, permute, widen, merge.
/// `layout` is the tensor's. Empty where the call is no pattern.
std::vector<EagerStep> pattern_steps(const Call& call, const Layout& layout, DType dtype);

}  // namespace tenstride::detail
