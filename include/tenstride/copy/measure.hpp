// SPDX-License-Identifier: Apache-2.0
// Plans whose way is chosen by the clock, for copies that are made again and again.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/plan/copy_plan.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride {

/// How the way of a copy is chosen.
enum class Effort : std::uint8_t {
  estimated,  ///< by the costs that are foretold, in microseconds
  measured    ///< by running those that cost least, in some tens of times the copy's own time
};

/// A plan and how long it took.
struct TimedPlan {
  CopyPlan plan;
  /// What was planned otherwise than the machine does: "ordinary stores", "streaming stores", "several
  /// streams", "one stream", "interleaved", "bursts"; empty where nothing was.
  std::string_view variation;
  /// The fastest call, in seconds.
  double seconds = 0;
};

/// What the clock said.
struct Measurement {
  /// The fastest plan; without seconds where it was known.
  TimedPlan fastest;
  /// All plans that were run to the end, by rising time; empty where the fastest was known.
  std::vector<TimedPlan> timed;
  /// Seconds in which a plain copy moves the same bytes; 0 where none was run, as on the memory of tensors.
  double plain_seconds = 0;
};

/// What was measured beside what was foretold, without a line end: a table of the ways by rising time, as
/// multiples of a plain copy's time, or in seconds where no plain copy was run. Example:
/// ```
///   measured  foretold  times a plain copy, which takes 3.11 ms
///       1.42      1.67  blocks, gathered
///       1.90      2.10  tiles, ordinary stores
/// ```
TENSTRIDE_API std::string to_text(const Measurement& measurement);

/// Runs a plan and the other ways of its copy on memory of its own, as large as both sides. The estimated way
/// stays where no other one is faster by more than noise. Where the user's cache has the fastest plan of this
/// copy for this machine (`plans_file`), nothing is run; otherwise it is written there. `options` are those
/// that the plan was made with. Throws std::bad_alloc where there is no memory.
/// Example: `measure(plan_copy(dst, type, src, type, options_here()), options_here()).fastest.plan`.
TENSTRIDE_API Measurement measure(const CopyPlan& plan, const PlanOptions& options);
/// The bytes of that memory.
TENSTRIDE_API Index measured_bytes(const CopyPlan& plan);
/// `measure` without the cache: every way is run, and nothing is kept.
TENSTRIDE_API Measurement measure_anew(const CopyPlan& plan, const PlanOptions& options);

/// The file of plans that were measured: text, a line for each, at most 64 KiB, of which the oldest lines are
/// left out. Processes may write it at the same time; what is damaged in it is ignored. Empty where no cache
/// is known (`XDG_CACHE_HOME`, `HOME`).
TENSTRIDE_API std::string plans_file();

/// The plan of `dst.copy_(src)`, for `run_plan`; `src` is broadcast to dst's shape. To be measured it is run
/// on the two tensors, so that `dst` has the elements of `src` then. Throws ShapeError where the shapes do
/// not fit, and RuntimeError where a tensor has no memory or is a negated view, where elements of `dst` share
/// memory, and where `dst` and `src` do.
TENSTRIDE_API CopyPlan plan_copy(Tensor& dst, const Tensor& src, Effort effort = Effort::estimated,
                                 Caller caller = Caller::current());
/// The measurement of that plan.
TENSTRIDE_API Measurement measure(Tensor& dst, const Tensor& src, Caller caller = Caller::current());

/// Carries out a plan that was made for these two tensors, or for others of the same shapes, strides, offsets
/// and dtypes, whose memory may lie elsewhere. A ledger records the copy. Throws as `plan_copy`, and
/// RuntimeError where the plan is one of other tensors.
TENSTRIDE_API void run_plan(const CopyPlan& plan, Tensor& dst, const Tensor& src,
                            Caller caller = Caller::current());

}  // namespace tenstride
