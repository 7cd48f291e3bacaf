// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "pattern/parser.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/pattern/pattern.hpp"

/// Patterns bound to shapes: every size worked out or refused.
namespace tenstride {

using detail::at_column;
using detail::message;

/// The sizes of a pattern's axes, as far as they are known.
class Pattern::Binding {
 public:
  Binding(const Pattern& pattern, const Dims& shape)
      : pattern_(pattern), shape_(shape), sizes_(Dims::filled(pattern.axes_.size(), -1)) {
    for (std::size_t i = 0; i < sizes_.size(); ++i) sizes_[i] = pattern.axes_[i].size;
    for (std::size_t i = 0; i < pattern.left_axes_; ++i) {
      if (pattern.axes_[i].is_ellipsis) ellipsis_ = i;
    }
    count_axes();
  }

  void give(const AxisSizes& given) {
    for (const AxisSize& entry : given) {
      std::size_t axis = 0;
      while (axis < sizes_.size() && (pattern_.axes_[axis].name != entry.name || axis == ellipsis_)) ++axis;
      if (axis == sizes_.size() || entry.name.empty()) {
        pattern_.refuse(pattern_.text_.size(), message("has no axis \"", entry.name,
                                                       "\", for which the size ", entry.size, " is given"));
      }
      const std::size_t position = pattern_.axes_[axis].position;
      if (entry.size < 0 || sizes_[axis] >= 0) {
        pattern_.refuse(position, message("is given the size ", entry.size, " for axis \"", entry.name, "\"",
                                          sizes_[axis] >= 0 ? message(", and before that ", sizes_[axis])
                                                            : ", which must not be negative"));
      }
      sizes_[axis] = entry.size;
    }
  }

  /// Divides the axes of the shape among the parts on the left.
  void match() {
    std::size_t d = 0;
    for (const Group& group : pattern_.left_) {
      if (is_ellipsis(group)) {
        first_of_ellipsis_ = d;
        d += ellipsis_axes_;
      } else {
        match(group, d++);
      }
    }
  }

  [[nodiscard]] BoundPattern result() const {
    BoundPattern bound;
    Dims places = Dims::filled(sizes_.size(), -1);  // of each axis in `split`, if it is there
    std::uint64_t stays = 0;
    for (const Group& group : pattern_.left_) {
      if (group.axes.size() != 1) bound.splits = true;
      for (const std::size_t axis : group.axes) {
        places[axis] = static_cast<Index>(bound.split.size());
        append_sizes(bound.split, axis);
      }
    }
    if (!pattern_.left_.empty()) {
      const Group& group = pattern_.left_.front();
      bound.first_axis_parts = is_ellipsis(group) && ellipsis_axes_ > 0 ? 1 : group.axes.size();
    }
    for (const Group& group : pattern_.right_) {
      const std::size_t first = bound.parts.size();
      for (const std::size_t axis : group.axes) {
        if (places[axis] < 0) bound.added.push_back(static_cast<Index>(bound.parts.size()));
        const std::size_t before = bound.parts.size();
        append_sizes(bound.parts, axis);
        for (std::size_t i = 0; places[axis] >= 0 && i < bound.parts.size() - before; ++i) {
          bound.order.push_back(places[axis] + static_cast<Index>(i));
          stays |= std::uint64_t{1} << detail::at(bound.order.back());
        }
      }
      const std::span<const Index> merged = std::span<const Index>(bound.parts).subspan(first);
      if (is_ellipsis(group) && group.length == 3) {  // it stands alone: its axes stay apart
        for (const Index size : merged) bound.shape.push_back(size);
      } else {
        bound.merges = bound.merges || merged.size() != 1;
        bound.shape.push_back(count_elements(merged, name(pattern_.verb_)));
      }
    }
    bound.kept = bound.order.size();
    for (std::size_t d = 0; d < bound.split.size(); ++d) {
      if ((stays >> d & 1U) == 0) bound.order.push_back(static_cast<Index>(d));
    }
    bound.permutes = !std::is_sorted(bound.order.begin(), bound.order.end());
    count_elements(bound.shape, name(pattern_.verb_));
    return bound;
  }

 private:
  [[nodiscard]] bool is_ellipsis(const Group& group) const {
    return group.axes.size() == 1 && group.axes[0] == ellipsis_;
  }

