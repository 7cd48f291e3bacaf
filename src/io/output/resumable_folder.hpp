// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>

#include "files/atomic_folder.hpp"
#include "io/output/resumable_output.hpp"

namespace tenstride::io {

/// A folder that is written in parts, one or several files each. A file of a part must appear whole or not at
/// all; files that were begun (`.tenstride-*.tmp`) are removed when a run is resumed. A symbolic link to a
/// folder is replaced itself. The folder has a file `.tenstride-unfinished` until it has its name.
class ResumableFolder final : public ResumableOutput {
 public:
  /// Checks that the destination may be replaced, as AtomicFolder does. `make` makes a new folder with
  /// everything but the parts. Throws FileError, whose messages begin with `operation`, and what `make`
  /// throws.
  ResumableFolder(const OutputRequest& request, const Binding& binding,
                  const AtomicFolder::MayReplace& may_replace,
                  const std::function<void(const std::string& folder)>& make);
  /// The limits that an interrupted run had, where there was one. Throws FileError.
  static std::optional<std::string> earlier_limits(const std::string& path, std::string_view operation);

 private:
  class FolderState;
};

}  // namespace tenstride::io
