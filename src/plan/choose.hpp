// SPDX-License-Identifier: Apache-2.0
// The ways that are candidates for a copy, each with its cost.
#pragma once

#include <optional>
#include <string_view>
#include <utility>

#include "plan/access.hpp"
#include "plan/nest.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::detail {

/// The copy that ways are proposed for, and the costs computed so far.
struct Problem {
  const Nest& nest;
  const Conversion& conversion;
  const PlanOptions& options;
  /// The costs by way and by packing; 0 where none was computed.
  WayCosts& computed;
  /// The number of threads that share the copy.
  int threads = 1;
  /// Bytes of the destination.
  Index bytes = 0;
  Access access{};
  /// How the copy is written where it is carried out as its access says.
  Stores stores = Stores::ordinary;
  /// Whether the copy has more bytes than the caches hold.
  bool exceeds_caches = false;
  /// The lowest cost so far; 0 where there is none, or where `PlanOptions::way` names the only candidate.
  double lowest_cost = 0;
  /// The packing of blocks, where `PlanOptions::way` names one.
  std::string_view only_packing{};

  [[nodiscard]] const Costs& costs() const { return options.machine.costs; }
  [[nodiscard]] bool streams() const { return stores != Stores::ordinary; }
  /// Bytes of a row of the destination.
  [[nodiscard]] Index row_bytes() const { return nest.inner().extent * nest.dst_item; }
  /// The most items of a unit of work that threads share evenly; very many where there is one thread.
  [[nodiscard]] Index max_unit_items() const;
  /// The offset in a cache line of what is `dst_offset` bytes from the destination's storage element 0.
  [[nodiscard]] Index in_line(Index dst_offset) const;
};

struct Candidate {
  /// A way with its default values.
  template <class Way>
  explicit Candidate(std::in_place_type_t<Way> type) : way(type) {}
  Candidate(CopyWay way_, double cost_) : way(std::move(way_)), cost(cost_) {}

  CopyWay way;
  /// A multiple of the time of a plain copy of the same bytes.
  double cost = 0;
};

/// What `bytes` of cost for each run of `run` bytes cost for each byte.
constexpr double per_byte(double bytes, Index run) {
  return bytes / static_cast<double>(run);
}

/// Streaming stores for the machine's number of memory streams.
constexpr Stores streaming_stores(MemoryStreams streams) {
  return streams == MemoryStreams::one ? Stores::streaming_sequential : Stores::streaming;
}

/// Whether destination runs of `run_bytes`, one at each position of `outer`, all consist of whole cache
/// lines.
bool are_whole_lines(const Problem& problem, std::span<const Loop> outer, Index run_bytes);

/// Sets the way and the costs of a plan that has all else.
void choose_way(CopyPlan& plan, const PlanOptions& options);

}  // namespace tenstride::detail
