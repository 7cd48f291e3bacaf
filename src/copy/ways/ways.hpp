// SPDX-License-Identifier: Apache-2.0
// What carries out each way. All is decided in the way; `bound` has the plan's nest.
#pragma once

#include "copy/bound.hpp"

namespace tenstride::copy {

void run(const Small& way, const Bound& bound);
void run(const Contiguous& way, const Bound& bound);
void run(const Rows& way, const Bound& bound);
void run(const Gather& way, const Bound& bound);
void run(const Fill& way, const Bound& bound);
void run(const Strided& way, const Bound& bound);
void run(const RepeatedRows& way, const Bound& bound);
void run(const RowScatter& way, const Bound& bound);
void run(const Tiles& way, const Bound& bound);
void run(const CachedTiles& way, const Bound& bound);
void run(const Blocks& way, const Bound& bound);

}  // namespace tenstride::copy
