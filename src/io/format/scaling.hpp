// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// Sets scale and shift as the attributes `scale_factor` and `add_offset` say, by the conventions of netCDF;
/// attributes that are no finite numbers say nothing.
void take_scaling_of_attributes(FileInfo& info);

}  // namespace tenstride::io
