// SPDX-License-Identifier: Apache-2.0
#include "evaluator.hpp"
#include "message.hpp"
#include "operators.hpp"
#include "tenstride/compare.hpp"

namespace tenstride {
namespace detail {
namespace {

/// The expression without its last link: `x.T` of `x.T.contiguous()`, of `x.T[0]` and of `x.T.T`.
const Node& without_link(const Node& node, const std::map<std::string, Value>& variables) {
  const Node& inner = node.kind == NodeKind::call ? *node.children[0] : node;
  const bool is_link = node.kind == NodeKind::index || inner.kind == NodeKind::attribute;
  if (!is_link || module_of(*inner.children[0], variables)) {
    throw ValueError("evaluate: fewer links can be left out than the chain has");
  }
  return *inner.children[0];
}

}  // namespace

Evaluator::Evaluator(EvaluatorState& state, const EvaluateOptions& options)
    : state_(state), options_(options), text_(std::move(state.text)) {
  session_.device = options.device;
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
      execute(statement, &statement == &statements.back() ? options_.links_left_out : 0);
    }
  } catch (Stopped& stopped) {
    result_.value = {};
    result_.failure = std::move(stopped.failure);
  }
  result_.output = std::move(session_.output);
  return result_;
}

void Evaluator::execute(const Statement& statement, std::size_t links_left_out) {
  const Node* node = statement.value.get();
  for (std::size_t i = 0; i < links_left_out; ++i) node = &without_link(*node, variables_);
  switch (statement.kind) {
    case StatementKind::expression:
      result_.value = value_of(*node);
      return;
    case StatementKind::assignment:
      assign(*statement.target, value_of(*node));
      return;
    case StatementKind::assertion:
      require_true(*node);
      return;
  }
}

void Evaluator::assign(const Node& target, Value value) {
  if (target.kind == NodeKind::name) {
    variables_[target.text] = std::move(value);
  } else if (target.kind == NodeKind::index) {
    assign_index(target, value);
  } else {
    guarded(target.range, "assignment", nullptr, [&] {
      std::vector<Value> items = items_of(value, target.range);
      if (items.size() != target.children.size()) {
        throw NotationError{"ValueError",
                            message(target.children.size(), " names cannot take ", items.size(), " values"),
                            target.range};
      }
      for (std::size_t i = 0; i < items.size(); ++i)
        variables_[target.children[i]->text] = std::move(items[i]);
    });
  }
}

void Evaluator::require_true(const Node& node) {
  const bool has_text = node.kind == NodeKind::tuple && node.children.size() == 2;
  const Node& condition = has_text ? *node.children[0] : node;
  if (truth_of(value_of(condition), condition.range)) return;
  Failure failure;
  failure.type = "AssertionError";
  failure.message = has_text ? value_of(*node.children[1]).str()
                             : message("assert: ", text_at(condition.range), " must be true and is false");
  failure.range = condition.range;
  failure.op = "assert";
  throw Stopped{std::move(failure)};
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
  return guarded(node.own, node.text, nullptr, [&] { return unary_value(node.text, operand, node.own); });
}

namespace {

struct Comparison {
  std::string_view sign;
  std::string_view op;
  Tensor (*with_tensor)(const Tensor&, const Tensor&);
  Tensor (*with_number)(const Tensor&, const Scalar&);
  /// The same with the sides swapped.
  Tensor (*from_number)(const Tensor&, const Scalar&);
};
const Comparison comparisons[] = {{"==", "eq", eq, eq, eq}, {"!=", "ne", ne, ne, ne},
                                  {"<", "lt", lt, lt, gt},  {"<=", "le", le, le, ge},
                                  {">", "gt", gt, gt, lt},  {">=", "ge", ge, ge, le}};

}  // namespace

Value Evaluator::value_of_binary(const Node& node) {
  Value left = value_of(*node.children[0]);
  if (node.text == "and" || node.text == "or") {
    const bool decides = truth_of(left, node.children[0]->range) == (node.text == "or");
    return decides ? left : value_of(*node.children[1]);
  }
  const Value right = value_of(*node.children[1]);
  const Tensor *a = left.tensor(), *b = right.tensor();
  if (a == nullptr && b == nullptr) {
    return guarded(node.own, node.text, nullptr,
                   [&] { return binary_value(node.text, left, right, node.own); });
  }
  const bool comparable =
      (a != nullptr || left.number() != nullptr) && (b != nullptr || right.number() != nullptr);
  for (const Comparison& comparison : comparisons) {
    if (comparison.sign != node.text || !comparable) continue;
    sweep();
    Tensor result = guarded(node.own, comparison.op, a != nullptr ? &left : &right, [&] {
      if (a != nullptr && b != nullptr) return comparison.with_tensor(*a, *b);
      if (a != nullptr) return comparison.with_number(*a, *right.number());
      return comparison.from_number(*b, *left.number());
    });
    return record_comparison(comparison.op, a != nullptr ? left.step() : right.step(), std::move(result),
                             node.range);
  }
  return guarded(node.own, node.text, nullptr, [&]() -> Value {
    if (node.text == "==" || node.text == "!=") return Value(Scalar(node.text == "!="));
    throw NotationError{
        "TypeError", message("'", node.text, "': tenstride does no arithmetic on tensors, only on numbers"),
        node.own};
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
