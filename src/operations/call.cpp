// SPDX-License-Identifier: Apache-2.0
#include "operations/call.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "base/nearest_name.hpp"
#include "operations/operators.hpp"

namespace tenstride::detail {
namespace {

/// The parameter's name where PyTorch takes another one for it, too: NumPy's, or that of an overload.
std::string_view usual_name(std::string_view name) {
  if (name == "axis") return "dim";
  if (name == "keepdims") return "keepdim";
  if (name == "x2") return "other";
  // No word that Python's own functions could take: it comes by `**` alone.
  if (name == "from") return "from_";
  if (name == "indices" || name == "sections" || name == "tensor_indices_or_sections") {
    return "indices_or_sections";
  }
  return name;
}

/// Refuses what is no index: an int above int64 by OverflowError, the rest as `fail_type`.
[[noreturn]] void fail_index(const Call& call, std::size_t parameter, std::string_view name,
                             std::string_view wanted) {
  const Scalar* number = call.value(parameter).number();
  const bool is_too_large = number != nullptr && number->is_integer() && !to_index(call.value(parameter));
  if (!is_too_large) call.fail_type(parameter, wanted);
  throw OverflowError(message(call.operation().name, ": ", name, " ", number->to_string(),
                              " must fit a signed 64-bit integer"));
}

}  // namespace

std::optional<Index> to_index(const Value& value) {
  const Scalar* number = value.number();
  if (number != nullptr) {
    if (const auto* integer = std::get_if<std::int64_t>(&number->value())) return *integer;
    return std::nullopt;
  }
  const Tensor* tensor = value.tensor();
  if (tensor == nullptr || tensor->numel() != 1 || tensor->dim() != 0 || !is_integer(tensor->dtype())) {
    return std::nullopt;
  }
  return tensor->item<Index>();
}

std::vector<Value> to_values(std::vector<Tensor> tensors) {
  std::vector<Value> values;
  for (Tensor& tensor : tensors) values.emplace_back(std::move(tensor));
  return values;
}

Value tuple_value(std::vector<Tensor> tensors) {
  return Value(Value::Variant(Value::Sequence{Value::SequenceKind::tuple, to_values(std::move(tensors))}));
}

Operation::Operation(std::string_view schema_text, unsigned forms, OpClass kind, const Run& function,
                     OutRule rule, std::string_view description)
    : schema(parse_schema(schema_text)),
      name(schema.name),
      form(forms),
      op_class(kind),
      run(function),
      out(rule),
      text(description),
      gives_size(schema.result == "Size") {
  while (by_position < schema.parameters.size() && !schema.parameters[by_position].is_keyword_only)
    ++by_position;
  const auto needs_nothing = [&](const Direct& direct) { return schema.least(direct) == 0; };
  const auto found = std::find_if(run.directs.begin(), run.directs.end(), needs_nothing);
  if (found != run.directs.end()) plain = &*found;
  for (const Parameter& parameter : schema.parameters) plain_slots.push_back(parameter.absent);
  if (out != OutRule::none) {
    schema.parameters.push_back(
        {.name = "out", .type = "Tensor?", .otherwise = "None", .is_keyword_only = true});
  }
}

std::span<const Parameter> Operation::parameters(bool is_method) const {
  const std::span<const Parameter> all = schema.parameters;
  return is_method && out != OutRule::none ? all.first(all.size() - 1) : all;
}

Call::Call(const Operation& operation, Session& session, TextRange range, std::optional<Value> self,
           std::vector<Argument> arguments)
    : operation_(operation),
      session_(session),
      range_(range),
      self_(std::move(self)),
      is_method_(self_.has_value()),
      parameters_(operation.parameters(is_method_)) {
  if (!is_method_ && operation.schema.takes_self()) take_self(arguments);
  bind(std::move(arguments));
}

void Call::fail(std::string_view what, TextRange range) const {
  throw NotationError{"TypeError", message(operation_.name, ": ", what), range};
}

std::string Call::names() const {
  std::string text;
  for (const Parameter& parameter : parameters_) {
    if (!text.empty()) text += ", ";
    text += parameter.is_any ? "**" : parameter.name;
  }
  return text.empty() ? "none" : text;
}

void Call::take_self(std::vector<Argument>& arguments) {
  const auto is_self = [](const Argument& argument) {
    return argument.keyword.empty() || argument.keyword == "input" || argument.keyword == "self" ||
           argument.keyword == "tensor";
  };
  const auto found = std::find_if(arguments.begin(), arguments.end(), is_self);
  if (found == arguments.end()) fail("the tensor (input) is missing", range_);
  const bool may_be_number = operation_.schema.takes_number();
  if (found->value.tensor() == nullptr && !(may_be_number && found->value.number() != nullptr)) {
    fail(message("input must be a Tensor", may_be_number ? " or a number, " : ", ", found->value.type_name(),
                 " ", found->value.repr(), " is given"),
         found->range);
  }
  self_ = std::move(found->value);
  arguments.erase(found);
}

/// `permute(0, 2, 1)` for `permute((0, 2, 1))`: PyTorch allows it where nothing else can be given by
/// position.
bool Call::take_spread(std::vector<Argument>& arguments) {
  const auto is_positional = [](const Argument& argument) { return argument.keyword.empty(); };
  const auto count = std::count_if(arguments.begin(), arguments.end(), is_positional);
  if (parameters_.empty() || !parameters_[0].is_spread || count == 0) return false;
  const bool is_function = !is_method_ && self_.has_value();
  const bool is_int = arguments[0].value.number() != nullptr && to_index(arguments[0].value);
  if (count == 1 && (is_function || !is_int)) return false;
  if (is_function) {
    fail(message("in the form of a function, ", parameters_[0].name,
                 " must be one tuple: ", parameters_[0].name, "=(", arguments[0].value.repr(), ", …)"),
         arguments[1].range);
  }
  Argument all{Value(), {arguments[0].range.begin, arguments[0].range.end}, {}};
  Value::Sequence items{Value::SequenceKind::tuple, {}};
  for (Argument& argument : arguments) {
    if (!argument.keyword.empty()) continue;
    all.range.end = argument.range.end;
    items.items.push_back(std::move(argument.value));
  }
  all.value = Value(Value::Variant(std::move(items)));
  std::erase_if(arguments, is_positional);
  bound_[0] = std::move(all);
  is_spread_ = true;
  return true;
}

/// `h=2`, where any name may be given.
bool Call::take_size(const Argument& argument) {
  if (parameters_.empty() || !parameters_.back().is_any) return false;
  const std::optional<Index> size = to_index(argument.value);
  if (!size) {
    fail(message("the size of '", argument.keyword, "' must be an int, ", argument.value.type_name(), " ",
                 argument.value.repr(), " is given"),
         argument.range);
  }
  sizes_.push_back({argument.keyword, *size});
  return true;
}

void Call::bind(std::vector<Argument> arguments) {
  const auto find = [&](std::string_view name) {
    const auto named = [&](const Parameter& parameter) {
      return parameter.name == name && !parameter.is_any;
    };
    const auto found = std::find_if(parameters_.begin(), parameters_.end(), named);
    return static_cast<std::size_t>(found - parameters_.begin());
  };
  bound_.resize(parameters_.size());
  std::size_t next = take_spread(arguments) ? 1 : 0;
  for (Argument& argument : arguments) {
    std::size_t at = next;
    if (argument.keyword.empty()) {
      ++next;
      if (at >= operation_.by_position) {
        fail(message("argument ", at + 1, " is one too many, at most ", operation_.by_position,
                     " can be given by position (", names(), ")"),
             argument.range);
      }
    } else {
      at = find(argument.keyword);
      if (at == parameters_.size()) at = find(usual_name(argument.keyword));
      if (at == parameters_.size() && take_size(argument)) continue;
      if (at == parameters_.size()) {
        std::vector<std::string> known;
        for (const Parameter& parameter : parameters_) {
          known.emplace_back(parameter.is_any ? "**" : parameter.name);
        }
        const std::optional<std::string> near = nearest_name(argument.keyword, known);
        fail(message("there is no argument '", argument.keyword, "'",
                     near ? message("; did you mean '", *near, "'?") : message(", only: ", names())),
             argument.range);
      }
      if (bound_[at]) fail(message("the argument '", argument.keyword, "' is given twice"), argument.range);
    }
    bound_[at] = std::move(argument);
  }
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (!bound_[i] && !is_optional(i)) {
      fail(message("the argument '", parameters_[i].name, "' is missing"), range_);
    }
    if (has(i)) require_ours(i);
  }
}

