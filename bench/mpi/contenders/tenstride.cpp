// SPDX-License-Identifier: Apache-2.0
#include "../contender.hpp"
#include "tenstride/distributed/mpi.hpp"
#include "tenstride/distributed/redistribute.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::bench {
namespace {

using distributed::MpiTransport;
using distributed::RedistributeOptions;
using distributed::Redistributor;

/// Where the source lies, and how its parts get to other ranks.
enum class Way {
  shared,    ///< in shared memory: others copy from it
  staged,    ///< in memory of its own: packed into shared memory, and copied from there
  messages,  ///< packed, sent and unpacked, as between machines
};

/// What a run needs, in the order in which it is made.
struct Prepared {
  Prepared(const RedistributionJob& job, Way way, const RedistributeOptions& options)
      : own(way == Way::shared ? nullptr : std::make_unique<MpiTransport>(job.comm)),
        redistributor(own ? *own : job.transport, plan_redistribution(job.what.problem()), options),
        src(from_blob(const_cast<std::byte*>(job.src), job.what.from.held_by(job.rank).local_shape(),
                      job.what.type)),
        dst(from_blob(job.dst, job.what.to.held_by(job.rank).local_shape(), job.what.type)) {}

  /// It does not know the shared memory of the job's: the source is as any other memory to it.
  std::unique_ptr<MpiTransport> own;
  Redistributor redistributor;
  Tensor src;
  Tensor dst;
};

class Tenstride : public Contender {
 public:
  Tenstride(std::string name, Way way, bool is_bounded)
      : name_(std::move(name)), way_(way), is_bounded_(is_bounded) {}
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] bool can(const RedistributionCase&) const override { return true; }
  std::function<void()> prepare(const RedistributionJob& job) override {
    RedistributeOptions options;
    options.uses_shared_memory = way_ != Way::messages;
    if (is_bounded_) options.max_bytes = std::max(job.room / 8, Index{64});
    const auto prepared = std::make_shared<Prepared>(job, way_, options);
    return [prepared] { prepared->redistributor.run(prepared->src, prepared->dst); };
  }

 private:
  std::string name_;
  Way way_;
  bool is_bounded_;
};

const bool added = add_contender(std::make_unique<Tenstride>("tenstride", Way::shared, false)) &&
                   add_contender(std::make_unique<Tenstride>("tenstride-staged", Way::staged, false)) &&
                   add_contender(std::make_unique<Tenstride>("tenstride-sent", Way::messages, false)) &&
                   add_contender(std::make_unique<Tenstride>("tenstride-eighth", Way::messages, true));

}  // namespace
}  // namespace tenstride::bench
