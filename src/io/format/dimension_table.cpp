// SPDX-License-Identifier: Apache-2.0
#include "io/format/dimension_table.hpp"

#include <algorithm>

namespace tenstride::io {

void DimensionTable::add(const std::string& name, Index extent) {
  numbers_[{name, extent}] = dimensions_.size();
  dimensions_.push_back({name, extent});
}

std::size_t DimensionTable::find(const std::string& axis_name, Index extent) {
  const auto [found, is_new] = numbers_.try_emplace({axis_name, extent}, dimensions_.size());
  if (is_new) dimensions_.push_back({free_name(axis_name, extent), extent});
  return found->second;
}

std::string DimensionTable::free_name(std::string name, Index extent) {
  std::replace(name.begin(), name.end(), '/', '_');
  if (taken_.contains(name)) name += "_" + std::to_string(extent);
  while (!taken_.insert(name).second) name += "_axis";
  return name;
}

}  // namespace tenstride::io
