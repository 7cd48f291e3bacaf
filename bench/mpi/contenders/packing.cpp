// SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"
#include "tenstride/distributed/pack.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::bench {
namespace {

using distributed::Exchange;
using distributed::RankTensors;
using distributed::RedistributionPlan;

/// What redistributing by messages does beside sending: each rank keeps, packs and unpacks as many bytes as
/// the case asks for. Nothing is sent, so that what is unpacked is what was packed before, or 0.
struct Packing {
  explicit Packing(const RedistributionJob& job)
      : plan(plan_redistribution(job.what.problem())),
        rank(job.rank),
        src(from_blob(const_cast<std::byte*>(job.src), job.what.from.held_by(job.rank).local_shape(),
                      job.what.type)),
        dst(from_blob(job.dst, job.what.to.held_by(job.rank).local_shape(), job.what.type)),
        tensors(plan, rank, src, dst),
        buffer(zeros({job.room / static_cast<Index>(item_size(job.what.type))}, {.dtype = job.what.type})) {}

  void run() {
    tensors.keep();
    for (std::size_t i = 0; i < plan.exchanges.size(); ++i) {
      const Exchange& exchange = plan.exchanges[i];
      if (exchange.sender == exchange.receiver) continue;
      Tensor part = buffer.narrow(0, 0, exchange.elements);
      if (exchange.sender == rank) tensors.pack({i, 0, exchange.elements}, part);
      if (exchange.receiver == rank) tensors.unpack({i, 0, exchange.elements}, part);
    }
    tensors.finish();
  }

  RedistributionPlan plan;
  Index rank;
  Tensor src;
  Tensor dst;
  RankTensors tensors;
  Tensor buffer;
};

class PackingContender : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "packing"; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool can(const RedistributionCase&) const override { return true; }
  std::function<void()> prepare(const RedistributionJob& job) override {
    const auto packing = std::make_shared<Packing>(job);
    return [packing] { packing->run(); };
  }
};

const bool added = add_contender(std::make_unique<PackingContender>());

}  // namespace
}  // namespace tenstride::bench
