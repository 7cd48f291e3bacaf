// SPDX-License-Identifier: Apache-2.0
#include <fftw3.h>

#include <memory>
#include <vector>

#include "../peer.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride::bench {
namespace {

/// FFTW's guru interface with a transform of rank 0, around which the axes of the copy are the loops: a copy
/// with any strides.
template <class Dim>
std::vector<Dim> loops_of(const Layout& view) {
  const Dims dst = row_major_strides(view.shape);
  std::vector<Dim> loops;
  for (std::size_t d = 0; d < view.rank(); ++d) {
    loops.push_back({view.shape[d], view.strides[d], dst[d]});
  }
  return loops;
}

template <class Plan, class Execute>
Call by_plan(Plan plan, void (*destroy)(Plan), Execute execute) {
  if (plan == nullptr) return {};
  const std::shared_ptr<std::remove_pointer_t<Plan>> owner(plan, destroy);
  Call call;
  call.run = [owner, execute] { execute(owner.get()); };
  return call;
}

Call prepare(const CopyJob& job, unsigned flags) {
  const CopyCase& what = job.what;
  if (what.src_type != what.dst_type || what.scales()) return {};
  const Layout view = coalesce(what.view);
  const auto rank = static_cast<int>(view.rank());
  const std::size_t offset = static_cast<std::size_t>(view.offset) * item_size(what.src_type);
  void* const src = const_cast<std::byte*>(job.src) + offset;
  void* const dst = job.dst;
  const bool is_single = what.src_type == DType::float32 || what.src_type == DType::complex64;
  if (is_single) {
    const auto loops = loops_of<fftwf_iodim64>(view);
    fftwf_plan plan =
        what.src_type == DType::float32
            ? fftwf_plan_guru64_r2r(0, nullptr, rank, loops.data(), static_cast<float*>(src),
                                    static_cast<float*>(dst), nullptr, flags)
            : fftwf_plan_guru64_dft(0, nullptr, rank, loops.data(), static_cast<fftwf_complex*>(src),
                                    static_cast<fftwf_complex*>(dst), FFTW_FORWARD, flags);
    return by_plan(plan, fftwf_destroy_plan, fftwf_execute);
  }
  if (what.src_type != DType::float64 && what.src_type != DType::complex128) return {};
  const auto loops = loops_of<fftw_iodim64>(view);
  fftw_plan plan = what.src_type == DType::float64
                       ? fftw_plan_guru64_r2r(0, nullptr, rank, loops.data(), static_cast<double*>(src),
                                              static_cast<double*>(dst), nullptr, flags)
                       : fftw_plan_guru64_dft(0, nullptr, rank, loops.data(), static_cast<fftw_complex*>(src),
                                              static_cast<fftw_complex*>(dst), FFTW_FORWARD, flags);
  return by_plan(plan, fftw_destroy_plan, fftw_execute);
}

class Fftw : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "FFTW guru copy"; }
  [[nodiscard]] std::string version() const override { return fftwf_version; }
  Call copy(const CopyJob& job) override { return prepare(job, FFTW_ESTIMATE | FFTW_PRESERVE_INPUT); }
};

/// The same with a plan that FFTW has chosen by measuring on these arrays, which overwrites them.
class FftwMeasured : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "FFTW guru copy (measured plan)"; }
  [[nodiscard]] std::string version() const override { return fftwf_version; }
  Call copy(const CopyJob& job) override {
    fftwf_set_timelimit(seconds);
    fftw_set_timelimit(seconds);
    Call call = prepare(job, FFTW_MEASURE | FFTW_PRESERVE_INPUT);
    call.spoilt_the_source = true;
    return call;
  }

 private:
  static constexpr double seconds = 1;
};

const bool added = add_peer(std::make_unique<Fftw>()) && add_peer(std::make_unique<FftwMeasured>());

}  // namespace
}  // namespace tenstride::bench
