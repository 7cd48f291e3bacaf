// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <iosfwd>
#include <string>
#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride {

/// Example: `to_string(Dims{2, 3}) == "(2,3)"`, `to_string(Dims{}) == "()"`.
TENSTRIDE_API std::string to_string(const Dims& dims);

/// The numbers as Python writes a tuple.
/// Example: `to_tuple(Dims{2}) == "(2,)"`, `to_tuple(Dims{2, 3}) == "(2,3)"`.
TENSTRIDE_API std::string to_tuple(const Dims& dims);

/// The one printed form of a layout: shape, strides and offset in elements.
/// Example: `to_string(Layout{{2, 3}, {3, 1}, 0}) == "(2,3):(3,1)+0"`.
TENSTRIDE_API std::string to_string(const Layout& layout);

/// Reads what `to_string` writes; blanks are allowed between the parts and "+offset" may be left out.
/// Throws ParseError with the byte where the text stops making sense, ShapeError for a negative size.
/// Example: `parse_layout("(2,3):(3,1)+4") == Layout{{2, 3}, {3, 1}, 4}`.
TENSTRIDE_API Layout parse_layout(std::string_view text);

/// Reads "(2,3)". Throws ParseError.
TENSTRIDE_API Dims parse_dims(std::string_view text);

/// Write `to_string`.
TENSTRIDE_API std::ostream& operator<<(std::ostream& stream, const Dims& dims);
TENSTRIDE_API std::ostream& operator<<(std::ostream& stream, const Layout& layout);

/// "48 B", "1.5 MiB".
TENSTRIDE_API std::string bytes_to_text(Index bytes);

}  // namespace tenstride
