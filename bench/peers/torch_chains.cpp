// SPDX-License-Identifier: Apache-2.0
#include "torch_chains.hpp"

#include <ATen/ATen.h>

namespace tenstride::bench {

Call torch_chain(const ChainJob& job) {
  const ChainCase& what = job.what;
  if (what.type != DType::float32 && what.type != DType::float16) return {};
  const at::IntArrayRef shape(what.shape.data(), what.shape.size());
  const at::TensorOptions options(what.type == DType::float32 ? at::kFloat : at::kHalf);
  const at::Tensor x = at::from_blob(const_cast<std::byte*>(job.src), shape, options);
  const auto make = [x, &what] {
    at::Tensor y = x;
    for (const ChainStep& step : what.steps) {
      const at::IntArrayRef dims(step.dims.data(), step.dims.size());
      y = step.kind == ChainStep::Kind::permute ? y.permute(dims) : y.reshape(dims);
    }
    return y.contiguous();
  };
  return fresh_call(make, [](const at::Tensor& y) { return y.data_ptr(); });
}

}  // namespace tenstride::bench
