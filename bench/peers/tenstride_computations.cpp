// SPDX-License-Identifier: Apache-2.0
#include "tenstride_computations.hpp"

#include "tenstride/arithmetic.hpp"
#include "tenstride/compare.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/reduce.hpp"
#include "tenstride/tensor.hpp"

namespace tenstride::bench {
namespace {

template <class Make>
Call makes(Make make) {
  return fresh_call(
      std::move(make), [](const Tensor& x) { return x.contiguous(); },
      [](const Tensor& x) { return x.data_ptr(); });
}

Tensor input(const ComputationJob& job, std::size_t number) {
  const ComputationInput& what = job.what.inputs[number];
  return from_blob(const_cast<std::byte*>(job.source(number)), what.source, job.what.type)
      .with_layout(what.view);
}

}  // namespace

Call tenstride_computation(const ComputationJob& job) {
  const Tensor x = input(job, 0);
  if (job.what.kind == ComputationKind::reduction) {
    return makes([x, axes = job.what.axes, reduction = job.what.reduction] {
      return reduce_axes(x, axes, reduction);
    });
  }
  const Tensor y = input(job, 1);
  switch (job.what.kind) {
    case ComputationKind::add:
      return makes([x, y] { return add(x, y); });
    case ComputationKind::multiply:
      return makes([x, y] { return mul(x, y); });
    case ComputationKind::maximum:
      return makes([x, y] { return maximum(x, y); });
    default:
      return makes([x, y] { return lt(x, y); });
  }
}

}  // namespace tenstride::bench