/// What is no job of ours is refused by name.
void Call::require_ours(std::size_t parameter) const {
  const std::string_view name = parameters_[parameter].name;
  const auto refuse = [&](std::string_view what) {
    throw NotationError{"NotImplementedError", message(operation_.name, ": ", what),
                        bound_[parameter]->range};
  };
  if (name == "requires_grad" && flag(parameter, false)) {
    refuse(
        "requires_grad=True asks for autograd, which tenstride does not have; compute gradients in PyTorch "
        "and hand tensors over by from_dlpack");
  }
  if (name == "layout" && text(parameter) != "torch.strided") {
    refuse(message("layout must be torch.strided (", text(parameter),
                   "); keep indices and values as two tensors, or use PyTorch's"));
  }
}

std::size_t Call::count_given() const {
  std::size_t count = operation_.parameters(true).size();
  while (count > 0 && !has(count - 1)) --count;
  return count;
}

bool Call::has(std::size_t parameter) const {
  return bound_[parameter] && !bound_[parameter]->value.is_none();
}

const Value& Call::value(std::size_t parameter) const {
  if (!bound_[parameter]) {
    fail(message("the argument '", parameters_[parameter].name, "' is missing"), range_);
  }
  return bound_[parameter]->value;
}

void Call::fail_type(std::size_t parameter, std::string_view wanted) const {
  const Value& given = value(parameter);
  std::string shown =
      given.tensor() != nullptr ? std::string("a Tensor") : message(given.type_name(), " ", given.repr());
  if (shown.size() > 60) shown = given.type_name();
  fail(message(parameters_[parameter].name, " must be ", wanted, ", ", shown, " is given"),
       bound_[parameter]->range);
}

