// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/message.hpp"
#include "expression/parse.hpp"
#include "expression/parser.hpp"
#include "tenstride/pattern/pattern.hpp"

/// Statements, and Python's blocks by indentation.
namespace tenstride {
namespace detail {
namespace {

constexpr std::array<std::string_view, 8> exception_names{
    "RuntimeError", "ValueError",     "TypeError",         "IndexError",
    "NameError",    "AttributeError", "ZeroDivisionError", "AssertionError"};
constexpr std::array<std::string_view, 10> augmented_signs{
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^="};

void add_names(const Node& target, std::set<std::string, std::less<>>& names) {
  if (target.kind == NodeKind::name) names.insert(target.text);
  if (target.kind != NodeKind::tuple) return;
  for (const NodePtr& child : target.children) add_names(*child, names);
}

/// A pattern that stands alone, with the call that takes it. Whatever breaks its rules, the parser refuses.
void refuse_pattern(std::string_view text) {
  if (!is_pattern(text)) return;
  for (const PatternVerb verb : {PatternVerb::rearrange, PatternVerb::reduce, PatternVerb::repeat}) {
    try {
      static_cast<void>(Pattern(text, verb));
    } catch (const Error&) {
      continue;
    }
    const std::string_view more = verb == PatternVerb::reduce ? ", 'max'" : "";
    throw ParseError(message("expression: \"", text, "\" is a pattern and must be given to a function, e.g. ",
                             name(verb), "(x, '", text, "'", more, ")"),
                     0);
  }
}

}  // namespace

bool begins_block(std::string_view word) {
  return word == "def" || word == "for" || word == "if" || word == "try";
}

std::vector<Statement> Parser::run() {
  std::vector<Statement> statements;
  bool is_empty = true;
  for (;; is_empty = false) {
    skip_separators();
    if (peek().kind == TokenKind::end) break;
    // A text that is indented as a whole, as in an example, is read as if it were not.
    line(statements, std::max(peek().indent, 0));
  }
  if (is_empty) fail_at({0, 0}, "an expression was expected, the text is empty");
  return statements;
}

void Parser::skip_separators() {
  while (peek().kind == TokenKind::separator) ++at_;
}

void Parser::line(std::vector<Statement>& statements, int indent) {
  if (peek().kind == TokenKind::name && begins_block(peek().text)) {
    if (peek().indent < 0) fail_at(peek().range, message("'", peek().text, "' must begin a line"));
    enter();
    if (is_name("def")) {
      statements.push_back(definition(indent));
    } else if (is_name("for")) {
      statements.push_back(loop(indent));
    } else if (is_name("if")) {
      statements.push_back(branch(indent));
    } else {
      statements.push_back(attempt(indent));
    }
    leave();
    return;
  }
  simple_line(statements);
}

void Parser::simple_line(std::vector<Statement>& statements) {
  for (;;) {
    if (peek().kind == TokenKind::name && begins_block(peek().text)) {
      fail_at(peek().range, message("'", peek().text, "' must begin a line"));
    }
    simple(statements);
    if (is_sign(":")) fail_python(peek().range, "an annotation");
    if (!is_statement_end()) fail_expected("the end of the statement");
    while (!is_line_end() && is_statement_end()) ++at_;
    if (is_line_end()) return;
  }
}

void Parser::simple(std::vector<Statement>& statements) {
  if (is_name("import")) {
    import();
  } else if (is_name("from")) {
    import_from();
  } else if (is_name("pass")) {
    ++at_;
    statements.emplace_back().kind = StatementKind::nothing;
  } else if (is_name("return")) {
    statements.push_back(return_statement());
  } else if (is_name("assert")) {
    ++at_;
    Statement& statement = statements.emplace_back();
    statement.kind = StatementKind::assertion;
    statement.value = expression_list();
  } else {
    statements.push_back(assignment_or_expression());
  }
}

std::vector<Statement> Parser::block(const Token& header, int indent) {
  if (!accept(":")) {
    refuse_foreign();
    fail_expected("':'");
  }
  std::vector<Statement> statements;
  if (!is_line_end()) {
    simple_line(statements);
    return statements;
  }
  skip_separators();
  const int inner = peek().indent;
  if (inner <= indent) {
    const TextRange range = peek().kind == TokenKind::end ? header.range : peek().range;
    fail_at(range, message("an indented block was expected after '", header.text, "'"));
  }
  for (; peek().kind != TokenKind::end && peek().indent > indent; skip_separators()) {
    if (peek().indent > inner) fail_at(peek().range, "the line is indented more than its block");
    if (peek().indent < inner) {
      fail_at(peek().range, "the line is indented as no block around it");
    }
    line(statements, inner);
  }
  return statements;
}

bool Parser::accept_clause(std::string_view word, int indent) {
  std::size_t next = at_;
  while (tokens_[next].kind == TokenKind::separator) ++next;
  const Token& token = tokens_[next];
  if (token.kind != TokenKind::name || token.text != word || token.indent != indent) return false;
  at_ = next + 1;
  return true;
}

std::string Parser::new_name() {
  if (peek().kind != TokenKind::name) fail_expected("a name");
  return name()->text;
}

Statement Parser::definition(int indent) {
  const Token header = peek();
  if (locals_ != nullptr) fail_at(header.range, "a 'def' must not stand inside of a 'def'");
  ++at_;
  Statement result;
  result.kind = StatementKind::definition;
  result.function = std::make_shared<FunctionTree>();
  FunctionTree& function = *result.function;
  function.name = new_name();
  const Token opened = peek();
  if (!accept("(")) fail_expected("'('");
  while (!is_sign(")")) {
    const Token parameter = peek();
    if (is_sign("*") || is_sign("**")) fail_python(parameter.range, "a parameter that is not a name alone");
    function.parameters.push_back(new_name());
    if (!function.locals.insert(function.parameters.back()).second) {
      fail_at(parameter.range, message("the parameter '", parameter.text, "' is given twice"));
    }
    if (is_sign("=") || is_sign(":")) fail_python(peek().range, "a parameter that is not a name alone");
    if (!accept(",")) break;
  }
  close(")", opened);
  if (is_sign("-")) fail_python(peek().range, "an annotation");
  locals_ = &function.locals;
  function.body = block(header, indent);
  locals_ = nullptr;
  return result;
}

Statement Parser::loop(int indent) {
  const Token header = peek();
  ++at_;
  Statement result;
  result.kind = StatementKind::loop;
  result.target = loop_target();
  if (locals_ != nullptr) add_names(*result.target, *locals_);
  result.value = expression_list();
  result.clauses.emplace_back().body = block(header, indent);
  if (accept_clause("else", indent)) {
    fail_python(tokens_[at_ - 1].range, "'else' of a 'for'");
  }
  return result;
}

Statement Parser::branch(int indent) {
  Token header = peek();
  ++at_;
  Statement result;
  result.kind = StatementKind::branch;
  do {
    header = tokens_[at_ - 1];
    NodePtr condition = expression();
    Clause& clause = result.clauses.emplace_back();
    clause.condition = std::move(condition);
    clause.body = block(header, indent);
  } while (accept_clause("elif", indent));
  if (accept_clause("else", indent)) {
    header = tokens_[at_ - 1];
    result.clauses.emplace_back().body = block(header, indent);
  }
  return result;
}

Statement Parser::attempt(int indent) {
  const Token header = peek();
  ++at_;
  Statement result;
  result.kind = StatementKind::attempt;
  result.clauses.emplace_back().body = block(header, indent);
  while (accept_clause("except", indent)) {
    if (result.clauses.size() > 1 && result.clauses.back().types.empty()) {
      fail_at(tokens_[at_ - 1].range, "an 'except' that catches all must be the last");
    }
    result.clauses.push_back(handler(tokens_[at_ - 1], indent));
  }
  if (accept_clause("finally", indent)) {
    fail_python(tokens_[at_ - 1].range, "'finally' of Python");
  }
  if (result.clauses.size() == 1) fail_at(header.range, "a 'try' must have an 'except'");
  if (accept_clause("else", indent)) {
    const Token word = tokens_[at_ - 1];
    result.has_else = true;
    result.clauses.emplace_back().body = block(word, indent);
  }
  return result;
}

Clause Parser::handler(const Token& word, int indent) {
  const Token header = word;
  Clause result;
  const auto type = [&] {
    const bool is_known = is_name("Exception") || std::find(exception_names.begin(), exception_names.end(),
                                                            peek().text) != exception_names.end();
    if (!is_known) fail_expected("Exception, RuntimeError or another of Python's exceptions");
    result.types.push_back(peek().text);
    ++at_;
  };
  if (accept("(")) {
    do {
      type();
    } while (accept(","));
    if (!accept(")")) fail_expected("',' or ')'");
  } else if (!is_sign(":")) {
    type();
  }
  if (is_name("as") && !result.types.empty()) {
    ++at_;
    result.name = new_name();
    if (locals_ != nullptr) locals_->insert(result.name);
  }
  result.body = block(header, indent);
  return result;
}

Statement Parser::return_statement() {
  if (locals_ == nullptr) fail_at(peek().range, "a 'return' must stand inside of a 'def'");
  ++at_;
  Statement result;
  result.kind = StatementKind::returning;
  if (!is_statement_end()) result.value = expression_list();
  return result;
}

Statement Parser::assignment_or_expression() {
  Statement result;
  result.value = expression_list();
  const bool is_augmented =
      peek().kind == TokenKind::sign &&
      std::find(augmented_signs.begin(), augmented_signs.end(), peek().text) != augmented_signs.end();
  if (!is_augmented && !is_sign("=")) return result;
  require_target(*result.value);
  if (is_augmented && result.value->kind == NodeKind::tuple) {
    fail_at(result.value->range, message("'", peek().text, "' must have one target"));
  }
  result.kind = is_augmented ? StatementKind::augmented : StatementKind::assignment;
  result.text = peek().text.substr(0, peek().text.size() - 1);
  result.own = peek().range;
  ++at_;
  result.target = std::move(result.value);
  if (locals_ != nullptr) add_names(*result.target, *locals_);
  result.value = expression_list();
  if (is_sign("=")) fail_python(peek().range, "a second '=' in a statement");
  return result;
}

void Parser::import() {
  ++at_;
  if (!is_name("torch") && !is_name("tenstride") && !is_name("einops")) {
    if (peek().kind != TokenKind::name) fail_expected("torch, tenstride or einops");
    fail_python(peek().range, "a module other than torch, tenstride and einops");
  }
  ++at_;
  if (is_sign(".")) fail_python(peek().range, "a module in a module");
  if (is_name("as")) fail_python(peek().range, "another name of a module");
  if (is_sign(",")) fail_python(peek().range, "several modules in one import");
}

/// `from einops import rearrange, reduce`: all of them are there already.
void Parser::import_from() {
  import();
  if (!is_name("import")) fail_expected("import");
  do {
    ++at_;
    if (is_sign("*")) fail_python(peek().range, "'*' that imports all");
    if (peek().kind != TokenKind::name) fail_expected("a name");
    ++at_;
    if (is_name("as")) fail_python(peek().range, "another name of what is imported");
  } while (is_sign(","));
}

void Parser::require_target(const Node& node) const {
  if (node.kind == NodeKind::tuple && !node.children.empty()) {
    for (const NodePtr& child : node.children) require_target(*child);
    return;
  }
  if (node.kind == NodeKind::name || node.kind == NodeKind::index || node.kind == NodeKind::attribute) return;
  fail_at(node.range,
          "only a name, names, an attribute as in y.real, or brackets as in y[0, 0] can be assigned to");
}

std::vector<Statement> parse_statements(std::string_view text) {
  if (text.size() > max_text) {
    throw ParseError(
        message("expression: the text has ", text.size(), " bytes and must have at most ", max_text), 0);
  }
  refuse_pattern(text);
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
