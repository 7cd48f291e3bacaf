// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "../peer.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/memory/memory.hpp"
#include "tenstride/parallel/parallel.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride_chains.hpp"
#include "tenstride_computations.hpp"
#include "tenstride_operations.hpp"
#include "tenstride_tiny.hpp"

namespace tenstride::bench {
namespace {

Tensor source_of(const CopyJob& job) {
  return from_blob(const_cast<std::byte*>(job.src), job.what.source, job.what.src_type);
}

ScaleShift arithmetic_of(const CopyCase& what) {
  return {what.scale, what.shift, static_cast<Index>(what.scale_axis)};
}

Call fresh(const CopyJob& job) {
  const CopyCase& what = job.what;
  const Tensor source = source_of(job);
  const Tensor view(source.storage(), what.view, source.dtype());
  const auto data = [](const Tensor& x) { return x.data_ptr(); };
  const DType type = what.dst_type;
  if (what.scales()) {
    return fresh_call([view, type, &what] { return convert(view, type, arithmetic_of(what)); }, data);
  }
  if (!what.flipped.empty() && what.src_type == type) {
    return fresh_call([source, &what] { return source.flip(what.flipped); }, data);
  }
  if (what.src_type != type) {
    const ToOptions options{.dtype = type, .memory_format = MemoryFormat::contiguous};
    return fresh_call([view, options] { return view.to(options); }, data);
  }
  if (view.is_contiguous()) return fresh_call([view] { return view.clone(); }, data);
  return fresh_call([view] { return view.contiguous(); }, data);
}

/// tenstride with its defaults: freed memory is reused.
class Tenstride : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "tenstride"; }
  [[nodiscard]] std::string version() const override { return TENSTRIDE_VERSION; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool uses_threads() const override { return true; }
  void set_threads(int count) override { set_num_threads(count); }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    const Tensor source = source_of(job);
    const Tensor view(source.storage(), what.view, source.dtype());
    auto dst = std::make_shared<Tensor>(from_blob(job.dst, what.view.shape, what.dst_type));
    Call call;
    if (what.scales()) {
      call.run = [view, dst, &what] { copy_elements(*dst, view, arithmetic_of(what)); };
    } else {
      call.run = [view, dst] { dst->copy_(view); };
    }
    return call;
  }
  Call copy_fresh(const CopyJob& job) override { return fresh(job); }
  Call operate(const OperationJob& job) override { return tenstride_operation(job); }
  Call chain(const ChainJob& job) override { return tenstride_chain(job); }
  Call compute(const ComputationJob& job) override { return tenstride_computation(job); }
  std::vector<Tiny> tiny() override { return tenstride_tiny(); }
};

/// The cost of the first large result in a process: there is no memory to be reused.
class TenstrideFirstTouch : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "tenstride first touch"; }
  [[nodiscard]] std::string version() const override { return TENSTRIDE_VERSION; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool uses_threads() const override { return true; }

  Call copy_fresh(const CopyJob& job) override {
    Call call = fresh(job);
    call.before = [] { empty_cache(); };
    return call;
  }
};

const bool added =
    add_peer(std::make_unique<Tenstride>()) && add_peer(std::make_unique<TenstrideFirstTouch>());

}  // namespace
}  // namespace tenstride::bench
