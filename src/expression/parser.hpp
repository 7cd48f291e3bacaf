// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/message.hpp"
#include "expression/lexer.hpp"
#include "expression/tree.hpp"

namespace tenstride::detail {

/// Recursive descent over the tokens of a text; statements in parse_statements.cpp, operators
/// and calls in parse_expressions.cpp, what stands between them in parse_values.cpp.
class Parser {
 public:
  Parser(std::string_view text, std::size_t begin)
      : text_(text), begin_(begin), tokens_(tokenize(text, begin)) {}
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
  Statement assignment_or_expression();
  void import();
  void import_from();
  void require_target(const Node& node) const;

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

  std::string_view text_;
  std::size_t begin_;
  std::vector<Token> tokens_;
  std::size_t at_ = 0;
  int nesting_ = 0;
};

}  // namespace tenstride::detail
