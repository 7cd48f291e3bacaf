// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "expression/evaluator.hpp"

/// Tensors in files: `open("x.npy")`, `open("f.h5")["a/b"]`.
namespace tenstride::detail {
namespace {

/// Whether the node may stand for a text and gives the same however often it is evaluated.
bool may_be_text(const Node& node) {
  return node.kind == NodeKind::literal || node.kind == NodeKind::name;
}

}  // namespace

std::optional<Value> Evaluator::value_of_named_tensor(const Node& node) {
  const Node& call = *node.children[0];
  if (call.kind != NodeKind::call || node.children.size() != 2 || node.has_comma) return std::nullopt;
  const Node& callee = *call.children[0];
  const bool is_open = callee.text == "open" && (callee.kind == NodeKind::attribute
                                                     ? module_of(*callee.children[0]).has_value()
                                                     : callee.kind == NodeKind::name && !is_variable("open"));
  if (!is_open || !may_be_text(*node.children[1])) return std::nullopt;
  const Value index = value_of(*node.children[1]);
  const auto* name = std::get_if<std::string>(&index.variant());
  if (name == nullptr) return std::nullopt;
  return open_file(arguments_of(call), *name, node.range);
}

Value Evaluator::open_file(const std::vector<Argument>& arguments, const std::string& name, TextRange range) {
  return guarded(range, "open", nullptr, [&] {
    const bool has_path = arguments.size() == 1 && arguments[0].keyword.empty();
    const auto* path = has_path ? std::get_if<std::string>(&arguments[0].value.variant()) : nullptr;
    if (path == nullptr) {
      throw NotationError{"TypeError", "open: one file must be given, as open(\"x.npy\")", range};
    }
    if (!options_.open_file) {
      throw NotationError{"NameError", "open: files cannot be opened here; explain, show and repl open them",
                          range};
    }
    sweep();
    const std::string address = name.empty() ? *path : *path + "::" + name;
    const bool is_forecast = session_.device == Device::meta;
    OpenedFile opened =
        options_.open_file(address, is_forecast ? FileContent::layout : FileContent::elements);
    Step step;
    step.op = "open";
    step.kind = StepKind::file;
    step.range = range;
    step.reason = std::move(opened.standing);
    Value value(std::move(opened.tensor));
    value.set_step(result_.steps.size());
    add_step(std::move(step), *value.tensor(), false);
    return value;
  });
}

}  // namespace tenstride::detail
