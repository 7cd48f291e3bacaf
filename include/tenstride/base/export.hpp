// SPDX-License-Identifier: Apache-2.0
// Marks what the shared library exports; everything else is hidden. The one macro in these headers: the
// language has no other word for it.
#pragma once

#if defined(__GNUC__) || defined(__clang__)
#define TENSTRIDE_API __attribute__((visibility("default")))
#else
#define TENSTRIDE_API
#endif
