// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "call.hpp"
#include "case.hpp"
#include "chain_case.hpp"
#include "operation.hpp"

namespace tenstride::bench {

/// Where a copy reads and writes. Lives as long as the calls made of it.
struct CopyJob {
  const CopyCase& what;
  const std::byte* src;
  std::byte* dst;
};

/// A piece of work of nanoseconds: `run(n)` does it n times.
struct Tiny {
  std::string what;
  std::function<void(std::int64_t)> run;
};

/// One library. What it does not offer stays empty.
class Peer {
 public:
  virtual ~Peer() = default;
  [[nodiscard]] virtual std::string name() const = 0;
  [[nodiscard]] virtual std::string version() const = 0;
  /// Whether others are stated as ratios to it, so that it takes all its turns however slow it is.
  [[nodiscard]] virtual bool is_reference() const { return false; }
  /// Whether its copies use more than one thread; those that do not take part with one only.
  [[nodiscard]] virtual bool uses_threads() const { return false; }
  virtual void set_threads(int) {}
  /// Brings the peer up, before it does anything else. Must not start a thread.
  virtual void start() {}

  /// Into the destination of the job.
  virtual Call copy(const CopyJob&) { return {}; }
  /// Into fresh memory, by the call that people write.
  virtual Call copy_fresh(const CopyJob&) { return {}; }
  virtual Call operate(const OperationJob&) { return {}; }
  virtual Call chain(const ChainJob&) { return {}; }
  virtual std::vector<Tiny> tiny() { return {}; }
};

/// All peers that were built in, tenstride first.
std::vector<std::unique_ptr<Peer>>& peers();

/// For a file of its own: `const bool added = add_peer(std::make_unique<Mine>());`.
bool add_peer(std::unique_ptr<Peer> peer);

}  // namespace tenstride::bench
