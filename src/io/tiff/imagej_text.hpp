// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>

#include "io/format/plane.hpp"
#include "io/format/result_attributes.hpp"

namespace tenstride::io {

/// ImageJ's description of a result: pages, channels, slices and frames are those of the result; `spacing` is
/// times the step of z, `finterval` and `fps` go with that of t, `min` and `max` with the elements. What is
/// left out is told. Nothing where the result's axes are not some of t, z, c, y, x in this order.
std::optional<std::string> moved_imagej_text(ResultAttributes& attributes, const ResultOrigin& result,
                                             const std::optional<PlaneAxes>& axes);

}  // namespace tenstride::io
