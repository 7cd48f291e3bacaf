// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"
#include "expression/lexer.hpp"
#include "expression/tree.hpp"

namespace tenstride::detail {

/// Whether the word begins a statement with a block: def, for, if, try.
bool begins_block(std::string_view word);

/// Recursive descent over the tokens of a text; statements in parse_statements.cpp, operators
/// and calls in parse_expressions.cpp, what stands between them in parse_values.cpp.
class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text), tokens_(tokenize(text)) {}
  std::vector<Statement> run();

 private:
  // Tokens.
  [[nodiscard]] const Token& peek() const { return tokens_[at_]; }
  [[nodiscard]] bool is_sign(std::string_view sign) const {
    return peek().kind == TokenKind::sign && peek().text == sign;
  }
  [[nodiscard]] bool is_name(std::string_view name) const {
    return peek().kind == TokenKind::name && peek().text == name;
  }
  /// Whether the parser is at the end of a line or of the text.
  [[nodiscard]] bool is_line_end() const {
    return peek().kind == TokenKind::end || (peek().kind == TokenKind::separator && peek().text != ";");
  }
  [[nodiscard]] bool is_statement_end() const {
    return peek().kind == TokenKind::end || peek().kind == TokenKind::separator;
  }
  bool accept(std::string_view sign);
  [[nodiscard]] std::string found() const;
  [[noreturn]] void fail_expected(std::string_view what) const;
  [[noreturn]] void fail_at(TextRange range, std::string_view what) const {
    throw_parse_error(text_, range, what);
  }
  [[noreturn]] void fail_python(TextRange range, std::string_view what) const {
    throw_python_error(text_, range, message(what, " is not part of the notation"));
  }
  void enter();
  void leave() { --nesting_; }

  // Nodes.
  NodePtr make(NodeKind kind, TextRange range, TextRange own) const;
  void adopt(Node& parent, NodePtr child) const;

  // Statements.
  void skip_separators();
  /// One line, or a statement with its blocks; `indent` is the line's.
  void line(std::vector<Statement>& statements, int indent);
  void simple_line(std::vector<Statement>& statements);
  void simple(std::vector<Statement>& statements);
  /// `: …` and the rest of the line, or the lines below that are indented more.
  std::vector<Statement> block(const Token& header, int indent);
  /// Whether a line of the indentation goes on with the word: `else`.
  bool accept_clause(std::string_view word, int indent);
  Statement definition(int indent);
  Statement loop(int indent);
  Statement branch(int indent);
  Statement attempt(int indent);
  Clause handler(const Token& word, int indent);
  Statement return_statement();
  Statement assignment_or_expression();
  void import();
  void import_from();
  std::string new_name();
  void require_target(const Node& node) const;
  /// The names that a `for` binds, up to `in`.
  NodePtr loop_target();

  // Expressions.
  NodePtr expression_list();
  NodePtr expression(int level = 0);
  [[nodiscard]] int operator_level() const;
  NodePtr operand(int level);
  void refuse_foreign() const;
  void refuse_word() const;
  NodePtr binary(const Token& sign, NodePtr left, NodePtr right) const;
  NodePtr unary(int level);
  NodePtr power();
  NodePtr chain();
  NodePtr attribute(NodePtr object);
  void close(std::string_view sign, const Token& opened);
  NodePtr call(NodePtr callee);
  void argument(Node& call);
  NodePtr index(NodePtr object);
  NodePtr slice();
  NodePtr literal(Value value);
  template <typename Number>
  Number number(std::string_view what) const;
  NodePtr atom();
  NodePtr name();
  NodePtr bracket();
  /// `element for names in items if condition`, up to the bracket's end; at the `for`.
  NodePtr comprehension(NodeKind kind, NodePtr element);
  NodePtr formatted();
  NodePtr formatted_value(TextRange range);

  std::string_view text_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
  int brackets_ = 0;
  int conditions_ = 0;
  /// The names that the function binds that is read; null outside of one.
  std::set<std::string, std::less<>>* locals_ = nullptr;
};

}  // namespace tenstride::detail
