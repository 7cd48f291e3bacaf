// SPDX-License-Identifier: Apache-2.0
#include "io/large/shared_axis_names.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <sstream>
#include <string_view>
#include <tuple>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// "surface" of "surface/t2m".
std::string group_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

/// The tensor that a tensor of `group` means by a name: in its group, or in the nearest one around it.
std::optional<std::size_t> find_tensor(const std::vector<TensorMove>& moves, std::string group,
                                       const std::string& name) {
  while (true) {
    const std::string full = group.empty() ? name : group + '/' + name;
    const auto found =
        std::find_if(moves.begin(), moves.end(), [&](const TensorMove& move) { return move.name == full; });
    if (found != moves.end()) return static_cast<std::size_t>(found - moves.begin());
    if (group.empty()) return std::nullopt;
    group = group_of(group);
  }
}

/// Whether the tensor has the positions along the axis that is called as it is.
bool is_coordinate_of(const TensorMove& move, const std::string& axis_name) {
  const FileInfo& source = move.source;
  return source.layout.rank() == 1 && source.axis_names == std::vector<std::string>{axis_name} &&
         move.name.substr(move.name.rfind('/') + 1) == axis_name;
}

/// An axis of the source that several tensors have.
struct SharedAxis {
  std::string group;
  std::string name;
  Index size = 0;
  friend auto operator<=>(const SharedAxis&, const SharedAxis&) = default;
};

/// Which of its indices a result has.
using Indices = std::tuple<Index, Index, Index>;

class AxisNames {
 public:
  AxisNames(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results)
      : moves_(moves), results_(results) {
    for (const TensorMove& move : moves) {
      taken_.insert(move.name.substr(0, move.name.find('/')));
      taken_.insert(move.name.substr(move.name.rfind('/') + 1));
      taken_.insert(move.source.axis_names.begin(), move.source.axis_names.end());
    }
    const auto is_coordinate = [this](std::size_t number, const SourceAxis& axis) {
      return is_coordinate_of(moves_[number], name_in_source(number, axis));
    };
    claim([&](std::size_t number, const SourceAxis& axis) { return is_coordinate(number, axis); });
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
    const bool has_coordinate = found && *found != number && is_coordinate_of(moves_[*found], name);
    return (has_coordinate ? "the coordinate " : "other axes called ") + name;
  }

 private:
  [[nodiscard]] static Indices indices(const SourceAxis& axis) {
    return {axis.first, axis.step, axis.extent};
  }

  [[nodiscard]] SharedAxis shared(std::size_t number, const SourceAxis& axis) const {
    const std::string& name = name_in_source(number, axis);
    const auto found = find_tensor(moves_, group_of(moves_[number].name), name);
    const bool has_coordinate = found && is_coordinate_of(moves_[*found], name);
    return {has_coordinate ? group_of(moves_[*found].name) : std::string(), name, axis.size};
  }

  /// Gives names to the axes that are meant, the first of each its own.
  template <class IsMeant>
  void claim(const IsMeant& is_meant) {
    for (std::size_t number = 0; number < moves_.size(); ++number) {
      for (const std::optional<SourceAxis>& axis : results_[number].axes) {
        const bool has_name = axis && axis->axis < moves_[number].source.axis_names.size() &&
                              !name_in_source(number, *axis).empty();
        if (!has_name || !is_meant(number, *axis)) continue;
        const SharedAxis key = shared(number, *axis);
        auto& names = names_[key];
        const auto [found, is_new] = names.try_emplace(indices(*axis), key.name);
        if (is_new && names.size() > 1) found->second = free_name(message(key.name, '_', axis->extent));
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
    const auto is_found = [&](const std::optional<SourceAxis>& found) {
      if (!found || result.source.axis_names[found->axis] != names[axis]) return false;
      wanted.axis = found->axis;
      return *found == wanted;
    };
    if (std::none_of(result.axes.begin(), result.axes.end(), is_found)) return false;
  }
  return true;
}

/// The attributes by which CF names other variables.
constexpr std::array<const char*, 7> keys_of_references{
    "coordinates",         "bounds",      "climatology", "cell_measures", "formula_terms",
    "ancillary_variables", "grid_mapping"};

bool holds_reference(const std::vector<TensorMove>& moves, const std::vector<ResultOrigin>& results,
                     std::size_t number, std::string_view key, std::string word) {
  const ResultOrigin& result = results[number];
  const bool is_mapping = key == "grid_mapping";
  const bool is_of_root = word.starts_with('/');
  if (is_of_root) word.erase(0, 1);
  const auto found = find_tensor(moves, is_of_root ? std::string() : group_of(moves[number].name), word);
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
    if (!attributes.has(key) || !attributes.json[key].is_string()) continue;
    std::istringstream words(attributes.json[key].get<std::string>());
    for (std::string word; words >> word;) {
      if (word.ends_with(':') || holds_reference(moves, results, number, key, word)) continue;
      const std::string change = change_of_axes(results[number]);
      attributes.drop(key, change.empty() ? word + " has other indices" : change);
      break;
    }
  }
}

}  // namespace tenstride::io
