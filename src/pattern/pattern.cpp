// SPDX-License-Identifier: Apache-2.0
#include "tenstride/pattern/pattern.hpp"

#include <algorithm>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "base/message.hpp"
#include "pattern/parser.hpp"

/// Patterns of two sides: parsing, the rules between the sides, the cache.
namespace tenstride {

using detail::at_column;
using detail::message;
using detail::PatternToken;
using detail::PatternTokenKind;

bool is_pattern(std::string_view text) noexcept {
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '#') {
      i = std::min(text.find('\n', i), text.size());
    } else if (c == '\'' || c == '"') {
      for (++i; i < text.size() && text[i] != c; ++i) {
        if (text[i] == '\\') ++i;
      }
    } else if (text.substr(i, 2) == "->") {
      return true;
    }
  }
  return false;
}

std::string_view name(PatternVerb verb) {
  switch (verb) {
    case PatternVerb::rearrange:
      return "rearrange";
    case PatternVerb::reduce:
      return "reduce";
    case PatternVerb::repeat:
      return "repeat";
  }
  return "?";
}

/// Fills the pattern's sides, and keeps what the checks between them ask for.
class Pattern::Parser {
 public:
  /// What stands where.
  struct Use {
    std::size_t axis;
    std::size_t position;
    bool is_in_group;
  };

  explicit Parser(Pattern& pattern) : pattern_(pattern) {}

  void parse() {
    const std::string& text = pattern_.text_;
    const std::size_t arrow = text.find("->");
    const std::size_t second = arrow == std::string::npos ? arrow : text.find("->", arrow + 2);
    if (arrow == std::string::npos || second != std::string::npos) {
      const std::size_t position = std::min(second, text.size());
      const std::string what = message("must have one \"->\", between what comes in and what goes out",
                                       arrow == std::string::npos ? "; it has none" : "");
      throw ParseError(detail::pattern_message({name(pattern_.verb_), text}, position, what), position);
    }
    left = parse_side(pattern_.left_, 0, arrow);
    pattern_.left_axes_ = pattern_.axes_.size();
    right = parse_side(pattern_.right_, arrow + 2, text.size());
  }

  std::vector<Use> left;
  std::vector<Use> right;

 private:
  std::vector<Use> parse_side(Side& side, std::size_t begin, std::size_t end) {
    std::vector<Use> uses;
    bool is_in_group = false;
    for (const PatternToken& token : detail::tokens({name(pattern_.verb_), pattern_.text_}, begin, end)) {
      if (token.kind == PatternTokenKind::close) {
        is_in_group = false;
        side.back().length = token.position + 1 - side.back().position;
        continue;
      }
      if (!is_in_group) side.push_back({{}, token.position, token.text.size()});
      if (token.kind == PatternTokenKind::open) {
        is_in_group = true;
      } else if (token.kind != PatternTokenKind::number || token.number != 1) {
        const std::size_t axis = axis_of(token, uses);
        side.back().axes.push_back(axis);
        uses.push_back({axis, token.position, is_in_group});
      }
    }
    return uses;
  }

  std::size_t axis_of(const PatternToken& token, const std::vector<Use>& uses) {
    std::vector<Axis>& axes = pattern_.axes_;
    if (token.kind == PatternTokenKind::underscore) {
      pattern_.refuse(token.position, message("has \"_\"", at_column(pattern_.text_, token.position),
                                              "; only parse_shape skips axes, here each has a name"));
    }
    if (token.kind == PatternTokenKind::number) {  // every number is an axis of its own
      axes.push_back({{}, token.number, token.position, false});
      return axes.size() - 1;
    }
    const std::string word(token.text);
    std::size_t axis = 0;
    while (axis < axes.size() && axes[axis].name != word) ++axis;
    for (const Use& use : uses) {
      if (use.axis != axis) continue;
      pattern_.refuse(token.position, message("names axis \"", word, "\" twice on one side, again",
                                              at_column(pattern_.text_, token.position)));
    }
    if (axis == axes.size())
      axes.push_back({word, -1, token.position, token.kind == PatternTokenKind::ellipsis});
    return axis;
  }

  Pattern& pattern_;
};

Pattern::Pattern(std::string_view text, PatternVerb verb) : text_(text), verb_(verb) {
  Parser parser(*this);
  parser.parse();
  check_ellipsis(parser);
  check_axes(parser);
}

void Pattern::refuse(std::size_t position, const std::string& what) const {
  detail::refuse_pattern({name(verb_), text_}, position, what);
}

void Pattern::check_ellipsis(const Parser& parser) const {
  bool is_on_left = false;
  for (const Parser::Use& use : parser.left) {
    if (!axes_[use.axis].is_ellipsis) continue;
    is_on_left = true;
    if (use.is_in_group) {
      refuse(use.position, message("has \"...\" in parentheses", at_column(text_, use.position),
                                   "; on the left it stands alone"));
    }
  }
  for (const Parser::Use& use : parser.right) {
    if (!axes_[use.axis].is_ellipsis || is_on_left) continue;
    refuse(use.position,
           message("has \"...\"", at_column(text_, use.position), " on the right, and none on the left"));
  }
}

void Pattern::check_axes(const Parser& parser) const {
  const auto is_among = [](const std::vector<Parser::Use>& uses, std::size_t axis) {
    for (const Parser::Use& use : uses) {
      if (use.axis == axis) return true;
    }
    return false;
  };
  const auto check = [&](const std::vector<Parser::Use>& side, const std::vector<Parser::Use>& other,
                         std::string_view where, std::string_view rule) {
    for (const Parser::Use& use : side) {
      if (is_among(other, use.axis)) continue;
      const Axis& axis = axes_[use.axis];
      const std::string what = axis.name.empty()  ? message("the size ", axis.size)
                               : axis.is_ellipsis ? std::string("\"...\"")
                                                  : message("axis \"", axis.name, "\"");
      refuse(use.position,
             message("has ", what, at_column(text_, use.position), " on the ", where, " only; ", rule));
    }
  };
  switch (verb_) {
    case PatternVerb::rearrange:
      check(parser.left, parser.right, "left", "rearrange keeps every axis (reduce drops axes)");
      check(parser.right, parser.left, "right", "rearrange makes no axis (repeat does)");
      break;
    case PatternVerb::reduce:
      check(parser.right, parser.left, "right", "reduce makes no axis (repeat does)");
      break;
    case PatternVerb::repeat:
      check(parser.left, parser.right, "left", "repeat keeps every axis (reduce drops axes)");
      break;
  }
}

namespace {

/// Looks a std::string up by a std::string_view.
struct TextHash {
  using is_transparent = void;
  std::size_t operator()(std::string_view text) const noexcept { return std::hash<std::string_view>{}(text); }
};
using PatternMap = std::unordered_map<std::string, std::shared_ptr<const Pattern>, TextHash, std::equal_to<>>;

/// So many patterns are kept for each verb; a program that makes more of them starts over.
constexpr std::size_t max_cached = 1024;

}  // namespace

std::shared_ptr<const Pattern> Pattern::cached(std::string_view text, PatternVerb verb) {
  static std::shared_mutex guard;
  static PatternMap maps[3];
  PatternMap& map = maps[static_cast<std::size_t>(verb)];
  {
    const std::shared_lock lock(guard);
    if (const auto found = map.find(text); found != map.end()) return found->second;
  }
  auto parsed = std::make_shared<const Pattern>(text, verb);
  const std::unique_lock lock(guard);
  if (map.size() >= max_cached) map.clear();
  return map.try_emplace(std::string(text), std::move(parsed)).first->second;
}

}  // namespace tenstride
