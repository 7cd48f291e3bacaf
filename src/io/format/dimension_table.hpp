// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tenstride/base/index.hpp"

namespace tenstride::io {

struct NamedDimension {
  std::string name;
  Index extent = 0;
};

/// The dimensions of a new file, by their numbers. Axes of one name have one dimension where they are of one
/// extent; of several extents the later ones get names of their own. Example: lat of 3, then lat of 5, are
/// the dimensions "lat" and "lat_5".
class DimensionTable {
 public:
  /// A name that no dimension gets.
  void reserve(const std::string& name) { taken_.insert(name); }
  /// Adds a dimension that has its name whatever is reserved.
  void add(const std::string& name, Index extent);
  /// The number of the dimension of an axis, which is added where there is none.
  std::size_t find(const std::string& axis_name, Index extent);
  [[nodiscard]] const std::vector<NamedDimension>& all() const { return dimensions_; }

 private:
  std::string free_name(std::string name, Index extent);

  std::vector<NamedDimension> dimensions_;
  std::map<std::pair<std::string, Index>, std::size_t> numbers_;
  std::set<std::string> taken_;
};

}  // namespace tenstride::io
