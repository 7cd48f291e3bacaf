// SPDX-License-Identifier: Apache-2.0
#include "base/message.hpp"
#include "expression/evaluator.hpp"
#include "tenstride/layout/text.hpp"

/// Why a copy was made, and whether a scramble is meant.
namespace tenstride::detail {
namespace {

std::string reshape_reason(const Layout& before, const Dims& shape) {
  const std::optional<ViewObstacle> obstacle = why_not_view(before, shape);
  if (!obstacle) return "not contiguous";
  return message("no view: axes ", obstacle->left_axis, " and ", obstacle->right_axis, " would merge, axis ",
                 obstacle->left_axis, " has stride ", obstacle->stride_found, " and must have ",
                 obstacle->stride_needed);
}

std::string format_reason(const Layout& before, MemoryFormat format) {
  if (format == MemoryFormat::contiguous) {
    return message("strides ", before.strides, " are not the row-major ", row_major_strides(before.shape));
  }
  return message("strides ", before.strides, " are not the ", name(format), " ",
                 format_strides(before.shape, format));
}

std::string to_reason(const Tensor& before, const Tensor& result) {
  if (before.device() != result.device()) return message("to the device ", name(result.device()));
  if (before.dtype() != result.dtype()) return message(name(before.dtype()), " to ", name(result.dtype()));
  if (before.strides() != result.strides()) return message("to the strides ", result.strides());
  return "a copy was asked for";
}

}  // namespace

std::string copy_reason(const Call& call, const Layout& before, const Tensor& result) {
  const std::string_view op = call.operation().name;
  if (op == "index") return "an index with a list, tensor or bool always copies";
  if (op == "reshape" && call.has(1)) return "copy=True was asked for";
  const bool is_verb = op == "rearrange" || op == "repeat";
  if (is_verb && call.operation().op_class == OpClass::view_or_copy)
    return "the pattern puts together axes that are apart in memory";
  if (call.operation().op_class == OpClass::view_or_copy) {
    return call.self().is_conj() && try_view(before, result.shape()) ? "the conjugation is carried out"
                                                                     : reshape_reason(before, result.shape());
  }
  if (op == "contiguous") return format_reason(before, call.format(0));
  if (op == "pin_memory") return "into page-locked memory";
  if (op == "resolve_conj") return "the conjugation is carried out";
  if (op == "resolve_neg") return "the negation is carried out";
  if (call.operation().op_class == OpClass::self_or_copy) return to_reason(call.self(), result);
  return message(op, " always copies");
}

bool is_as_meant(std::string_view text, TextRange call) {
  const std::string_view line = text.substr(call.end, text.find('\n', call.end) - call.end);
  char quote = '\0';
  std::size_t at = 0;
  for (; at < line.size() && (line[at] != '#' || quote != '\0'); ++at) {
    if (line[at] == quote) {
      quote = '\0';
    } else if (quote == '\0' && (line[at] == '\'' || line[at] == '"')) {
      quote = line[at];
    }
  }
  return line.substr(at).find("as meant") != std::string_view::npos;
}

}  // namespace tenstride::detail
