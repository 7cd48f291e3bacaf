// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/scatter.hpp"

#include <limits>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "ops/scatter_parts.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/tensor/factory.hpp"

/// Single elements: gather, take, scatter and put.
namespace tenstride {
namespace {

using detail::message;
using detail::OperationScope;

void require_rank(std::string_view operation, const Tensor& index, std::string_view name, const Tensor& x) {
  if (std::max<Index>(index.dim(), 1) == std::max<Index>(x.dim(), 1)) return;
  throw RuntimeError(message(operation, ": the index of shape ", index.shape(),
                             " must have as many axes as the ", name, " of shape ", x.shape()));
}

/// `axis` is the one along which any size will do.
void require_fit(std::string_view operation, const Tensor& index, std::string_view name, const Tensor& x,
                 std::optional<std::size_t> axis) {
  for (std::size_t d = 0; d < index.layout().rank(); ++d) {
    if (d == axis || index.shape()[d] <= x.shape()[d]) continue;
    throw RuntimeError(message(operation, ": the index of shape ", index.shape(), " must not exceed the ",
                               name, " of shape ", x.shape(), " on axis ", d,
                               axis ? message(", only on axis ", *axis) : std::string()));
  }
}

bool is_small_float(DType dtype) {
  return dtype == DType::float16 || dtype == DType::bfloat16;
}

/// What no value changes: 0, 1, or the end of the type's range.
Scalar identity_of(Reduction reduce, DType dtype) {
  if (reduce == Reduction::prod) return 1;
  if (reduce == Reduction::sum || reduce == Reduction::mean) return 0;
  const bool is_least = reduce == Reduction::max;
  if (is_floating_point(dtype)) {
    const double infinity = std::numeric_limits<double>::infinity();
    return is_least ? -infinity : infinity;
  }
  return visit(dtype, [&]<class T>(std::type_identity<T>) -> Scalar {
    if constexpr (std::is_integral_v<T>) {
      return is_least ? std::numeric_limits<T>::lowest() : std::numeric_limits<T>::max();
    } else {
      return 0;
    }
  });
}

elementwise::BinaryOp operation_of(Reduction reduce) {
  switch (reduce) {
    case Reduction::prod:
      return elementwise::BinaryOp::mul;
    case Reduction::max:
      return elementwise::BinaryOp::maximum;
    case Reduction::min:
      return elementwise::BinaryOp::minimum;
    default:
      return elementwise::BinaryOp::add;
  }
}

void require_values(std::string_view operation, Reduction reduce) {
  if (reduce != Reduction::any && reduce != Reduction::all) return;
  throw ValueError(message(operation, ": reduction ", name(reduce), " must be sum, mean, prod, min or max"));
}

void require_mean(std::string_view operation, DType dtype, Reduction reduce) {
  if (reduce != Reduction::mean || dtype != DType::bool_) return;
  throw RuntimeError(message(operation, ": bools have no mean; convert with .to(dtype)"));
}

void require_order(std::string_view operation, DType dtype, Reduction reduce) {
  const bool is_extreme = reduce == Reduction::max || reduce == Reduction::min;
  if (!is_extreme || !is_complex(dtype)) return;
  throw RuntimeError(message(operation, ": dtype ", name(dtype), " must be real for an extreme"));
}

/// A call of the scatter family whose arguments fit: what is written where.
struct Targets {
  Tensor self;   ///< of rank 1 or more
  Tensor index;  ///< as many axes
  std::size_t axis = 0;
};

/// Nothing where the index is empty. `src` is null where it is a number.
std::optional<Targets> targets_of(std::string_view operation, Tensor& self, Index dim, const Tensor& index,
                                  const Tensor* src = nullptr) {
  const std::size_t axis = detail::axis_or_first(operation, dim, self.shape());
  static_cast<void>(self.mutable_storage_data());  // refuses a read-only tensor
  detail::require_distinct_elements(operation, self);
  detail::require_no_overlap(operation, self, index);
  if (src != nullptr) detail::require_no_overlap(operation, self, *src);
  if (index.numel() == 0) return std::nullopt;
  detail::require_int64(operation, index, ErrorKind::runtime);
  require_rank(operation, index, "tensor", self);
  Targets targets{detail::at_least_rank_1(self), detail::at_least_rank_1(detail::apart_from(self, index)),
                  axis};
  require_fit(operation, targets.index, "tensor", targets.self, axis);
  detail::require_readable_index(operation, self, index);
  return targets;
}

/// The part of the source that the index names.
Tensor source_of(std::string_view operation, const Targets& targets, const Tensor& src) {
  require_rank(operation, targets.index, "source", src);
  const Tensor source = detail::at_least_rank_1(detail::apart_from(targets.self, src));
  require_fit(operation, targets.index, "source", source, {});
  return with_layout(source, {targets.index.shape(), source.strides(), source.storage_offset()});
}

Tensor repeated(const Targets& targets, const Scalar& value) {
  return detail::element_of(targets.self, value).expand(targets.index.shape());
}

void write(std::string_view operation, const Targets& targets, const Tensor& source) {
  if (!targets.self.has_memory()) return;
  Tensor self = targets.self;
  detail::write_elements(self, source,
                         detail::positions_along(operation, self.layout(), targets.index, targets.axis));
}

void combine(std::string_view operation, const Targets& targets, const Tensor& source, Reduction reduce) {
  if (!targets.self.has_memory()) return;
  Tensor self = targets.self;
  // Small floats are summed in float32, and the elements that self stands for, not what it stores.
  const bool is_apart = is_small_float(self.dtype()) || !self.is_resolved();
  Tensor sums = is_small_float(self.dtype()) ? self.to(DType::float32) : self.resolve_conj().resolve_neg();
  const Tensor positions = detail::positions_along(operation, sums.layout(), targets.index, targets.axis);
  detail::combine_elements(operation, operation_of(reduce), sums, source.to(sums.dtype()), positions);
  if (is_apart) copy_elements(self, sums);
}

void divide_by_counts(std::string_view operation, const Targets& targets, IncludeSelf include_self) {
  Tensor self = targets.self;
  Tensor counts = include_self == IncludeSelf::yes ? ones_like(self) : zeros_like(self);
  combine(operation, {counts, targets.index, targets.axis}, repeated(targets, 1), Reduction::sum);
  const Tensor divisors = where(eq(counts, 0), ones_like(counts), counts);
  const bool is_whole = !is_floating_point(self.dtype()) && !is_complex(self.dtype());
  div_(self, divisors, is_whole ? Rounding::floor : Rounding::true_value);
}

void reduce_into(std::string_view operation, Tensor& self, Index dim, const Tensor& index, const Tensor& src,
                 Reduction reduce, IncludeSelf include_self) {
  require_values(operation, reduce);
  detail::require_one_dtype(operation, self, src);
  const std::optional<Targets> targets = targets_of(operation, self, dim, index, &src);
  require_mean(operation, self.dtype(), reduce);
  if (!targets) return;
  require_order(operation, self.dtype(), reduce);
  const Tensor source = source_of(operation, *targets, src);
  if (include_self == IncludeSelf::no) {
    write(operation, *targets, repeated(*targets, identity_of(reduce, self.dtype())));
  }
  combine(operation, *targets, source, reduce);
  if (reduce == Reduction::mean && self.has_memory()) divide_by_counts(operation, *targets, include_self);
}

/// What the operations that are not in place begin with.
Tensor row_major_copy(const Tensor& x) {
  return x.clone(MemoryFormat::contiguous);
}

}  // namespace

Tensor gather(const Tensor& x, Index dim, const Tensor& index, Caller caller) {
  const OperationScope scope("gather", caller);
  const std::size_t axis = detail::axis_or_first("gather", dim, x.shape());
  Tensor result = empty(index.shape(), {.dtype = x.dtype(), .device = x.device()});
  if (index.numel() == 0) return result;
  detail::require_int64("gather", index, ErrorKind::runtime);
  require_rank("gather", index, "tensor", x);
  const Tensor source = detail::at_least_rank_1(x);
  const Tensor numbers = detail::at_least_rank_1(index);
  require_fit("gather", numbers, "tensor", source, axis);
  detail::require_readable_index("gather", x, index);
  if (!x.has_memory()) return result;
  detail::read_elements(result, x, detail::positions_along("gather", source.layout(), numbers, axis));
  return result;
}

Tensor take_along_dim(const Tensor& x, const Tensor& indices, std::optional<Index> dim, Caller caller) {
  const OperationScope scope("take_along_dim", caller);
  detail::require_int64("take_along_dim", indices, ErrorKind::runtime);
  if (!dim) return gather(x.view({-1}), 0, indices.view({-1}));
  if (x.dim() != indices.dim()) {
    throw RuntimeError(message("take_along_dim: the indices of shape ", indices.shape(),
                               " must have as many axes as the tensor of shape ", x.shape()));
  }
  if (x.dim() == 0) detail::throw_no_axes("take_along_dim");
  const std::size_t axis = wrap_axis("take_along_dim", *dim, x.shape());
  Dims shape = x.shape();
  shape[axis] = indices.shape()[axis];
  const Dims wanted = broadcast_shapes(shape, indices.shape());
  Dims of_x = wanted;
  of_x[axis] = x.shape()[axis];
  return gather(x.expand(of_x), *dim, indices.expand(wanted));
}

Tensor take(const Tensor& x, const Tensor& index, Caller caller) {
  const OperationScope scope("take", caller);
  detail::require_int64("take", index, ErrorKind::runtime);
  Tensor result = empty(index.shape(), {.dtype = x.dtype(), .device = x.device()});
  detail::require_readable_index("take", x, index);
  if (!x.has_memory() || index.numel() == 0) return result;
  detail::read_elements(result, x, detail::positions_of_numbers("take", x.layout(), index));
  return result;
}

Tensor& scatter_(Tensor& self, Index dim, const Tensor& index, const Tensor& src, Caller caller) {
  const OperationScope scope("scatter_", caller);
  detail::require_one_dtype("scatter_", self, src);
  if (const auto targets = targets_of("scatter_", self, dim, index, &src)) {
    write("scatter_", *targets, source_of("scatter_", *targets, src));
  }
  return self;
}

Tensor& scatter_(Tensor& self, Index dim, const Tensor& index, const Scalar& value, Caller caller) {
  const OperationScope scope("scatter_", caller);
  if (const auto targets = targets_of("scatter_", self, dim, index)) {
    write("scatter_", *targets, repeated(*targets, value));
  }
  return self;
}

Tensor& scatter_add_(Tensor& self, Index dim, const Tensor& index, const Tensor& src, Caller caller) {
  reduce_into(OperationScope("scatter_add_", caller), self, dim, index, src, Reduction::sum,
              IncludeSelf::yes);
  return self;
}

Tensor& scatter_reduce_(Tensor& self, Index dim, const Tensor& index, const Tensor& src, Reduction reduce,
                        IncludeSelf include_self, Caller caller) {
  reduce_into(OperationScope("scatter_reduce_", caller), self, dim, index, src, reduce, include_self);
  return self;
}

Tensor& scatter_reduce_(Tensor& self, Index dim, const Tensor& index, const Scalar& value, Reduction reduce,
                        Caller caller) {
  const OperationScope scope("scatter_reduce_", caller);
  if (const auto targets = targets_of("scatter_reduce_", self, dim, index)) {
    const Tensor source = repeated(*targets, value);
    reduce_into("scatter_reduce_", self, dim, index, source.view(index.shape()), reduce, IncludeSelf::yes);
  }
  return self;
}

Tensor& put_(Tensor& self, const Tensor& index, const Tensor& source, Accumulate accumulate, Caller caller) {
  const OperationScope scope("put_", caller);
  detail::require_int64("put_", index, ErrorKind::runtime);
  detail::require_one_dtype("put_", self, source);
  if (index.numel() != source.numel()) {
    throw IndexError(message("put_: the source of shape ", source.shape(),
                             " must have as many elements as the index of shape ", index.shape()),
                     source.numel(), index.numel(), index.numel());
  }
  static_cast<void>(self.mutable_storage_data());
  detail::require_distinct_elements("put_", self);
  detail::require_no_overlap("put_", self, index);
  detail::require_no_overlap("put_", self, source);
  detail::require_readable_index("put_", self, index);
  if (!self.has_memory() || index.numel() == 0) return self;
  const Tensor positions = detail::positions_of_numbers("put_", self.layout(), index);
  if (accumulate == Accumulate::no) {
    detail::write_elements(self, source, positions);
  } else if (!self.is_resolved()) {
    Tensor sums = self.resolve_conj().resolve_neg();
    copy_elements(self, put_(sums, index, source, accumulate));
  } else {
    detail::combine_elements("put_", elementwise::BinaryOp::add, self, source, positions);
  }
  return self;
}

Tensor scatter(const Tensor& x, Index dim, const Tensor& index, const Tensor& src, Caller caller) {
  const OperationScope scope("scatter", caller);
  Tensor result = row_major_copy(x);
  return scatter_(result, dim, index, src);
}
Tensor scatter(const Tensor& x, Index dim, const Tensor& index, const Scalar& value, Caller caller) {
  const OperationScope scope("scatter", caller);
  Tensor result = row_major_copy(x);
  return scatter_(result, dim, index, value);
}
Tensor scatter_add(const Tensor& x, Index dim, const Tensor& index, const Tensor& src, Caller caller) {
  const OperationScope scope("scatter_add", caller);
  Tensor result = row_major_copy(x);
  return scatter_add_(result, dim, index, src);
}
Tensor scatter_reduce(const Tensor& x, Index dim, const Tensor& index, const Tensor& src, Reduction reduce,
                      IncludeSelf include_self, Caller caller) {
  const OperationScope scope("scatter_reduce", caller);
  Tensor result = row_major_copy(x);
  return scatter_reduce_(result, dim, index, src, reduce, include_self);
}
Tensor scatter_reduce(const Tensor& x, Index dim, const Tensor& index, const Scalar& value, Reduction reduce,
                      Caller caller) {
  const OperationScope scope("scatter_reduce", caller);
  Tensor result = row_major_copy(x);
  return scatter_reduce_(result, dim, index, value, reduce);
}
Tensor put(const Tensor& x, const Tensor& index, const Tensor& source, Accumulate accumulate, Caller caller) {
  const OperationScope scope("put", caller);
  Tensor result = x.clone();
  return put_(result, index, source, accumulate);
}

}  // namespace tenstride
