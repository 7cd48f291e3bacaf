// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "operations/operators.hpp"

/// Statements.
namespace tenstride::detail {
namespace {

constexpr const char* no_more_links = "evaluate: fewer links can be left out than the chain has";

}  // namespace

const Node& Evaluator::without_link(const Node& node) const {
  const Node& inner = node.kind == NodeKind::call ? *node.children[0] : node;
  const bool is_link = node.kind == NodeKind::index || inner.kind == NodeKind::attribute;
  if (!is_link || module_of(*inner.children[0])) throw ValueError(no_more_links);
  return *inner.children[0];
}

void Evaluator::execute(const Statement& statement, std::size_t links_left_out) {
  const Node* node = statement.value.get();
  for (std::size_t i = 0; i < links_left_out; ++i) node = &without_link(*node);
  if (!statement.target) {
    result_.value = value_of(*node);
  } else if (statement.text.empty()) {
    assign(*statement.target, value_of(*node));
  } else if (links_left_out > 0) {
    throw ValueError(no_more_links);
  } else {
    assign_augmented(statement);
  }
}

void Evaluator::assign(const Node& target, Value value) {
  if (target.kind == NodeKind::name) {
    variables_[target.text] = std::move(value);
  } else if (target.kind == NodeKind::index) {
    assign_index(target, value);
  } else if (target.kind == NodeKind::attribute) {
    assign_attribute(target, value);
  } else {
    std::vector<Value> items;
    guarded(target.range, "assignment", nullptr, [&] {
      items = items_of(value, target.range);
      if (items.size() != target.children.size()) {
        throw NotationError{"ValueError",
                            message(target.children.size(), " names cannot take ", items.size(), " values"),
                            target.range};
      }
    });
    for (std::size_t i = 0; i < items.size(); ++i) assign(*target.children[i], std::move(items[i]));
  }
}

void Evaluator::assign_augmented(const Statement& statement) {
  const Value left = value_of(*statement.target);
  const Value right = value_of(*statement.value);
  const bool is_list = left.sequence() != nullptr && left.sequence()->kind == Value::SequenceKind::list;
  if (is_list) {
    guarded(statement.own, "assignment", nullptr, [&] {
      throw NotationError{"TypeError",
                          message("'", statement.text, "=' would change a list in place; write a = a ",
                                  statement.text, " b, which makes another"),
                          statement.own};
    });
  }
  // A tensor is changed where it lies, for all names that it has.
  const TensorOperator* const sign = find_tensor_operator(statement.text);
  if (left.tensor() != nullptr && sign != nullptr && to_operand(right)) {
    const Operation& operation = *find_operation(sign->op_in_place, Form::method);
    assign(*statement.target,
           run_operation(operation, statement.own, left, {{right, statement.value->range, {}}}));
    return;
  }
  assign(*statement.target, binary(*statement.target, statement.text, left, right, statement.own));
}

}  // namespace tenstride::detail
