// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/selection.hpp"
#include "base/message.hpp"
#include "operations/call.hpp"
#include "tenstride/ops/diagonals.hpp"
#include "tenstride/ops/ops.hpp"

/// Elements chosen by a truth value, diagonals, and copies with one view replaced.
namespace tenstride::detail {
namespace {

template <bool has_out>
Value nonzero_of(Call& call) {
  const bool is_tuple = call.flag(0, false);
  if constexpr (has_out) {
    if (is_tuple && call.has(1)) throw RuntimeError("nonzero: out must not be given with as_tuple=True");
  }
  if (is_tuple) return tuple_value(nonzero_as_tuple(call.self()));
  if constexpr (has_out) return into_out(call, 1, nonzero(call.self()), {call.self()});
  return nonzero(call.self());
}

Value cartesian_prod_of(Call& call) {
  if (!call.has(0)) return cartesian_prod(std::vector<Tensor>());
  const Value::Sequence* given = call.value(0).sequence();
  if (given != nullptr && given->kind == Value::SequenceKind::list) call.fail_type(0, "tensors, not a list");
  const std::vector<Tensor> tensors = call.tensors(0);
  if (tensors.size() > 1) return cartesian_prod(tensors);
  static_cast<void>(cartesian_prod(tensors));  // refuses what is no vector
  return given == nullptr ? call.value(0) : given->items[0];
}

Value combinations_of(Call& call) {
  return combinations(call.self(), call.index(0, 2),
                      call.flag(1, false) ? Replacement::yes : Replacement::no);
}

void add_masked(std::vector<Operation>& table) {
  const std::vector<Operation> masked{
      {"masked_select", method, copy, "mask",
       [](Call& c) -> Value { return masked_select(c.self(), c.tensor(0)); }},
      {"masked_select", function, copy, "mask | out?",
       [](Call& c) -> Value {
         return into_out(c, 1, masked_select(c.self(), c.tensor(0)), {c.self(), c.tensor(0)});
       }},
      {"masked_scatter", both, copy, "mask source",
       [](Call& c) -> Value { return masked_scatter(c.self(), c.tensor(0), c.tensor(1)); }},
      {"masked_scatter_", method, in_place, "mask source",
       [](Call& c) {
         masked_scatter_(c.mutable_self(), c.tensor(0), c.tensor(1));
         return c.self_value();
       }},
      {"masked_fill", both, copy, "mask value",
       [](Call& c) -> Value { return masked_fill(c.self(), c.tensor(0), value_of(c, 1)); }},
      {"masked_fill_", method, in_place, "mask value",
       [](Call& c) {
         masked_fill_(c.mutable_self(), c.tensor(0), value_of(c, 1));
         return c.self_value();
       }},
  };
  table.insert(table.end(), masked.begin(), masked.end());
}

void add_diagonals(std::vector<Operation>& table) {
  const std::vector<Operation> diagonals{
      {"diag", method, copy, "diagonal?", [](Call& c) -> Value { return diag(c.self(), c.index(0, 0)); }},
      {"diag", function, copy, "diagonal? | out?",
       [](Call& c) -> Value { return into_out(c, 1, diag(c.self(), c.index(0, 0))); }},
      {"trace", both, fresh, "", [](Call& c) -> Value { return trace(c.self()); }},
      {"fill_diagonal_", method, in_place, "fill_value wrap?",
       [](Call& c) {
         fill_diagonal_(c.mutable_self(), c.number(0), c.flag(1, false) ? Wrap::yes : Wrap::no);
         return c.self_value();
       }},
      {"tril_", method, in_place, "diagonal?",
       [](Call& c) {
         tril_(c.mutable_self(), c.index(0, 0));
         return c.self_value();
       }},
      {"triu_", method, in_place, "diagonal?",
       [](Call& c) {
         triu_(c.mutable_self(), c.index(0, 0));
         return c.self_value();
       }},
      {"diag_embed", both, copy, "offset? dim1? dim2?",
       [](Call& c) -> Value { return diag_embed(c.self(), c.index(0, 0), c.index(1, -2), c.index(2, -1)); }},
      {"diagflat", both, copy, "offset?", [](Call& c) -> Value { return diagflat(c.self(), c.index(0, 0)); }},
      {"diagonal_scatter", both, copy, "src offset? dim1? dim2?",
       [](Call& c) -> Value {
         return diagonal_scatter(c.self(), c.tensor(0), c.index(1, 0), c.index(2, 0), c.index(3, 1));
       }},
      {"select_scatter", both, copy, "src dim index",
       [](Call& c) -> Value { return select_scatter(c.self(), c.tensor(0), c.index(1), c.index(2)); }},
      {"slice_scatter", both, copy, "src dim? start? end? step?",
       [](Call& c) -> Value {
         return slice_scatter(c.self(), c.tensor(0), c.index(1, 0), c.maybe_index(2), c.maybe_index(3),
                              c.index(4, 1));
       }},
      {"as_strided_scatter", both, copy, "src size stride storage_offset?",
       [](Call& c) -> Value {
         return as_strided_scatter(c.self(), c.tensor(0), c.dims(1), c.dims(2), c.maybe_index(3));
       }},
  };
  table.insert(table.end(), diagonals.begin(), diagonals.end());
}

}  // namespace

std::vector<Operation> selection_operations() {
  std::vector<Operation> table{
      {"nonzero", method, fresh, "| as_tuple?", nonzero_of<false>},
      {"nonzero", function, fresh, "| as_tuple? out?", nonzero_of<true>},
      {"argwhere", both, fresh, "", [](Call& c) -> Value { return argwhere(c.self()); }},
      {"unravel_index", function, fresh, "! indices shape",
       [](Call& c) -> Value { return tuple_value(unravel_index(c.tensor(0), c.dims_or_index(1))); }},
      {"cartesian_prod", function, fresh, "! tensors...?", cartesian_prod_of},
      {"combinations", function, fresh, "r? with_replacement?", combinations_of},
  };
  add_masked(table);
  add_diagonals(table);
  return table;
}

}  // namespace tenstride::detail
