// SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"

namespace tenstride::bench {
namespace {

/// How many elements a rank exchanges with each other one, and where they lie in a dense buffer.
struct Counts {
  explicit Counts(int ranks) : counts(static_cast<std::size_t>(ranks)), offsets(counts.size()) {}

  void set_offsets() {
    for (std::size_t i = 1; i < counts.size(); ++i) offsets[i] = offsets[i - 1] + counts[i - 1];
  }

  std::vector<int> counts;
  std::vector<int> offsets;
};

/// One MPI_Alltoallv of as many bytes between each two ranks as the case sends between them, its own part of
/// each rank included. Nothing is packed, so the elements come in the wrong order.
class Alltoallv : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "alltoallv"; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool can(const RedistributionCase&) const override { return true; }
  std::function<void()> prepare(const RedistributionJob& job) override {
    Counts sent(job.ranks);
    Counts received(job.ranks);
    for (const auto& exchange : distributed::plan_redistribution(job.what.problem()).exchanges) {
      const int elements = static_cast<int>(exchange.elements);
      if (exchange.sender == job.rank) sent.counts[static_cast<std::size_t>(exchange.receiver)] += elements;
      if (exchange.receiver == job.rank)
        received.counts[static_cast<std::size_t>(exchange.sender)] += elements;
    }
    sent.set_offsets();
    received.set_offsets();
    const MPI_Datatype type = job.what.type == DType::float32 ? MPI_FLOAT : MPI_DOUBLE;
    return [sent, received, type, src = job.src, dst = job.dst, comm = job.comm] {
      MPI_Alltoallv(src, sent.counts.data(), sent.offsets.data(), type, dst, received.counts.data(),
                    received.offsets.data(), type, comm);
    };
  }
};

const bool added = add_contender(std::make_unique<Alltoallv>());

}  // namespace
}  // namespace tenstride::bench