  void count_axes() {
    const std::size_t described = pattern_.left_.size();
    const bool is_open = ellipsis_ < sizes_.size();
    if (is_open ? shape_.size() + 1 >= described : shape_.size() == described) {
      ellipsis_axes_ = is_open ? shape_.size() + 1 - described : 0;
      return;
    }
    const std::size_t wanted = is_open ? described - 1 : described;
    pattern_.refuse(0,
                    message("describes ", is_open ? "at least " : "", wanted, wanted == 1 ? " axis" : " axes",
                            ", the tensor has ", shape_.size(), " (shape ", shape_, ")"));
  }

  void match(const Group& group, std::size_t d) {
    Index known = 1;
    std::size_t unknown = sizes_.size();
    for (const std::size_t axis : group.axes) {
      if (sizes_[axis] >= 0) {
        const std::optional<Index> product = try_multiply(known, sizes_[axis]);
        if (!product) refuse_size(group, d, "more than 64 bits hold");
        known = *product;
      } else if (unknown == sizes_.size()) {
        unknown = axis;
      } else {
        pattern_.refuse(pattern_.axes_[axis].position,
                        message("leaves the sizes of \"", pattern_.axes_[unknown].name, "\" and \"",
                                pattern_.axes_[axis].name, "\" open, which share axis ", d, " of size ",
                                shape_[d], "; give one of them (shape ", shape_, ")"));
      }
    }
    if (unknown == sizes_.size()) {
      if (known != shape_[d]) refuse_size(group, d, message(known));
    } else if (known == 0 || shape_[d] % known != 0) {
      refuse_size(
          group, d,
          known == 0 ? std::string("known, not open beside a size of 0") : message("a multiple of ", known));
    } else {
      sizes_[unknown] = shape_[d] / known;
    }
  }

  [[noreturn]] void refuse_size(const Group& group, std::size_t d, const std::string& needed) const {
    std::string given;
    for (const std::size_t axis : group.axes) {
      if (sizes_[axis] < 0 || pattern_.axes_[axis].name.empty()) continue;
      given += message(given.empty() ? " with " : ", ", pattern_.axes_[axis].name, "=", sizes_[axis]);
    }
    const std::string_view words = std::string_view(pattern_.text_).substr(group.position, group.length);
    pattern_.refuse(group.position, message("has \"", words, "\"", at_column(pattern_.text_, group.position),
                                            " where axis ", d, " has size ", shape_[d], "; needed is ",
                                            needed, given, " (shape ", shape_, ")"));
  }

  void append_sizes(Dims& list, std::size_t axis) const {
    if (axis == ellipsis_) {
      for (std::size_t i = 0; i < ellipsis_axes_; ++i) list.push_back(shape_[first_of_ellipsis_ + i]);
      return;
    }
    if (sizes_[axis] < 0) {
      pattern_.refuse(
          pattern_.axes_[axis].position,
          message("makes axis \"", pattern_.axes_[axis].name, "\"",
                  at_column(pattern_.text_, pattern_.axes_[axis].position), ", whose size must be given"));
    }
    list.push_back(sizes_[axis]);
  }

