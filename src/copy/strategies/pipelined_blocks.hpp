// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "copy/walk.hpp"
#include "plan/nest.hpp"
#include "tenstride/copy_strategy.hpp"

namespace tenstride::copy {

/// Carries a pipelined transpose out. Pre: proposed for this nest, with streaming stores.
void run(const PipelinedBlocks& strategy, const detail::Nest& nest, const CopyPlan& plan, std::byte* dst,
         const std::byte* src);

}  // namespace tenstride::copy
