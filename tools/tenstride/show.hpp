// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <string>

namespace tenstride::cli {

/// Columns of the terminal that standard output is; else COLUMNS, else 80.
std::size_t output_width();

/// A PNG of an SVG document, two pixels for each of its own, on a white ground. Throws WorkError where
/// librsvg is not installed, saying how to get it, and where librsvg fails.
std::string png_of_svg(const std::string& svg);

}  // namespace tenstride::cli
