// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "operations/runs.hpp"
#include "tenstride/elementwise/arithmetic.hpp"

/// Reductions.
namespace tenstride::detail {
namespace {

KeepDim keepdim_of(const Call& call) {
  return call.flag(1) ? KeepDim::yes : KeepDim::no;
}
Dims axes_of(const Call& call) {
  return call.has(0) ? call.dims_or_index(0) : Dims{};
}

/// The dtype that a sum is made in: as it is said, else that of `out`. Throws TypeError where `out` is given
/// and no dim, as PyTorch does.
std::optional<DType> dtype_of_sum(const Call& call) {
  const std::optional<std::size_t> out = call.out_parameter();
  if (out && !call.was_given(0)) {
    throw TypeError(message(call.operation().name, ": dim must be given together with out"));
  }
  return out && !call.has(2) ? call.tensor(*out).dtype() : call.dtype(2);
}

Value sum_of(Call& call) {
  return sum(call.self(), axes_of(call), keepdim_of(call), dtype_of_sum(call));
}
Value mean_of(Call& call) {
  const std::optional<std::size_t> out = call.out_parameter();
  std::optional<DType> dtype = call.dtype(2);
  // A mean is made in out's type where the elements have a mean and it goes into that type.
  const DType own = call.self().dtype();
  const bool has_mean = is_floating_point(own) || is_complex(own);
  if (out && !dtype && has_mean && can_cast(own, call.tensor(*out).dtype()))
    dtype = call.tensor(*out).dtype();
  return mean(call.self(), axes_of(call), keepdim_of(call), dtype);
}
Value prod_of(Call& call) {
  return prod(call.self(), call.maybe_index(0), keepdim_of(call), dtype_of_sum(call));
}

template <Tensor (*run)(const Tensor&, const Dims&, KeepDim, Caller)>
Tensor along_axes(const Tensor& x, const Ints& dim, KeepDim keepdim, Caller caller) {
  return run(x, dim, keepdim, caller);
}
/// A sum, mean or product that is told nothing but axes.
template <Tensor (*run)(const Tensor&, const Dims&, KeepDim, std::optional<DType>, Caller)>
Tensor along_axes_in(const Tensor& x, const Ints& dim, KeepDim keepdim, std::optional<DType> dtype,
                     Caller caller) {
  return run(x, dim, keepdim, dtype, caller);
}
/// Of all elements, along an axis with where they stand, or of two tensors.
template <Tensor (*Whole)(const Tensor&, Caller),
          ValuesAndIndices (*Along)(const Tensor&, Index, KeepDim, Caller),
          Tensor (*OfTwo)(const Operand&, const Operand&, Caller)>
Value extreme(Call& call) {
  if (call.has(2)) return OfTwo(call.self(), call.tensor(2), {});
  if (!call.has(0)) return Whole(call.self(), {});
  if (call.is_tensor(0)) return OfTwo(call.self(), call.tensor(0), {});
  ValuesAndIndices both = Along(call.self(), call.index(0), keepdim_of(call), {});
  return tuple_value({std::move(both.values), std::move(both.indices)});
}

}  // namespace

std::vector<Operation> reduction_operations() {
  using T = const Tensor&;
  return {
      {"sum(Tensor self, int|int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", both,
       fresh, runs_or<sum_of, along_axes_in<sum>>, OutRule::reduced,
       R"(The sum of all elements or along `dim`, one axis or several; `keepdim` leaves them with size 1.
Integers and bool sum up to int64.

Raises IndexError where there is no such axis, RuntimeError where one is named twice.

>>> torch.arange(6).view(2, 3).sum(1)
tensor([ 3, 12])
)"},
      {"mean(Tensor self, int|int[]? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor",
       both, fresh, runs_or<mean_of, along_axes_in<mean>>, OutRule::reduced,
       R"(The mean of all elements or along `dim`; otherwise as `sum`. Raises RuntimeError for integers,
unless `dtype` is a floating type.

>>> torch.tensor([[1.0, 2.0], [3.0, 4.0]]).mean(0)
tensor([2., 3.])
)"},
      {"prod(Tensor self, int? dim=None, bool keepdim=False, *, ScalarType? dtype=None) -> Tensor", both,
       fresh, runs_or<prod_of, prod>, OutRule::reduced,
       R"(The product of all elements or along one axis; types as for `sum`.

>>> torch.tensor([2, 3, 4]).prod()
tensor(24)
)"},
      {"count_nonzero(Tensor self, int|int[]? dim=None) -> Tensor", both, fresh,
       runs<[](T x, const Ints& dim, Caller caller) { return count_nonzero(x, dim, caller); }>,
       R"(How many elements are not 0: of all, or along the axes `dim`.

>>> torch.tensor([[0, 3], [5, 7]]).count_nonzero(), torch.tensor([[0, 3], [5, 7]]).count_nonzero(0)
(tensor(3), tensor([1, 2]))
)"},
      {"sum_to_size(Tensor self, int... size) -> Tensor", method, OpClass::self_or_copy, runs<sum_to_size>,
       R"(The sum over the axes that the sizes lack, or have as 1: what undoes `expand`. The tensor itself where there are none.
Raises RuntimeError where the sizes do not expand to the tensor's.

>>> torch.ones(2, 3).sum_to_size(3), torch.ones(2, 3).sum_to_size(2, 1).shape
(tensor([2., 2., 2.]), torch.Size([2, 1]))
)"},
      {"amax(Tensor self, int|int[]? dim=None, bool keepdim=False) -> Tensor", both, fresh,
       runs<along_axes<amax>>, OutRule::reduced,
       R"(The largest element of all or along `dim`, one axis or several; NaN where one is. Raises RuntimeError
where there is no element (IndexError along `dim`), and for complex types.

>>> torch.arange(6).view(2, 3).amax((0, 1))
tensor(5)
)"},
      {"amin(Tensor self, int|int[]? dim=None, bool keepdim=False) -> Tensor", both, fresh,
       runs<along_axes<amin>>, OutRule::reduced,
       R"(The smallest element of all or along `dim`, one axis or several; NaN where one is. Raises RuntimeError
where there is no element (IndexError along `dim`), and for complex types.

>>> torch.arange(6).view(2, 3).amin(0)
tensor([0, 1, 2])
)"},
      {"max(Tensor self, int? dim=None, bool keepdim=False, *, Tensor? other=None) -> Tensor", both, fresh,
       extreme<max, max, maximum>, OutRule::castable,
       R"(The largest element; along `dim` a pair (values, indices); with another tensor the larger of two
elements, as `maximum`.

Raises RuntimeError where there is no element, and for complex types.

>>> values, indices = torch.tensor([[1, 5], [7, 2]]).max(1)
>>> values, indices
(tensor([5, 7]), tensor([1, 0]))
)"},
      {"min(Tensor self, int? dim=None, bool keepdim=False, *, Tensor? other=None) -> Tensor", both, fresh,
       extreme<min, min, minimum>, OutRule::castable,
       R"(The smallest element; along `dim` a pair (values, indices); with another tensor the smaller of two
elements, as `minimum`.

Raises RuntimeError where there is no element, and for complex types.

>>> torch.tensor([[1, 5], [7, 2]]).min()
tensor(1)
)"},
      {"argmax(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", both, fresh, runs<argmax>,
       OutRule::reduced,
       R"(Where the largest element stands: its index in the flattened tensor, or along `dim`. Raises
IndexError where there is no element.

>>> torch.tensor([[1, 5], [7, 2]]).argmax(), torch.tensor([[1, 5], [7, 2]]).argmax(dim=1)
(tensor(2), tensor([1, 0]))
)"},
      {"argmin(Tensor self, int? dim=None, bool keepdim=False) -> Tensor", both, fresh, runs<argmin>,
       OutRule::reduced,
       R"(Where the smallest element stands: its index in the flattened tensor, or along `dim`. Raises
IndexError where there is no element.

>>> torch.tensor([3, 1, 2]).argmin()
tensor(1)
)"},
  };
}

}  // namespace tenstride::detail
