// SPDX-License-Identifier: Apache-2.0
#include "tenstride_chains.hpp"

#include <memory>

#include "tenstride/copy/lazy.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::bench {
namespace {

template <class Make>
Call makes(Make make) {
  return fresh_call(std::move(make), [](const Tensor& x) { return x.data_ptr(); });
}

template <class X>
X stepped(X x, const std::vector<ChainStep>& steps) {
  for (const ChainStep& step : steps) {
    x = step.kind == ChainStep::Kind::permute ? x.permute(step.dims) : x.reshape(step.dims);
  }
  return x;
}

/// The same engine without the chain: each step makes a tensor.
class StepByStep : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "tenstride step by step"; }
  [[nodiscard]] std::string version() const override { return TENSTRIDE_VERSION; }
  [[nodiscard]] bool uses_threads() const override { return true; }

  Call chain(const ChainJob& job) override {
    const Tensor x = from_blob(const_cast<std::byte*>(job.src), job.what.shape, job.what.type);
    return makes([x, &what = job.what] { return stepped(x, what.steps).contiguous(); });
  }
};

const bool added = add_peer(std::make_unique<StepByStep>());

}  // namespace

Call tenstride_chain(const ChainJob& job) {
  const Tensor x = from_blob(const_cast<std::byte*>(job.src), job.what.shape, job.what.type);
  if (job.what.is_pattern()) {
    return makes([x, &pattern = job.what.patterns[0]] { return rearrange(x, pattern.text, pattern.sizes); });
  }
  return makes([x, &what = job.what] { return stepped(lazy(x), what.steps).materialize(); });
}

}  // namespace tenstride::bench
