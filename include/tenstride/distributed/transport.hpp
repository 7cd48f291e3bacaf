// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <atomic>
#include <cstddef>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "tenstride/tensor/tensor.hpp"

/// How bytes get from rank to rank. `MpiTransport` (mpi.hpp) does it by MPI; others may be written.
namespace tenstride::distributed {

/// Memory of which each rank of a machine has a part, and in which it reads the parts of the others.
class SharedMemory {
 public:
  virtual ~SharedMemory() = default;
  /// Where a rank's part begins; null where the rank is on another machine.
  [[nodiscard]] virtual std::byte* of(Index rank) const = 0;
};

/// A place in shared memory, known to all ranks: the same number is the same memory on each of them.
struct SharedPlace {
  Index memory = 0;
  Index offset = 0;  ///< bytes from where the rank's part begins
};

/// What a rank needs of the others. "Collective" is what all ranks call, in one order. A transport and its
/// tensors belong to one thread of each rank.
class TENSTRIDE_API Transport {
 public:
  Transport() = default;
  Transport(const Transport&) = delete;
  Transport& operator=(const Transport&) = delete;
  /// Collective. No tensor of `empty_shared` may be used afterwards.
  virtual ~Transport();

  /// This rank, and how many there are.
  [[nodiscard]] virtual Index rank() const = 0;
  [[nodiscard]] virtual Index size() const = 0;
  /// Whether a rank is on this rank's machine, and their memory can be shared.
  [[nodiscard]] virtual bool is_near(Index rank) const = 0;

  /// Gives `own` to all ranks, and gets theirs, one after another, in `all`; each rank gives as many bytes.
  /// What any rank wrote in shared memory before, the ranks of its machine see after. Collective.
  virtual void all_gather(std::span<const std::byte> own, std::span<std::byte> all) = 0;
  /// Begins to send at most 2^30 bytes, which stay as they are until `wait_sent`. What one rank sends another
  /// arrives in the order of the calls.
  virtual void send(Index to, std::span<const std::byte> bytes) = 0;
  /// Begins to receive as many bytes as are sent.
  virtual void receive(Index from, std::span<std::byte> bytes) = 0;
  /// Waits for one of the receives, and gives its number, counted from 0 in the order of their calls; nothing
  /// where all have been given: the next one is number 0 again.
  virtual std::optional<std::size_t> wait_received() = 0;
  /// Waits until all that is being sent may be changed.
  virtual void wait_sent() = 0;
  /// Waits for the ranks of this machine; what any wrote in shared memory before, all see after. Collective.
  virtual void sync_near() = 0;
  /// Ends all ranks with a message, for errors after which the others would wait for ever.
  [[noreturn]] virtual void fail(const std::string& message) = 0;

  /// A row-major tensor in memory that the ranks of this machine share: they read it directly, and nothing of
  /// it need be sent. Shapes may differ. Its memory is given back once no rank has a view of it, by the next
  /// call or the destructor. Throws as `empty`. Collective.
  Tensor empty_shared(const Dims& shape, DType dtype);
  /// Where an address is in this rank's shared memory; nothing where it is elsewhere.
  [[nodiscard]] std::optional<SharedPlace> place_of(const void* address) const;
  /// The address in this rank's memory of the same place of a near rank.
  [[nodiscard]] std::byte* address_of(Index rank, const SharedPlace& place) const;

 protected:
  /// Allocates memory of so many bytes of this rank, and of as many as the others ask for. Collective.
  virtual std::unique_ptr<SharedMemory> allocate_shared(std::size_t nbytes) = 0;
  /// Gives all shared memory back: called by the destructors of transports whose memory must not outlive
  /// them.
  void release_shared();
  /// Gives back what no rank has a view of, of the 64 oldest pieces. Collective.
  void release_unused();

 private:
  struct Piece {
    Index number = 0;
    std::size_t nbytes = 0;
    std::unique_ptr<SharedMemory> memory;
    std::shared_ptr<std::atomic<bool>> is_unused;
  };

  std::vector<Piece> pieces_;
  Index next_number_ = 0;
};

}  // namespace tenstride::distributed
