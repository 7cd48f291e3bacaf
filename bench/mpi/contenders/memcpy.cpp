// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cstring>

#include "../contender.hpp"

namespace tenstride::bench {
namespace {

/// Each rank copies its own bytes, all ranks at once: what no redistribution by packing can undercut.
class Memcpy : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "memcpy"; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool can(const RedistributionCase&) const override { return true; }
  std::function<void()> prepare(const RedistributionJob& job) override {
    // A rank whose source is the smaller copies the remainder of its buffer, too, so that the whole
    // destination is written.
    const auto bytes = static_cast<std::size_t>(std::max(job.src_bytes(), job.dst_bytes()));
    return [dst = job.dst, src = job.src, bytes] { std::memcpy(dst, src, bytes); };
  }
};

const bool added = add_contender(std::make_unique<Memcpy>());

}  // namespace
}  // namespace tenstride::bench
