// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/scatter.hpp"

#include "base/message.hpp"
#include "operations/runs.hpp"

/// Elements and slices read from, and written to, places that an index names.
namespace tenstride::detail {
namespace {

/// The reduction of scatter_reduce, which has more names.
Reduction reduction_of(const Call& call, std::size_t parameter) {
  const std::string given = call.text(parameter);
  if (given == "sum") return Reduction::sum;
  if (given == "prod") return Reduction::prod;
  if (given == "mean") return Reduction::mean;
  if (given == "amax" || given == "max") return Reduction::max;
  if (given == "amin" || given == "min") return Reduction::min;
  throw RuntimeError(message(call.operation().name, ": reduce '", given,
                             "' must be 'sum', 'prod', 'mean', 'amax' or 'amin'"));
}
/// That of scatter.
Reduction combination_of(const Call& call, std::size_t parameter) {
  const std::string given = call.text(parameter);
  if (given == "add") return Reduction::sum;
  if (given == "multiply") return Reduction::prod;
  throw RuntimeError(message(call.operation().name, ": reduce '", given, "' must be 'add' or 'multiply'"));
}

IncludeSelf include_self_of(const Call& call, std::size_t parameter) {
  return call.flag(parameter) ? IncludeSelf::yes : IncludeSelf::no;
}

/// Parameters "dim index src? | value? reduce?": a tensor, or a number in either place.
void scatter_into(Call& call, Tensor& self) {
  const Index dim = call.index(0);
  const Tensor& index = call.tensor(1);
  if (!call.has(2) && !call.has(3)) throw TypeError("scatter: src or value must be given");
  if (call.has(2) && call.is_tensor(2)) {
    if (call.has(4)) {
      scatter_reduce_(self, dim, index, call.tensor(2), combination_of(call, 4));
    } else {
      scatter_(self, dim, index, call.tensor(2));
    }
    return;
  }
  const Scalar value = call.number(call.has(2) ? 2 : 3);
  if (call.has(4)) {
    scatter_reduce_(self, dim, index, value, combination_of(call, 4));
  } else {
    scatter_(self, dim, index, value);
  }
}

// What is written to: the tensor itself, or a copy of it.

void scatter_add_into(Call& call, Tensor& self) {
  scatter_add_(self, call.index(0), call.tensor(1), call.tensor(2));
}
void scatter_reduce_into(Call& call, Tensor& self) {
  scatter_reduce_(self, call.index(0), call.tensor(1), call.tensor(2), reduction_of(call, 3),
                  include_self_of(call, 4));
}
Accumulate accumulate_of(const Call& call) {
  return call.flag(2) ? Accumulate::yes : Accumulate::no;
}
void put_into(Call& call, Tensor& self) {
  put_(self, call.tensor(0), call.tensor(1), accumulate_of(call));
}
std::vector<TensorIndex> index_tensors(const Call& call) {
  if (call.is_tensor(0)) call.fail_type(0, "a tuple of tensors");
  const std::vector<Tensor> tensors = call.tensors(0);
  if (tensors.empty()) throw RuntimeError("index_put: at least one index tensor must be given");
  return {tensors.begin(), tensors.end()};
}
void index_put_into(Call& call, Tensor& self) {
  index_put_(self, index_tensors(call), call.tensor(1), accumulate_of(call));
}
void index_copy_into(Call& call, Tensor& self) {
  index_copy_(self, call.index(0), call.tensor(1), call.tensor(2));
}
void index_fill_into(Call& call, Tensor& self) {
  index_fill_(self, call.index(0), call.tensor(1), value_of(call, 2));
}
void index_add_into(Call& call, Tensor& self) {
  index_add_(self, call.index(0), call.tensor(1), call.tensor(2), call.number(3));
}

using Into = void (*)(Call&, Tensor&);

template <Into into>
Value written(Call& call) {
  into(call, call.mutable_self());
  return call.self_value();
}
template <Into into, MemoryFormat format>
Value written_copy(Call& call) {
  Tensor result = call.self().clone(format);
  into(call, result);
  return result;
}
constexpr auto rows = MemoryFormat::contiguous;
constexpr auto alike = MemoryFormat::preserve;

}  // namespace

Scalar value_of(const Call& call, std::size_t parameter) {
  if (call.is_tensor(parameter) && call.tensor(parameter).dim() > 0) {
    throw RuntimeError(message(call.operation().name, ": a value that is a tensor must have no axes (shape ",
                               call.tensor(parameter).shape(), ")"));
  }
  return call.number(parameter);
}

std::vector<Operation> scatter_operations() {
  constexpr OutRule copied = OutRule::copied;
  constexpr OutRule apart = OutRule::apart;
  return {
      {"gather(Tensor self, int dim, Tensor index, *, bool sparse_grad=False) -> Tensor", both, copy,
       runs<gather>, apart,
       R"(A row-major copy of the elements that an index names along one axis, with the index's shape:
`result[i][j] = x[index[i][j]][j]` for `dim=0`. Raises RuntimeError for a number outside `[0, size)`, for
an index that is not int64, and where it exceeds the tensor on another axis.

>>> torch.gather(torch.tensor([[1, 2], [3, 4]]), 1, torch.tensor([[1], [0]])).tolist()
[[2], [3]]
)"},
      {"take(Tensor self, Tensor index) -> Tensor", both, copy, runs<take>, apart,
       R"(A row-major copy of the elements with the index's numbers in row-major order, with the index's shape;
negative numbers count from the end. Raises IndexError where there is no such element, RuntimeError for an
index that is not int64.

>>> torch.arange(6).view(2, 3).T.take(torch.tensor([1, -1]))
tensor([3, 5])
)"},
      {"take_along_dim(Tensor self, Tensor indices, int? dim=None) -> Tensor", both, copy,
       runs<take_along_dim>, apart,
       R"(`gather` of the tensor and the indices broadcast to each other but along `dim`; without an axis of the
flattened tensors.

>>> torch.take_along_dim(torch.tensor([[3, 1], [2, 4]]), torch.tensor([[1]]), dim=1).tolist()
[[1], [4]]
)"},
      {"index_select(Tensor self, int dim, Tensor index) -> Tensor", both, copy, runs<index_select>, apart,
       R"(A row-major copy of the slices of one axis that an index of rank 1 lists. Raises IndexError for a number
outside `[0, size)` (RuntimeError on axis 1, as PyTorch), RuntimeError for an index that is neither int64 nor int32.

>>> torch.arange(6).view(2, 3).index_select(1, torch.tensor([2, 0])).tolist()
[[2, 0], [5, 3]]
)"},
      {"scatter_(Tensor self, int dim, Tensor index, Tensor|Scalar? src=None, *, Scalar? value=None, str? "
       "reduce=None) -> Tensor",
       method, in_place, written<scatter_into>,
       R"(Writes the source's elements, or one value, to the places that an index names along one axis:
`x[index[i][j]][j] = src[i][j]` for `dim=0`. `reduce="add"` or `"multiply"` combines them with what stands
there. Raises RuntimeError for a number outside `[0, size)`, where dtypes differ, where the index exceeds
the tensor on another axis or the source anywhere, and where the tensor shares memory with itself, the
index or the source.

>>> torch.zeros(3).scatter_(0, torch.tensor([1]), 7)
tensor([0., 7., 0.])
)"},
      {"scatter(Tensor self, int dim, Tensor index, Tensor|Scalar? src=None, *, Scalar? value=None, str? "
       "reduce=None) -> Tensor",
       both, copy, written_copy<scatter_into, rows>, copied,
       R"(A row-major copy with the source's elements, or one value, written where the index says. See `scatter_`.

>>> torch.zeros(3).scatter(0, torch.tensor([2, 0]), torch.tensor([5.0, 6.0]))
tensor([6., 0., 5.])
)"},
      {"scatter_add_(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", method, in_place,
       written<scatter_add_into>,
       R"(Adds the source's elements to the places that an index names along one axis, in the order of the index.
Refuses what `scatter_` refuses.

>>> torch.zeros(3).scatter_add_(0, torch.tensor([1, 1]), torch.tensor([5.0, 6.0]))
tensor([ 0., 11.,  0.])
)"},
      {"scatter_add(Tensor self, int dim, Tensor index, Tensor src) -> Tensor", both, copy,
       written_copy<scatter_add_into, rows>, copied,
       R"(A row-major copy with the source's elements added where the index says. See `scatter_add_`.

>>> torch.zeros(3).scatter_add(0, torch.tensor([2, 2]), torch.tensor([5.0, 6.0]))
tensor([ 0.,  0., 11.])
)"},
      {"scatter_reduce_(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
       "include_self=True) -> Tensor",
       method, in_place, written<scatter_reduce_into>,
       R"(The sum, product ("prod"), mean, largest ("amax") or smallest ("amin") of all elements for one place and,
unless `include_self=False`, of what stands there. Means of integers are rounded down. Refuses what
`scatter_` refuses.

>>> x = torch.ones(2)
>>> x.scatter_reduce_(0, torch.tensor([0, 0]), torch.tensor([4.0, 5.0]), "mean", include_self=False)
tensor([4.5000, 1.0000])
)"},
      {"scatter_reduce(Tensor self, int dim, Tensor index, Tensor src, str reduce, *, bool "
       "include_self=True) -> Tensor",
       both, copy, written_copy<scatter_reduce_into, rows>, copied,
       R"(A row-major copy with the source's elements reduced into the places that the index names. See
`scatter_reduce_`.

>>> torch.zeros(3).scatter_reduce(0, torch.tensor([2, 2]), torch.tensor([5.0, 6.0]), "amax")
tensor([0., 0., 6.])
)"},
      {"put_(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", method, in_place,
       written<put_into>,
       R"(Writes the source's elements to those with the index's numbers in row-major order, or adds them with
`accumulate=True`; negative numbers count from the end. Raises IndexError where there is no such element
and where the counts differ, RuntimeError where dtypes do.

>>> torch.zeros(3).put_(torch.tensor([1, 1]), torch.tensor([3.0, 4.0]), accumulate=True)
tensor([0., 7., 0.])
)"},
      {"put(Tensor self, Tensor index, Tensor source, bool accumulate=False) -> Tensor", both, copy,
       written_copy<put_into, alike>,
       R"(A copy with the source's elements in place of those with the index's numbers in row-major order. See
`put_`.

>>> torch.zeros(3).put(torch.tensor([1]), torch.tensor([7.0]))
tensor([0., 7., 0.])
)"},
      {"index_put_(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor", both,
       in_place, written<index_put_into>,
       R"(Writes `values` where the index tensors say, as `x[indices] = values`; gives the tensor itself. With
`accumulate=True` each value is added, as often as its element is indexed.

Raises IndexError where an index is not there, RuntimeError where `values` does not expand to the indexed
sizes, is of another dtype or shares this tensor's memory.

>>> x = torch.zeros(3, dtype=torch.int64)
>>> x.index_put_((torch.tensor([0, 0, 2]),), torch.tensor([1, 2, 3]), accumulate=True)
tensor([3, 0, 3])
)"},
      {"index_put(Tensor self, Tensor[] indices, Tensor values, bool accumulate=False) -> Tensor", both, copy,
       [](Call& c) -> Value { return index_put(c.self(), index_tensors(c), c.tensor(1), accumulate_of(c)); },
       R"(A copy with `values` where the index tensors say; with `accumulate=True` each value is added, as often as
its element is indexed. See `index_put_`.

>>> torch.zeros(3).index_put((torch.tensor([0, 2]),), torch.tensor([1.0, 2.0]))
tensor([1., 0., 2.])
)"},
      {"index_copy_(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", method, in_place,
       written<index_copy_into>,
       R"(Writes the source's slices along an axis to those that the index lists; of two for one place the later
one stays. Raises IndexError for a number outside `[0, size)` and where the counts differ, RuntimeError
where dtypes or sizes do.

>>> torch.zeros(3).index_copy_(0, torch.tensor([1]), torch.tensor([7.0]))
tensor([0., 7., 0.])
)"},
      {"index_copy(Tensor self, int dim, Tensor index, Tensor source) -> Tensor", both, copy,
       written_copy<index_copy_into, rows>, copied,
       R"(A row-major copy with the source's slices in place of those that the index lists. See `index_copy_`.

>>> torch.zeros(3).index_copy(0, torch.tensor([2, 0]), torch.tensor([1.0, 4.0]))
tensor([4., 0., 1.])
)"},
      {"index_fill_(Tensor self, int dim, Tensor index, Scalar|Tensor value) -> Tensor", method, in_place,
       written<index_fill_into>,
       R"(Writes one value, a number or a tensor of rank 0, to the slices that the index lists; negative numbers
count from the end. Raises IndexError where there is no such slice and for an index that is not int64.

>>> torch.zeros(3).index_fill_(0, torch.tensor([1]), 7)
tensor([0., 7., 0.])
)"},
      {"index_fill(Tensor self, int dim, Tensor index, Scalar|Tensor value) -> Tensor", both, copy,
       written_copy<index_fill_into, alike>,
       R"(A copy with one value in the slices that the index lists. See `index_fill_`.

>>> torch.zeros(3).index_fill(0, torch.tensor([0, -1]), 7)
tensor([7., 0., 7.])
)"},
      {"index_add_(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", method,
       in_place, written<index_add_into>,
       R"(Adds the source's slices along an axis, times `alpha`, to those that the index lists, one after the
other. Raises IndexError or RuntimeError, as PyTorch, for a number outside `[0, size)`, RuntimeError where dtypes
or sizes differ, and where the tensor shares memory with itself, the index or the source.

>>> torch.zeros(3).index_add_(0, torch.tensor([0, 0]), torch.tensor([1.0, 4.0]), alpha=2)
tensor([10.,  0.,  0.])
)"},
      {"index_add(Tensor self, int dim, Tensor index, Tensor source, *, Scalar alpha=1) -> Tensor", both,
       copy, written_copy<index_add_into, rows>, copied,
       R"(A row-major copy with the source's slices added, times `alpha`, to the slices that the index lists. See
`index_add_`.

>>> torch.zeros(3).index_add(0, torch.tensor([2, 2]), torch.tensor([1.0, 4.0]))
tensor([0., 0., 5.])
)"},
  };
}

}  // namespace tenstride::detail
