// SPDX-License-Identifier: Apache-2.0
// Coordinates go through what their axes go through.
#include <algorithm>
#include <cstdlib>
#include <map>

#include "base/message.hpp"
#include "io/facts/coordinates.hpp"
#include "io/facts/source_axes.hpp"
#include "io/format/result_attributes.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What of an axis a tensor that is written has.
struct AxisUse {
  enum class Kind : unsigned char { part, selected, reduced };
  Kind kind = Kind::part;
  Index first = 0;
  Index step = 1;
  Index extent = 1;
  friend auto operator<=>(const AxisUse&, const AxisUse&) = default;
};

/// The uses of one axis, in the order of the tensors.
using AxisUses = std::vector<AxisUse>;

/// A tensor that is kept and says something of the axes of others: a coordinate, or what their attributes
/// name.
struct Label {
  bool is_there = false;
  /// Whether it is about the axes of a coordinate alone, and has no use without it.
  bool is_bounds = false;
};

class Labels {
 public:
  explicit Labels(const std::vector<TensorMove>& moves) : moves_(moves), labels_(moves.size()) {
    for (const TensorMove& move : moves) origins_.push_back(origin_of_result(move.source, move.chain));
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (moves[i].kind == MoveKind::keep && is_coordinate(moves[i].source)) name(i, false);
    }
    for (std::size_t i = 0; i < moves.size(); ++i) {
      if (moves[i].kind == MoveKind::convert || labels_[i].is_there) name_referenced(i);
    }
    find_uses();
  }

  [[nodiscard]] CarriedMoves carried() {
    CarriedMoves result;
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (!labels_[i].is_there) {
        result.moves.push_back(moves_[i]);
        continue;
      }
      const std::optional<std::string> chain = chain_of(i);
      if (chain) result.moves.push_back(moves_[i]);
      if (chain) result.moves.back().chain = *chain;
      if (!chain) result.dropped.push_back({moves_[i].name, "the tensor", reason_of_loss(i)});
      if (chain && moves_[i].source.layout.rank() == 1) add_copies(i, result.moves);
    }
    return result;
  }

 private:
  void name(std::size_t number, bool is_bounds) {
    const TensorMove& move = moves_[number];
    const bool is_carried = move.chain != "x";
    if (move.kind != MoveKind::keep || is_carried || move.source.axis_names.empty()) return;
    labels_[number] = {true, is_bounds};
  }
  void name_referenced(std::size_t number) {
    const ResultAttributes attributes(moves_[number].source.attributes);
    for (const char* const key : keys_of_references) {
      const bool is_bounds = std::string_view(key) == "bounds" || std::string_view(key) == "climatology";
      for (const std::string& word : references_of(attributes, key)) {
        const std::optional<std::size_t> found = find_reference(moves_, number, word);
        if (found && !labels_[*found].is_there) name(*found, is_bounds);
      }
    }
  }

  void use_axes(std::size_t number) {
    const ResultOrigin& origin = origins_[number];
    for (std::size_t axis = 0; axis < origin.source.layout.rank(); ++axis) {
      const std::optional<SharedAxis> key = shared_axis(moves_, number, axis);
      if (!key) continue;
      std::optional<AxisUse> use;
      if (const auto place = origin.place_of(axis)) {
        const SourceAxis& found = *origin.axes[*place];
        use = {AxisUse::Kind::part, found.first, found.step, found.extent};
      } else if (origin.reduced_axis(axis) != nullptr) {
        use = {AxisUse::Kind::reduced};
      } else if (origin.first) {
        use = {AxisUse::Kind::selected, (*origin.first)[axis]};
      }
      AxisUses& uses = uses_[*key];
      if (use && std::find(uses.begin(), uses.end(), *use) == uses.end()) uses.push_back(*use);
    }
  }
  /// Labels of several axes that would have to be cut in two ways are written whole, and so use their axes.
  void find_uses() {
    for (std::size_t i = 0; i < moves_.size(); ++i) {
      if (!labels_[i].is_there) use_axes(i);
    }
    for (bool has_changed = true; has_changed;) {
      has_changed = false;
      for (std::size_t i = 0; i < moves_.size(); ++i) {
        if (!labels_[i].is_there || labels_[i].is_bounds || moves_[i].source.layout.rank() == 1) continue;
        bool can_follow = true;
        for (std::size_t axis = 0; axis < moves_[i].source.layout.rank(); ++axis) {
          const AxisUses uses = uses_of(i, axis);
          can_follow =
              can_follow && (uses.empty() || (uses.size() == 1 && uses[0].kind == AxisUse::Kind::part));
        }
        if (can_follow) continue;
        labels_[i].is_there = false;
        use_axes(i);
        has_changed = true;
      }
    }
  }

  [[nodiscard]] AxisUses uses_of(std::size_t number, std::size_t axis) const {
    const std::optional<SharedAxis> key = shared_axis(moves_, number, axis);
    const auto found = key ? uses_.find(*key) : uses_.end();
    return found == uses_.end() ? AxisUses() : found->second;
  }
  [[nodiscard]] AxisUse whole(std::size_t number, std::size_t axis) const {
    return {AxisUse::Kind::part, 0, 1, moves_[number].source.layout.shape[axis]};
  }
  /// What a label has of an axis: all of it where a tensor has, otherwise what the first one has of it.
  [[nodiscard]] AxisUse chosen(std::size_t number, std::size_t axis) const {
    const AxisUses uses = uses_of(number, axis);
    const AxisUse all = whole(number, axis);
    if (uses.empty() || std::find(uses.begin(), uses.end(), all) != uses.end()) return all;
    for (const AxisUse::Kind kind : {AxisUse::Kind::part, AxisUse::Kind::selected}) {
      for (const AxisUse& use : uses) {
        if (use.kind == kind) return use;
      }
    }
    return uses[0];
  }

  /// Nothing for a label of what is reduced.
  [[nodiscard]] std::optional<std::string> chain_of(std::size_t number) const {
    std::vector<AxisUse> uses;
    for (std::size_t axis = 0; axis < moves_[number].source.layout.rank(); ++axis) {
      uses.push_back(chosen(number, axis));
      if (uses.back().kind == AxisUse::Kind::reduced) return std::nullopt;
    }
    return chain_text(uses, moves_[number].source.layout.shape);
  }
  [[nodiscard]] std::string reason_of_loss(std::size_t number) const {
    for (std::size_t axis = 0; axis < moves_[number].source.layout.rank(); ++axis) {
      if (chosen(number, axis).kind == AxisUse::Kind::reduced)
        return axis_text(moves_[number].source, axis) + " is reduced";
    }
    return {};
  }

  /// Example: of an axis of 10 from index 8 on by steps of -3, 3 of them: "x[2:9:3].flip(0)".
  static std::string chain_text(const std::vector<AxisUse>& uses, const Dims& shape) {
    std::string index, flips;
    bool is_whole = true;
    Index place = 0;
    for (std::size_t axis = 0; axis < uses.size(); ++axis) {
      const auto& [kind, first, step, extent] = uses[axis];
      if (axis > 0) index += ", ";
      if (kind == AxisUse::Kind::selected) {
        index += std::to_string(first);
        is_whole = false;
        continue;
      }
      const Index last = first + step * std::max<Index>(extent - 1, 0);
      if (std::min(first, last) == 0 && extent == shape[axis]) {
        index += ':';
      } else {
        is_whole = false;
        index += message(std::min(first, last), ':', extent == 0 ? first : std::max(first, last) + 1);
        if (std::abs(step) > 1) index += message(':', std::abs(step));
      }
      if (step < 0 && extent > 1) flips += (flips.empty() ? "" : ", ") + std::to_string(place);
      ++place;
    }
    const std::string taken = is_whole ? "x" : "x[" + index + "]";
    return flips.empty() ? taken : taken + ".flip(" + flips + ")";
  }

  /// Other parts of the axis get coordinates of their own beside it.
  void add_copies(std::size_t number, std::vector<TensorMove>& moves) {
    const TensorMove& move = moves_[number];
    const AxisUse own = chosen(number, 0);
    for (const AxisUse& use : uses_of(number, 0)) {
      if (use == own || use.kind != AxisUse::Kind::part) continue;
      TensorMove copy = move;
      copy.chain = chain_text({use}, move.source.layout.shape);
      const auto is_same = [&](const TensorMove& other) {
        return other.source.name == copy.source.name && other.chain == copy.chain;
      };
      if (std::any_of(moves_.begin(), moves_.end(), is_same)) continue;
      copy.name += message('_', use.extent);
      const auto has_name = [&](const TensorMove& other) { return other.name == copy.name; };
      while (std::any_of(moves_.begin(), moves_.end(), has_name) ||
             std::any_of(moves.begin(), moves.end(), has_name)) {
        copy.name += "_axis";
      }
      moves.push_back(std::move(copy));
    }
  }

  const std::vector<TensorMove>& moves_;
  std::vector<Label> labels_;
  std::vector<ResultOrigin> origins_;
  std::map<SharedAxis, AxisUses> uses_;
};

}  // namespace

CarriedMoves carry_labels(const std::vector<TensorMove>& moves) {
  const bool has_labels = std::any_of(moves.begin(), moves.end(), [](const TensorMove& move) {
    return move.kind == MoveKind::keep && !move.source.axis_names.empty();
  });
  if (!has_labels) return {moves, {}};
  try {
    return Labels(moves).carried();
  } catch (const Error&) {
    return {moves, {}};  // what is wrong with a chain is told where it is planned
  }
}

}  // namespace tenstride::io
