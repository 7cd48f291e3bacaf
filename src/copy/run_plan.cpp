// SPDX-License-Identifier: Apache-2.0
#include "tenstride/run_plan.hpp"

#include <cstring>

#include "copy/row_tiles.hpp"
#include "copy/runs.hpp"
#include "copy/tiles.hpp"
#include "copy/walk.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {

void run(const CopyPlan& plan, void* dst_base, const void* src_base) {
  if (plan.count == 0) return;
  const copy::Walk walk(plan, copy::kernels(), dst_base, src_base);
  switch (plan.kernel) {
    case CopyKernel::nothing:
      return;
    case CopyKernel::tile:
    case CopyKernel::interleave:
    case CopyKernel::deinterleave:
      copy::run_tiles(walk);
      return;
    case CopyKernel::memcpy:
      if (!plan.streaming && plan.conversion == CopyConversion::none) {
        std::memcpy(walk.dst, walk.src, static_cast<std::size_t>(plan.count) * item_size(plan.dst_type));
        return;
      }
      [[fallthrough]];
    case CopyKernel::rows:
      if (copy::takes_row_tiles(walk)) {
        copy::run_row_tiles(walk);
        return;
      }
      [[fallthrough]];
    case CopyKernel::fill:
    case CopyKernel::gather:
    case CopyKernel::strided:
      copy::run_runs(walk);
      return;
  }
}

}  // namespace tenstride
