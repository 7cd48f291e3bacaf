// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "expression/tree.hpp"
#include "memory/watch.hpp"
#include "operations/call.hpp"
#include "tenstride/ledger/ledger.hpp"

namespace tenstride::detail {

/// Ends an evaluation.
struct Stopped {
  Failure failure;
  /// No `except` catches it: a bound was reached, or a rule that is not Python's was broken.
  bool is_final = false;
};

/// How a statement ended.
enum class Flow : unsigned char { goes_on, returned };

/// A call under way of a function that the program defines.
struct Frame {
  const FunctionTree& function;
  std::map<std::string, Value> locals{};
  Value result{};
};

/// Gives a variable its old value back.
template <class T>
class Restored {
 public:
  Restored(T& variable, T value) : variable_(variable), old_(std::exchange(variable, std::move(value))) {}
  Restored(const Restored&) = delete;
  Restored& operator=(const Restored&) = delete;
  ~Restored() { variable_ = std::move(old_); }

 private:
  T& variable_;
  T old_;
};

/// What outlives a program: in an Interpreter the next one begins with it.
struct EvaluatorState {
  /// All programs so far; the ranges of steps are in it.
  std::string text;
  std::map<std::string, Value> variables;
  std::vector<Step> steps;
  /// Storages that steps made and that may be alive; those only held here are dead.
  std::vector<Storage> storages;
  Generator generator{0};
};

/// Walks a program's tree: values in, values out, a step for each tensor made.
class Evaluator {
 public:
  /// Takes the state, and gives it back when it ends.
  Evaluator(EvaluatorState& state, const EvaluateOptions& options);
  ~Evaluator();
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  /// The statements of the state's text, or of its last part.
  Evaluation run(const std::vector<Statement>& statements);

 private:
  // Statements.
  Flow execute(const Statement& statement);
  Flow execute(const std::vector<Statement>& statements);
  Flow loop(const Statement& statement);
  Flow branch(const Statement& statement);
  Flow attempt(const Statement& statement);
  Flow handle(const Statement& statement, Stopped& stopped);
  [[nodiscard]] bool can_catch(const Stopped& stopped) const;
  [[nodiscard]] Value caught(const Failure& failure) const;
  void execute_last(const Statement& statement, std::size_t links_left_out);
  const Node& without_link(const Node& node) const;
  void assign(const Node& target, Value value);
  void assign_augmented(const Statement& statement);
  void require_true(const Node& node);
  [[nodiscard]] std::string muted_assertion(TextRange range) const;

  // Names, and the bounds of what a program may take.
  /// The names among which a name is bound anew.
  std::map<std::string, Value>& scope();
  [[nodiscard]] const Value* find_name(const std::string& name) const;
  /// Whether the name means a variable here, even one that has no value yet.
  [[nodiscard]] bool is_variable(const std::string& name) const;
  /// "torch", "torch.linalg" and the like for a name that stands for a module; nothing for a value.
  [[nodiscard]] std::optional<std::string> module_of(const Node& node) const;
  void spend(std::size_t work, TextRange range);
  /// What an operation on the tensor costs, in loops.
  void spend_on(const Tensor& tensor, TextRange range);
  /// Counts an expression or a block for as long as what comes back lives.
  Restored<std::size_t> one_deeper(TextRange range);
  /// Throws for a value too large or too deep to be kept by a name.
  void require_small(const Value& value, TextRange range) const;
  /// The items that `for` and comprehensions run through; of a tensor a step each.
  std::vector<Value> items_to_run(const Node& node);

  // Expressions.
  Value value_of(const Node& node);
  Value value_of_comprehension(const Node& node);
  Value value_of_formatted(const Node& node);
  Value value_of_name(const Node& node);
  Value value_of_list(const Node& node);
  Value value_of_unary(const Node& node);
  Value value_of_binary(const Node& node);
  bool truth_of(const Value& value, TextRange range);

  // Attributes and calls.
  Value value_of_attribute(const Node& node);
  Value value_of_call(const Node& node);
  Value call_function(const Node& node, const std::string& name, TextRange name_range, TextRange range);
  Value call_method(const Node& node, const Node& attribute);
  Value module_constant(const std::string& name, TextRange range);
  std::vector<Argument> arguments_of(const Node& call);
  /// Python's own function, with generator expressions where it takes all items.
  Value call_python(const Node& node, const std::string& name);
  Value call_defined(const FunctionTree& function, std::vector<Argument> arguments, TextRange range);
  Value binary(const Node& node, std::string_view sign, const Value& left, const Value& right, TextRange own);
  Value run_operation(const Operation& operation, TextRange range, std::optional<Value> self,
                      std::vector<Argument> arguments);
  [[noreturn]] void fail_unknown_method(const Value& object, const Node& attribute, bool is_called);
  [[noreturn]] void fail_unknown_function(const std::string& name, TextRange range, NodeKind callee);

