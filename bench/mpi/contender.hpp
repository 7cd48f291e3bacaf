// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <mpi.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "case.hpp"
#include "tenstride/distributed/transport.hpp"

namespace tenstride::bench {

/// A case on one rank, with the memory of that rank.
struct RedistributionJob {
  const RedistributionCase& what;
  MPI_Comm comm;
  int rank;
  int ranks;
  /// In memory that the ranks of this machine share, by `transport`.
  const std::byte* src;
  std::byte* dst;
  /// Bytes of each of the two buffers: on all ranks those of the largest part that any rank holds.
  Index room;
  distributed::Transport& transport;

  [[nodiscard]] Index src_bytes() const { return what.bytes_held(what.from, rank); }
  [[nodiscard]] Index dst_bytes() const { return what.bytes_held(what.to, rank); }
};

/// A library that is measured, or a lower bound that the libraries are compared with.
class Contender {
 public:
  virtual ~Contender() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  /// Whether it only moves as many bytes; the others are compared with it, and it takes part in every run.
  [[nodiscard]] virtual bool is_reference() const { return false; }
  /// Whether it can do a case. The same on all ranks.
  [[nodiscard]] virtual bool can(const RedistributionCase& what) const = 0;
  /// Called on all ranks at once: plans, and allocates its buffers. What it returns is called once for each
  /// run, and owns what it needs for that. The time of this call is part of that of the first run.
  virtual std::function<void()> prepare(const RedistributionJob& job) = 0;
};

/// All contenders that were built in, references first, then by name.
std::vector<Contender*> contenders();

/// Adds a contender from its own source file:
/// `const bool added = add_contender(std::make_unique<Mine>());`.
bool add_contender(std::unique_ptr<Contender> contender);

}  // namespace tenstride::bench
