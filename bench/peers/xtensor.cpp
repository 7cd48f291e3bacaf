// SPDX-License-Identifier: Apache-2.0
#include <complex>
#include <memory>
#include <vector>
#include <xtensor/xadapt.hpp>
#include <xtensor/xarray.hpp>
#include <xtensor/xmanipulation.hpp>
#include <xtensor/xnoalias.hpp>
#include <xtensor/xstrided_view.hpp>
#include <xtensor/xview.hpp>

#include "../peer.hpp"
#include "tenstride/layout/coalesce.hpp"

namespace tenstride::bench {
namespace {

/// An assignment between two adapted arrays with any strides.
template <class To, class From>
Call assign(const CopyJob& job, const Layout& view) {
  const std::vector<std::size_t> shape(view.shape.begin(), view.shape.end());
  const std::vector<std::ptrdiff_t> strides(view.strides.begin(), view.strides.end());
  // xtensor requires this count to be the number of the shape's elements, whatever the strides are.
  const auto count = static_cast<std::size_t>(job.what.elements());
  From* const src = reinterpret_cast<From*>(const_cast<std::byte*>(job.src)) + view.offset;
  To* const dst = reinterpret_cast<To*>(job.dst);
  auto from = xt::adapt(src, count, xt::no_ownership(), shape, strides);
  auto to = xt::adapt(dst, count, xt::no_ownership(), shape);
  Call call;
  call.run = [from, to]() mutable { xt::noalias(to) = from; };
  return call;
}

template <class F>
Call with_type(DType type, F f) {
  switch (type) {
    case DType::uint8:
      return f(std::uint8_t{});
    case DType::int32:
      return f(std::int32_t{});
    case DType::float32:
      return f(float{});
    case DType::float64:
      return f(double{});
    default:
      return {};
  }
}

Call move(const CopyJob& job, const Layout& view) {
  if (job.what.src_type == DType::float32) return assign<float, float>(job, view);
  if (job.what.src_type == DType::float64) return assign<double, double>(job, view);
  switch (item_size(job.what.src_type)) {
    case 1:
      return assign<std::uint8_t, std::uint8_t>(job, view);
    case 2:
      return assign<std::uint16_t, std::uint16_t>(job, view);
    case 4:
      return assign<std::uint32_t, std::uint32_t>(job, view);
    case 8:
      return assign<std::uint64_t, std::uint64_t>(job, view);
    default:
      return assign<std::complex<double>, std::complex<double>>(job, view);
  }
}

template <class F>
Tiny repeat_call(std::string what, F f) {
  return {std::move(what), [f](std::int64_t count) {
            xt::xarray<float> x = xt::zeros<float>({2, 3, 4, 5});
            for (std::int64_t i = 0; i < count; ++i) {
              auto view = f(x);
              keep(view);
            }
          }};
}

class XTensor : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "xtensor"; }
  [[nodiscard]] std::string version() const override {
    return std::to_string(XTENSOR_VERSION_MAJOR) + "." + std::to_string(XTENSOR_VERSION_MINOR) + "." +
           std::to_string(XTENSOR_VERSION_PATCH);
  }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    const Layout view = coalesce(what.view);
    if (what.scales() || view.rank() == 0) return {};
    for (const Index stride : view.strides) {
      if (stride <= 0) return {};
    }
    if (what.src_type == what.dst_type) return move(job, view);
    return with_type(what.src_type, [&](auto from) {
      return with_type(what.dst_type,
                       [&](auto to) { return assign<decltype(to), decltype(from)>(job, view); });
    });
  }

  std::vector<Tiny> tiny() override {
    return {repeat_call("view, rank 4: permute",
                        [](auto& x) {
                          return xt::transpose(x, {0, 2, 3, 1});
                        }),
            repeat_call("view, rank 4: slice",
                        [](auto& x) {
                          return xt::strided_view(x, {xt::all(), xt::all(), xt::range(1, 3), xt::all()});
                        }),
            repeat_call("small: permute + contiguous of {2,3,4}", [](auto& x) {
              const auto first = xt::view(x, 0, xt::all(), xt::all(), xt::all());
              return xt::xarray<float>(xt::transpose(first, {2, 0, 1}));
            })};
  }
};

const bool added = add_peer(std::make_unique<XTensor>());

}  // namespace
}  // namespace tenstride::bench
