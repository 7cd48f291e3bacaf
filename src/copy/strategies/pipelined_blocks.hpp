// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"
#include "plan/nest.hpp"
#include "tenstride/copy_strategy.hpp"

namespace tenstride::copy {

/// Carries a copy out by pipelined blocks: with streaming stores a block goes out while the next one is
/// packed, else each one by itself, through the cache. Pre: proposed for this nest.
void run(const PipelinedBlocks& strategy, const detail::Nest& nest, const CopyPlan& plan, std::byte* dst,
         const std::byte* src);

}  // namespace tenstride::copy
