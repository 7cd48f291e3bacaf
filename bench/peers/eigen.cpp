// SPDX-License-Identifier: Apache-2.0
#include <Eigen/Core>
#include <algorithm>
#include <complex>
#include <memory>
#include <numeric>
#include <type_traits>
#include <unsupported/Eigen/CXX11/Tensor>
#include <vector>

#include "../peer.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride::bench {
namespace {

/// Calls `f` with an integer or floating type of the given size: a copy without a conversion may use any
/// type.
template <class F>
Call with_type_to_move(DType type, F f) {
  if (type == DType::float32) return f(float{});
  if (type == DType::float64) return f(double{});
  switch (item_size(type)) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(std::complex<double>{});
  }
}

template <class F>
Call with_type(DType type, F f) {
  switch (type) {
    case DType::uint8:
      return f(std::uint8_t{});
    case DType::int32:
      return f(std::int32_t{});
    case DType::float16:
      return f(Eigen::half{});
    case DType::bfloat16:
      return f(Eigen::bfloat16{});
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    default:
      return {};
  }
}

template <class T>
using RowMajor = Eigen::Matrix<T, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

/// A view of rank 2, copied by assigning a Map.
template <class T>
Call matrix(const T* src, T* dst, const Layout& view) {
  using Strides = Eigen::Stride<Eigen::Dynamic, Eigen::Dynamic>;
  const Index rows = view.shape[0];
  const Index columns = view.shape[1];
  Eigen::Map<RowMajor<T>> to(dst, rows, columns);
  Call call;
  if (view.strides[1] == 1) {
    const Eigen::Map<const RowMajor<T>, 0, Eigen::OuterStride<>> from(src, rows, columns,
                                                                      Eigen::OuterStride<>(view.strides[0]));
    call.run = [from, to]() mutable { to = from; };
  } else if (view.strides[0] == 1) {
    const Eigen::Map<const RowMajor<T>, 0, Eigen::OuterStride<>> from(src, columns, rows,
                                                                      Eigen::OuterStride<>(view.strides[1]));
    call.run = [from, to]() mutable { to.noalias() = from.transpose(); };
  } else {
    const Eigen::Map<const RowMajor<T>, 0, Strides> from(src, rows, columns,
                                                         Strides(view.strides[0], view.strides[1]));
    call.run = [from, to]() mutable { to = from; };
  }
  return call;
}

/// A permutation of more axes, by Eigen's Tensor (an unsupported module of Eigen).
template <int rank, class T>
Call shuffle(const T* src, T* dst, const Layout& view) {
  std::array<std::size_t, rank> slowest_first{};
  std::iota(slowest_first.begin(), slowest_first.end(), std::size_t{0});
  std::sort(slowest_first.begin(), slowest_first.end(),
            [&](std::size_t a, std::size_t b) { return view.strides[a] > view.strides[b]; });
  Eigen::array<Eigen::Index, rank> sizes{};
  Eigen::array<Eigen::Index, rank> transposed_sizes{};
  Eigen::array<int, rank> order{};
  for (std::size_t k = 0; k < rank; ++k) {
    sizes[k] = view.shape[slowest_first[k]];
    transposed_sizes[k] = view.shape[k];
    order[slowest_first[k]] = static_cast<int>(k);
  }
  const Eigen::TensorMap<const Eigen::Tensor<const T, rank, Eigen::RowMajor>> from(src, sizes);
  Eigen::TensorMap<Eigen::Tensor<T, rank, Eigen::RowMajor>> to(dst, transposed_sizes);
  Call call;
  call.run = [from, to, order]() mutable { to = from.shuffle(order); };
  return call;
}

template <class T>
Call copy_view(const CopyJob& job, const Layout& view) {
  const T* const src = reinterpret_cast<const T*>(job.src) + view.offset;
  T* const dst = reinterpret_cast<T*>(job.dst);
  if (view.rank() == 1 && view.strides[0] == 1) {
    return matrix(src, dst, Layout{{1, view.shape[0]}, {view.shape[0], 1}, 0});
  }
  if (view.rank() == 2) return matrix(src, dst, view);
  if (!is_non_overlapping_and_dense(view)) return {};
  switch (view.rank()) {
    case 3:
      return shuffle<3>(src, dst, view);
    case 4:
      return shuffle<4>(src, dst, view);
    case 5:
      return shuffle<5>(src, dst, view);
    case 6:
      return shuffle<6>(src, dst, view);
    default:
      return {};
  }
}

template <class To, class From>
Call convert(const CopyJob& job, Index count) {
  using Source = Eigen::Array<From, Eigen::Dynamic, 1>;
  using Result = Eigen::Array<To, Eigen::Dynamic, 1>;
  const Eigen::Map<const Source> from(reinterpret_cast<const From*>(job.src), count);
  Eigen::Map<Result> to(reinterpret_cast<To*>(job.dst), count);
  Call call;
  call.run = [from, to]() mutable { to = from.template cast<To>(); };
  return call;
}

class EigenPeer : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "Eigen"; }
  [[nodiscard]] std::string version() const override {
    return std::to_string(EIGEN_WORLD_VERSION) + "." + std::to_string(EIGEN_MAJOR_VERSION) + "." +
           std::to_string(EIGEN_MINOR_VERSION);
  }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    const Layout view = coalesce(what.view);
    if (what.scales() || view.rank() == 0) return {};
    for (const Index stride : view.strides) {
      if (stride <= 0) return {};
    }
    if (what.src_type == what.dst_type) {
      return with_type_to_move(what.src_type, [&](auto t) { return copy_view<decltype(t)>(job, view); });
    }
    if (view.rank() != 1 || view.strides[0] != 1) return {};
    return with_type(what.src_type, [&](auto from) {
      return with_type(what.dst_type, [&](auto to) -> Call {
        if constexpr (std::is_same_v<decltype(from), decltype(to)>) return {};
        return convert<decltype(to), decltype(from)>(job, view.shape[0]);
      });
    });
  }

  std::vector<Tiny> tiny() override {
    using Map = Eigen::Map<RowMajor<float>>;
    return {{"view, rank 4: slice",
             [](std::int64_t count) {
               std::array<float, 24> memory{};
               Map x(memory.data(), 4, 6);
               for (std::int64_t i = 0; i < count; ++i) {
                 keep(x);
                 auto view = x.block(1, 0, 2, 6);
                 keep(view);
               }
             }},
            {"small: transpose + contiguous of 64x64 float32", [](std::int64_t count) {
               const RowMajor<float> x = RowMajor<float>::Zero(64, 64);
               for (std::int64_t i = 0; i < count; ++i) {
                 RowMajor<float> y = x.transpose();
                 keep(y);
               }
             }}};
  }
};

const bool added = add_peer(std::make_unique<EigenPeer>());

}  // namespace
}  // namespace tenstride::bench
