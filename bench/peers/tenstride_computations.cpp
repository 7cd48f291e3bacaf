// SPDX-License-Identifier: Apache-2.0
#include "tenstride_computations.hpp"

#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/reduce/reduce.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

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
  const Tensor whole = from_blob(const_cast<std::byte*>(job.source(number)), what.source, job.what.type);
  return Tensor(whole.storage(), what.view, job.what.type);
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
