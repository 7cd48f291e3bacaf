// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/base/export.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::io {

/// The tensor of a file on the device meta: its layout and type, with as much storage as the layout reaches.
TENSTRIDE_API Tensor on_meta(const FileInfo& info);

/// The tensor that an address means, for the notation's `open`: a FileOpener. Without elements only headers
/// are read; with them the file is mapped, or read into memory up to 1 GiB; larger tensors that cannot be
/// mapped stay on meta. Throws FileError, also where the elements could not be read.
/// Example: `open_for_notation("f.h5::a/b", FileContent::layout).standing == "in chunks of (1,64,64),
/// deflate"`.
TENSTRIDE_API OpenedFile open_for_notation(const std::string& address, FileContent content);

}  // namespace tenstride::io