Index Call::index(std::size_t parameter) const {
  if (!has(parameter) && parameters_[parameter].has_number) {
    return parameters_[parameter].absent.integer;
  }
  const Value& given = value(parameter);
  if (const std::optional<Index> result = to_index(given)) return *result;
  fail_index(*this, parameter, parameters_[parameter].name, "an int");
}
Index Call::index(std::size_t parameter, Index otherwise) const {
  return has(parameter) ? index(parameter) : otherwise;
}
std::optional<Index> Call::maybe_index(std::size_t parameter) const {
  return has(parameter) ? std::optional(index(parameter)) : std::nullopt;
}

bool Call::is_index(std::size_t parameter) const {
  return has(parameter) && to_index(value(parameter)).has_value();
}
bool Call::is_tensor(std::size_t parameter) const {
  return has(parameter) && value(parameter).tensor() != nullptr;
}
bool Call::is_dtype(std::size_t parameter) const {
  return has(parameter) && std::holds_alternative<DType>(value(parameter).variant());
}

Dims Call::dims_or_index(std::size_t parameter) const {
  if (is_index(parameter)) return {index(parameter)};
  return dims(parameter);
}

Dims Call::dims(std::size_t parameter) const {
  // Sizes that may be spelled out may be one tensor of an int.
  if (parameters_[parameter].is_spread && is_tensor(parameter) && is_index(parameter)) {
    return {index(parameter)};
  }
  const Value::Sequence* sequence = value(parameter).sequence();
  if (sequence == nullptr && parameters_[parameter].is_spread) fail_type(parameter, "a tuple of ints");
  if (sequence == nullptr) fail_index(*this, parameter, parameters_[parameter].name, "a tuple of ints");
  // `view((2, 3))` and `view(*(2, 3))` are one; so is a tuple that was spread together with its brackets.
  if (sequence->items.size() == 1 && sequence->items[0].sequence() != nullptr)
    sequence = sequence->items[0].sequence();
  if (sequence->items.size() > max_rank) {
    throw RankError(message(operation_.name, ": ", parameters_[parameter].name, " has ",
                            sequence->items.size(), " entries and must have at most ", max_rank));
  }
  Dims result;
  for (const Value& item : sequence->items) {
    const std::optional<Index> entry = to_index(item);
    if (!entry) fail_type(parameter, "a tuple of ints");
    result.push_back(*entry);
  }
  return result;
}

