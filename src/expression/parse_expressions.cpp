// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "expression/parser.hpp"

namespace tenstride::detail {
namespace {

// A text nested deeper is refused, so that walking the tree cannot run out of stack.
constexpr int max_text_depth = 200;

constexpr std::array<std::string_view, 27> python_words{
    "def",   "for",   "while", "if",    "else",   "elif",     "lambda",  "class",  "return",
    "yield", "with",  "try",   "raise", "except", "continue", "global",  "del",    "is",
    "in",    "async", "await", "break", "match",  "from",     "finally", "assert", "pass"};

/// Python's functions, where no `torch.` stands in front: its sum, min and max are others than PyTorch's.
constexpr std::array<std::string_view, 20> python_functions{
    "len",  "range", "zip", "enumerate", "reversed", "sorted", "map",  "list", "tuple", "set",
    "dict", "sum",   "min", "max",       "int",      "float",  "bool", "str",  "repr",  "isinstance"};

/// Python's levels, from the loosest to the tightest; `**` and the signs bind tighter than all of them.
constexpr int comparison_level = 2;
constexpr int sign_level = 8;
constexpr int no_operator = -1;

}  // namespace

bool Parser::accept(std::string_view sign) {
  if (!is_sign(sign)) return false;
  ++at_;
  return true;
}

std::string Parser::found() const {
  const Token& token = peek();
  switch (token.kind) {
    case TokenKind::end:
      return "the text ends";
    case TokenKind::separator:
      return token.text == ";" ? "';' stands here" : "the line ends";
    case TokenKind::string:
      return "a string stands here";
    default:
      return message("'", text_.substr(token.range.begin, token.range.end - token.range.begin),
                     "' stands here");
  }
}

void Parser::fail_expected(std::string_view what) const {
  fail_at(peek().range, message(what, " was expected, ", found()));
}

void Parser::enter() {
  if (++nesting_ > max_text_depth) {
    fail_at(peek().range, message("the text must not be nested deeper than ", max_text_depth));
  }
}

NodePtr Parser::make(NodeKind kind, TextRange range, TextRange own) const {
  auto node = std::make_unique<Node>();
  node->kind = kind;
  node->range = range;
  node->own = own;
  return node;
}

void Parser::adopt(Node& parent, NodePtr child) const {
  if (child) parent.depth = std::max(parent.depth, child->depth + 1);
  if (parent.depth > max_text_depth) {
    fail_at(parent.own, message("the text must not be nested deeper than ", max_text_depth));
  }
  parent.children.push_back(std::move(child));
}

/// `a, b` without parentheses is a tuple.
NodePtr Parser::expression_list() {
  NodePtr first = expression();
  if (!is_sign(",")) return first;
  NodePtr tuple = make(NodeKind::tuple, first->range, first->range);
  adopt(*tuple, std::move(first));
  while (accept(",")) {
    if (is_sign("=") || is_statement_end()) break;
    adopt(*tuple, expression());
  }
  tuple->range.end = tuple->own.end = tokens_[at_ - 1].range.end;
  return tuple;
}

int Parser::operator_level() const {
  static const std::array<std::vector<std::string_view>, 8> levels{{{"or"},
                                                                    {"and"},
                                                                    {"==", "!=", "<", "<=", ">", ">="},
                                                                    {"|"},
                                                                    {"^"},
                                                                    {"&"},
                                                                    {"+", "-"},
                                                                    {"*", "/", "//", "%"}}};
  if (peek().kind != TokenKind::sign && peek().kind != TokenKind::name) return no_operator;
  for (std::size_t level = 0; level < levels.size(); ++level) {
    const auto& signs = levels[level];
    if (std::find(signs.begin(), signs.end(), peek().text) != signs.end()) return static_cast<int>(level);
  }
  return no_operator;
}

/// Operators that bind at least as tightly as `level`, by precedence climbing: one call for a bracket, not
/// one for each level (Richards, "The BCPL Cintcode and Cintpos user guide", Mexp).
NodePtr Parser::expression(int level) {
  NodePtr left = operand(level);
  bool is_compared = false;
  for (int found = operator_level(); found >= level; found = operator_level()) {
    const Token sign = peek();
    if (is_compared && found == comparison_level) {
      fail_at(sign.range, "comparisons cannot be chained; join them with `and`");
    }
    is_compared = found == comparison_level;
    ++at_;
    NodePtr right = expression(found + 1);
    left = binary(sign, std::move(left), std::move(right));
  }
  if (level == 0) refuse_foreign();
  return left;
}

/// Python's `not` binds looser than a comparison, tighter than `and`; the signs -, + and ~ bind tighter than
/// `*`.
NodePtr Parser::operand(int level) {
  if (level <= comparison_level && is_name("not")) return unary(comparison_level);
  return is_sign("-") || is_sign("+") || is_sign("~") ? unary(sign_level) : power();
}

/// Words and signs of Python that would only be met as an odd end of an expression.
void Parser::refuse_foreign() const {
  refuse_word();
  if (is_sign("@")) fail_python(peek().range, "'@'");
}

void Parser::refuse_word() const {
  if (peek().kind != TokenKind::name) return;
  const auto has = [&](const auto& words) {
    return std::find(words.begin(), words.end(), peek().text) != words.end();
  };
  const Token& next = tokens_[at_ + 1];
  const bool is_called = next.kind == TokenKind::sign && next.text == "(";
  if (has(python_words) || (is_called && has(python_functions))) {
    fail_python(peek().range, message("'", peek().text, "' of Python"));
  }
}

NodePtr Parser::binary(const Token& sign, NodePtr left, NodePtr right) const {
  NodePtr node = make(NodeKind::binary, {left->range.begin, right->range.end}, sign.range);
  node->text = sign.text;
  adopt(*node, std::move(left));
  adopt(*node, std::move(right));
  return node;
}

NodePtr Parser::unary(int level) {
  const Token sign = peek();
  ++at_;
  enter();
  NodePtr operand = expression(level);
  leave();
  NodePtr node = make(NodeKind::unary, {sign.range.begin, operand->range.end}, sign.range);
  node->text = sign.text;
  adopt(*node, std::move(operand));
  return node;
}

NodePtr Parser::power() {
  NodePtr base = chain();
  if (!is_sign("**")) return base;
  const Token sign = peek();
  ++at_;
  enter();
  NodePtr exponent = expression(sign_level);  // right-associative, and may begin with a sign
  leave();
  return binary(sign, std::move(base), std::move(exponent));
}

NodePtr Parser::chain() {
  NodePtr node = atom();
  for (;;) {
    if (is_sign(".")) {
      node = attribute(std::move(node));
    } else if (is_sign("(")) {
      node = call(std::move(node));
    } else if (is_sign("[")) {
      node = index(std::move(node));
    } else {
      return node;
    }
  }
}

NodePtr Parser::attribute(NodePtr object) {
  const TextRange dot = peek().range;
  ++at_;
  if (peek().kind != TokenKind::name) fail_expected("a name after '.'");
  NodePtr node =
      make(NodeKind::attribute, {object->range.begin, peek().range.end}, {dot.begin, peek().range.end});
  node->text = peek().text;
  ++at_;
  adopt(*node, std::move(object));
  return node;
}

void Parser::close(std::string_view sign, const Token& opened) {
  if (accept(sign)) return;
  if (peek().kind == TokenKind::end || peek().kind == TokenKind::separator) {
    fail_at(opened.range, message("'", opened.text, "' is never closed"));
  }
  refuse_foreign();
  fail_expected(message("',' or '", sign, "'"));
}

NodePtr Parser::call(NodePtr callee) {
  const Token opened = peek();
  ++at_;
  enter();
  NodePtr node = make(NodeKind::call, callee->range, opened.range);
  adopt(*node, std::move(callee));
  while (!is_sign(")")) {
    argument(*node);
    if (!accept(",")) break;
  }
  close(")", opened);
  leave();
  node->range.end = node->own.end = tokens_[at_ - 1].range.end;
  return node;
}

void Parser::argument(Node& call) {
  std::string keyword;
  if (peek().kind == TokenKind::name && tokens_[at_ + 1].kind == TokenKind::sign &&
      tokens_[at_ + 1].text == "=") {
    keyword = peek().text;
    if (std::find(call.keywords.begin(), call.keywords.end(), keyword) != call.keywords.end()) {
      fail_at(peek().range, message("the argument '", keyword, "' is given twice"));
    }
    at_ += 2;
  } else if (!call.keywords.empty() && !call.keywords.back().empty()) {
    fail_at(peek().range, "an argument without a name must not follow one with a name");
  }
  if (is_sign("*")) {
    const Token star = peek();
    ++at_;
    NodePtr inner = expression();
    NodePtr node = make(NodeKind::starred, {star.range.begin, inner->range.end}, star.range);
    adopt(*node, std::move(inner));
    adopt(call, std::move(node));
  } else {
    adopt(call, expression());
  }
  call.keywords.push_back(std::move(keyword));
}

NodePtr Parser::index(NodePtr object) {
  const Token opened = peek();
  ++at_;
  enter();
  NodePtr node = make(NodeKind::index, object->range, opened.range);
  adopt(*node, std::move(object));
  if (is_sign("]")) fail_expected("an index");
  while (!is_sign("]")) {
    adopt(*node, slice());
    if (!accept(",")) break;
    node->has_comma = true;
  }
  close("]", opened);
  leave();
  node->range.end = node->own.end = tokens_[at_ - 1].range.end;
  return node;
}

NodePtr Parser::slice() {
  const std::size_t begin = peek().range.begin;
  NodePtr start = is_sign(":") ? nullptr : expression();
  if (!is_sign(":")) return start;
  NodePtr node = make(NodeKind::slice, {begin, begin}, peek().range);
  ++at_;
  adopt(*node, std::move(start));
  const auto is_part = [&] { return !is_sign(":") && !is_sign(",") && !is_sign("]"); };
  adopt(*node, is_part() ? expression() : nullptr);
  adopt(*node, accept(":") && is_part() ? expression() : nullptr);
  node->range.end = tokens_[at_ - 1].range.end;
  node->own = node->range;
  return node;
}

}  // namespace tenstride::detail
