// SPDX-License-Identifier: Apache-2.0
#include <array>
#include <limits>
#include <numbers>

#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "expression/hints.hpp"
#include "operations/operators.hpp"

namespace tenstride::detail {
namespace {

std::optional<Value> constant(std::string_view name) {
  const auto format = [](MemoryFormat value) { return Value(Value::Variant(value)); };
  if (const std::optional<DType> dtype = parse_dtype(name)) return Value(Value::Variant(*dtype));
  if (name == "contiguous_format") return format(MemoryFormat::contiguous);
  if (name == "channels_last") return format(MemoryFormat::channels_last);
  if (name == "channels_last_3d") return format(MemoryFormat::channels_last_3d);
  if (name == "preserve_format") return format(MemoryFormat::preserve);
  if (name == "inf") return Value(Scalar(std::numeric_limits<double>::infinity()));
  if (name == "nan") return Value(Scalar(std::numeric_limits<double>::quiet_NaN()));
  if (name == "pi") return Value(Scalar(std::numbers::pi));
  return std::nullopt;
}

/// Python's own types as dtypes mean the wide ones, as PyTorch takes them.
std::optional<Value> python_type(std::string_view name) {
  if (name == "float") return Value(Value::Variant(DType::float64));
  if (name == "int") return Value(Value::Variant(DType::int64));
  if (name == "bool") return Value(Value::Variant(DType::bool_));
  if (name == "complex") return Value(Value::Variant(DType::complex128));
  return std::nullopt;
}

void append_all(std::vector<std::string>& names, const std::vector<std::string>& more) {
  names.insert(names.end(), more.begin(), more.end());
}

/// Attributes of a dtype, a device, and the calls of a Size and of storages.
std::optional<Value> small_attribute(const Value& object, std::string_view name) {
  if (const auto* dtype = std::get_if<DType>(&object.variant())) {
    if (name == "itemsize") return Value(Scalar(static_cast<Index>(item_size(*dtype))));
    if (name == "is_floating_point") return Value(Scalar(is_floating_point(*dtype)));
    if (name == "is_complex") return Value(Scalar(is_complex(*dtype)));
  }
  if (const auto* device = std::get_if<Device>(&object.variant())) {
    if (name == "type") return Value(Value::Variant(std::string(tenstride::name(device->kind()))));
    if (name == "index") return device->index() ? Value(Scalar(*device->index())) : Value();
  }
  return std::nullopt;
}

std::optional<Value> small_method(const Value& object, std::string_view name) {
  const auto number = [](Index value) { return Value(Scalar(value)); };
  if (const Value::Sequence* list = object.sequence(); list != nullptr && name == "numel") {
    if (list->kind != Value::SequenceKind::size) return std::nullopt;
    Dims sizes;
    for (const Value& item : list->items) sizes.push_back(*to_index(item));
    return number(count_elements(sizes));
  }
  const auto* elements = std::get_if<StorageElements>(&object.variant());
  const auto* bytes = std::get_if<StorageBytes>(&object.variant());
  if (elements == nullptr && bytes == nullptr) return std::nullopt;
  const Tensor& tensor = elements != nullptr ? elements->elements : bytes->bytes;
  if (name == "size" && elements != nullptr) return number(tensor.numel());
  if (name == "size" || name == "nbytes") return number(static_cast<Index>(tensor.storage().nbytes()));
  if (name == "element_size") return number(static_cast<Index>(tensor.element_size()));
  if (name == "data_ptr")
    return number(static_cast<Index>(reinterpret_cast<std::intptr_t>(tensor.data_ptr())));
  if (name == "tolist") {
    Value::Sequence list{Value::SequenceKind::list,
                         items_of(Value(Value::Variant(StorageElements{tensor})), {})};
    return Value(Value::Variant(std::move(list)));
  }
  return std::nullopt;
}

}  // namespace

const std::vector<std::string>& constant_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> all{
        "contiguous_format", "channels_last", "channels_last_3d", "preserve_format", "inf", "nan", "pi"};
    for (const DTypeFacts& facts : dtype_facts) all.emplace_back(facts.name);
    for (const char* alias :
         {"float", "double", "half", "int", "long", "short", "chalf", "cfloat", "cdouble"}) {
      all.emplace_back(alias);
    }
    return all;
  }();
  return names;
}

