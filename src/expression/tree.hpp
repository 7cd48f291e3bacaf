// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tenstride/expression/expression.hpp"

/// The notation, parsed. Every node knows the text it came from.
namespace tenstride::detail {

enum class NodeKind : unsigned char {
  literal,    ///< `value`
  name,       ///< `text`
  list,       ///< `children`
  tuple,      ///< `children`
  attribute,  ///< children[0] . `text`
  call,       ///< children[0] ( arguments )
  index,      ///< children[0] [ children[1..] ]
  slice,      ///< three children; an absent one is null
  unary,      ///< `text` is - + not
  binary,     ///< `text` is the operator
  starred,    ///< *children[0], in a call
  listed,     ///< [element for target in items if condition], in this order; an absent condition is null
  generator,  ///< the same in parentheses, for a call that takes all of it
  formatted,  ///< f"…": the children one after another
};

struct Node;
using NodePtr = std::unique_ptr<Node>;

struct Node {
  NodeKind kind = NodeKind::literal;
  /// The whole expression.
  TextRange range;
  /// The part that is this node's own: `.name` of an attribute, `(…)` of a call, `[…]` of an index, the sign
  /// of an operator.
  TextRange own;
  std::string text;
  Value value;
  std::vector<NodePtr> children;
  /// Names of a call's arguments, one for each of children[1..]; empty for a positional one.
  std::vector<std::string> keywords;
  /// Whether a comma stood inside an index, so that `x[1,]` has a tuple of one.
  bool has_comma = false;
  int depth = 1;
};

enum class StatementKind : unsigned char {
  expression,
  assignment,
  augmented,  ///< `text` is the operator, without the =
  assertion,
  nothing,     ///< pass
  returning,   ///< `value` is null for None
  definition,  ///< `function`
  loop,        ///< for `target` in `value`: the one clause
  branch,      ///< if, elif, else: a clause each
  attempt,     ///< try, the handlers, else: the first and the last clause, and those between; `has_else`
};

struct Clause;
struct FunctionTree;

struct Statement {
  StatementKind kind = StatementKind::expression;
  /// What is assigned to: a name, a tuple of targets, or an index expression.
  NodePtr target;
  NodePtr value;
  std::string text;
  /// The sign of an augmented assignment.
  TextRange own;
  std::vector<Clause> clauses;
  /// Whether the last clause of an attempt is its else.
  bool has_else = false;
  std::shared_ptr<FunctionTree> function;
};

/// A block, and what leads to it.
struct Clause {
  /// The condition of if and elif; null of all others.
  NodePtr condition;
  /// What a handler catches, and the name it binds; both may be empty.
  std::vector<std::string> types;
  std::string name;
  std::vector<Statement> body;
};

struct FunctionTree : FunctionValue {
  std::vector<std::string> parameters;
  /// All names that it binds, parameters too.
  std::set<std::string, std::less<>> locals;
  std::vector<Statement> body;
};

struct ProgramTree {
  std::string text;
  std::vector<Statement> statements;
};

}  // namespace tenstride::detail
