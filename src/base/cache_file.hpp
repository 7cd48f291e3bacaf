// SPDX-License-Identifier: Apache-2.0
// Small text files in the user's cache, with what was measured.
#pragma once

#include "tenstride/base/export.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace tenstride::detail {

/// `$XDG_CACHE_HOME/tenstride/NAME`, or `~/.cache/tenstride/NAME`; empty where neither is known.
TENSTRIDE_API std::string cache_file(std::string_view name);
/// The text of a file, at most 64 KiB of it; empty where there is none.
TENSTRIDE_API std::string read_small_file(const std::string& path);
/// Replaces the file, folders included; others see the old file or the new one, whole. A cache that cannot be
/// written is no error.
TENSTRIDE_API void write_cache(const std::string& path, std::string_view text);

/// Enough digits to come back as the same number.
TENSTRIDE_API std::string number(double value);
/// Example: `fixed(2.345, 1) == "2.3"`.
TENSTRIDE_API std::string fixed(double value, int digits_behind);
/// Takes "name value" off the front of the text: a finite number, or nothing where the text begins otherwise.
/// Example: of "memory 2e10\nfresh 1" the text "\nfresh 1" is left, and 2e10 comes back.
TENSTRIDE_API std::optional<double> take_figure(std::string_view& text, std::string_view name);

}  // namespace tenstride::detail
