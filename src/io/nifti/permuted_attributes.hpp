// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "io/format/format.hpp"

namespace tenstride::io {

/// The attributes of what has the axes of a NIfTI file in another order: sizes of voxels and the affine
/// transform go along with their axes. Where axes are new, or one of space is no longer among the first
/// three, the geometry is left out.
std::string permute_nifti_attributes(const std::string& attributes, const SourceAxes& axes);

}  // namespace tenstride::io
