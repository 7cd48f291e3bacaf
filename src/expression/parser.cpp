// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <charconv>

#include "lexer.hpp"
#include "message.hpp"
#include "parse.hpp"

namespace tenstride {
namespace detail {
namespace {

// A text nested deeper is refused, so that walking the tree cannot run out of stack.
constexpr int max_depth = 200;

constexpr std::array<std::string_view, 24> python_only{
    "def",    "for",   "while", "if",    "else",  "elif",   "lambda",   "class",
    "return", "yield", "with",  "try",   "raise", "except", "continue", "global",
    "del",    "is",    "in",    "async", "await", "break",  "match",    "from"};

bool is_python_only(std::string_view name) {
  return std::find(python_only.begin(), python_only.end(), name) != python_only.end();
}

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokenize(text)) {}

  std::vector<Statement> run() {
    std::vector<Statement> statements;
    bool imports = false;
    for (;;) {
      while (peek().kind == TokenKind::separator) ++at_;
      if (peek().kind == TokenKind::end) break;
      imports |= is_name("import") || is_name("from");
      if (is_name("import")) {
        import();
      } else if (is_name("from")) {
        import_from();
      } else {
        statements.push_back(statement());
      }
      if (peek().kind != TokenKind::separator && peek().kind != TokenKind::end) {
        fail_expected("the end of the statement");
      }
    }
    if (statements.empty() && !imports)
      throw_parse_error(text_, {0, 0}, "an expression was expected, the text is empty");
    return statements;
  }

 private:
  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return peek().kind == TokenKind::sign && peek().text == sign;
  }
  [[nodiscard]] bool is_name(std::string_view name) const {
    return peek().kind == TokenKind::name && peek().text == name;
  }
  bool accept(std::string_view sign) {
    if (!is_sign(sign)) return false;
    ++at_;
    return true;
  }