  const Pattern& pattern_;
  const Dims& shape_;
  Dims sizes_;
  std::size_t ellipsis_ = max_rank + 1;
  std::size_t ellipsis_axes_ = 0;
  std::size_t first_of_ellipsis_ = 0;
};

BoundPattern Pattern::bind(const Dims& shape, const AxisSizes& sizes) const {
  Binding binding(*this, shape);
  binding.give(sizes);
  binding.match();
  return binding.result();
}

std::optional<Layout> BoundPattern::try_view(const Layout& layout) const {
  std::optional<Layout> result = splits ? tenstride::try_view(layout, split) : layout;
  if (!result) return result;
  if (permutes) result = permute(*result, order);
  for (const Index position : added) result = unsqueeze(*result, position);
  if (!added.empty()) result = expand(*result, parts);
  return merges ? tenstride::try_view(*result, shape) : result;
}

Chain BoundPattern::apply_split(const Chain& chain) const {
  const Chain result = splits ? chain.reshape(split) : chain;
  return permutes ? result.permute(order) : result;
}

std::string BoundPattern::written_out() const {
  std::string text = "x";
  if (splits) text += ".reshape(" + to_tuple(split) + ")";
  if (permutes) text += ".permute(" + to_tuple(order) + ")";
  for (const Index axis : added) text += ".unsqueeze(" + std::to_string(axis) + ")";
  if (!added.empty()) text += ".expand(" + to_tuple(parts) + ")";
  if (merges) text += ".reshape(" + to_tuple(shape) + ")";
  return text;
}

Chain BoundPattern::apply(const Chain& chain) const {
  Chain result = apply_split(chain);
  for (const Index position : added) result = result.unsqueeze(position);
  if (!added.empty()) result = result.expand(parts);
  return merges ? result.reshape(shape) : result;
}

Chain Pattern::apply(const Layout& layout, const AxisSizes& sizes) const {
  const BoundPattern bound = bind(layout.shape, sizes);
  if (bound.kept < bound.order.size()) {
    refuse(0, message("reduces axes, which no layout does (shape ", layout.shape, ")"));
  }
  return bound.apply(Chain(layout));
}

std::vector<AxisSize> parse_shape(const Dims& shape, std::string_view pattern) {
  const detail::PatternPlace place{"parse_shape", pattern};
  const std::vector<detail::PatternToken> words = detail::tokens(place, 0, pattern.size());
  std::size_t described = 0;
  bool is_open = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (words[i].kind == detail::PatternTokenKind::open) {
      if (words[i + 1].kind == detail::PatternTokenKind::close) continue;  // "()" is 1
      detail::refuse_pattern(place, words[i].position,
                             message("has a group", at_column(pattern, words[i].position),
                                     "; each axis of the shape has one name"));
    }
    if (words[i].kind == detail::PatternTokenKind::ellipsis) {
      is_open = true;
    } else {
      ++described;
    }
  }
  if (is_open ? shape.size() < described : shape.size() != described) {
    detail::refuse_pattern(
        place, 0,
        message("describes ", is_open ? "at least " : "", described, described == 1 ? " axis" : " axes",
                ", the shape has ", shape.size(), " (shape ", shape, ")"));
  }
  std::vector<AxisSize> result;
  std::size_t d = 0;
  for (const detail::PatternToken& word : words) {
    if (word.kind == detail::PatternTokenKind::ellipsis) {
      d += shape.size() - described;
      continue;
    }
    if (word.kind == detail::PatternTokenKind::open) continue;
    const Index size = shape[d++];
    if (word.kind == detail::PatternTokenKind::name) {
      for (const AxisSize& before : result) {
        if (before.name != word.text) continue;
        detail::refuse_pattern(
            place, word.position,
            message("names axis \"", word.text, "\" twice, again", at_column(pattern, word.position)));
      }
      result.push_back({std::string(word.text), size});
    } else if (word.kind != detail::PatternTokenKind::underscore) {
      const Index wanted = word.kind == detail::PatternTokenKind::number ? word.number : 1;
      if (size == wanted) continue;
      detail::refuse_pattern(place, word.position,
                             message("has ", wanted, at_column(pattern, word.position), " where axis ", d - 1,
                                     " has size ", size, " (shape ", shape, ")"));
    }
  }
  return result;
}

PackPattern parse_pack_pattern(std::string_view operation, std::string_view pattern) {
  const detail::PatternPlace place{operation, pattern};
  PackPattern result;
  std::vector<std::string_view> words;
  bool has_star = false;
  for (std::size_t i = 0; i < pattern.size();) {
    if (pattern[i] == ' ') {
      ++i;
      continue;
    }
    const std::size_t end = std::min(pattern.find(' ', i), pattern.size());
    const std::string_view word = pattern.substr(i, end - i);
    for (const std::string_view before : words) {
      if (before != word) continue;
      detail::refuse_pattern(place, i, message("has \"", word, "\" twice, again", at_column(pattern, i)));
    }
    if (word != "*" && !detail::is_axis_name(word)) {
      detail::refuse_pattern(place, i,
                             message("has \"", word, "\"", at_column(pattern, i),
                                     "; it consists of names and one \"*\", with blanks between"));
    }
    words.push_back(word);
    has_star = has_star || word == "*";
    if (word != "*") ++(has_star ? result.after : result.before);
    i = end;
  }
  if (!has_star)
    detail::refuse_pattern(place, pattern.size(), "has no \"*\", which stands for the axes to be packed");
  return result;
}

}  // namespace tenstride
