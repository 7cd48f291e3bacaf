// SPDX-License-Identifier: Apache-2.0
// Copies so small that planning them, or setting up a worker with its buffers, would cost more than they do.
#pragma once

#include <cstddef>
#include <string>

#include "tenstride/copy_plan.hpp"

namespace tenstride::copy {

/// Writes each element of src into dst, converted, straight from the two layouts; no plan, no heap. False,
/// and nothing is written, where there are too many elements or axes: then `plan` and `run` are to do it.
/// Pre: equal shapes, and no element of one side in memory of the other.
bool copy_small(const Layout& dst, DType dst_type, std::byte* dst_base, const Layout& src, DType src_type,
                const std::byte* src_base);

/// Carries out a plan whose tiles fit the cache: each is turned straight into the destination. False, and
/// nothing is written, where the plan is none of these.
bool run_small(const CopyPlan& plan, std::byte* dst_base, const std::byte* src_base);

/// How it carries the plan out, for people; empty where it does not.
std::string small_text(const CopyPlan& plan);

}  // namespace tenstride::copy
