// SPDX-License-Identifier: Apache-2.0
#include "copy/known_plans.hpp"

#include <cstdint>

#include "base/cache_file.hpp"
#include "base/cache_line.hpp"
#include "base/message.hpp"
#include "plan/processor.hpp"

namespace tenstride::copy {
namespace {

using detail::line_bytes;

/// Kernels differ from version to version, and with them what is fastest.
constexpr std::string_view heading = "tenstride plans 1 of " TENSTRIDE_VERSION "\n";
constexpr std::size_t max_bytes = std::size_t{60} << 10;

/// FNV-1a, of 64 bits.
std::uint64_t digest(std::string_view text) {
  std::uint64_t value = 0xcbf29ce484222325U;
  for (const char c : text) value = (value ^ static_cast<unsigned char>(c)) * 0x100000001b3U;
  return value;
}

Index in_line(Index offset) {
  return ((offset % line_bytes) + line_bytes) % line_bytes;
}

/// Takes the text up to a character, and that character; nothing where there is none.
std::optional<std::string_view> take_until(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  if (at == std::string_view::npos) return std::nullopt;
  const std::string_view taken = text.substr(0, at);
  text.remove_prefix(at + 1);
  return taken;
}

}  // namespace

std::string key_of(const CopyPlan& plan, const PlanOptions& options) {
  const Conversion& conversion = plan.conversion;
  const Nest& nest = plan.nest;
  std::string key = detail::message(
      digest(detail::machine_file_heading(detail::this_processor()) + to_text(options.machine)), ' ',
      name(conversion.src_type), ' ', name(conversion.dst_type), ' ', static_cast<int>(conversion.kind),
      static_cast<int>(conversion.conjugation), static_cast<int>(conversion.negation), ' ',
      conversion.scale.size(), ' ', conversion.shift.size(), ' ', plan.threads, ' ',
      in_line(options.placement.dst_in_line + nest.dst_offset), ' ', in_line(nest.src_offset));
  for (const Loop& loop : nest.loops)
    key += detail::message(' ', loop.extent, ':', loop.dst_stride, ':', loop.src_stride);
  return key;
}

std::optional<Recipe> find_recipe(std::string_view text, std::string_view key) {
  if (!text.starts_with(heading)) return std::nullopt;
  text.remove_prefix(heading.size());
  while (std::optional<std::string_view> line = take_until(text, '\n')) {
    if (take_until(*line, '\t') != key) continue;
    const std::optional<std::string_view> way = take_until(*line, '\t');
    if (!way) return std::nullopt;
    return Recipe{std::string(*way), std::string(*line)};
  }
  return std::nullopt;
}

std::string with_recipe(std::string_view text, std::string_view key, const Recipe& recipe) {
  std::string lines;
  if (text.starts_with(heading)) {
    text.remove_prefix(heading.size());
    while (const std::optional<std::string_view> line = take_until(text, '\n')) {
      std::string_view rest = *line;
      if (const auto other = take_until(rest, '\t'); other && *other != key) lines.append(*line).append("\n");
    }
  }
  lines += detail::message(key, '\t', recipe.way, '\t', recipe.variation, '\n');
  if (lines.size() > max_bytes) lines.erase(0, lines.find('\n', lines.size() - max_bytes - 1) + 1);
  return std::string(heading) + lines;
}

}  // namespace tenstride::copy