  // Files.
  /// `open("f.h5")["a/b"]`; nothing for any other index.
  std::optional<Value> value_of_named_tensor(const Node& node);
  /// The tensor of that name, or the only one where the name is empty.
  Value open_file(const std::vector<Argument>& arguments, const std::string& name, TextRange range);

  // Indexing.
  Value value_of_index(const Node& node);
  std::vector<TensorIndex> indices_of(const Node& node);
  void add_index(std::vector<TensorIndex>& indices, const Value& value, TextRange range);
  Value index_sequence(const Node& node, const Value& object);
  Value index_storage(const Node& node, const Tensor& elements);
  Slice slice_of(const Node& node);
  void assign_index(const Node& node, const Value& value);
  void assign_attribute(const Node& node, const Value& value);

  // Steps.
  Value record(const Operation& operation, const Call& call, const Layout& before, Value result,
               TextRange range);
  Value record_elementwise(std::string_view op, std::optional<std::size_t> source, Tensor result,
                           TextRange range);
  /// The chain that made the tensor of a step; one that begins with it where something else made it.
  [[nodiscard]] Chain chain_before(std::optional<std::size_t> step, const Layout& layout) const;
  /// Where the elements of a tensor came from that the step made, or that was bound where there is none.
  [[nodiscard]] std::optional<Chain> origin_before(std::optional<std::size_t> step,
                                                   const Layout& layout) const;
  void note_origin(Step& step, const Call& call, const Layout& before, const Dims& shape) const;
  /// Adds the chain of a step; without eager steps the step itself is the one.
  void add_chain(Step& step, std::optional<Chain> chain, std::vector<EagerStep> eager,
                 const Layout& layout) const;
  void add_step(Step step, const Tensor& result, bool is_fresh_storage);
  void sweep();

  /// Runs `work`; an Error of the library becomes a Failure at the range.
  template <class Work>
  auto guarded(TextRange range, std::string_view op, const Value* self, Work&& work) -> decltype(work());
  /// Fills in the hint; a scramble that is to be refused ends the evaluation.
  /// Makes the step a transfer where its operation sent elements of `source` (null: of a list) to another
  /// device.
  void note_transfer(Step& step, const Tensor* source);
  void note_scramble(Step& step, const Tensor& self, const Layout& before, const Dims& sizes);
  [[noreturn]] void stop(const Error& error, TextRange range, std::string_view op, const Value* self);
  /// The line of the text, for the ledgers around.
  [[nodiscard]] ScriptPlace place_of(TextRange range) const;
  [[nodiscard]] std::string_view text_at(TextRange range) const {
    return std::string_view(text_).substr(range.begin, range.end - range.begin);
  }

  EvaluatorState& state_;
  const EvaluateOptions& options_;
  std::string text_;
  Session session_;
  std::map<std::string, Value> variables_;
  /// The frame of the innermost call, and null outside of calls.
  Frame* frame_ = nullptr;
  /// The names of the comprehensions around, those of the innermost last; a call begins with none.
  std::vector<std::map<std::string, Value>> comprehensions_;
  std::size_t calls_ = 0;
  std::size_t depth_ = 0;
  /// Loops and calls around.
  std::size_t repeats_ = 0;
  std::size_t work_ = 0;
  Evaluation result_;
  /// Whether somebody's ledger is open who has no place of his own for what is run. Before `ledger_`.
  const bool is_watched_ = watch != nullptr && watch->script == nullptr;
  /// What the operation copies that runs.
  CopyLedger ledger_{256};
  /// Storages that steps made and that may be alive; those only held here are dead.
  std::vector<Storage> storages_;
};

/// Why the operation copied, in one clause.
std::string copy_reason(const Call& call, const Layout& before, const Tensor& result);

/// Whether the rest of the line behind a call is a comment that says "as meant".
bool is_as_meant(std::string_view text, TextRange call);

template <class Work>
auto Evaluator::guarded(TextRange range, std::string_view op, const Value* self, Work&& work)
    -> decltype(work()) {
  try {
    const ScriptPlace place = is_watched_ ? place_of(range) : ScriptPlace{};
    std::optional<ScriptScope> scope;
    if (is_watched_) scope.emplace(place);
    return work();
  } catch (const Error& error) {
    stop(error, range, op, self);
  } catch (NotationError& error) {
    Failure failure;
    failure.cause = Failure::Cause::notation;
    failure.type = std::move(error.type);
    failure.message = std::move(error.message);
    failure.range = error.range;
    failure.op = op;
    throw Stopped{std::move(failure)};
  }
}

}  // namespace tenstride::detail