  [[nodiscard]] std::string found() const {
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
  [[noreturn]] void fail_expected(std::string_view what) const {
    throw_parse_error(text_, peek().range, message(what, " was expected, ", found()));
  }

  NodePtr make(NodeKind kind, TextRange range, TextRange own) const {
    auto node = std::make_unique<Node>();
    node->kind = kind;
    node->range = range;
    node->own = own;
    return node;
  }
  void adopt(Node& parent, NodePtr child) const {
    if (child) parent.depth = std::max(parent.depth, child->depth + 1);
    if (parent.depth > max_depth) {
      throw_parse_error(text_, parent.own, message("the text must not be nested deeper than ", max_depth));
    }
    parent.children.push_back(std::move(child));
  }

  void import() {
    ++at_;
    if (!is_name("torch") && !is_name("tenstride") && !is_name("einops"))
      fail_expected("torch, tenstride or einops");
    ++at_;
  }

  /// `from einops import rearrange, reduce`: all of them are there already.
  void import_from() {
    import();
    if (!is_name("import")) fail_expected("import");
    do {
      ++at_;
      if (peek().kind != TokenKind::name) fail_expected("a name");
      ++at_;
    } while (is_sign(","));
  }

  Statement statement() {
    Statement result;
    if (is_name("assert")) {
      ++at_;
      result.kind = StatementKind::assertion;
      result.value = expression_list();
      return result;
    }
    result.value = expression_list();
    if (!is_sign("=")) return result;
    require_target(*result.value);
    ++at_;
    result.kind = StatementKind::assignment;
    result.target = std::move(result.value);
    result.value = expression_list();
    if (is_sign("=")) throw_parse_error(text_, peek().range, "only one '=' may stand in a statement");
    return result;
  }

  void require_target(const Node& node) const {
    if (node.kind == NodeKind::tuple) {
      for (const NodePtr& child : node.children) {
        if (child->kind != NodeKind::name) break;
        if (&child == &node.children.back()) return;
      }
    }
    if (node.kind == NodeKind::name || node.kind == NodeKind::index) return;
    throw_parse_error(text_, node.range, "only a name, names, or brackets as in y[0, 0] can be assigned to");
  }

  /// `a, b` without parentheses is a tuple.
  NodePtr expression_list() {
    NodePtr first = expression();
    if (!is_sign(",")) return first;
    NodePtr tuple = make(NodeKind::tuple, first->range, first->range);
    adopt(*tuple, std::move(first));
    while (accept(",")) {
      if (is_sign("=") || peek().kind == TokenKind::end || peek().kind == TokenKind::separator) break;
      adopt(*tuple, expression());
    }
    tuple->range.end = tuple->own.end = tokens_[at_ - 1].range.end;
    return tuple;
  }

  /// Python's levels, from the loosest to the tightest; `**` and the signs bind tighter than all of them.
  static constexpr int comparison_level = 2;
  static constexpr int sign_level = 5;
  static constexpr int no_operator = -1;

  [[nodiscard]] int operator_level() const {
    static const std::array<std::vector<std::string_view>, 5> levels{
        {{"or"}, {"and"}, {"==", "!=", "<", "<=", ">", ">="}, {"+", "-"}, {"*", "/", "//", "%"}}};
    if (peek().kind != TokenKind::sign && peek().kind != TokenKind::name) return no_operator;
    for (std::size_t level = 0; level < levels.size(); ++level) {
      const auto& signs = levels[level];
      if (std::find(signs.begin(), signs.end(), peek().text) != signs.end()) return static_cast<int>(level);
    }
    return no_operator;
  }

  /// Operators that bind at least as tightly as `level`, by precedence climbing: one call for a bracket, not
  /// one for each level (Richards, "The BCPL Cintcode and Cintpos user guide", Mexp).
  NodePtr expression(int level = 0) {
    NodePtr left = operand(level);
    bool is_compared = false;
    for (int found = operator_level(); found >= level; found = operator_level()) {
      const Token sign = peek();
      if (is_compared && found == comparison_level) {
        throw_parse_error(text_, sign.range, "comparisons cannot be chained; join them with `and`");
      }
      is_compared = found == comparison_level;
      ++at_;
      NodePtr right = expression(found + 1);
      left = binary(sign, std::move(left), std::move(right));
    }
    if (level == 0) refuse_foreign();
    return left;
  }

  /// Python's `not` binds looser than a comparison, tighter than `and`; the signs - and + bind tighter than
  /// `*`.
  NodePtr operand(int level) {
    if (level <= comparison_level && is_name("not")) return unary(comparison_level);
    return is_sign("-") || is_sign("+") ? unary(sign_level) : power();
  }

  /// Words and signs of Python that would only be met as an odd end of a statement.
  void refuse_foreign() const {
    if (peek().kind == TokenKind::name && is_python_only(peek().text)) {
      throw_parse_error(text_, peek().range,
                        message("'", peek().text, "' of Python is not part of the notation"));
    }
    for (const std::string_view sign : {"&", "|", "^", "@", "~"}) {
      if (is_sign(sign))
        throw_parse_error(text_, peek().range, message("'", sign, "' is not part of the notation"));
    }
  }

  NodePtr binary(const Token& sign, NodePtr left, NodePtr right) const {
    NodePtr node = make(NodeKind::binary, {left->range.begin, right->range.end}, sign.range);
    node->text = sign.text;
    adopt(*node, std::move(left));
    adopt(*node, std::move(right));
    return node;
  }

  NodePtr unary(int level) {
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

  NodePtr power() {
    NodePtr base = chain();
    if (!is_sign("**")) return base;
    const Token sign = peek();
    ++at_;
    enter();
    NodePtr exponent = expression(sign_level);  // right-associative, and may begin with a sign
    leave();
    return binary(sign, std::move(base), std::move(exponent));
  }

  NodePtr chain() {
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

  NodePtr attribute(NodePtr object) {
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

  void close(std::string_view sign, const Token& opened) {
    if (accept(sign)) return;
    if (peek().kind == TokenKind::end || peek().kind == TokenKind::separator) {
      throw_parse_error(text_, opened.range, message("'", opened.text, "' is never closed"));
    }
    refuse_foreign();
    fail_expected(message("',' or '", sign, "'"));
  }

  NodePtr call(NodePtr callee) {
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

  void argument(Node& call) {
    std::string keyword;
    if (peek().kind == TokenKind::name && tokens_[at_ + 1].kind == TokenKind::sign &&
        tokens_[at_ + 1].text == "=") {
      keyword = peek().text;
      if (std::find(call.keywords.begin(), call.keywords.end(), keyword) != call.keywords.end()) {
        throw_parse_error(text_, peek().range, message("the argument '", keyword, "' is given twice"));
      }
      at_ += 2;
    } else if (!call.keywords.empty() && !call.keywords.back().empty()) {
      throw_parse_error(text_, peek().range, "an argument without a name must not follow one with a name");
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

  NodePtr index(NodePtr object) {
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

  NodePtr slice() {
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

  NodePtr literal(Value value) {
    NodePtr node = make(NodeKind::literal, peek().range, peek().range);
    node->value = std::move(value);
    ++at_;
    return node;
  }

  template <typename Number>
  Number number(std::string_view what) const {
    Number value{};
    const std::string& text = peek().text;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (error != std::errc() || end != text.data() + text.size()) {
      throw_parse_error(text_, peek().range, message("the number must fit ", what));
    }
    return value;
  }

  NodePtr atom() {
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
        [[fallthrough]];
      default:
        fail_expected("a value");
    }
  }

  NodePtr name() {
    const std::string& text = peek().text;
    if (text == "True") return literal(Value(Scalar(true)));
    if (text == "False") return literal(Value(Scalar(false)));
    if (text == "None") return literal(Value());
    if (text == "Ellipsis") return literal(Value(Value::Variant(EllipsisType{})));
    refuse_foreign();
    if (text == "and" || text == "or" || text == "not" || text == "assert" || text == "import")
      fail_expected("a value");
    NodePtr node = make(NodeKind::name, peek().range, peek().range);
    node->text = text;
    ++at_;
    return node;
  }

  /// `(a)`, `()`, `(a,)`, `(a, b)` and `[a, b]`.
  NodePtr bracket() {
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
    node->range.end = node->own.end = tokens_[at_ - 1].range.end;
    if (is_list || has_comma || node->children.empty()) return node;
    NodePtr inner = std::move(node->children.front());
    inner->range = node->range;
    return inner;
  }

  void enter() {
    if (++nesting_ > max_depth) {
      throw_parse_error(text_, peek().range, message("the text must not be nested deeper than ", max_depth));
    }
  }
  void leave() { --nesting_; }

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace

std::vector<Statement> parse_statements(std::string_view text) {
  if (text.size() > max_text) {
    throw ParseError(
        message("expression: the text has ", text.size(), " bytes and must have at most ", max_text), 0);
  }
  return Parser(text).run();
}

}  // namespace detail

Program Program::parse(std::string_view text) {
  auto tree = std::make_shared<detail::ProgramTree>();
  tree->text = text;
  tree->statements = detail::parse_statements(tree->text);
  return Program(std::move(tree));
}

const std::string& Program::text() const {
  return tree_->text;
}

}  // namespace tenstride
