// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nanobind/nanobind.h>

#include <memory>
#include <vector>

#include "tenstride/distributed/transport.hpp"

namespace tenstride::python {

/// A transport that calls the methods of a Python object, by the names of `Transport`'s, with bytes as
/// memoryviews (`tenstride/distributed/mpi_calls.py` has them over mpi4py). Made and closed with the GIL; the
/// methods between take it.
class PythonTransport final : public distributed::Transport {
 public:
  /// Asks `calls` for its `rank` and `near`, a bool for each rank.
  explicit PythonTransport(nanobind::object calls);
  /// Not collective: whatever is still shared stays with the object.
  ~PythonTransport() override;

  /// Frees the shared memory that no rank has a view of. What remains is never freed: its tensors may be used
  /// until the process ends. Collective.
  void close();

  [[nodiscard]] Index rank() const override { return rank_; }
  [[nodiscard]] Index size() const override { return static_cast<Index>(near_.size()); }
  [[nodiscard]] bool is_near(Index rank) const override { return near_[static_cast<std::size_t>(rank)]; }

  void all_gather(std::span<const std::byte> own, std::span<std::byte> all) override;
  void send(Index to, std::span<const std::byte> bytes) override;
  void receive(Index from, std::span<std::byte> bytes) override;
  std::optional<std::size_t> wait_received() override;
  void wait_sent() override;
  void sync_near() override;
  [[noreturn]] void fail(const std::string& message) override;

 private:
  /// The object, and what of its shared memory lives.
  struct Calls {
    nanobind::object object;
    Index pieces = 0;
    bool is_closed = false;
  };
  class Piece;

  std::unique_ptr<distributed::SharedMemory> allocate_shared(std::size_t nbytes) override;

  std::shared_ptr<Calls> calls_;
  Index rank_ = 0;
  std::vector<bool> near_;
};

}  // namespace tenstride::python
