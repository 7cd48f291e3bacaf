// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "tenstride/distributed/pack.hpp"
#include "tenstride/distributed/transport.hpp"

namespace tenstride::distributed {

struct RedistributeOptions {
  /// Memory of this rank for what it packs and receives. Less is slower where each round is short. A tensor
  /// that is no view in the plan's `common` is copied besides, in whole.
  Index max_bytes = Index{32} << 20;
  /// Whether ranks of one machine read each other's memory; if not, all is sent.
  bool uses_shared_memory = true;
};

/// Carries a plan out, as often as wanted: all ranks make one of the same plan, and call `run` at once.
/// What a rank gets of a near one is copied from that one's tensor where it lies in shared memory
/// (`Transport::empty_shared`), in one pass and without buffers; where it does not, it is packed into shared
/// memory and copied from there. What it gets of ranks of other machines is packed, sent and unpacked, in
/// rounds (`RedistributionPlan::rounds_of`), and a part is sent while the next one is packed.
///
/// Example, on each rank:
/// ```
/// MpiTransport ranks(MPI_COMM_WORLD);
/// Redistributor transposed(ranks, plan_redistribution({from, {1, 0}, to, 4}));
/// transposed.run(source, destination);
/// ```
class TENSTRIDE_API Redistributor {
 public:
  /// Refers to the transport. Throws on all ranks alike: ValueError where the plan is not for as many ranks,
  /// or is not the same on all of them, or as `rounds_of`.
  Redistributor(Transport& transport, RedistributionPlan plan, const RedistributeOptions& options = {});

  /// Moves `source`, which is this rank's part of the plan's `from`, to `destination`. An error that one rank
  /// finds is thrown by all, with its message, and nothing is moved: see `RankTensors`. What goes wrong later
  /// ends all ranks (`Transport::fail`). Ledgers record the copies as "redistribute". Collective.
  void run(const Tensor& source, const Tensor& destination, Caller caller = Caller::current());
  /// What a rank calls in place of `run` where it has no tensors to give: all ranks throw its message, as in
  /// "rank 2: no memory". Pre: the message is not empty. Collective, with the `run` of the others.
  void refuse(const std::string& message);

  [[nodiscard]] const RedistributionPlan& plan() const noexcept { return plan_; }
  /// Memory that this rank has allocated for what is packed; nothing before it is needed.
  [[nodiscard]] Index buffer_bytes() const;

 private:
  /// Where a rank's source lies, as all ranks know it.
  struct Source {
    bool is_shared = false;
    SharedPlace place;
    Dims strides;
  };
  struct BufferedPart;
  struct RoundParts;

  [[nodiscard]] std::vector<Source> agree_on_sources(const RankTensors* mine, const Tensor& source,
                                                     const std::string& refusal);
  [[nodiscard]] bool is_near(const Exchange& exchange) const;
  [[nodiscard]] bool is_taken(const Exchange& exchange, const std::vector<Source>& sources) const;
  [[nodiscard]] RoundParts parts_of(const ExchangeRound& round, const std::vector<Source>& sources) const;
  void make_buffers(const std::vector<RoundParts>& rounds);
  void take_all(RankTensors& mine, const std::vector<Source>& sources, DType dtype);
  void exchange_all(RankTensors& mine, const std::vector<Source>& sources, DType dtype);

  Transport& transport_;
  RedistributionPlan plan_;
  /// The lowest rank of each rank's machine.
  std::vector<Index> machines_;
  std::vector<ExchangeRound> rounds_;
  /// The most bytes that each rank packs for near ones in a round.
  std::vector<Index> staged_bytes_;
  int threads_ = 1;
  /// What is packed for near ranks, in shared memory: one round is read while the next one is packed.
  Tensor staged_;
  Tensor sent_;
  Tensor received_;
};

/// Puts into the calling thread's ledgers what `run` would copy on a rank: each exchange once where ranks
/// share memory and all are on one machine, with shared sources; else what is packed and unpacked. Both
/// tensors are taken as row-major. Nothing is allocated or sent, and no transport is needed. Throws
/// ValueError where elements of the type are not of the plan's size, and as `rounds_of`. Example: `CopyLedger
/// ledger; forecast(plan, 0, DType::float64); ledger.totals().bytes_written`.
TENSTRIDE_API void forecast(const RedistributionPlan& plan, Index rank, DType dtype,
                            const RedistributeOptions& options = {}, Caller caller = Caller::current());

}  // namespace tenstride::distributed
