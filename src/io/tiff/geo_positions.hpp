// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "io/format/plane.hpp"
#include "io/format/result_attributes.hpp"

namespace tenstride::io {

/// "ModelPixelScale" and "ModelTiepoint", or "ModelTransformation", say where the result's pixels lie, by the
/// convention of "GeoKeyDirectory". A transformation stands in place of the first two where rows or columns
/// are flipped or exchanged. What cannot be said is dropped for `reason`. `axes`: nothing where the result's
/// last axes are no rows and columns of the source. Example: `x[:, 10:]` of pixels of 30 m begins 300 m
/// further.
void move_geo_positions(ResultAttributes& attributes, const std::optional<PlaneAxes>& axes,
                        const std::string& reason);

}  // namespace tenstride::io
