// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/format/result_attributes.hpp"

namespace tenstride::io {

/// Drops what a TIFF file says about its pages and pixels and is not true of a result: a description by
/// ImageJ, OME or tifffile where axes are others, the resolution where pixels are further apart, the
/// orientation where rows or columns are others.
void keep_true_tiff(ResultAttributes& attributes, const ResultOrigin& result);

}  // namespace tenstride::io
