// SPDX-License-Identifier: Apache-2.0
#include "picture/canvas.hpp"

#include <cstdint>

#include "picture/shown.hpp"

namespace tenstride::detail {
namespace {

/// Cells are pale in both schemes, so what stands in them is dark in both.
constexpr std::string_view style_sheet = R"(<style>
.card{fill:#ffffff}
.t{font:bold 15px monospace;fill:#1f2328}
.l{font:13px monospace;fill:#59636e}
.s{font:13px sans-serif;fill:#1f2328}
.m{font:11px sans-serif;fill:#59636e}
.p{font:10px monospace;fill:#59636e}
.x{font:bold 11px monospace;fill:#b3400a}
.v{font:13px monospace;fill:#16181d}
.c{stroke:#57606a;stroke-width:1}
.gap{fill:none;stroke:#8c959f;stroke-width:1;stroke-dasharray:3 3}
.f{fill:none;stroke:#8c959f;stroke-width:1}
.a{fill:none;stroke:#59636e;stroke-width:1.5}
.h{fill:#59636e}
.view{fill:#1a7f5a}
.copy{fill:#d4720b}
.new{fill:#2f6fb5}
.no{fill:#b3261e}
.bad{fill:none;stroke:#b3261e;stroke-width:2}
.w{fill:none;stroke:#16181d;stroke-width:1.5;stroke-opacity:.6}
.d{fill:#16181d}
.n{font:11px monospace;fill:#16181d}
@media (prefers-color-scheme:dark){
.card{fill:#0d1117}
.t,.s{fill:#e6edf3}
.l,.m,.p{fill:#9da7b3}
.x{fill:#f0a35e}
.a,.w{stroke:#9da7b3}
.h{fill:#9da7b3}
.view{fill:#4cc38a}
.copy{fill:#f0a35e}
.new{fill:#74b4ea}
.no{fill:#ff8a80}
.bad{stroke:#ff8a80}
}
</style>
)";

/// Bytes of the UTF-8 sequence that the text begins with; 0 where it is none, or one that XML does not take.
std::size_t length_of_character(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const std::size_t length = byte(0) >= 0xF0 ? 4 : byte(0) >= 0xE0 ? 3 : 2;
  if (byte(0) < 0xC2 || byte(0) > 0xF4 || text.size() < length) return 0;
  std::uint32_t code = byte(0) & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80U) return 0;
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool is_overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool is_refused = code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF) || (code & 0xFFFEU) == 0xFFFE;
  return is_overlong || is_refused ? 0 : length;
}

}  // namespace

std::string escaped(std::string_view text) {
  std::string result;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    switch (c) {
      case '&':
        result += "&amp;";
        continue;
      case '<':
        result += "&lt;";
        continue;
      case '>':
        result += "&gt;";
        continue;
      case '"':
        result += "&quot;";
        continue;
      default:
        break;
    }
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x80) {
      result += byte < 0x20 || byte == 0x7F ? ' ' : c;
      continue;
    }
    const std::size_t length = length_of_character(text.substr(i));
    result += length == 0 ? "\xEF\xBF\xBD" : text.substr(i, length);  // U+FFFD for what is no UTF-8
    if (length > 1) i += length - 1;
  }
  return result;
}

void Canvas::text(Index x, Index y, std::string_view words, std::string_view style, Anchor anchor) {
  const std::string_view held = anchor == Anchor::start    ? ""
                                : anchor == Anchor::middle ? " text-anchor=\"middle\""
                                                           : " text-anchor=\"end\"";
  body_ += message("<text x=\"", x, "\" y=\"", y, "\" class=\"", style, "\"", held, ">", escaped(words),
                   "</text>\n");
}

void Canvas::upright(Index x, Index y, std::string_view words, std::string_view style) {
  body_ += message("<text transform=\"translate(", x, " ", y, ") rotate(-90)\" class=\"", style,
                   "\" text-anchor=\"middle\">", escaped(words), "</text>\n");
}

void Canvas::rect(Index x, Index y, Index width, Index height, std::string_view attributes) {
  body_ += message("<rect x=\"", x, "\" y=\"", y, "\" width=\"", width, "\" height=\"", height, "\" ",
                   attributes, "/>\n");
}

void Canvas::line(Index x1, Index y1, Index x2, Index y2, std::string_view attributes) {
  body_ +=
      message("<line x1=\"", x1, "\" y1=\"", y1, "\" x2=\"", x2, "\" y2=\"", y2, "\" ", attributes, "/>\n");
}

void Canvas::path(std::string_view d, std::string_view attributes) {
  body_ += message("<path d=\"", d, "\" ", attributes, "/>\n");
}

std::string Canvas::document(std::string_view title, std::string_view description) const {
  return message("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"", width_, "\" height=\"", height_,
                 "\" viewBox=\"0 0 ", width_, " ", height_,
                 "\" role=\"img\" aria-labelledby=\"title desc\">\n", "<title id=\"title\">", escaped(title),
                 "</title>\n<desc id=\"desc\">", escaped(description), "</desc>\n", style_sheet,
                 "<rect class=\"card\" width=\"", width_, "\" height=\"", height_, "\" rx=\"8\"/>\n", body_,
                 "</svg>\n");
}

Index mono_width(std::string_view words, Index size) {
  return static_cast<Index>(characters(words)) * size * 61 / 100 + 1;
}

Index sans_width(std::string_view words, Index size) {
  return static_cast<Index>(characters(words)) * size * 58 / 100 + 1;
}

}  // namespace tenstride::detail
