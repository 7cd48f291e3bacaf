// SPDX-License-Identifier: Apache-2.0
#pragma once

extern "C" {
/// Defined by the sanitizers' libraries.
void __asan_init() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
void __tsan_init() __attribute__((weak));  // NOLINT(bugprone-reserved-identifier)
}

namespace tenstride {

/// Whether a sanitizer checks the library. Tests themselves may be compiled without: no macro tells them.
inline bool is_sanitized() {
  return &__asan_init != nullptr || &__tsan_init != nullptr;
}

}  // namespace tenstride
