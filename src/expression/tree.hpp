// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <memory>
#include <string>
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
  /// For index: whether a comma stood inside, so that `x[1,]` has a tuple of one.
  bool has_comma = false;
  int depth = 1;
};

struct Statement {
  /// What is assigned to: a name, a tuple of targets, an index or an attribute; null for an expression alone.
  NodePtr target;
  NodePtr value;
  /// The operator of an augmented assignment, without the =, and where its sign stands; empty for others.
  std::string text;
  TextRange own;
};

struct ProgramTree {
  std::string text;
  std::vector<Statement> statements;
};

}  // namespace tenstride::detail
