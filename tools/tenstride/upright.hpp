// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/io/file.hpp"

namespace tenstride::cli {

/// The links behind x that rotate or mirror the rows and columns of a TIFF file as its orientation says.
/// Throws UsageError for a file without an orientation, and one whose axes are not known. Example: of pages
/// (page,y,x) and the orientation 6, `.transpose(1,2).flip(2)`; of an upright file "".
std::string upright_links(const io::FileInfo& info);

/// The shape behind these links.
Dims upright_shape(const io::FileInfo& info);

/// SPEC of an x that these links made. Example: `x.T` is `x.flip(0).T`.
std::string behind_links(const std::string& spec, const std::string& links);

/// Where the orientation stands: "EXIF orientation", "orientation".
std::string orientation_name(const io::FileInfo& info);

}  // namespace tenstride::cli
