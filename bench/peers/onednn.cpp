// SPDX-License-Identifier: Apache-2.0
#include <dnnl.hpp>
#include <memory>
#include <optional>

#if defined(_OPENMP)
#include <omp.h>
#endif

#include "../peer.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride::bench {
namespace {

using Type = dnnl::memory::data_type;

std::optional<Type> type_of(DType type) {
  switch (type) {
    case DType::uint8:
      return Type::u8;
    case DType::int8:
      return Type::s8;
    case DType::int32:
      return Type::s32;
    case DType::float16:
      return Type::f16;
    case DType::bfloat16:
      return Type::bf16;
    case DType::float32:
      return Type::f32;
    default:
      return std::nullopt;
  }
}

/// A reorder between two strided descriptions.
class OneDnn : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "oneDNN reorder"; }
  [[nodiscard]] std::string version() const override {
    const dnnl_version_t* const v = dnnl_version();
    return std::to_string(v->major) + "." + std::to_string(v->minor) + "." + std::to_string(v->patch);
  }
  [[nodiscard]] bool uses_threads() const override { return true; }
  void set_threads(int count) override {
#if defined(_OPENMP)
    omp_set_num_threads(count);
#else
    static_cast<void>(count);
#endif
  }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    const auto src_type = type_of(what.src_type);
    const auto dst_type = type_of(what.dst_type);
    const Layout view = coalesce(what.view);
    if (!src_type || !dst_type || what.scales()) return {};
    for (const Index stride : view.strides) {
      if (stride <= 0) return {};
    }
    try {
      return prepare(job, view, *src_type, *dst_type);
    } catch (const dnnl::error&) {
      return {};  // oneDNN refuses this one
    }
  }

 private:
  static Call prepare(const CopyJob& job, const Layout& view, Type src_type, Type dst_type) {
    const dnnl::engine cpu(dnnl::engine::kind::cpu, 0);
    const std::vector<std::int64_t> shape = view.shape.to_vector();
    const dnnl::memory::desc from(shape, src_type, view.strides.to_vector());
    const dnnl::memory::desc to(shape, dst_type, row_major_strides(view.shape).to_vector());
    const dnnl::reorder::primitive_desc description(cpu, from, cpu, to);
    const std::size_t offset = static_cast<std::size_t>(view.offset) * item_size(job.what.src_type);
    const dnnl::memory src(from, cpu, const_cast<std::byte*>(job.src) + offset);
    const dnnl::memory dst(to, cpu, job.dst);
    Call call;
    call.run = [reorder = dnnl::reorder(description), stream = dnnl::stream(cpu), src, dst]() mutable {
      reorder.execute(stream, {{DNNL_ARG_FROM, src}, {DNNL_ARG_TO, dst}});
      stream.wait();
    };
    return call;
  }
};

const bool added = add_peer(std::make_unique<OneDnn>());

}  // namespace
}  // namespace tenstride::bench
