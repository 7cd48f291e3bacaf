// SPDX-License-Identifier: Apache-2.0
#include <fftw3-mpi.h>

#include <stdexcept>
#include <type_traits>

#include "../contender.hpp"

namespace tenstride::bench {
namespace {

/// The functions of FFTW for an element type.
template <class T>
struct Functions;

template <>
struct Functions<double> {
  using Plan = fftw_plan;
  static constexpr auto local_size = fftw_mpi_local_size_many_transposed;
  static constexpr auto plan = fftw_mpi_plan_many_transpose;
  static constexpr auto execute = fftw_execute;
  static constexpr auto destroy = fftw_destroy_plan;
};

template <>
struct Functions<float> {
  using Plan = fftwf_plan;
  static constexpr auto local_size = fftwf_mpi_local_size_many_transposed;
  static constexpr auto plan = fftwf_mpi_plan_many_transpose;
  static constexpr auto execute = fftwf_execute;
  static constexpr auto destroy = fftwf_destroy_plan;
};

bool is_shard(const distributed::Distribution& held, Index axis) {
  return held.placements == std::vector{distributed::shard(axis)};
}

/// Whether the result has the order of the source and is spread along its second axis, which FFTW calls
/// transposed out. Its own order of axes is (1,0,…), spread along the first.
bool is_reshuffle(const RedistributionCase& what) {
  return what.order == Dims{0, 1} || what.order == Dims{0, 1, 2};
}

template <class T>
std::function<void()> prepare_for(const RedistributionJob& job) {
  using Fftw = Functions<T>;
  const Dims& shape = job.what.from.shape;
  const ptrdiff_t extents[] = {shape[0], shape[1]};
  const ptrdiff_t row_size = shape.size() == 3 ? shape[2] : 1;
  ptrdiff_t unused[4];
  const ptrdiff_t room =
      Fftw::local_size(2, extents, row_size, FFTW_MPI_DEFAULT_BLOCK, FFTW_MPI_DEFAULT_BLOCK, job.comm, unused,
                       unused + 1, unused + 2, unused + 3);
  if (room * static_cast<ptrdiff_t>(sizeof(T)) > job.room) {
    throw std::runtime_error("FFTW needs larger arrays than the largest part");
  }
  const unsigned flags =
      FFTW_ESTIMATE | FFTW_PRESERVE_INPUT | (is_reshuffle(job.what) ? unsigned{FFTW_MPI_TRANSPOSED_OUT} : 0);
  T* const src = reinterpret_cast<T*>(const_cast<std::byte*>(job.src));
  T* const dst = reinterpret_cast<T*>(job.dst);
  const typename Fftw::Plan plan = Fftw::plan(extents[0], extents[1], row_size, FFTW_MPI_DEFAULT_BLOCK,
                                              FFTW_MPI_DEFAULT_BLOCK, src, dst, job.comm, flags);
  if (plan == nullptr) throw std::runtime_error("FFTW has no plan");
  const std::shared_ptr<std::remove_pointer_t<typename Fftw::Plan>> owner(plan, Fftw::destroy);
  return [owner] { Fftw::execute(owner.get()); };
}

/// fftw_mpi_plan_many_transpose with FFTW_ESTIMATE, which keeps its plan.
class Fftw : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "fftw"; }
  [[nodiscard]] bool can(const RedistributionCase& what) const override {
    const bool is_transpose = what.order == Dims{1, 0} || what.order == Dims{1, 0, 2};
    return is_shard(what.from, 0) &&
           ((is_transpose && is_shard(what.to, 0)) || (is_reshuffle(what) && is_shard(what.to, 1)));
  }
  std::function<void()> prepare(const RedistributionJob& job) override {
    if (!is_started_) {
      fftw_mpi_init();
      fftwf_mpi_init();
      is_started_ = true;
    }
    return job.what.type == DType::float32 ? prepare_for<float>(job) : prepare_for<double>(job);
  }

 private:
  bool is_started_ = false;
};

const bool added = add_contender(std::make_unique<Fftw>());

}  // namespace
}  // namespace tenstride::bench
