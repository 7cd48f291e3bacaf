// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/base/export.hpp"

namespace tenstride::io {

/// What happens to a file that has the name already.
enum class Overwrite : unsigned char { refuse, replace };

/// A file that appears under its name whole or not at all. It is written under another name in the same
/// folder (`.tenstride-<16 hex digits>.tmp`), and `commit` flushes it to the disk and renames it. Without
/// `commit`, and after any error, the written part is removed and a file of the name stays as it was. A
/// symbolic link is followed; the access rights of a replaced file are kept, and its owner where that is
/// allowed. Not for several threads at once.
///
/// Example:
/// ```
/// AtomicFile file("out.bin", Overwrite::refuse);
/// file.write(bytes);
/// file.commit();
/// ```
class TENSTRIDE_API AtomicFile {
 public:
  /// Throws FileError where the folder cannot be written to, where the name is taken by something that is not
  /// a regular file, and where it is taken at all and `overwrite` is `refuse`. Errors begin with `operation`.
  explicit AtomicFile(const std::string& path, Overwrite overwrite = Overwrite::refuse,
                      std::string_view operation = "write");
  /// Removes what was not committed.
  ~AtomicFile();
  AtomicFile(const AtomicFile&) = delete;
  AtomicFile& operator=(const AtomicFile&) = delete;

  /// Makes the file `nbytes` long with room on the disk for all of them, so that a full disk is found before
  /// anything is written. Throws FileError.
  void reserve(std::size_t nbytes);
  /// Appends to what was written. Throws FileError.
  void write(std::span<const std::byte> bytes);
  /// Gives the file its name; nothing can be written any more. With `refuse` a file that came to have the
  /// name in the meantime stays, and FileError is thrown.
  void commit();

  /// The final name, as given.
  [[nodiscard]] const std::string& path() const noexcept;
  /// Where the bytes lie until `commit`.
  [[nodiscard]] const std::string& temporary_path() const noexcept;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

/// Removes the temporary files of all AtomicFiles of the process (of the first 64 that are open at a time),
/// which then cannot be committed. For a handler of SIGINT or SIGTERM that ends the process: it does nothing
/// that is not async-signal-safe.
TENSTRIDE_API void remove_unfinished_files() noexcept;

}  // namespace tenstride::io
