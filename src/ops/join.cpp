// SPDX-License-Identifier: Apache-2.0
// One tensor made of several: cat, stack and those made of them.
#include "base/message.hpp"
#include "memory/watch.hpp"
#include "ops/along.hpp"
#include "ops/out.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/ops/selection.hpp"

namespace tenstride {
namespace {

void require_tensors(std::string_view operation, TensorList tensors) {
  if (!tensors.empty()) return;
  throw RuntimeError(detail::message(operation, ": at least one tensor must be given"));
}

void require_one_device(std::string_view operation, TensorList tensors) {
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].device() == tensors[0].device()) continue;
    throw RuntimeError(detail::message(operation, ": all tensors must be on one device, tensor ", i,
                                       " is on ", name(tensors[i].device()), " and tensor 0 on ",
                                       name(tensors[0].device())));
  }
}

DType common_type(std::string_view operation, std::span<const TypedOperand> operands) {
  if (const std::optional<DType> type = result_type(operands)) return *type;
  std::string given;
  for (const TypedOperand& operand : operands) {
    if (!given.empty()) given += ", ";
    given += name(operand.dtype);
  }
  throw RuntimeError(
      detail::message(operation, ": dtypes ", given, " must have a common type; convert with .to(dtype)"));
}

DType common_type(std::string_view operation, TensorList tensors) {
  std::vector<TypedOperand> operands;
  for (const Tensor& x : tensors) {
    operands.push_back({x.dtype(), x.dim() == 0 ? TypeWeight::scalar_tensor : TypeWeight::tensor});
  }
  return common_type(operation, operands);
}

/// An empty 1-D tensor joins with any shape, for the sake of old programs: PyTorch's rule.
bool is_skipped(const Tensor& x) {
  return x.shape() == Dims{0};
}

MemoryFormat common_format(TensorList tensors) {
  const MemoryFormat first = tensors[0].suggest_memory_format();
  for (const Tensor& x : tensors) {
    if (x.suggest_memory_format() != first) return MemoryFormat::contiguous;
  }
  return first;
}

void require_joinable(std::string_view operation, TensorList tensors, std::size_t first, std::size_t axis) {
  const Dims& expected = tensors[first].shape();
  for (std::size_t i = first; i < tensors.size(); ++i) {
    const Dims& shape = tensors[i].shape();
    if (is_skipped(tensors[i])) continue;
    if (shape.size() != expected.size()) {
      throw ShapeError(detail::message(operation, ": tensor ", i, " of shape ", shape,
                                       " must have as many axes as tensor ", first, " of shape ", expected),
                       expected, shape);
    }
    for (std::size_t d = 0; d < shape.size(); ++d) {
      if (d == axis || shape[d] == expected[d]) continue;
      throw ShapeError(
          detail::message(operation, ": tensor ", i, " of shape ", shape, " must agree with tensor ", first,
                          " of shape ", expected, " in every axis but ", axis, "; axis ", d, " differs"),
          expected, shape);
    }
  }
}

/// Joins tensors, into `out` where it is given.
Tensor join(std::string_view operation, TensorList tensors, Index dim, Tensor* out = nullptr) {
  require_tensors(operation, tensors);
  std::size_t first = tensors.size();
  for (std::size_t i = tensors.size(); i-- > 0;) {
    if (tensors[i].dim() == 0) {
      throw RuntimeError(
          detail::message(operation, ": tensor ", i, " must have at least 1 axis (shape ()); use stack"));
    }
    if (!is_skipped(tensors[i])) first = i;
  }
  const Dims shape_of_one = first < tensors.size() ? tensors[first].shape() : Dims{0};
  // Of nothing but skipped ones any axis will do.
  const std::size_t axis = first < tensors.size() ? wrap_axis(operation, dim, shape_of_one) : 0;
  require_one_device(operation, tensors);
  const DType dtype = common_type(operation, tensors);
  require_joinable(operation, tensors, first, axis);
  Dims shape = shape_of_one;
  shape[axis] = 0;
  for (const Tensor& x : tensors) {
    if (!is_skipped(x)) shape[axis] = checked_add(shape[axis], x.shape()[axis], operation);
  }
  const TensorOptions options{
      .dtype = dtype, .device = tensors[0].device(), .memory_format = common_format(tensors)};
  if (out != nullptr) {
    const Layout layout{shape, format_strides(shape, options.memory_format), 0};
    detail::prepare_out(operation, *out, layout, dtype, options.device, detail::OutType::castable,
                        std::span(tensors.begin(), tensors.end()));
  }
  Tensor result = out != nullptr ? *out : empty(shape, options);
  if (first == tensors.size()) return result;
  std::vector<Tensor> parts;
  parts.reserve(tensors.size());
  for (const Tensor& x : tensors) {
    if (!is_skipped(x)) parts.push_back(out != nullptr ? detail::apart_from(result, x) : x);
  }
  detail::copy_along(result, axis, parts);
  return result;
}

