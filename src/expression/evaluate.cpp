// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "operations/operators.hpp"
#include "tenstride/elementwise/arithmetic.hpp"

namespace tenstride {
namespace detail {
namespace {

/// Of all lists that a program makes or copies.
constexpr std::size_t max_items_together = 4'000'000;
/// Deeper lists might run out of stack.
constexpr std::size_t max_list_depth = 500;

}  // namespace

Evaluator::Evaluator(EvaluatorState& state, const EvaluateOptions& options)
    : state_(state), options_(options) {
  session_.device = options.device;
  session_.absent = options.device == Device::meta ? AbsentDevice::foretell : options.absent;
  session_.generator = state.generator;
  result_.steps = std::move(state.steps);
  result_.first_step = result_.steps.size();
}

Evaluator::~Evaluator() {
  state_.steps = std::move(result_.steps);
  state_.generator = session_.generator;
}

Evaluation Evaluator::run(const std::vector<Statement>& statements) {
  try {
    for (const Statement& statement : statements) {
      result_.value = {};
      execute(statement, &statement == &statements.back() ? options_.links_left_out : 0);
    }
  } catch (Failure& failure) {
    result_.value = {};
    result_.failure = std::move(failure);
  }
  return result_;
}

Value Evaluator::counted(Value value, TextRange range) {
  const ListSize size = list_size(value);
  items_ += size.items;
  if (items_ > max_items_together || size.depth > max_list_depth) {
    guarded(range, "", nullptr, [&] {
      throw NotationError{"ValueError",
                          message("the lists of a program must have at most ", max_items_together,
                                  " items together, nested no deeper than ", max_list_depth),
                          range};
    });
  }
  return value;
}

bool Evaluator::truth_of(const Value& value, TextRange range) {
  return guarded(range, "bool", &value, [&] {
    const std::optional<bool> answer = truth(value);
    if (!answer) {
      throw RuntimeError(message("bool: a tensor of ", value.tensor()->numel(),
                                 " elements has no truth value, must have 1; see .all() and .any()"));
    }
    return *answer;
  });
}

Value Evaluator::value_of(const Node& node) {
  switch (node.kind) {
    case NodeKind::literal:
      return node.value;
    case NodeKind::name:
      return value_of_name(node);
    case NodeKind::list:
    case NodeKind::tuple:
      return value_of_list(node);
    case NodeKind::attribute:
      return value_of_attribute(node);
    case NodeKind::call:
      return value_of_call(node);
    case NodeKind::index:
      return value_of_index(node);
    case NodeKind::unary:
      return value_of_unary(node);
    case NodeKind::binary:
      return value_of_binary(node);
    case NodeKind::slice:
    case NodeKind::starred:
      break;
  }
  return {};  // the parser puts the two nowhere else than into brackets and calls
}

Value Evaluator::value_of_list(const Node& node) {
  Value::Sequence result{node.kind == NodeKind::list ? Value::SequenceKind::list : Value::SequenceKind::tuple,
                         {}};
  for (const NodePtr& child : node.children) result.items.push_back(value_of(*child));
  return Value(Value::Variant(std::move(result)));
}

Value Evaluator::value_of_unary(const Node& node) {
  const Value operand = value_of(*node.children[0]);
  if (node.text == "not") return Value(Scalar(!truth_of(operand, node.children[0]->range)));
  if (operand.tensor() == nullptr) {
    return guarded(node.own, node.text, nullptr, [&] { return unary_value(node.text, operand, node.own); });
  }
  if (node.text == "+") {
    guarded(node.own, "positive", &operand, [&] { return positive(*operand.tensor()); });  // refuses bools
    return operand;
  }
  const bool is_inverse = node.text == "~";
  const std::string_view op = is_inverse ? "bitwise_not" : "neg";
  sweep();
  Tensor result = guarded(node.own, op, &operand, [&] {
    const Tensor& x = *operand.tensor();
    if (is_inverse && x.dtype() != DType::bool_ && !is_integer(x.dtype())) {
      throw TypeError(message("~: dtype ", name(x.dtype()), " must be bool or an integer type"));
    }
    return is_inverse ? bitwise_not(x) : neg(x);
  });
  return record_elementwise(op, operand.step(), std::move(result), node.range);
}

Value Evaluator::value_of_binary(const Node& node) {
  Value left = value_of(*node.children[0]);
  if (node.text == "and" || node.text == "or") {
    const bool decides = truth_of(left, node.children[0]->range) == (node.text == "or");
    return decides ? left : value_of(*node.children[1]);
  }
  const Value right = value_of(*node.children[1]);
  return binary(node, node.text, left, right, node.own);
}

Value Evaluator::binary(const Node& node, std::string_view sign, const Value& left, const Value& right,
                        TextRange own) {
  const std::optional<Operand> first = to_operand(left), second = to_operand(right);
  const TensorOperator* const found = find_tensor_operator(sign);
  const bool has_tensor = left.tensor() != nullptr || right.tensor() != nullptr;
  if (!has_tensor || found == nullptr || !first || !second) {
    return counted(guarded(own, sign, nullptr, [&] { return binary_value(sign, left, right, own); }), own);
  }
  const Value& receiver = left.tensor() != nullptr ? left : right;
  sweep();
  Tensor result = guarded(own, found->op, &receiver, [&] { return found->run(*first, *second, {}); });
  return record_elementwise(found->op, receiver.step(), std::move(result), node.range);
}

}  // namespace detail

Evaluation evaluate(const Program& program, const EvaluateOptions& options) {
  detail::EvaluatorState state;
  state.text = program.text();
  for (const auto& [name, tensor] : options.inputs) state.variables.emplace(name, tensor);
  return detail::Evaluator(state, options).run(program.tree().statements);
}

}  // namespace tenstride
