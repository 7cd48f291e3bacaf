// SPDX-License-Identifier: Apache-2.0
#include "torch_computations.hpp"

namespace tenstride::bench {
namespace {

template <class Make>
Call makes(Make make) {
  return fresh_call(
      std::move(make), [](const at::Tensor& x) { return x.contiguous(); },
      [](const at::Tensor& x) { return x.data_ptr(); });
}

at::IntArrayRef sizes(const Dims& dims) {
  return {dims.data(), dims.size()};
}

at::Tensor input(const ComputationJob& job, std::size_t number, at::ScalarType type) {
  const ComputationInput& what = job.what.inputs[number];
  return at::from_blob(const_cast<std::byte*>(job.source(number)), sizes(what.source),
                       at::TensorOptions(type))
      .as_strided(sizes(what.view.shape), sizes(what.view.strides), what.view.offset);
}

/// `one(axis)` or `all()`, for what PyTorch reduces over one axis or all of them.
template <class One, class All>
Call one_or_all(const ComputationCase& what, One one, All all) {
  if (what.axes.size() == what.inputs[0].view.rank()) return makes(all);
  if (what.axes.size() != 1) return {};
  return makes([one, axis = what.axes[0]] { return one(axis); });
}

Call reduction(const ComputationCase& what, const at::Tensor& x) {
  const std::vector<std::int64_t> axes(what.axes.begin(), what.axes.end());
  switch (what.reduction) {
    case Reduction::sum:
      return makes([x, axes] { return at::sum(x, axes); });
    case Reduction::mean:
      return makes([x, axes] { return at::mean(x, axes); });
    case Reduction::min:
      return makes([x, axes] { return at::amin(x, axes); });
    case Reduction::max:
      return makes([x, axes] { return at::amax(x, axes); });
    case Reduction::prod:
      return one_or_all(
          what, [x](std::int64_t axis) { return at::prod(x, axis); }, [x] { return at::prod(x); });
    default:
      return one_or_all(
          what, [x](std::int64_t axis) { return at::any(x, axis); }, [x] { return at::any(x); });
  }
}

}  // namespace

Call torch_computation(const ComputationJob& job, at::ScalarType type) {
  const at::Tensor x = input(job, 0, type);
  if (job.what.kind == ComputationKind::reduction) return reduction(job.what, x);
  const at::Tensor y = input(job, 1, type);
  switch (job.what.kind) {
    case ComputationKind::add:
      return makes([x, y] { return at::add(x, y); });
    case ComputationKind::multiply:
      return makes([x, y] { return at::mul(x, y); });
    case ComputationKind::maximum:
      return makes([x, y] { return at::maximum(x, y); });
    default:
      return makes([x, y] { return at::lt(x, y); });
  }
}

}  // namespace tenstride::bench
