// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/format/result_attributes.hpp"

namespace tenstride::io {

/// Drops the fields of a NIfTI header that are not true of a result. Sizes of voxels go along with their
/// axes, times their steps, as far as space stays space and time stays time. The affine transform stays where
/// the axes of space are whole, and is permuted with them; then there is no quaternion. Attributes without
/// "pixdim" are none of NIfTI and stay.
void keep_true_nifti(ResultAttributes& attributes, const ResultOrigin& result);

}  // namespace tenstride::io
