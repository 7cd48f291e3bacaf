// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "expression/parse.hpp"

/// Programs one after another.
namespace tenstride {
namespace {

using detail::Statement;

/// The statements of a program that is appended to the text.
std::vector<Statement> append(std::string& text, std::string_view program) {
  std::string longer = detail::message(text, program);
  std::vector<Statement> statements = detail::parse_statements(longer, text.size());
  text = std::move(longer) + '\n';
  return statements;
}

/// Values without memory. One tensor that goes by several names stays one.
class ToMeta {
 public:
  Value operator()(const Value& value) {
    Value result = converted(value);
    if (value.step()) result.set_step(*value.step());
    return result;
  }

 private:
  Value converted(const Value& value) {
    if (const auto* tensor = std::get_if<std::shared_ptr<Tensor>>(&value.variant())) {
      std::shared_ptr<Tensor>& moved = tensors_[tensor->get()];
      if (!moved) moved = std::make_shared<Tensor>(on_meta(**tensor));
      return Value(Value::Variant(moved));
    }
    if (const Value::Sequence* sequence = value.sequence()) {
      Value::Sequence moved{sequence->kind, {}};
      for (const Value& item : sequence->items) moved.items.push_back((*this)(item));
      return Value(Value::Variant(std::move(moved)));
    }
    if (const auto* storage = std::get_if<detail::StorageElements>(&value.variant())) {
      return Value(Value::Variant(detail::StorageElements{on_meta(storage->elements)}));
    }
    if (const auto* storage = std::get_if<detail::StorageBytes>(&value.variant())) {
      return Value(Value::Variant(detail::StorageBytes{on_meta(storage->bytes)}));
    }
    return value;
  }

  Tensor on_meta(const Tensor& tensor) {
    // Tensors on one storage stay on one.
    for (const auto& [real, meta] : storages_) {
      if (real == tensor.storage()) return Tensor(meta, tensor.layout(), tensor.dtype());
    }
    storages_.emplace_back(tensor.storage(), tensor.storage().without_memory());
    return Tensor(storages_.back().second, tensor.layout(), tensor.dtype());
  }

  std::map<const Tensor*, std::shared_ptr<Tensor>> tensors_;
  std::vector<std::pair<Storage, Storage>> storages_;
};

}  // namespace

struct Interpreter::State {
  EvaluateOptions options;
  detail::EvaluatorState evaluator;
};

Interpreter::Interpreter(EvaluateOptions options) : state_(std::make_unique<State>()) {
  for (const auto& [name, tensor] : options.inputs) state_->evaluator.variables.emplace(name, tensor);
  state_->options = std::move(options);
  state_->options.links_left_out = 0;
}

Interpreter::~Interpreter() = default;
Interpreter::Interpreter(Interpreter&& other) noexcept = default;
Interpreter& Interpreter::operator=(Interpreter&& other) noexcept = default;

Evaluation Interpreter::run(std::string_view program) {
  const std::vector<Statement> statements = append(state_->evaluator.text, program);
  return detail::Evaluator(state_->evaluator, state_->options).run(statements);
}

Evaluation Interpreter::forecast(std::string_view program) const {
  detail::EvaluatorState state;
  state.text = state_->evaluator.text;
  const std::vector<Statement> statements = append(state.text, program);
  state.steps = state_->evaluator.steps;
  state.generator = state_->evaluator.generator;
  ToMeta to_meta;
  for (const auto& [name, value] : state_->evaluator.variables) state.variables.emplace(name, to_meta(value));
  EvaluateOptions options;
  options.device = Device::meta;
  options.scrambles = state_->options.scrambles;
  options.open_file = state_->options.open_file;
  return detail::Evaluator(state, options).run(statements);
}

const std::string& Interpreter::text() const noexcept {
  return state_->evaluator.text;
}

std::vector<std::string> Interpreter::names() const {
  std::vector<std::string> names;
  for (const auto& entry : state_->evaluator.variables) names.push_back(entry.first);
  return names;
}

const Value* Interpreter::find(std::string_view name) const {
  const auto found = state_->evaluator.variables.find(std::string(name));
  return found == state_->evaluator.variables.end() ? nullptr : &found->second;
}

}  // namespace tenstride
