// SPDX-License-Identifier: Apache-2.0
#include "tenstride/run_plan.hpp"

#include <algorithm>
#include <cstring>

#include "copy/first_touch.hpp"
#include "copy/repeated_rows.hpp"
#include "copy/runs.hpp"
#include "copy/scattered_rows.hpp"
#include "copy/sink.hpp"
#include "copy/small.hpp"
#include "copy/strategies/pipelined_blocks.hpp"
#include "copy/tiles.hpp"
#include "copy/walk.hpp"
#include "plan/strategy_text.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride {
namespace {

/// What fits a cache is left to the C library, which may write lines without reading them first (`rep
/// movsb`): .8 to .9 of the time where both sides just fill the L2 cache.
constexpr std::size_t cached_bytes = std::size_t{2} << 20;

/// A part of a dense run: its whole lines past the cache where the plan says so.
void copy_part(const copy::Walk& walk, Index from, Index to) {
  const auto bytes = static_cast<std::size_t>(to - from);
  if (walk.plan.streaming) {
    copy::Sink(walk.plan, walk.kernels).write(walk.dst + from, walk.src + from, bytes);
  } else if (bytes <= cached_bytes) {
    std::memcpy(walk.dst + from, walk.src + from, bytes);
  } else {
    walk.kernels.copy_rows(walk.dst + from, 0, walk.src + from, 0, 1, bytes);
  }
}

/// One dense run, in pieces that begin at cache lines of the destination where there are several threads.
void copy_dense(const copy::Walk& walk) {
  constexpr Index piece = Index{1} << 17;
  const Index bytes = walk.plan.count * static_cast<Index>(item_size(walk.plan.dst_type));
  if (walk.plan.threads == 1 || bytes <= piece) {
    copy_part(walk, 0, bytes);
    return;
  }
  const auto shift = static_cast<Index>(reinterpret_cast<std::uintptr_t>(walk.dst) & 63U);
  parallel_for(
      0, ceil_divide(bytes + shift, piece), 1,
      [&](Index first, Index last) {
        const Index from = std::max<Index>(first * piece - shift, 0);
        const Index to = std::min(last * piece - shift, bytes);
        copy_part(walk, from, to);
      },
      walk.plan.threads);
}

void run_walk(const copy::Walk& walk) {
  if (copy::run_repeated_rows(walk) || copy::run_scattered_rows(walk)) return;
  switch (walk.plan.kernel) {
    case CopyKernel::nothing:
      return;
    case CopyKernel::tile:
    case CopyKernel::interleave:
    case CopyKernel::deinterleave:
      copy::run_tiles(walk);
      return;
    case CopyKernel::memcpy:
      if (walk.plan.conversion == CopyConversion::none) {
        copy_dense(walk);
        return;
      }
      [[fallthrough]];
    case CopyKernel::rows:
    case CopyKernel::fill:
    case CopyKernel::gather:
    case CopyKernel::strided:
      copy::run_runs(walk);
      return;
  }
}

}  // namespace

PlanOptions options_here() {
  PlanOptions options;
  options.machine = planned_machine();
  return options;
}

void run(const CopyPlan& plan, void* dst_base, const void* src_base) {
  if (plan.count == 0) return;
  if (const auto* const blocks = std::get_if<PipelinedBlocks>(&plan.strategy)) {
    copy::run(*blocks, *detail::nest_of(plan), plan, static_cast<std::byte*>(dst_base),
              static_cast<const std::byte*>(src_base));
    return;
  }
  if (copy::run_small(plan, static_cast<std::byte*>(dst_base), static_cast<const std::byte*>(src_base)))
    return;
  const copy::Walk walk(plan, copy::kernels(), dst_base, src_base);
  if (copy::is_first_touch(walk)) [[unlikely]] {
    CopyPlan through_cache = plan;
    through_cache.streaming = false;
    run_walk({through_cache, walk.kernels, dst_base, src_base});
  } else {
    run_walk(walk);
  }
}

std::string run_text(const CopyPlan& plan) {
  if (plan.count == 0) return {};
  if (const auto* const blocks = std::get_if<PipelinedBlocks>(&plan.strategy))
    return detail::pipelined_blocks_text(*blocks, plan);
  std::string text = copy::small_text(plan);
  if (!text.empty()) return text;
  alignas(64) std::byte somewhere{};
  CopyPlan from_here = plan;
  from_here.dst_offset = 0;
  from_here.src_offset = 0;
  const copy::Walk walk(from_here, copy::kernels(), &somewhere, &somewhere);
  text = copy::repeated_rows_text(walk);
  if (text.empty()) text = copy::scattered_rows_text(walk);
  return text;
}

}  // namespace tenstride