std::optional<std::string> Evaluator::module_of(const Node& node) const {
  if (node.kind == NodeKind::name && !is_variable(node.text)) {
    if (node.text == "torch" || node.text == "tenstride" || node.text == "einops") return "";
    return std::nullopt;
  }
  if (node.kind != NodeKind::attribute || node.text != "linalg") return std::nullopt;
  return module_of(*node.children[0]) ? std::optional<std::string>("linalg.") : std::nullopt;
}

Value Evaluator::value_of_name(const Node& node) {
  if (const auto found = variables_.find(node.text); found != variables_.end()) {
    return counted(found->second, node.range);
  }
  if (std::optional<Value> type = python_type(node.text)) return *std::move(type);
  if (std::optional<Value> value = constant(node.text)) return *std::move(value);
  return guarded(node.range, node.text, nullptr, [&]() -> Value {
    if (find_operation(node.text, Form::function) != nullptr) {
      throw NotationError{"TypeError",
                          message("'", node.text, "' is a function and must be called: ", node.text, "(…)"),
                          node.range};
    }
    if (module_of(node)) {
      throw NotationError{
          "TypeError", message("'", node.text, "' is a module; something of it must be named"), node.range};
    }
    std::vector<std::string> names;
    for (const auto& entry : variables_) names.push_back(entry.first);
    append_all(names, constant_names());
    append_all(names, operation_names(Form::function));
    throw NotationError{"NameError",
                        message("the name '", node.text, "' is not defined", hint_for_name(node.text, names)),
                        node.range};
  });
}

Value Evaluator::module_constant(const std::string& name, TextRange range) {
  if (std::optional<Value> value = constant(name)) return *std::move(value);
  if (find_operation(name, Form::function) != nullptr) {
    throw NotationError{"TypeError",
                        message("'", name, "' is a function and must be called: torch.", name, "(…)"), range};
  }
  std::vector<std::string> names = constant_names();
  append_all(names, operation_names(Form::function));
  throw NotationError{"AttributeError", message("torch has no '", name, "' here", hint_for_name(name, names)),
                      range};
}

Value Evaluator::value_of_attribute(const Node& node) {
  const TextRange name_range{node.own.end - node.text.size(), node.own.end};
  if (const std::optional<std::string> module = module_of(*node.children[0])) {
    return guarded(name_range, node.text, nullptr,
                   [&] { return module_constant(*module + node.text, name_range); });
  }
  Value object = value_of(*node.children[0]);
  if (object.tensor() != nullptr) {
    const Operation* operation = find_operation(node.text, Form::attribute);
    if (operation == nullptr) fail_unknown_method(object, node, false);
    return run_operation(*operation, node.own, std::move(object), {});
  }
  if (std::optional<Value> value = small_attribute(object, node.text)) return *std::move(value);
  fail_unknown_method(object, node, false);
}

std::vector<Argument> Evaluator::arguments_of(const Node& call) {
  std::vector<Argument> arguments;
  for (std::size_t i = 1; i < call.children.size(); ++i) {
    const Node& node = *call.children[i];
    if (node.kind != NodeKind::starred) {
      arguments.push_back({value_of(node), node.range, call.keywords[i - 1]});
      continue;
    }
    const Value list = value_of(*node.children[0]);
    for (Value& item : guarded(node.range, "*", nullptr, [&] { return items_of(list, node.range); })) {
      arguments.push_back({std::move(item), node.range, {}});
    }
  }
  return arguments;
}

Value Evaluator::value_of_call(const Node& node) {
  const Node& callee = *node.children[0];
  if (callee.kind == NodeKind::attribute) {
    const std::optional<std::string> module = module_of(*callee.children[0]);
    if (!module) return call_method(node, callee);
    const TextRange name_range{callee.own.end - callee.text.size(), callee.own.end};
    return call_function(node, *module + callee.text, name_range, node.range);
  }
  if (callee.kind == NodeKind::name && !is_variable(callee.text)) {
    if (callee.text == "print") return print(arguments_of(node));
    return call_function(node, callee.text, callee.range, node.range);
  }
  const Value value = value_of(callee);
  return guarded(callee.range, "call", nullptr, [&]() -> Value {
    throw NotationError{"TypeError", message("a ", value.type_name(), " cannot be called"), node.own};
  });
}

