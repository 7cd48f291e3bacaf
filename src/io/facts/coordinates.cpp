// SPDX-License-Identifier: Apache-2.0
#include "io/facts/coordinates.hpp"

#include <algorithm>
#include <iterator>
#include <sstream>

namespace tenstride::io {

std::string group_of(const std::string& name) {
  const std::size_t slash = name.rfind('/');
  return slash == std::string::npos ? std::string() : name.substr(0, slash);
}

std::string name_in_group(const std::string& name) {
  return name.substr(name.rfind('/') + 1);
}

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

std::optional<std::size_t> find_reference(const std::vector<TensorMove>& moves, std::size_t number,
                                          const std::string& word) {
  if (word.starts_with('/')) return find_tensor(moves, {}, word.substr(1));
  return find_tensor(moves, group_of(moves[number].name), word);
}

std::vector<std::string> references_of(const ResultAttributes& attributes, const char* key) {
  if (!attributes.has(key) || !attributes.json[key].is_string()) return {};
  std::istringstream words(attributes.json[key].get<std::string>());
  return {std::istream_iterator<std::string>(words), std::istream_iterator<std::string>()};
}

bool is_coordinate(const FileInfo& source) {
  return source.layout.rank() == 1 &&
         source.axis_names == std::vector<std::string>{name_in_group(source.name)};
}

std::optional<SharedAxis> shared_axis(const std::vector<TensorMove>& moves, std::size_t number,
                                      std::size_t axis) {
  const FileInfo& source = moves[number].source;
  if (axis >= source.axis_names.size() || source.axis_names[axis].empty()) return std::nullopt;
  const std::string& name = source.axis_names[axis];
  const auto found = find_tensor(moves, group_of(moves[number].name), name);
  const bool has_coordinate = found && is_coordinate(moves[*found].source);
  return SharedAxis{has_coordinate ? group_of(moves[*found].name) : std::string(), name,
                    source.layout.shape[axis]};
}

}  // namespace tenstride::io
