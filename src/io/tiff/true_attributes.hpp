// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/format/result_attributes.hpp"

namespace tenstride::io {

/// What a TIFF file says about its pages and pixels is said of the result's, or dropped: the transforms of
/// GeoTIFF, the resolution, ImageJ's description; that of OME or tifffile where axes are others, the
/// orientation where rows or columns go another way. Example: `x[:, ::2]` has half the resolution across.
void keep_true_tiff(ResultAttributes& attributes, const ResultOrigin& result);

/// Drops what a TIFF file that is written has no place for.
void keep_written_tiff(ResultAttributes& attributes, const ResultOrigin& result);

}  // namespace tenstride::io
