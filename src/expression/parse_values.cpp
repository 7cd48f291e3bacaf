// SPDX-License-Identifier: Apache-2.0
#include <charconv>
#include <utility>

#include "base/message.hpp"
#include "expression/parser.hpp"

/// What operators and calls stand between: names, literals, brackets, comprehensions, f-strings.
namespace tenstride::detail {
namespace {

/// Where the brace opened at `i` ends, strings and brackets in it aside, or a format begins; `end` where
/// neither does.
std::size_t end_of_braces(std::string_view text, std::size_t i, std::size_t end) {
  char quote = '\0';
  int open = 0;
  for (++i; i < end; ++i) {
    const char c = text[i];
    if (quote != '\0') {
      if (c == quote) quote = '\0';
    } else if (c == '\'' || c == '"') {
      quote = c;
    } else if (c == '{' || c == '(' || c == '[') {
      ++open;
    } else if (open == 0 && (c == '}' || c == ':' || (c == '!' && text[i + 1] != '='))) {
      return i;
    } else if (c == '}' || c == ')' || c == ']') {
      --open;
    }
  }
  return end;
}

}  // namespace

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
    case TokenKind::formatted:
      return formatted();
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
  if (text == "and" || text == "or" || text == "not" || text == "assert" || text == "import" ||
      text == "pass")
    fail_expected("a value");
  NodePtr node = make(NodeKind::name, peek().range, peek().range);
  node->text = text;
  ++at_;
  return node;
}

/// `(a)`, `()`, `(a,)`, `(a, b)`, `[a, b]` and comprehensions of both kinds.
NodePtr Parser::bracket() {
  const Token opened = peek();
  const bool is_list = opened.text == "[";
  const std::string_view closing = is_list ? "]" : ")";
  ++at_;
  enter();
  ++brackets_;
  NodePtr node = make(is_list ? NodeKind::list : NodeKind::tuple, opened.range, opened.range);
  bool has_comma = false;
  while (!is_sign(closing)) {
    NodePtr item = expression();
    if (is_name("for") && node->children.empty()) {
      node = comprehension(is_list ? NodeKind::listed : NodeKind::generator, std::move(item));
      has_comma = true;
      break;
    }
    adopt(*node, std::move(item));
    if (!accept(",")) break;
    has_comma = true;
  }
  close(closing, opened);
  --brackets_;
  leave();
  node->range = node->own = {opened.range.begin, tokens_[at_ - 1].range.end};
  if (is_list || has_comma || node->children.empty()) return node;
  NodePtr inner = std::move(node->children.front());
  inner->range = node->range;
  return inner;
}

NodePtr Parser::comprehension(NodeKind kind, NodePtr element) {
  NodePtr node = make(kind, element->range, peek().range);
  ++at_;
  NodePtr target = loop_target();
  ++conditions_;
  NodePtr items = expression();
  NodePtr condition;
  if (is_name("if")) {
    ++at_;
    condition = expression();
  }
  --conditions_;
  if (is_name("for") || is_name("if")) {
    fail_at(peek().range, "a comprehension must have one 'for' and at most one 'if'");
  }
  node->range.end = tokens_[at_ - 1].range.end;
  adopt(*node, std::move(element));
  adopt(*node, std::move(target));
  adopt(*node, std::move(items));
  adopt(*node, std::move(condition));
  return node;
}

NodePtr Parser::loop_target() {
  NodePtr target = chain();
  if (is_sign(",")) {
    NodePtr tuple = make(NodeKind::tuple, target->range, target->range);
    adopt(*tuple, std::move(target));
    while (accept(",")) {
      if (is_name("in")) break;
      adopt(*tuple, chain());
    }
    tuple->range.end = tuple->own.end = tokens_[at_ - 1].range.end;
    target = std::move(tuple);
  }
  require_target(*target);
  if (!is_name("in")) fail_expected("'in'");
  ++at_;
  return target;
}

/// f"…": its texts as literals, and what stands in braces between them.
NodePtr Parser::formatted() {
  const TextRange whole = peek().range;
  NodePtr node = make(NodeKind::formatted, whole, whole);
  ++at_;
  enter();
  std::string text;
  const auto add_text = [&] {
    if (text.empty()) return;
    NodePtr piece = make(NodeKind::literal, whole, whole);
    piece->value = Value(Value::Variant(std::exchange(text, {})));
    adopt(*node, std::move(piece));
  };
  const std::size_t end = whole.end - 1;
  for (std::size_t i = whole.begin + 2; i < end;) {
    const char c = text_[i];
    if ((c == '{' || c == '}') && i + 1 < end && text_[i + 1] == c) {
      text += c;
      i += 2;
    } else if (c == '}') {
      fail_at({i, i + 1}, "a '}' of an f-string must be written '}}'");
    } else if (c == '{') {
      add_text();
      const std::size_t closing = end_of_braces(text_, i, end);
      if (closing == end) fail_at({i, i + 1}, "'{' is never closed");
      if (text_[closing] != '}') {
        fail_python({closing, closing + 1}, "a format in an f-string's braces");
      }
      adopt(*node, formatted_value({i + 1, closing}));
      i = closing + 1;
    } else {
      i = append_character(text, text_, i);
    }
  }
  add_text();
  leave();
  return node;
}

NodePtr Parser::formatted_value(TextRange range) {
  std::vector<Token> tokens = tokenize(text_, range);
  std::swap(tokens, tokens_);
  const std::size_t at = std::exchange(at_, 0);
  const int brackets = std::exchange(brackets_, 0);
  const int conditions = std::exchange(conditions_, 0);
  NodePtr value = expression_list();
  if (peek().kind != TokenKind::end) fail_expected("'}'");
  std::swap(tokens, tokens_);
  at_ = at;
  brackets_ = brackets;
  conditions_ = conditions;
  return value;
}

}  // namespace tenstride::detail
