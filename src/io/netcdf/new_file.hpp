// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>
#include <vector>

#include "io/format/flat_file.hpp"
#include "tenstride/io/save.hpp"

namespace tenstride::io {

/// Everything of a new file but its elements, which are big-endian, row-major and in the order of the
/// tensors. CDF-2 where it has all types and sizes, otherwise CDF-5. Axes of one name and extent have one
/// dimension; an axis without a name is called "NAME_axis0". Throws TypeError for element types that netCDF
/// lacks, ValueError for names that it has not, and for an axis of no elements that is not the first.
/// Example: a tensor "t2m" (time:8, lat:721, lon:1440) of int16 has one part, which begins behind a header of
/// about 200 bytes.
FlatFile plan_netcdf(const std::vector<NewTensor>& tensors, std::string_view operation);

}  // namespace tenstride::io
