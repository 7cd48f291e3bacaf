// SPDX-License-Identifier: Apache-2.0
// How the tensors of one file name each other: by axes that share a name, and by the attributes of CF
// (https://cfconventions.org).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "io/format/result_attributes.hpp"
#include "tenstride/io/tensor_move.hpp"

namespace tenstride::io {

/// "surface" of "surface/t2m".
std::string group_of(const std::string& name);
/// "t2m" of "surface/t2m".
std::string name_in_group(const std::string& name);

/// The tensor that a tensor of `group` means by a name: in its group, or in the nearest one around it.
std::optional<std::size_t> find_tensor(const std::vector<TensorMove>& moves, std::string group,
                                       const std::string& name);

/// The tensor that an attribute of tensor `number` names: "/a/height" from the root, "height" by
/// `find_tensor`.
std::optional<std::size_t> find_reference(const std::vector<TensorMove>& moves, std::size_t number,
                                          const std::string& word);

/// Whether the tensor has in its file the positions along the axis that is called as it is.
bool is_coordinate(const FileInfo& source);

/// An axis of a source that several tensors have.
struct SharedAxis {
  /// The group of its coordinate, where there is one.
  std::string group;
  std::string name;
  Index size = 0;
  friend auto operator<=>(const SharedAxis&, const SharedAxis&) = default;
};
/// Nothing where the axis has no name.
std::optional<SharedAxis> shared_axis(const std::vector<TensorMove>& moves, std::size_t number,
                                      std::size_t axis);

/// The attributes by which CF names other variables.
inline constexpr std::array<const char*, 7> keys_of_references{
    "coordinates",         "bounds",      "climatology", "cell_measures", "formula_terms",
    "ancillary_variables", "grid_mapping"};

/// The words of such an attribute; none where it is not there.
std::vector<std::string> references_of(const ResultAttributes& attributes, const char* key);

}  // namespace tenstride::io