const Tensor& Call::tensor(std::size_t parameter) const {
  const Tensor* result = value(parameter).tensor();
  if (result == nullptr) fail_type(parameter, "a Tensor");
  return *result;
}

Tensor& Call::mutable_tensor(std::size_t parameter) {
  static_cast<void>(tensor(parameter));
  return *bound_[parameter]->value.tensor();
}

std::vector<Tensor> Call::tensors(std::size_t parameter) const {
  if (is_tensor(parameter) && parameters_[parameter].is_spread) return {tensor(parameter)};
  const Value::Sequence* sequence = value(parameter).sequence();
  if (sequence == nullptr) fail_type(parameter, "a tuple of tensors");
  if (sequence->items.size() == 1 && sequence->items[0].sequence() != nullptr)
    sequence = sequence->items[0].sequence();
  std::vector<Tensor> result;
  for (const Value& item : sequence->items) {
    if (item.tensor() == nullptr) fail_type(parameter, "a tuple of tensors");
    result.push_back(*item.tensor());
  }
  return result;
}

Scalar Call::number(std::size_t parameter) const {
  if (!has(parameter) && parameters_[parameter].has_number) {
    return parameters_[parameter].absent.integer;
  }
  const Value& given = value(parameter);
  if (given.number() != nullptr) return *given.number();
  if (given.tensor() != nullptr && given.tensor()->dim() == 0) return given.tensor()->item();
  fail_type(parameter, "a number");
}

Operand Call::operand(std::size_t parameter) const {
  std::optional<Operand> result = to_operand(value(parameter));
  if (!result) fail_type(parameter, "a Tensor or a number");
  return *std::move(result);
}
Operand Call::first_operand() const {
  return has_self() ? Operand(self()) : Operand(*self_value().number());
}

double Call::real(std::size_t parameter) const {
  if (!has(parameter)) return parameters_[parameter].absent.real;
  const Scalar given = number(parameter);
  if (std::holds_alternative<std::complex<double>>(given.value())) fail_type(parameter, "a real number");
  return given.to<double>();
}

bool Call::flag(std::size_t parameter, bool otherwise) const {
  if (!has(parameter)) return otherwise;
  const Scalar* given = value(parameter).number();
  if (given == nullptr || !given->is_bool()) fail_type(parameter, "True or False");
  return given->to<bool>();
}

bool Call::flag(std::size_t parameter) const {
  return flag(parameter, parameters_[parameter].otherwise == "True");
}

std::string Call::text(std::size_t parameter) const {
  const auto* result = std::get_if<std::string>(&value(parameter).variant());
  if (result == nullptr) fail_type(parameter, "a str");
  return *result;
}

std::optional<std::string> Call::maybe_text(std::size_t parameter) const {
  return has(parameter) ? std::optional(text(parameter)) : std::nullopt;
}

std::optional<DType> Call::dtype(std::size_t parameter) const {
  if (!has(parameter) && is_optional(parameter)) return std::nullopt;
  if (!is_dtype(parameter)) fail_type(parameter, "a dtype, e.g. torch.float32");
  return std::get<DType>(value(parameter).variant());
}

MemoryFormat Call::format(std::size_t parameter) const {
  return maybe_format(parameter).value_or(parameters_[parameter].absent.format);
}
std::optional<MemoryFormat> Call::maybe_format(std::size_t parameter) const {
  if (!has(parameter)) return std::nullopt;
  const auto* format = std::get_if<MemoryFormat>(&value(parameter).variant());
  if (format == nullptr) fail_type(parameter, "a memory format, e.g. torch.channels_last");
  return *format;
}

}  // namespace tenstride::detail
