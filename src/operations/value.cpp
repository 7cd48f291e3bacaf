// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "base/message.hpp"
#include "tenstride/operations/value.hpp"

namespace tenstride {
namespace {

template <class... Cases>
struct Overload : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overload(Cases...) -> Overload<Cases...>;

Value::Sequence sequence_of(Value::SequenceKind kind, const Dims& dims) {
  Value::Sequence result{kind, {}};
  for (const Index size : dims) result.items.emplace_back(Scalar(size));
  return result;
}

/// The text with the quotes that Python takes.
std::string quoted(const std::string& text) {
  const bool is_double = text.find('\'') != std::string::npos && text.find('"') == std::string::npos;
  const char quote = is_double ? '"' : '\'';
  std::string result(1, quote);
  for (const char c : text) {
    if (c == quote || c == '\\') result += '\\';
    if (c == '\n') {
      result += "\\n";
    } else if (c == '\t') {
      result += "\\t";
    } else {
      result += c;
    }
  }
  return result + quote;
}

std::string listed(const Value::Sequence& sequence) {
  std::string items;
  for (const Value& item : sequence.items) {
    if (!items.empty()) items += ", ";
    items += item.repr();
  }
  switch (sequence.kind) {
    case Value::SequenceKind::list:
      return '[' + items + ']';
    case Value::SequenceKind::size:
      return "torch.Size([" + items + "])";
    case Value::SequenceKind::tuple:
      break;
  }
  return '(' + items + (sequence.items.size() == 1 ? ",)" : ")");
}

std::string entry(const std::optional<Index>& value) {
  return value ? std::to_string(*value) : "None";
}

/// As PyTorch lists a typed storage: one element per line, then what it is.
std::string listed(const Tensor& elements, std::string_view kind) {
  constexpr Index most = 1000;
  std::string text;
  for (Index i = 0; elements.has_memory() && i < std::min(most, elements.numel()); ++i) {
    text += ' ' + elements[i].item().to_string() + '\n';
  }
  if (elements.numel() > most) text += " ...\n";
  return detail::message(text, "[torch.storage.", kind, "(dtype=torch.", name(elements.dtype()),
                         ", device=", name(elements.device()), ") of size ", elements.numel(), "]");
}

}  // namespace

Value Value::array_of(Tensor tensor) {
  Value result(std::move(tensor));
  result.is_array_ = true;
  return result;
}
Value Value::size_of(const Dims& dims) {
  return Value(Variant(sequence_of(SequenceKind::size, dims)));
}
Value Value::tuple_of(const Dims& dims) {
  return Value(Variant(sequence_of(SequenceKind::tuple, dims)));
}

const Tensor* Value::tensor() const noexcept {
  const auto* held = std::get_if<std::shared_ptr<Tensor>>(&value_);
  return held == nullptr ? nullptr : held->get();
}
Tensor* Value::tensor() noexcept {
  auto* held = std::get_if<std::shared_ptr<Tensor>>(&value_);
  return held == nullptr ? nullptr : held->get();
}

std::string_view Value::type_name() const {
  if (const Scalar* scalar = number()) {
    if (scalar->is_bool()) return "bool";
    if (scalar->is_complex()) return "complex";
    return scalar->is_floating_point() ? "float" : "int";
  }
  if (const Sequence* items = sequence()) {
    static constexpr std::array<std::string_view, 3> names{"list", "tuple", "torch.Size"};
    return names[static_cast<std::size_t>(items->kind)];
  }
  static constexpr std::array<std::string_view, 12> names{"NoneType",
                                                          "number",
                                                          "str",
                                                          "Tensor",
                                                          "list",
                                                          "torch.dtype",
                                                          "torch.memory_format",
                                                          "torch.device",
                                                          "slice",
                                                          "ellipsis",
                                                          "TypedStorage",
                                                          "UntypedStorage"};
  return names[value_.index()];
}

std::string Value::repr() const {
  return std::visit(
      Overload{
          [](detail::NoneType) -> std::string { return "None"; },
          [](const Scalar& number) { return number.to_string(); },
          [](const std::string& text) { return quoted(text); },
          [](const std::shared_ptr<Tensor>& tensor) { return tensor->to_string(); },
          [](const Sequence& sequence) { return listed(sequence); },
          [](DType dtype) { return detail::message("torch.", tenstride::name(dtype)); },
          [](MemoryFormat format) {
            const bool has_suffix = format == MemoryFormat::contiguous || format == MemoryFormat::preserve;
            return detail::message("torch.", tenstride::name(format), has_suffix ? "_format" : "");
          },
          [](Device device) { return to_string(device); },
          [](const Slice& slice) {
            return detail::message("slice(", entry(slice.start), ", ", entry(slice.stop), ", ", slice.step,
                                   ")");
          },
          [](detail::EllipsisType) -> std::string { return "Ellipsis"; },
          [](const detail::StorageElements& storage) { return listed(storage.elements, "TypedStorage"); },
          [](const detail::StorageBytes& storage) { return listed(storage.bytes, "UntypedStorage"); }},
      value_);
}

std::string Value::str() const {
  if (const auto* text = std::get_if<std::string>(&value_)) return *text;
  if (const auto* device = std::get_if<Device>(&value_)) return tenstride::name(*device);
  return repr();
}

std::string_view name(StepKind kind) {
  static constexpr std::array<std::string_view, 6> names{"new", "view", "self", "copy", "transfer", "file"};
  return names[static_cast<std::size_t>(kind)];
}

}  // namespace tenstride
