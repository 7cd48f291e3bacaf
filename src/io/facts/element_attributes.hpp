// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "io/format/result_origin.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {

/// A JSON object, or empty; what was left out of it; and what it said that was not heeded.
struct ElementAttributes {
  std::string attributes;
  std::vector<DroppedFact> dropped;
  std::vector<std::string> notes;
};

/// The attributes of a source as they are true of the elements of the result: scale_factor and the like where
/// an element still means scale * x + shift, _FillValue and valid_range as numbers of the result's type.
/// Example: `_FillValue` -999 of int16 is -999.0 in float32, and left out in uint8, where no element is -999.
ElementAttributes attributes_of_elements(const ResultOrigin& result, const ElementChanges& changes);

}  // namespace tenstride::io
