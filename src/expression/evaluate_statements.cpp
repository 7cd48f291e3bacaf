// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "expression/wants_elements.hpp"
#include "operations/operators.hpp"

/// Statements: names and their scopes, blocks, functions, what is caught.
namespace tenstride::detail {
namespace {

constexpr std::size_t max_work = 10'000'000;
constexpr std::size_t max_calls = 100;
// Expressions and blocks within each other; more might run out of stack.
constexpr std::size_t max_evaluation_depth = 400;
// Unwinding costs that much more than an expression of numbers does.
constexpr std::size_t work_of_catch = 1000;
// What a name may hold: a list that holds itself doubles with each pass of a loop.
constexpr std::size_t max_kept = 1'000'000;
constexpr std::size_t deepest_kept = 500;

std::size_t depth_of(const Value& value) {
  std::size_t depth = 0;
  if (const Value::Sequence* list = value.sequence()) {
    for (const Value& item : list->items) depth = std::max(depth, depth_of(item));
    ++depth;
  }
  return depth;
}

/// Python's hierarchy, as far as it is met here.
bool is_kind_of(std::string_view type, std::string_view caught) {
  if (caught == "Exception" || type == caught) return true;
  if (caught == "NameError") return type == "UnboundLocalError";
  return caught == "RuntimeError" && type == "RecursionError";
}

}  // namespace

std::map<std::string, Value>& Evaluator::scope() {
  if (!comprehensions_.empty()) return comprehensions_.back();
  return frame_ != nullptr ? frame_->locals : variables_;
}

const Value* Evaluator::find_name(const std::string& name) const {
  const auto in = [&](const std::map<std::string, Value>& names) {
    const auto found = names.find(name);
    return found == names.end() ? nullptr : &found->second;
  };
  for (auto names = comprehensions_.rbegin(); names != comprehensions_.rend(); ++names) {
    if (const Value* found = in(*names)) return found;
  }
  // A name that a function binds anywhere is local to it everywhere.
  if (frame_ != nullptr && frame_->function.locals.contains(name)) return in(frame_->locals);
  return in(variables_);
}

bool Evaluator::is_variable(const std::string& name) const {
  return (frame_ != nullptr && frame_->function.locals.contains(name)) || find_name(name) != nullptr;
}

void Evaluator::spend(std::size_t work, TextRange range) {
  work_ += work;
  if (work_ <= max_work) return;
  Failure failure;
  failure.type = "RuntimeError";
  failure.message = message("a program must evaluate at most ", max_work,
                            " expressions and items of lists; this one is stopped");
  failure.range = range;
  throw Stopped{std::move(failure), true};
}

void Evaluator::spend_on(const Tensor& tensor, TextRange range) {
  if (repeats_ > 0) spend(static_cast<std::size_t>(tensor.numel()) / elements_of_work, range);
}

Restored<std::size_t> Evaluator::one_deeper(TextRange range) {
  if (depth_ >= max_evaluation_depth) {
    guarded(range, "", nullptr, [&] {
      throw NotationError{"RecursionError",
                          message("an evaluation must not be nested deeper than ", max_evaluation_depth),
                          range};
    });
  }
  return Restored<std::size_t>(depth_, depth_ + 1);
}

void Evaluator::require_small(const Value& value, TextRange range) const {
  const std::size_t work = work_of(value);
  if (work <= max_kept && (work < deepest_kept || depth_of(value) <= deepest_kept)) return;
  throw NotationError{"ValueError",
                      message("what a name holds must have at most ", max_kept,
                              " items, nested no deeper than ", deepest_kept),
                      range};
}

std::vector<Value> Evaluator::items_to_run(const Node& node) {
  Value value = value_of(node);
  if (value.tensor() == nullptr) {
    return guarded(node.range, "for", nullptr, [&] { return items_of(value, node.range); });
  }
  if (value.tensor()->dim() == 0) {
    guarded(node.range, "for", nullptr, [&] {
      throw NotationError{"TypeError", "a tensor of rank 0 has no items", node.range};
    });
  }
  const Value parts =
      run_operation(*find_operation("unbind", Form::method), node.range, std::move(value), {});
  return parts.sequence()->items;
}

const Node& Evaluator::without_link(const Node& node) const {
  const Node& inner = node.kind == NodeKind::call ? *node.children[0] : node;
  const bool is_link = node.kind == NodeKind::index || inner.kind == NodeKind::attribute;
  if (!is_link || module_of(*inner.children[0])) {
    throw ValueError("evaluate: fewer links can be left out than the chain has");
  }
  return *inner.children[0];
}

void Evaluator::execute_last(const Statement& statement, std::size_t links_left_out) {
  const bool has_chain =
      statement.kind == StatementKind::expression || statement.kind == StatementKind::assignment;
  if (!has_chain) {
    if (links_left_out > 0) throw ValueError("evaluate: fewer links can be left out than the chain has");
    execute(statement);
    return;
  }
  const Node* node = statement.value.get();
  for (std::size_t i = 0; i < links_left_out; ++i) node = &without_link(*node);
  if (statement.kind == StatementKind::expression) {
    result_.value = value_of(*node);
  } else {
    assign(*statement.target, value_of(*node));
  }
}

Flow Evaluator::execute(const std::vector<Statement>& statements) {
  const bool has_value = !statements.empty() && statements.front().value;
  const Restored<std::size_t> deeper = one_deeper(has_value ? statements.front().value->range : TextRange{});
  for (const Statement& statement : statements) {
    if (execute(statement) == Flow::returned) return Flow::returned;
  }
  return Flow::goes_on;
}

Flow Evaluator::execute(const Statement& statement) {
  spend(1, statement.value ? statement.value->range : TextRange{});
  switch (statement.kind) {
    case StatementKind::expression:
      value_of(*statement.value);
      break;
    case StatementKind::assignment:
      assign(*statement.target, value_of(*statement.value));
      break;
    case StatementKind::augmented:
      assign_augmented(statement);
      break;
    case StatementKind::assertion:
      require_true(*statement.value);
      break;
    case StatementKind::nothing:
      break;
    case StatementKind::returning:
      frame_->result = statement.value ? value_of(*statement.value) : Value();
      return Flow::returned;
    case StatementKind::definition:
      scope()[statement.function->name] =
          Value(Value::Variant(std::shared_ptr<const FunctionValue>(statement.function)));
      break;
    case StatementKind::loop:
      return loop(statement);
    case StatementKind::branch:
      return branch(statement);
    case StatementKind::attempt:
      return attempt(statement);
  }
  return Flow::goes_on;
}

Flow Evaluator::loop(const Statement& statement) {
  std::vector<Value> items = items_to_run(*statement.value);
  const Restored repeated(repeats_, repeats_ + 1);
  for (Value& item : items) {
    spend(1, statement.value->range);
    assign(*statement.target, std::move(item));
    item = {};
    if (execute(statement.clauses.front().body) == Flow::returned) return Flow::returned;
  }
  return Flow::goes_on;
}

Flow Evaluator::branch(const Statement& statement) {
  for (const Clause& clause : statement.clauses) {
    if (!clause.condition || truth_of(value_of(*clause.condition), clause.condition->range)) {
      return execute(clause.body);
    }
  }
  return Flow::goes_on;
}

Flow Evaluator::attempt(const Statement& statement) {
  // What went wrong is taken out of the `catch`, so that a handler's own failure meets an empty stack.
  std::optional<Stopped> stopped;
  try {
    if (execute(statement.clauses.front().body) == Flow::returned) return Flow::returned;
  } catch (Stopped& thrown) {
    if (!can_catch(thrown)) throw;
    stopped = std::move(thrown);
  }
  if (stopped) {
    spend(work_of_catch, stopped->failure.range);
    return handle(statement, *stopped);
  }
  return statement.has_else ? execute(statement.clauses.back().body) : Flow::goes_on;
}

bool Evaluator::can_catch(const Stopped& stopped) const {
  // Without memory what needs elements fails, and goes well with them.
  return !stopped.is_final && !(options_.device == Device::meta && wants_elements(stopped.failure));
}

Flow Evaluator::handle(const Statement& statement, Stopped& stopped) {
  const std::size_t count = statement.clauses.size() - (statement.has_else ? 1 : 0);
  for (std::size_t i = 1; i < count; ++i) {
    const Clause& clause = statement.clauses[i];
    const auto fits = [&](const std::string& type) { return is_kind_of(stopped.failure.type, type); };
    if (!clause.types.empty() && std::none_of(clause.types.begin(), clause.types.end(), fits)) continue;
    if (clause.name.empty()) return execute(clause.body);
    scope()[clause.name] = caught(stopped.failure);
    try {
      const Flow flow = execute(clause.body);
      scope().erase(clause.name);  // the name ends with the block
      return flow;
    } catch (...) {
      scope().erase(clause.name);
      throw;
    }
  }
  throw std::move(stopped);
}

Value Evaluator::caught(const Failure& failure) const {
  ExceptionValue exception{failure.type, failure.message};
  // Below PyTorch's line stands ours.
  if (failure.obstacle) exception.message = failure.message.substr(0, failure.message.find('\n'));
  if (failure.op == "assert" && failure.message == muted_assertion(failure.range)) exception.message.clear();
  return Value(Value::Variant(std::move(exception)));
}

Value Evaluator::call_defined(const FunctionTree& function, std::vector<Argument> arguments,
                              TextRange range) {
  Frame frame{function};
  guarded(range, function.name, nullptr, [&] {
    const auto fail = [&](std::string_view what, TextRange where) {
      throw NotationError{"TypeError", message(function.name, ": ", what), where};
    };
    const std::vector<std::string>& parameters = function.parameters;
    for (std::size_t i = 0; i < arguments.size(); ++i) {
      Argument& argument = arguments[i];
      if (argument.keyword.empty() && i >= parameters.size()) {
        fail(message("argument ", i + 1, " is one too many, at most ", parameters.size(), " can be given"),
             argument.range);
      }
      const std::string& name = argument.keyword.empty() ? parameters[i] : argument.keyword;
      if (std::find(parameters.begin(), parameters.end(), name) == parameters.end()) {
        fail(message("there is no argument '", name, "'"), argument.range);
      }
      require_small(argument.value, argument.range);
      if (!frame.locals.emplace(name, std::move(argument.value)).second) {
        fail(message("the argument '", name, "' is given twice"), argument.range);
      }
    }
    for (const std::string& name : parameters) {
      if (!frame.locals.contains(name)) fail(message("the argument '", name, "' is missing"), range);
    }
    if (calls_ >= max_calls) {
      throw NotationError{"RecursionError",
                          message(function.name, ": calls must not be nested deeper than ", max_calls),
                          range};
    }
  });
  arguments.clear();
  const Restored called(calls_, calls_ + 1);
  const Restored repeated(repeats_, repeats_ + 1);
  const Restored<Frame*> framed(frame_, &frame);
  const Restored<std::vector<std::map<std::string, Value>>> scoped(comprehensions_, {});
  execute(function.body);
  return std::move(frame.result);
}

void Evaluator::assign(const Node& target, Value value) {
  if (target.kind == NodeKind::name) {
    if (value.sequence() != nullptr || std::holds_alternative<std::string>(value.variant())) {
      guarded(target.range, "assignment", nullptr, [&] { require_small(value, target.range); });
      spend(work_of(value), target.range);
    }
    scope()[target.text] = std::move(value);
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

std::string Evaluator::muted_assertion(TextRange range) const {
  return message("assert: ", text_at(range), " must be true and is false");
}

void Evaluator::require_true(const Node& node) {
  const bool has_text = node.kind == NodeKind::tuple && node.children.size() == 2;
  const Node& condition = has_text ? *node.children[0] : node;
  if (truth_of(value_of(condition), condition.range)) return;
  Failure failure;
  failure.type = "AssertionError";
  failure.message = has_text ? value_of(*node.children[1]).str() : muted_assertion(condition.range);
  failure.range = condition.range;
  failure.op = "assert";
  throw Stopped{std::move(failure)};
}

}  // namespace tenstride::detail
