// SPDX-License-Identifier: Apache-2.0
// ANALYZE 7.5, the format that NIfTI comes from: a pair of files whose header has no mark. It does not say
// which way the axes go, and nothing here does.
#pragma once

#include <string>

#include "io/format/result_attributes.hpp"
#include "io/format/result_origin.hpp"
#include "io/nifti/datatype.hpp"
#include "io/nifti/fields.hpp"

namespace tenstride::io {

/// A header's fields as `nifti_attributes` gives them, under the names of dbh.h. A scale that programs keep
/// in `funused1` is such a field, and does not scale.
std::string analyze_attributes(const NiftiBytes& bytes, const NiftiElement& element, std::size_t rank);

/// Drops the fields that NIfTI has not.
void keep_fields_of_nifti(ResultAttributes& attributes, const ResultOrigin& result);

}  // namespace tenstride::io
