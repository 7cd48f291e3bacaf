// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <png.h>

#include <array>
#include <cstdio>

namespace tenstride::io {

/// Takes libpng's words down instead of printing them. It leaves a call that failed by a jump: in the
/// functions with a setjmp nothing has a destructor.
struct PngErrors {
  std::array<char, 200> text{};
  /// The first one, which may say what an error does not: "Image width is zero in IHDR".
  std::array<char, 200> warning{};

  [[noreturn]] static void fail(png_structp library, png_const_charp words) {
    auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(library));
    std::snprintf(errors->text.data(), errors->text.size(), "%s", words);
    png_longjmp(library, 1);
  }
  static void keep_warning(png_structp library, png_const_charp words) {
    auto* const errors = static_cast<PngErrors*>(png_get_error_ptr(library));
    if (errors->warning[0] != '\0') return;
    std::snprintf(errors->warning.data(), errors->warning.size(), "%s", words);
  }
};

}  // namespace tenstride::io
