// SPDX-License-Identifier: Apache-2.0
#include "io/facts/shared_axis_names.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <tuple>

#include "base/message.hpp"
#include "io/facts/coordinates.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Which of its indices a result has.
using Indices = std::tuple<Index, Index, Index>;

class AxisNames {
 public:
  AxisNames(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results)
      : moves_(moves), results_(results) {
    for (const TensorMove& move : moves) {
      taken_.insert(move.name.substr(0, move.name.find('/')));
      taken_.insert(name_in_group(move.name));
      taken_.insert(move.source.axis_names.begin(), move.source.axis_names.end());
    }
    claim([this](std::size_t number, const SourceAxis&) { return is_coordinate(moves_[number].source); });
    claim([](std::size_t /*number*/, const SourceAxis& axis) { return axis.is_whole(); });
    claim([](std::size_t /*number*/, const SourceAxis& /*axis*/) { return true; });
  }

  [[nodiscard]] const std::string& name_in_source(std::size_t number, const SourceAxis& axis) const {
    return moves_[number].source.axis_names[axis.axis];
  }
  [[nodiscard]] const std::string& name(std::size_t number, const SourceAxis& axis) const {
    return names_.at(shared(number, axis)).at(indices(axis));
  }
  /// "the coordinate lat", or "other axes called lat".
  [[nodiscard]] std::string others_text(std::size_t number, const SourceAxis& axis) const {
    const std::string& name = name_in_source(number, axis);
    const auto found = find_tensor(moves_, group_of(moves_[number].name), name);
    const bool has_coordinate = found && *found != number && is_coordinate(moves_[*found].source);
    return (has_coordinate ? "the coordinate " : "other axes called ") + name;
  }

 private:
  [[nodiscard]] static Indices indices(const SourceAxis& axis) {
    return {axis.first, axis.step, axis.extent};
  }

  [[nodiscard]] SharedAxis shared(std::size_t number, const SourceAxis& axis) const {
    return shared_axis(moves_, number, axis.axis).value();
  }

  /// Gives names to the axes that are meant, the first of each its own.
  template <class IsMeant>
  void claim(const IsMeant& is_meant) {
    for (std::size_t number = 0; number < moves_.size(); ++number) {
      for (const std::optional<SourceAxis>& axis : results_[number].axes) {
        const std::optional<SharedAxis> key = axis ? shared_axis(moves_, number, axis->axis) : std::nullopt;
        if (!key || !is_meant(number, *axis)) continue;
        auto& names = names_[*key];
        const auto [found, is_new] = names.try_emplace(indices(*axis), key->name);
        if (!is_new) continue;
        // A coordinate has the name of its axis, and one that goes beside it has a name of its own.
        if (is_coordinate(moves_[number].source)) {
          found->second = name_in_group(moves_[number].name);
        } else if (names.size() > 1) {
          found->second = free_name(message(key->name, '_', axis->extent));
        }
      }
    }
  }

  std::string free_name(std::string name) {
    while (!taken_.insert(name).second) name += "_axis";
    return name;
  }

  const std::vector<TensorMove>& moves_;
  const std::vector<ResultOrigin>& results_;
  std::map<SharedAxis, std::map<Indices, std::string>> names_;
  std::set<std::string> taken_;
};

/// Whether each axis of a variable that is named is an axis of the result, with the same indices.
bool fits(const ResultOrigin& named, const ResultOrigin& result) {
  const std::vector<std::string>& names = named.source.axis_names;
  if (named.source.layout.rank() == 0) return true;
  if (names.empty() || result.source.axis_names.empty()) {
    return named.has_whole_axes() && result.has_whole_axes();
  }
  for (std::size_t axis = 0; axis < names.size(); ++axis) {
    const std::optional<std::size_t> place = named.place_of(axis);
    if (!place) return false;
    SourceAxis wanted = *named.axes[*place];
    // An axis of its own: that of the two bounds of each position.
    const std::vector<std::string>& others = result.source.axis_names;
    if (std::find(others.begin(), others.end(), names[axis]) == others.end()) {
      if (!wanted.is_whole()) return false;
      continue;
    }
    const auto is_found = [&](const std::optional<SourceAxis>& found) {
      if (!found || result.source.axis_names[found->axis] != names[axis]) return false;
      wanted.axis = found->axis;
      return *found == wanted;
    };
    if (std::none_of(result.axes.begin(), result.axes.end(), is_found)) return false;
  }
  return true;
}

bool holds_reference(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results,
                     std::size_t number, std::string_view key, const std::string& word) {
  const ResultOrigin& result = results[number];
  const bool is_mapping = key == "grid_mapping";
  const std::optional<std::size_t> found = find_reference(moves, number, word);
  if (!found) return is_mapping || result.has_whole_axes();
  // GDAL puts the positions of pixels beside the projection.
  const bool has_positions = moves[*found].source.attributes.find("\"GeoTransform\"") != std::string::npos;
  if (is_mapping) return !has_positions || result.has_whole_axes();
  return fits(results[*found], result);
}

}  // namespace

void separate_axis_names(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results,
                         std::vector<ResultFacts>& facts) {
  const AxisNames names(moves, results);
  for (std::size_t number = 0; number < moves.size(); ++number) {
    std::vector<std::string>& axis_names = facts[number].axis_names;
    for (std::size_t d = 0; d < axis_names.size(); ++d) {
      if (axis_names[d].empty()) continue;
      const SourceAxis& axis = *results[number].axes[d];
      const std::string& name = names.name(number, axis);
      if (name == axis_names[d]) continue;
      facts[number].dropped.push_back(
          {{},
           "axis name " + axis_names[d],
           message("the indices are not those of ", names.others_text(number, axis), "; the axis is called ",
                   name)});
      axis_names[d] = name;
    }
  }
}

void keep_true_references(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results,
                          std::size_t number, ResultAttributes& attributes) {
  for (const char* const key : keys_of_references) {
    for (const std::string& word : references_of(attributes, key)) {
      if (word.ends_with(':') || holds_reference(moves, results, number, key, word)) continue;
      const std::string change = change_of_axes(results[number]);
      attributes.drop(key, change.empty() ? word + " has other indices" : change);
      break;
    }
  }
}

}  // namespace tenstride::io
