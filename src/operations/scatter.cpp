// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/scatter.hpp"

#include "base/message.hpp"
#include "operations/call.hpp"

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
/// The reduction that a parameter `reduce` of scatter names.
Reduction combination_of(const Call& call, std::size_t parameter) {
  const std::string given = call.text(parameter);
  if (given == "add") return Reduction::sum;
  if (given == "multiply") return Reduction::prod;
  throw RuntimeError(message(call.operation().name, ": reduce '", given, "' must be 'add' or 'multiply'"));
}

IncludeSelf include_self_of(const Call& call, std::size_t parameter) {
  return call.flag(parameter, true) ? IncludeSelf::yes : IncludeSelf::no;
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
  return call.flag(2, false) ? Accumulate::yes : Accumulate::no;
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
  index_add_(self, call.index(0), call.tensor(1), call.tensor(2), call.has(3) ? call.number(3) : Scalar(1));
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
/// The result in a last parameter `out`.
template <Into into, std::size_t parameter>
Value written_out(Call& call) {
  Tensor result = call.self().clone(MemoryFormat::contiguous);
  into(call, result);
  return into_out(call, parameter, std::move(result));
}

constexpr auto rows = MemoryFormat::contiguous;
constexpr auto alike = MemoryFormat::preserve;

void add_reading(std::vector<Operation>& table) {
  const std::vector<Operation> reading{
      {"gather", method, copy, "dim index | sparse_grad?",
       [](Call& c) -> Value { return gather(c.self(), c.index(0), c.tensor(1)); }},
      {"gather", function, copy, "dim index | sparse_grad? out?",
       [](Call& c) -> Value {
         return into_out(c, 3, gather(c.self(), c.index(0), c.tensor(1)), {c.self(), c.tensor(1)});
       }},
      {"take", method, copy, "index", [](Call& c) -> Value { return take(c.self(), c.tensor(0)); }},
      {"take", function, copy, "index | out?",
       [](Call& c) -> Value {
         return into_out(c, 1, take(c.self(), c.tensor(0)), {c.self(), c.tensor(0)});
       }},
      {"take_along_dim", method, copy, "indices dim?",
       [](Call& c) -> Value { return take_along_dim(c.self(), c.tensor(0), c.maybe_index(1)); }},
      {"take_along_dim", function, copy, "indices dim? | out?",
       [](Call& c) -> Value {
         return into_out(c, 2, take_along_dim(c.self(), c.tensor(0), c.maybe_index(1)),
                         {c.self(), c.tensor(0)});
       }},
      {"index_select", method, copy, "dim index",
       [](Call& c) -> Value { return index_select(c.self(), c.index(0), c.tensor(1)); }},
      {"index_select", function, copy, "dim index | out?",
       [](Call& c) -> Value {
         return into_out(c, 2, index_select(c.self(), c.index(0), c.tensor(1)), {c.self(), c.tensor(1)});
       }},
  };
  table.insert(table.end(), reading.begin(), reading.end());
}

}  // namespace

Scalar value_of(const Call& call, std::size_t parameter) {
  if (call.is_tensor(parameter) && call.tensor(parameter).dim() > 0) {
    throw RuntimeError(message(call.operation().name, ": a value that is a tensor must have no axes (shape ",
                               call.tensor(parameter).shape(), ")"));
  }
  return call.number(parameter);
}

std::vector<Operation> scatter_operations() {
  constexpr std::string_view scattering = "dim index src? | value? reduce?";
  constexpr std::string_view reducing = "dim index src reduce | include_self?";
  std::vector<Operation> table{
      {"scatter_", method, in_place, scattering, written<scatter_into>},
      {"scatter", method, copy, scattering, written_copy<scatter_into, rows>},
      {"scatter", function, copy, "dim index src? | value? reduce? out?", written_out<scatter_into, 5>},
      {"scatter_add_", method, in_place, "dim index src", written<scatter_add_into>},
      {"scatter_add", method, copy, "dim index src", written_copy<scatter_add_into, rows>},
      {"scatter_add", function, copy, "dim index src | out?", written_out<scatter_add_into, 3>},
      {"scatter_reduce_", method, in_place, reducing, written<scatter_reduce_into>},
      {"scatter_reduce", method, copy, reducing, written_copy<scatter_reduce_into, rows>},
      {"scatter_reduce", function, copy, "dim index src reduce | include_self? out?",
       written_out<scatter_reduce_into, 5>},
      {"put_", method, in_place, "index source accumulate?", written<put_into>},
      {"put", both, copy, "index source accumulate?", written_copy<put_into, alike>},
      {"index_put_", both, in_place, "indices values accumulate?", written<index_put_into>},
      {"index_put", both, copy, "indices values accumulate?",
       [](Call& c) -> Value { return index_put(c.self(), index_tensors(c), c.tensor(1), accumulate_of(c)); }},
      {"index_copy_", method, in_place, "dim index source", written<index_copy_into>},
      {"index_copy", method, copy, "dim index source", written_copy<index_copy_into, rows>},
      {"index_copy", function, copy, "dim index source | out?", written_out<index_copy_into, 3>},
      {"index_fill_", method, in_place, "dim index value", written<index_fill_into>},
      {"index_fill", both, copy, "dim index value", written_copy<index_fill_into, alike>},
      {"index_add_", method, in_place, "dim index source | alpha?", written<index_add_into>},
      {"index_add", method, copy, "dim index source | alpha?", written_copy<index_add_into, rows>},
      {"index_add", function, copy, "dim index source | alpha? out?", written_out<index_add_into, 4>},
  };
  add_reading(table);
  return table;
}

}  // namespace tenstride::detail