void require_vector(std::string_view operation, const Tensor& x) {
  if (x.dim() == 1) return;
  throw RuntimeError(detail::message(operation, ": each tensor must have 1 axis (shape ", x.shape(), ")"));
}

template <class Change>
std::vector<Tensor> each(TensorList tensors, const Change& change) {
  std::vector<Tensor> result;
  result.reserve(tensors.size());
  for (const Tensor& x : tensors) result.push_back(change(x));
  return result;
}

/// The axis of `stack`, of tensors that have one shape.
std::size_t stacked_axis(TensorList tensors, Index dim) {
  require_tensors("stack", tensors);
  const Dims& shape = tensors[0].shape();
  const std::size_t axis = detail::wrap_axis("stack", dim, shape, shape.size() + 1);
  for (std::size_t i = 1; i < tensors.size(); ++i) {
    if (tensors[i].shape() == shape) continue;
    throw ShapeError(detail::message("stack: tensor ", i, " of shape ", tensors[i].shape(),
                                     " must have the shape of tensor 0, ", shape),
                     shape, tensors[i].shape());
  }
  return axis;
}

std::vector<Tensor> as_columns(TensorList tensors) {
  return each(tensors, [](const Tensor& x) { return x.dim() <= 1 ? x.reshape({x.numel(), 1}) : x; });
}

}  // namespace

Tensor cat(TensorList tensors, Index dim, Caller caller) {
  return join(detail::OperationScope("cat", caller), tensors, dim);
}
Tensor concat(TensorList tensors, Index dim, Caller caller) {
  return join(detail::OperationScope("concat", caller), tensors, dim);
}
Tensor concatenate(TensorList tensors, Index dim, Caller caller) {
  return join(detail::OperationScope("concatenate", caller), tensors, dim);
}

Tensor stack(TensorList tensors, Index dim, Caller caller) {
  const detail::OperationScope scope("stack", caller);
  const std::size_t axis = stacked_axis(tensors, dim);
  const Dims& shape = tensors[0].shape();
  const auto at = static_cast<Index>(axis);
  if (axis == shape.size()) {
    return join("stack", each(tensors, [at](const Tensor& x) { return x.unsqueeze(at); }), at);
  }
  // Joined along the axis that follows, which then is split: the layout is PyTorch's.
  Dims stacked = shape;
  stacked.insert(axis, static_cast<Index>(tensors.size()));
  return join("stack", tensors, at).view(stacked);
}

Tensor hstack(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("hstack", caller);
  require_tensors("hstack", tensors);
  const std::vector<Tensor> raised = each(tensors, [](const Tensor& x) { return x.atleast_1d(); });
  return join("hstack", raised, raised[0].dim() == 1 ? 0 : 1);
}

Tensor vstack(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("vstack", caller);
  require_tensors("vstack", tensors);
  return join("vstack", each(tensors, [](const Tensor& x) { return x.atleast_2d(); }), 0);
}
Tensor row_stack(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("row_stack", caller);
  return vstack(tensors);
}

Tensor dstack(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("dstack", caller);
  require_tensors("dstack", tensors);
  return join("dstack", each(tensors, [](const Tensor& x) { return x.atleast_3d(); }), 2);
}

Tensor column_stack(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("column_stack", caller);
  require_tensors("column_stack", tensors);
  return join("column_stack", as_columns(tensors), 1);
}

Tensor& cat_out(Tensor& out, TensorList tensors, Index dim, Caller caller) {
  const detail::OperationScope scope("cat", caller);
  join("cat", tensors, dim, &out);
  return out;
}

Tensor& stack_out(Tensor& out, TensorList tensors, Index dim, Caller caller) {
  const detail::OperationScope scope("stack", caller);
  const std::size_t axis = stacked_axis(tensors, dim);
  const auto at = static_cast<Index>(axis);
  join("stack", each(tensors, [at](const Tensor& x) { return x.unsqueeze(at); }), at, &out);
  return out;
}

Tensor& hstack_out(Tensor& out, TensorList tensors, Caller caller) {
  const detail::OperationScope scope("hstack", caller);
  require_tensors("hstack", tensors);
  const std::vector<Tensor> raised = each(tensors, [](const Tensor& x) { return x.atleast_1d(); });
  join("hstack", raised, raised[0].dim() == 1 ? 0 : 1, &out);
  return out;
}

Tensor& vstack_out(Tensor& out, TensorList tensors, Caller caller) {
  const detail::OperationScope scope("vstack", caller);
  require_tensors("vstack", tensors);
  join("vstack", each(tensors, [](const Tensor& x) { return x.atleast_2d(); }), 0, &out);
  return out;
}

