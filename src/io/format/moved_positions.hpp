// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>

#include "io/format/result_attributes.hpp"

namespace tenstride::io {

/// Attributes that say where elements lie say it of the result's elements; those that cannot are dropped.
/// Example: of `x.flip(1)[:, 2:]` of an axis of 10 pixels, "GeoTransform" begins at the other end and counts
/// backwards; of a permutation, "element_size_um" has its numbers in another order.
void move_positions(ResultAttributes& attributes, const ResultOrigin& result);

/// Images of OME-Zarr in several resolutions, with their axes and transformations, for results whose axes
/// went the same way; nothing where they cannot be told. `origin_of`: of the array at a path, null where that
/// is not known.
std::optional<ResultAttributes::Json> moved_multiscales(
    const ResultAttributes::Json& images,
    const std::function<const ResultOrigin*(const std::string& path)>& origin_of);

}  // namespace tenstride::io
