// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/selection.hpp"

#include "base/message.hpp"
#include "ledger/watch.hpp"
#include "ops/index_mask.hpp"
#include "ops/scatter_parts.hpp"
#include "tensor/stored_elements.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using detail::message;
using detail::OperationScope;
using detail::SetElements;

void require_elements(std::string_view operation, const Tensor& x) {
  if (x.has_memory()) return;
  throw RuntimeError(message(operation,
                             ": a tensor on meta has no elements to be read, and the result"
                             " depends on them (shape ",
                             x.shape(), ")"));
}

void require_mask(std::string_view operation, const Tensor& mask) {
  if (mask.dtype() == DType::bool_) return;
  throw RuntimeError(message(operation, ": the mask's dtype ", name(mask.dtype()),
                             " must be bool; compare with ne(0) first"));
}

/// Where elements are not 0; what is copied to that end no ledger is told of.
SetElements set_elements(const Tensor& x) {
  const detail::MutedScope muted;
  return SetElements(x);
}

/// Writes to where the mask is true. `values` has one element for each, or is one that is repeated.
void write_set(Tensor& self, const SetElements& set, const Tensor& values) {
  const Tensor stored = detail::stored_as(self, values);
  detail::copy_by("mask", self, stored, set.count(),
                  [&] { set.write(self, self.layout(), stored, stored.layout()); });
}

Tensor broadcast_copy(const Tensor& x, const Tensor& mask) {
  return x.expand(broadcast_shapes(x.shape(), mask.shape())).clone(MemoryFormat::contiguous);
}

}  // namespace

Tensor nonzero(const Tensor& x, Caller caller) {
  const OperationScope scope("nonzero", caller);
  require_elements("nonzero", x);
  const SetElements set = set_elements(x);
  const auto rank = x.layout().rank();
  Tensor result = empty_strided({set.count(), x.dim()}, {1, set.count()}, {.dtype = DType::int64});
  for (std::size_t d = 0; d < rank && set.count() > 0; ++d) {
    // Along axis d each element lies one further: its distance is its index there.
    Layout ruler{x.shape(), Dims::filled(rank, 0), 0};
    ruler.strides[d] = 1;
    set.list(result.mutable_data<Index>() + static_cast<Index>(d) * set.count(), ruler);
  }
  return result;
}

std::vector<Tensor> nonzero_as_tuple(const Tensor& x, Caller caller) {
  const OperationScope scope("nonzero", caller);
  return nonzero(x.atleast_1d()).unbind(1);
}

Tensor argwhere(const Tensor& x, Caller caller) {
  const OperationScope scope("argwhere", caller);
  return nonzero(x);
}

Tensor masked_select(const Tensor& x, const Tensor& mask, Caller caller) {
  const OperationScope scope("masked_select", caller);
  require_mask("masked_select", mask);
  require_elements("masked_select", x);
  require_elements("masked_select", mask);
  const Dims shape = broadcast_shapes(x.shape(), mask.shape());
  const SetElements set = set_elements(mask.expand(shape));
  const Tensor source = x.expand(shape);
  Tensor result = empty({set.count()}, {.dtype = x.dtype()});
  detail::copy_by("mask", result, source, set.count(),
                  [&] { set.read(result.mutable_storage_data(), source, source.layout()); });
  return result;
}

Tensor& masked_scatter_(Tensor& self, const Tensor& mask, const Tensor& source, Caller caller) {
  const OperationScope scope("masked_scatter_", caller);
  require_mask("masked_scatter_", mask);
  detail::require_one_dtype("masked_scatter_", self, source);
  detail::require_distinct_elements("masked_scatter_", self);
  const Tensor wide = mask.expand(self.shape());
  static_cast<void>(self.mutable_storage_data());
  if (!self.has_memory()) return self;
  require_elements("masked_scatter_", mask);
  require_elements("masked_scatter_", source);
  const SetElements set = set_elements(wide);
  if (source.numel() < set.count()) {
    throw RuntimeError(message("masked_scatter_: the source of shape ", source.shape(), " must have the ",
                               set.count(), " elements for which the mask is true"));
  }
  if (set.count() == 0) return self;
  write_set(self, set, source.reshape({-1}).narrow(0, 0, set.count()));
  return self;
}

Tensor& masked_fill_(Tensor& self, const Tensor& mask, const Scalar& value, Caller caller) {
  const OperationScope scope("masked_fill_", caller);
  require_mask("masked_fill_", mask);
  const Tensor wide = mask.expand(self.shape());
  const Tensor one = detail::element_of(self, value);
  static_cast<void>(self.mutable_storage_data());
  detail::require_no_partial_overlap("masked_fill_", self, mask);
  if (!self.has_memory()) return self;
  require_elements("masked_fill_", mask);
  const SetElements set = set_elements(wide);
  if (set.count() > 0) write_set(self, set, one.expand({set.count()}));
  return self;
}

Tensor masked_scatter(const Tensor& x, const Tensor& mask, const Tensor& source, Caller caller) {
  const OperationScope scope("masked_scatter", caller);
  Tensor result = broadcast_copy(x, mask);
  return masked_scatter_(result, mask, source);
}

Tensor masked_fill(const Tensor& x, const Tensor& mask, const Scalar& value, Caller caller) {
  const OperationScope scope("masked_fill", caller);
  Tensor result = broadcast_copy(x, mask);
  return masked_fill_(result, mask, value);
}

std::vector<Tensor> unravel_index(const Tensor& indices, const Dims& shape, Caller caller) {
  const OperationScope scope("unravel_index", caller);
  if (!is_integer(indices.dtype())) {
    throw TypeError(
        message("unravel_index: the indices' dtype ", name(indices.dtype()), " must be of integers"));
  }
  for (const Index size : shape) {
    if (size < 0) throw ValueError(message("unravel_index: shape ", shape, " must not have negative sizes"));
  }
  if (shape.empty()) return {};
  const auto rank = static_cast<Index>(shape.size());
  Tensor sizes = empty({rank}, {.dtype = DType::int64});
  Tensor steps = empty({rank}, {.dtype = DType::int64});
  Index step = 1;
  for (std::size_t d = shape.size(); d-- > 0;) {
    sizes.mutable_data<Index>()[d] = shape[d];
    steps.mutable_data<Index>()[d] = step;
    if (d > 0) step = checked_multiply(step, shape[d], "unravel_index");
  }
  return remainder(floor_divide(indices.unsqueeze(-1), steps), sizes).unbind(-1);
}

}  // namespace tenstride
