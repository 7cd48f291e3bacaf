// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <utility>

#include "base/message.hpp"
#include "expression/parse.hpp"
#include "expression/parser.hpp"
#include "tenstride/pattern/pattern.hpp"

/// Statements.
namespace tenstride {
namespace detail {
namespace {

constexpr std::array<std::string_view, 10> augmented_signs{
    "+=", "-=", "*=", "/=", "//=", "%=", "**=", "&=", "|=", "^="};

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

std::vector<Statement> Parser::run() {
  std::vector<Statement> statements;
  bool is_empty = true;
  for (;; is_empty = false) {
    while (peek().kind == TokenKind::separator) ++at_;
    if (peek().kind == TokenKind::end) break;
    if (is_name("import")) {
      import();
    } else if (is_name("from")) {
      import_from();
    } else {
      statements.push_back(assignment_or_expression());
    }
    if (is_sign(":")) fail_python(peek().range, "an annotation");
    if (!is_statement_end()) fail_expected("the end of the statement");
  }
  if (is_empty) fail_at({begin_, begin_}, "an expression was expected, the text is empty");
  return statements;
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
  result.text = peek().text.substr(0, peek().text.size() - 1);
  result.own = peek().range;
  ++at_;
  result.target = std::move(result.value);
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

std::vector<Statement> parse_statements(std::string_view text, std::size_t begin) {
  if (text.size() > max_text) {
    throw ParseError(
        message("expression: ", begin > 0 ? "the programs of this session have " : "the text has ",
                text.size(), begin > 0 ? " bytes together" : " bytes", " and must have at most ", max_text),
        0);
  }
  refuse_pattern(text.substr(begin));
  return Parser(text, begin).run();
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
