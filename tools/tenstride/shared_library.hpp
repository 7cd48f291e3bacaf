// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <dlfcn.h>

namespace tenstride::cli {

/// A shared library that is loaded when it is needed, and stays until the program ends.
/// Example: `SharedLibrary("libm.so.6").find<double(double)>("cos")`.
class SharedLibrary {
 public:
  explicit SharedLibrary(const char* name) : handle_(dlopen(name, RTLD_NOW | RTLD_LOCAL)) {}

  [[nodiscard]] bool is_loaded() const { return handle_ != nullptr; }

  /// A function of the library, or of one that it depends on; null where there is none of the name.
  template <class Function>
  [[nodiscard]] Function* find(const char* name) const {
    return reinterpret_cast<Function*>(dlsym(handle_, name));
  }

 private:
  void* handle_;
};

}  // namespace tenstride::cli
