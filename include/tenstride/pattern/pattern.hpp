// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <initializer_list>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/error.hpp"
#include "tenstride/layout/chain.hpp"

/// einops' notation (Rogozhnikov, "Einops: clear and reliable tensor manipulations with Einstein-like
/// notation", ICLR 2022): patterns parsed, checked, and bound to shapes. No memory behind it.
namespace tenstride {

/// The size of an axis by its name: `{"h", 8}`.
struct AxisSize {
  std::string name;
  Index size = 0;
  friend bool operator==(const AxisSize&, const AxisSize&) = default;
};

/// Sizes of axes as an argument: braces, a vector (such as `parse_shape` gives), or a span. It refers to
/// them: to keep sizes, keep a vector. Example: `rearrange(x, "b (h d) -> b h d", {{"h", 8}})`.
class AxisSizes {
 public:
  AxisSizes() = default;
  AxisSizes(std::initializer_list<AxisSize> sizes) : sizes_(sizes.begin(), sizes.size()) {}
  AxisSizes(const std::vector<AxisSize>& sizes) : sizes_(sizes) {}
  AxisSizes(std::span<const AxisSize> sizes) : sizes_(sizes) {}

  [[nodiscard]] std::size_t size() const noexcept { return sizes_.size(); }
  [[nodiscard]] auto begin() const noexcept { return sizes_.begin(); }
  [[nodiscard]] auto end() const noexcept { return sizes_.end(); }

 private:
  std::span<const AxisSize> sizes_;
};

/// A pattern that breaks the notation's rules, or does not fit a shape (einops' EinopsError). The message
/// shows the pattern with a caret under `position`.
class TENSTRIDE_API PatternError : public RuntimeError {
 public:
  PatternError(const std::string& message, std::size_t position)
      : RuntimeError(message), position_(position) {}
  /// The byte of the pattern that is at fault; its length where it is none of them.
  [[nodiscard]] std::size_t position() const noexcept { return position_; }

 private:
  std::size_t position_;
};

/// Whether a text that is a pattern or an expression of the torch notation is a pattern: it has "->" outside
/// of strings and comments, where the notation never has it. Example: "h w -> w h" is one, "rearrange(x, 'h w
/// -> w h')" is none.
TENSTRIDE_API bool is_pattern(std::string_view text) noexcept;

/// What a pattern is for. rearrange keeps every axis; reduce may drop axes, repeat may add some.
enum class PatternVerb : unsigned char { rearrange, reduce, repeat };
/// "rearrange", "reduce" or "repeat".
TENSTRIDE_API std::string_view name(PatternVerb verb);

/// A pattern with all sizes known: what is done to a tensor, in this order.
struct BoundPattern {
  /// The input's shape with each axis split into its parts; as it is where `splits` is false.
  Dims split;
  bool splits = false;
  /// How many parts the input's first axis has: for a list of tensors, which is stacked along that axis.
  std::size_t first_axis_parts = 0;
  /// The parts that stay, in the result's order, then those that are reduced.
  Dims order;
  /// Whether `order` is another one than that of `split`.
  bool permutes = false;
  /// How many of `order` stay.
  std::size_t kept = 0;
  /// The result's parts, with the new ones (at the positions `added`).
  Dims parts;
  Dims added;
  /// The result's shape: parts put together; as it is where `merges` is false.
  Dims shape;
  bool merges = false;

  /// The steps on a layout, where each is a view. Pre: nothing is reduced.
  [[nodiscard]] TENSTRIDE_API std::optional<Layout> try_view(const Layout& layout) const;
  /// The steps on a chain: split, permute, add axes, merge. Pre: nothing is reduced.
  [[nodiscard]] TENSTRIDE_API Chain apply(const Chain& chain) const;
  /// The first two steps: the kept parts in front of the reduced ones.
  [[nodiscard]] TENSTRIDE_API Chain apply_split(const Chain& chain) const;
  /// The steps as calls on a tensor `x`, in PyTorch's notation. Pre: nothing is reduced. Example:
  /// "(h a) w -> w h a" for (6,5) with a = 2 is "x.reshape((3,2,5)).permute((2,0,1))".
  [[nodiscard]] TENSTRIDE_API std::string written_out() const;
};

/// A pattern, parsed and checked once; for hot loops. Immutable, so any thread may use it.
/// Example: `const Pattern heads("b t (h d) -> b h t d"); for (…) rearrange(x, heads, {{"h", 8}});`
class TENSTRIDE_API Pattern {
 public:
  /// Throws PatternError, and ParseError where there is not one "->".
  explicit Pattern(std::string_view text, PatternVerb verb = PatternVerb::rearrange);

  [[nodiscard]] const std::string& text() const noexcept { return text_; }
  [[nodiscard]] PatternVerb verb() const noexcept { return verb_; }
  /// Works out all sizes. Throws PatternError where the shape or the sizes do not fit, or are not enough.
  [[nodiscard]] BoundPattern bind(const Dims& shape, const AxisSizes& sizes = {}) const;
  /// The layout's chain through a pattern that reduces nothing.
  [[nodiscard]] Chain apply(const Layout& layout, const AxisSizes& sizes = {}) const;

  /// The pattern from a cache that all threads share; parsed where it is not there.
  static std::shared_ptr<const Pattern> cached(std::string_view text, PatternVerb verb);

 private:
  struct Axis {
    std::string name;          ///< empty: a number
    Index size = -1;           ///< of a number
    std::size_t position = 0;  ///< where it stands first
    bool is_ellipsis = false;
  };
  struct Group {
    std::vector<std::size_t> axes;
    std::size_t position = 0;
    std::size_t length = 0;
  };
  using Side = std::vector<Group>;
  class Parser;
  class Binding;
  void check_ellipsis(const Parser& parser) const;
  void check_axes(const Parser& parser) const;
  [[noreturn]] void refuse(std::size_t position, const std::string& what) const;

  std::string text_;
  PatternVerb verb_;
  std::vector<Axis> axes_;  ///< those on the left first
  std::size_t left_axes_ = 0;
  Side left_;
  Side right_;
};

/// The sizes of a shape by the names in a pattern of one side: "_" skips an axis, "..." any number of them,
/// "1" and numbers must agree. Throws PatternError. Example: `parse_shape({2, 3, 4}, "b _ w")` is b 2, w 4.
TENSTRIDE_API std::vector<AxisSize> parse_shape(const Dims& shape, std::string_view pattern);

/// The pattern of pack and unpack: names and one `*`, which stands for any number of axes.
struct PackPattern {
  std::size_t before = 0;  ///< axes left of the `*`
  std::size_t after = 0;
};
/// Throws PatternError. Example: `parse_pack_pattern("pack", "b * c")` is {1, 1}.
TENSTRIDE_API PackPattern parse_pack_pattern(std::string_view operation, std::string_view pattern);

}  // namespace tenstride
