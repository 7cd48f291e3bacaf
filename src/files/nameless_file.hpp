// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "files/descriptor.hpp"

namespace tenstride::io {

/// A new file to read and write that has no name and is gone when it is closed, in the folder that `beside`
/// lies in. Not open where none can be made; `errno` says why.
Descriptor open_nameless_file(const std::string& beside);

}  // namespace tenstride::io
