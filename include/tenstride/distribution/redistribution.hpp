// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tenstride/distribution/distribution.hpp"

/// How a distributed tensor gets another order of axes, another shape and other placements: what each rank
/// sends to each other one. Pure data, which needs no machine.
namespace tenstride::distributed {

/// A tensor as it is held, and as it is wanted. The axes of `from` are first brought into the order `order`,
/// then viewed in the shape of `to`. The ranks of both meshes are the same, numbered from 0.
struct RedistributionProblem {
  Distribution from;
  Dims order;
  Distribution to;
  /// Bytes of an element.
  std::size_t itemsize = 4;
};

/// The elements that a rank sends to another, or keeps for itself where both are one.
struct Exchange {
  Index sender = 0;
  Index receiver = 0;
  Index elements = 0;
  friend bool operator==(const Exchange&, const Exchange&) noexcept = default;
};

/// A part of an exchange: `elements` elements from element `first` on, in the row-major order of what the
/// exchange is about.
struct ExchangePart {
  std::size_t exchange = 0;  ///< which of the plan's
  Index first = 0;
  Index elements = 0;
  friend bool operator==(const ExchangePart&, const ExchangePart&) noexcept = default;
};

/// What ranks send each other at once.
using ExchangeRound = std::vector<ExchangePart>;

/// Bytes that a rank has to hold besides what it is given and what it is asked for.
struct ExchangeBuffers {
  Index sent = 0;
  Index received = 0;
};

/// Who sends what to whom. `plan_redistribution` makes it.
struct RedistributionPlan {
  RedistributionProblem problem;
  /// A shape in which both the ordered source and the result are parts of axes: what a rank holds, and what
  /// it wants, are `held` and `wanted` here. Positions are those of the result in row-major order.
  Dims common;
  std::vector<Holding> held;    ///< by rank
  std::vector<Holding> wanted;  ///< by rank
  /// Whether a rank's own tensor is a view in `common` as it stands, with its axes in the given order; where
  /// not, it is copied into that order first.
  bool is_source_viewed = true;
  /// What ranks send, sorted by receiver, then by sender; none is empty. An element that several ranks hold
  /// is kept where it is wanted, else the ranks that hold it take turns to send it to those that want it.
  std::vector<Exchange> exchanges;

  /// The indices of `common` that an exchange is about: those that its sender holds and its receiver wants.
  [[nodiscard]] TENSTRIDE_API Holding part_of(const Exchange& exchange) const;
  /// Bytes from rank to rank. No plan needs fewer: each rank is sent what it wants and does not hold, once.
  [[nodiscard]] TENSTRIDE_API Index bytes_sent() const;
  /// Bytes that ranks copy from their own part.
  [[nodiscard]] TENSTRIDE_API Index bytes_kept() const;
  /// What a rank packs and what it unpacks, where all is sent at once.
  [[nodiscard]] TENSTRIDE_API ExchangeBuffers buffers_of(Index rank) const;
  /// The exchanges between ranks in rounds, in each of which a rank packs at most max_bytes / 2, and unpacks
  /// as much. Ranks take turns: first each sends to the next one, then to the one after it (the linear
  /// permutation algorithm: Foster, "Designing and Building Parallel Programs", 1995). What a rank keeps
  /// needs no buffer. Throws ValueError where the bytes do not hold two elements.
  [[nodiscard]] TENSTRIDE_API std::vector<ExchangeRound> rounds_of(Index max_bytes) const;
  /// Several lines for people, the last without a newline. Example:
  /// ```
  /// redistribute 24 elements of 4 B
  ///   from   (4,6) on (2): Shard(0)
  ///   order  (1,0)
  ///   to     (6,4) on (2): Shard(0)
  ///   sent   48 B of 96 B, no plan sends less; kept 48 B
  ///   rank 1 -> 0  6 elements
  ///   rank 0 -> 1  6 elements
  /// ```
  [[nodiscard]] TENSTRIDE_API std::string to_string() const;
};

/// Plans a redistribution. Throws as `permute` for the order, ShapeError where the two shapes have another
/// number of elements, ValueError where the two meshes have another number of ranks.
TENSTRIDE_API RedistributionPlan plan_redistribution(const RedistributionProblem& problem);

}  // namespace tenstride::distributed
