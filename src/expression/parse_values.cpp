// SPDX-License-Identifier: Apache-2.0
#include <charconv>

#include "base/message.hpp"
#include "expression/parser.hpp"

/// What operators and calls stand between: names, literals, brackets.
namespace tenstride::detail {
NodePtr Parser::literal(Value value) {
  NodePtr node = make(NodeKind::literal, peek().range, peek().range);
  node->value = std::move(value);
  ++at_;
  return node;
}

template <typename Number>
Number Parser::number(std::string_view what) const {
  Number value{};
  const std::string& text = peek().text;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) {
    fail_at(peek().range, message("the number must fit ", what));
  }
  return value;
}

NodePtr Parser::atom() {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::integer:
      return literal(Value(Scalar(number<std::int64_t>("a signed 64-bit integer"))));
    case TokenKind::real:
      return literal(Value(Scalar(number<double>("a double"))));
    case TokenKind::imaginary:
      return literal(Value(Scalar(std::complex<double>(0, number<double>("a double")))));
    case TokenKind::string:
      return literal(Value(Value::Variant(token.text)));
    case TokenKind::name:
      return name();
    case TokenKind::sign:
      if (token.text == "(" || token.text == "[") return bracket();
      if (token.text == "...") return literal(Value(Value::Variant(EllipsisType{})));
      refuse_foreign();
      if (token.text == "*") fail_python(token.range, "'*' that unpacks here");
      if (token.text == "{") fail_python(token.range, "a set or dict");
      [[fallthrough]];
    default:
      fail_expected("a value");
  }
}

NodePtr Parser::name() {
  const std::string& text = peek().text;
  if (text == "True") return literal(Value(Scalar(true)));
  if (text == "False") return literal(Value(Scalar(false)));
  if (text == "None") return literal(Value());
  if (text == "Ellipsis") return literal(Value(Value::Variant(EllipsisType{})));
  refuse_word();
  if (text == "and" || text == "or" || text == "not" || text == "import") fail_expected("a value");
  NodePtr node = make(NodeKind::name, peek().range, peek().range);
  node->text = text;
  ++at_;
  return node;
}

/// `(a)`, `()`, `(a,)`, `(a, b)` and `[a, b]`.
NodePtr Parser::bracket() {
  const Token opened = peek();
  const bool is_list = opened.text == "[";
  const std::string_view closing = is_list ? "]" : ")";
  ++at_;
  enter();
  NodePtr node = make(is_list ? NodeKind::list : NodeKind::tuple, opened.range, opened.range);
  bool has_comma = false;
  while (!is_sign(closing)) {
    adopt(*node, expression());
    if (!accept(",")) break;
    has_comma = true;
  }
  close(closing, opened);
  leave();
  node->range = node->own = {opened.range.begin, tokens_[at_ - 1].range.end};
  if (is_list || has_comma || node->children.empty()) return node;
  NodePtr inner = std::move(node->children.front());
  inner->range = node->range;
  return inner;
}

}  // namespace tenstride::detail
