// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "call.hpp"
#include "case.hpp"
#include "chain_case.hpp"
#include "computation.hpp"
#include "operation.hpp"

namespace tenstride::bench {

/// Where a copy reads and writes. The calls made for it must not outlive it.
struct CopyJob {
  const CopyCase& what;
  const std::byte* src;
  std::byte* dst;
};

/// Work that takes nanoseconds: `run(n)` does it n times.
struct Tiny {
  std::string what;
  std::function<void(std::int64_t)> run;
};

/// A library that is measured. Calls that it does not offer are empty.
class Peer {
 public:
  virtual ~Peer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
  /// Whether the others are compared with it; it takes part in every round then, however slow it is.
  [[nodiscard]] virtual bool is_reference() const { return false; }
  /// Whether its copies can use more than one thread. The others take part in runs on one thread only.
  [[nodiscard]] virtual bool uses_threads() const { return false; }
  virtual void set_threads(int) {}
  /// Prepares the peer, before anything else is called. Must not start a thread.
  virtual void start() {}

  /// A copy into the job's destination.
  virtual Call copy(const CopyJob&) { return {}; }
  /// A copy into a new result, by the call that a user writes.
  virtual Call copy_fresh(const CopyJob&) { return {}; }
  virtual Call operate(const OperationJob&) { return {}; }
  virtual Call chain(const ChainJob&) { return {}; }
  /// A reduction or arithmetic, with a new result.
  virtual Call compute(const ComputationJob&) { return {}; }
  virtual std::vector<Tiny> tiny() { return {}; }
};

/// All peers that were built in, tenstride first.
std::vector<std::unique_ptr<Peer>>& peers();

/// Adds a peer from its own source file: `const bool added = add_peer(std::make_unique<Mine>());`.
bool add_peer(std::unique_ptr<Peer> peer);

}  // namespace tenstride::bench
