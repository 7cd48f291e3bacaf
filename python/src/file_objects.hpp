// SPDX-License-Identifier: Apache-2.0
// Python's file objects, which the library reads as files.
#pragma once

#include <nanobind/nanobind.h>

#include <string>
#include <string_view>

#include "files/descriptor.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::python {

/// Whether an object is read by a method `read` rather than opened by its name.
bool is_file_object(nanobind::handle object);

/// The rest of a file object, from where it stands, in a file without a name in memory.
class FileObjectCopy {
 public:
  /// Reads the object to its end. Throws what its `read` raises, and TypeError where that gives no bytes.
  FileObjectCopy(nanobind::handle object, std::string_view operation);

  /// Under which all processes of this user open it, as long as this stands.
  [[nodiscard]] const std::string& path() const noexcept { return path_; }
  /// Runs `read`, whose errors name the object in place of the path.
  template <class Read>
  auto with_its_name(const Read& read) const {
    try {
      return read();
    } catch (const FileError& error) {
      throw FileError(named(error.what()), name_);
    }
  }

 private:
  [[nodiscard]] std::string named(std::string text) const;

  io::Descriptor file_;
  std::string path_;
  std::string name_;
};

}  // namespace tenstride::python
