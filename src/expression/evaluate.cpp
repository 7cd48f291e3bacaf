// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "operations/operators.hpp"
#include "tenstride/elementwise/arithmetic.hpp"

namespace tenstride {
namespace detail {
Evaluator::Evaluator(EvaluatorState& state, const EvaluateOptions& options)
    : state_(state), options_(options), text_(std::move(state.text)) {
  session_.device = options.device;
  session_.absent = options.device == Device::meta ? AbsentDevice::foretell : options.absent;
  session_.generator = state.generator;
  variables_ = std::move(state.variables);
  storages_ = std::move(state.storages);
  result_.steps = std::move(state.steps);
  result_.first_step = result_.steps.size();
}

Evaluator::~Evaluator() {
  state_.text = std::move(text_);
  state_.variables = std::move(variables_);
  state_.storages = std::move(storages_);
  state_.steps = std::move(result_.steps);
  state_.generator = session_.generator;
}

Evaluation Evaluator::run(const std::vector<Statement>& statements) {
  try {
    for (const Statement& statement : statements) {
      result_.value = {};
      execute_last(statement, &statement == &statements.back() ? options_.links_left_out : 0);
    }
  } catch (Stopped& stopped) {
    result_.value = {};
    result_.failure = std::move(stopped.failure);
  }
  result_.output = std::move(session_.output);
  return result_;
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
  const Restored<std::size_t> deeper = one_deeper(node.range);
  spend(1, node.range);
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
    case NodeKind::listed:
      return value_of_comprehension(node);
    case NodeKind::generator:
      guarded(node.range, "", nullptr, [&] {
        throw NotationError{"TypeError",
                            "a generator expression must be the argument of list, tuple, sum, min, max, zip "
                            "or enumerate; write [ ] for a list",
                            node.range};
      });
      break;
    case NodeKind::formatted:
      return value_of_formatted(node);
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

Value Evaluator::value_of_comprehension(const Node& node) {
  std::vector<Value> items = items_to_run(*node.children[2]);
  const Restored repeated(repeats_, repeats_ + 1);
  // Its names are its own; the items above were still those of the scope around.
  comprehensions_.emplace_back();
  Value::Sequence result{Value::SequenceKind::list, {}};
  try {
    for (Value& item : items) {
      spend(1, node.range);
      assign(*node.children[1], std::move(item));
      if (node.children[3] && !truth_of(value_of(*node.children[3]), node.children[3]->range)) continue;
      result.items.push_back(value_of(*node.children[0]));
    }
  } catch (...) {
    comprehensions_.pop_back();
    throw;
  }
  comprehensions_.pop_back();
  return Value(Value::Variant(std::move(result)));
}

Value Evaluator::value_of_formatted(const Node& node) {
  std::string text;
  for (const NodePtr& child : node.children) {
    const Value value = value_of(*child);
    const Tensor* tensor = value.tensor();
    // As PyTorch formats it, not as it prints it.
    const bool is_number = tensor != nullptr && tensor->dim() == 0 && tensor->has_memory();
    text += is_number ? tensor->item().to_string() : value.str();
    spend(text.size() / characters_of_work, node.range);
  }
  return Value(Value::Variant(std::move(text)));
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
  spend_on(*operand.tensor(), node.own);
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
  const Tensor *a = left.tensor(), *b = right.tensor();
  if (a == nullptr && b == nullptr) {
    return guarded(own, sign, nullptr, [&] { return binary_value(sign, left, right, own); });
  }
  const std::optional<Operand> first = to_operand(left), second = to_operand(right);
  const TensorOperator* const found = find_tensor_operator(sign);
  if (found != nullptr && first && second) {
    const Value& receiver = a != nullptr ? left : right;
    sweep();
    spend_on(*receiver.tensor(), own);
    Tensor result = guarded(own, found->op, &receiver, [&] { return found->run(*first, *second, {}); });
    return record_elementwise(found->op, receiver.step(), std::move(result), node.range);
  }
  return guarded(own, sign, nullptr, [&]() -> Value {
    if (sign == "==" || sign == "!=") return Value(Scalar(sign == "!="));
    throw NotationError{
        "TypeError",
        message("'", sign, "' is not defined between ", left.type_name(), " and ", right.type_name()), own};
  });
}

}  // namespace detail

Evaluation evaluate(const Program& program, const EvaluateOptions& options) {
  detail::EvaluatorState state;
  state.text = program.text();
  for (const auto& [name, tensor] : options.inputs) state.variables.emplace(name, tensor);
  return detail::Evaluator(state, options).run(program.tree().statements);
}

}  // namespace tenstride