Value Evaluator::print(const std::vector<Argument>& arguments) {
  std::string line;
  for (const Argument& argument : arguments) {
    if (!argument.keyword.empty()) {
      guarded(argument.range, "print", nullptr, [&] {
        throw NotationError{"TypeError", message("print: there is no argument '", argument.keyword, "'"),
                            argument.range};
      });
    }
    line += (&argument == &arguments.front() ? "" : " ") + argument.value.str();
  }
  result_.output += line + '\n';
  return {};
}

Value Evaluator::call_function(const Node& node, const std::string& name, TextRange name_range,
                               TextRange range) {
  if (name == "open") return open_file(arguments_of(node), {}, range);
  if (name == "manual_seed") {
    const std::vector<Argument> arguments = arguments_of(node);
    return guarded(range, name, nullptr, [&]() -> Value {
      const std::optional<Index> seed = arguments.size() == 1 ? to_index(arguments[0].value) : std::nullopt;
      if (!seed) throw NotationError{"TypeError", "manual_seed: one int must be given", range};
      session_.generator.manual_seed(static_cast<std::uint64_t>(*seed));
      return {};
    });
  }
  const Operation* operation = find_operation(name, Form::function);
  if (operation == nullptr) fail_unknown_function(name, name_range, node.children[0]->kind);
  return run_operation(*operation, range, std::nullopt, arguments_of(node));
}

Value Evaluator::call_method(const Node& node, const Node& attribute) {
  Value object = value_of(*attribute.children[0]);
  const TextRange range{attribute.own.begin, node.own.end};
  if (object.tensor() != nullptr) {
    const Operation* operation = find_operation(attribute.text, Form::method);
    if (operation == nullptr) fail_unknown_method(object, attribute, true);
    return run_operation(*operation, range, std::move(object), arguments_of(node));
  }
  std::optional<Value> value =
      guarded(range, attribute.text, nullptr, [&] { return small_method(object, attribute.text); });
  if (!value || node.children.size() > 1) fail_unknown_method(object, attribute, true);
  return *std::move(value);
}

Value Evaluator::run_operation(const Operation& operation, TextRange range, std::optional<Value> self,
                               std::vector<Argument> arguments) {
  std::optional<Call> call;
  guarded(range, operation.name, nullptr,
          [&] { call.emplace(operation, session_, range, std::move(self), std::move(arguments)); });
  sweep();
  const Value* receiver = call->has_self() ? &call->self_value() : nullptr;
  const Layout before = receiver != nullptr ? call->self().layout() : Layout{};
  Value result = guarded(range, operation.name, receiver, [&] { return call->run(); });
  return record(operation, *call, before, std::move(result), range);
}

void Evaluator::fail_unknown_method(const Value& object, const Node& attribute, bool is_called) {
  const TextRange range{attribute.own.end - attribute.text.size(), attribute.own.end};
  const std::string& name = attribute.text;
  std::string text =
      message(object.type_name(), " has no ", is_called ? "method" : "attribute", " '", name, "'");
  if (object.tensor() != nullptr) {
    if (is_called && find_operation(name, Form::attribute) != nullptr) {
      text = message("'", name, "' is an attribute and is not called: .", name);
    } else if (!is_called && find_operation(name, Form::method) != nullptr) {
      text = message("'", name, "' is a method and must be called: .", name, "(…)");
    } else if (find_operation(name, Form::function) != nullptr) {
      text = message("'", name, "' is a function: torch.", name, "(x)");
    } else {
      std::vector<std::string> names = operation_names(is_called ? Form::method : Form::attribute);
      append_all(names, operation_names(is_called ? Form::attribute : Form::method));
      text += did_you_mean(name, names);
    }
  }
  guarded(range, name, nullptr, [&] { throw NotationError{"AttributeError", text, range}; });
  throw Failure{};  // not reached: the line above throws
}

void Evaluator::fail_unknown_function(const std::string& name, TextRange range, NodeKind callee) {
  std::string text = message("there is no function '", name, "'");
  if (find_operation(name, Form::method) != nullptr) {
    text = message("'", name, "' is a method: x.", name, "(…)");
  } else if (callee == NodeKind::attribute) {
    text += hint_for_torch(name);
  } else {
    std::vector<std::string> names = operation_names(Form::function);
    append_all(names, {"manual_seed", "open", "print"});
    text += hint_for_name(name, names);
  }
  guarded(range, name, nullptr, [&] { throw NotationError{"NameError", text, range}; });
  throw Failure{};  // not reached: the line above throws
}

}  // namespace tenstride::detail