Tensor& dstack_out(Tensor& out, TensorList tensors, Caller caller) {
  const detail::OperationScope scope("dstack", caller);
  require_tensors("dstack", tensors);
  join("dstack", each(tensors, [](const Tensor& x) { return x.atleast_3d(); }), 2, &out);
  return out;
}

Tensor& column_stack_out(Tensor& out, TensorList tensors, Caller caller) {
  const detail::OperationScope scope("column_stack", caller);
  require_tensors("column_stack", tensors);
  join("column_stack", as_columns(tensors), 1, &out);
  return out;
}

Tensor block_diag(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("block_diag", caller);
  if (tensors.empty()) return empty({1, 0});
  require_one_device("block_diag", tensors);
  std::vector<Tensor> blocks;
  Dims shape{0, 0};
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    const Tensor& x = tensors[i];
    if (x.dim() > 2) {
      throw RuntimeError(detail::message("block_diag: tensor ", i, " has ", x.dim(),
                                         " axes and must have at most 2 (shape ", x.shape(), ")"));
    }
    blocks.push_back(x.dim() == 2 ? x : x.dim() == 1 ? x.expand({1, x.size(0)}) : x.expand({1, 1}));
    for (std::size_t d = 0; d < 2; ++d) {
      shape[d] = checked_add(shape[d], blocks.back().shape()[d], "block_diag");
    }
  }
  Tensor result = zeros(shape, {.dtype = common_type("block_diag", tensors), .device = tensors[0].device()});
  Dims corner{0, 0};
  for (const Tensor& block : blocks) {
    Tensor part = result.narrow(0, corner[0], block.size(0)).narrow(1, corner[1], block.size(1));
    copy_elements(part, block);
    for (std::size_t d = 0; d < 2; ++d) corner[d] += block.shape()[d];
  }
  return result;
}

std::vector<Tensor> meshgrid(TensorList tensors, MeshIndexing indexing) {
  require_tensors("meshgrid", tensors);
  require_one_device("meshgrid", tensors);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    if (tensors[i].dim() > 1) {
      throw RuntimeError(detail::message("meshgrid: tensor ", i, " has ", tensors[i].dim(),
                                         " axes and must have at most 1 (shape ", tensors[i].shape(), ")"));
    }
    if (tensors[i].dtype() != tensors[0].dtype()) {
      throw RuntimeError(detail::message("meshgrid: all tensors must have one dtype, tensor ", i, " has ",
                                         name(tensors[i].dtype()), " and tensor 0 ",
                                         name(tensors[0].dtype())));
    }
  }
  const bool swaps = indexing == MeshIndexing::xy && tensors.size() > 1;
  const auto axis_of = [swaps](std::size_t i) { return swaps && i < 2 ? 1 - i : i; };
  Dims shape = Dims::filled(tensors.size(), 1);
  for (std::size_t i = 0; i < tensors.size(); ++i) shape[axis_of(i)] = tensors[i].numel();
  std::vector<Tensor> grids;
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    Dims alone = Dims::filled(tensors.size(), 1);
    alone[axis_of(i)] = tensors[i].numel();
    grids.push_back(tensors[i].view(alone).expand(shape));
  }
  return grids;
}

Tensor cartesian_prod(TensorList tensors, Caller caller) {
  const detail::OperationScope scope("cartesian_prod", caller);
  require_tensors("cartesian_prod", tensors);
  for (const Tensor& x : tensors) require_vector("cartesian_prod", x);
  if (tensors.size() == 1) return tensors[0];
  return join("cartesian_prod",
              as_columns(each(meshgrid(tensors), [](const Tensor& grid) { return grid.reshape({-1}); })), 1);
}

Tensor combinations(const Tensor& x, Index r, Replacement replacement, Caller caller) {
  const detail::OperationScope scope("combinations", caller);
  require_vector("combinations", x);
  if (r < 0) throw RuntimeError(detail::message("combinations: r ", r, " must not be negative"));
  if (r == 0) return empty({0}, {.dtype = x.dtype(), .device = x.device()});
  const auto count = static_cast<std::size_t>(r);
  const std::vector<Tensor> numbers = meshgrid(std::vector<Tensor>(count, arange(x.numel())));
  Tensor is_taken = ones(numbers[0].shape(), {.dtype = DType::bool_});
  for (std::size_t i = 1; i < count; ++i) {
    const bool repeats = replacement == Replacement::yes;
    logical_and_(is_taken, repeats ? le(numbers[i - 1], numbers[i]) : lt(numbers[i - 1], numbers[i]));
  }
  const std::vector<Tensor> grids = meshgrid(std::vector<Tensor>(count, x));
  return join("combinations",
              as_columns(each(grids, [&](const Tensor& grid) { return masked_select(grid, is_taken); })), 1);
}

}  // namespace tenstride
