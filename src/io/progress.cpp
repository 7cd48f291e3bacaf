// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/progress.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <vector>

#include "tenstride/layout/text.hpp"

namespace tenstride::io {
namespace {

template <typename... Numbers>
std::string formatted(const char* format, Numbers... numbers) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), format, numbers...);
  return text.data();
}

double share_of(const Progress& progress) {
  if (progress.bytes == 0) return 1;
  return std::min(1.0, static_cast<double>(progress.bytes_done) / static_cast<double>(progress.bytes));
}

/// Rounded down: 100% is all.
std::string percent(const Progress& progress) {
  return formatted("%d%%", static_cast<int>(100 * share_of(progress)));
}

std::string bytes_text(std::uint64_t bytes) {
  return bytes_to_text(static_cast<Index>(std::min<std::uint64_t>(bytes, INT64_MAX)));
}

/// "5 s", "1 min 05 s", "2 h 03 min", "4 d 05 h".
std::string time_text(double seconds) {
  constexpr double max_seconds = 1e9;
  const auto whole = static_cast<int>(std::min(std::ceil(seconds), max_seconds));
  if (whole < 60) return formatted("%d s", whole);
  if (whole < 3600) return formatted("%d min %02d s", whole / 60, whole % 60);
  if (whole < 86400) return formatted("%d h %02d min", whole / 3600, whole / 60 % 60);
  return formatted("%d d %02d h", whole / 86400, whole / 3600 % 24);
}

/// What comes behind the percent, the most important first.
std::vector<std::string> pieces(const Progress& progress) {
  std::vector<std::string> result{bytes_text(progress.bytes_done) + " of " + bytes_text(progress.bytes)};
  if (const auto speed = bytes_per_second(progress)) result.push_back(formatted("%.2f GB/s", *speed / 1e9));
  if (const auto left = seconds_left(progress)) result.push_back(time_text(*left) + " left");
  if (progress.passes > 1) result.push_back(formatted("pass %d of %d", progress.pass, progress.passes));
  return result;
}

std::string_view name(ProgressEvent event) {
  constexpr std::array<std::string_view, 5> names{"start", "progress", "done", "interrupted", "error"};
  return names[static_cast<std::size_t>(event)];
}

}  // namespace

std::optional<double> bytes_per_second(const Progress& progress) {
  constexpr double min_seconds = 0.01;  // of fewer the clock says little
  if (progress.bytes_done <= progress.bytes_earlier || progress.seconds < min_seconds) return std::nullopt;
  return static_cast<double>(progress.bytes_done - progress.bytes_earlier) / progress.seconds;
}

std::optional<double> seconds_left(const Progress& progress) {
  if (progress.bytes_done >= progress.bytes) return 0;
  if (const std::optional<double> speed = bytes_per_second(progress)) {
    return static_cast<double>(progress.bytes - progress.bytes_done) / *speed;
  }
  if (progress.seconds_foretold > 0) return std::max(0.0, progress.seconds_foretold - progress.seconds);
  return std::nullopt;
}

std::string progress_text(const Progress& progress) {
  std::string text = percent(progress);
  for (const std::string& piece : pieces(progress)) text += ", " + piece;
  return text;
}

std::string progress_bar(const Progress& progress, std::size_t columns) {
  constexpr std::size_t min_bar = 10;  // shorter ones hardly move
  constexpr std::size_t max_bar = 40;
  std::string number = percent(progress);
  number.insert(0, 4 - number.size(), ' ');
  // The pieces first: a bar takes what they leave, and at least its smallest where that much is there at all.
  const std::size_t frame = 2 + 1;  // brackets and a blank
  const bool has_bar = columns >= frame + min_bar + number.size();
  const std::size_t room = columns - (has_bar ? frame + min_bar : 0);
  std::string text = number;
  for (const std::string& piece : pieces(progress)) {
    if (text.size() + 2 + piece.size() > room) break;
    text += "  " + piece;
  }
  if (!has_bar) return text;
  const std::size_t width = std::min(max_bar, columns - frame - text.size());
  const auto filled = static_cast<std::size_t>(share_of(progress) * static_cast<double>(width));
  std::string bar(filled, '=');
  if (filled < width) bar += '>';
  bar.resize(width, ' ');
  return "[" + bar + "] " + text;
}

std::string progress_json(ProgressEvent event, const Progress& progress, std::string_view message) {
  const auto rounded = [](std::optional<double> number, double steps) -> nlohmann::ordered_json {
    if (!number) return nullptr;
    return std::round(*number * steps) / steps;
  };
  constexpr double milliseconds = 1000;
  nlohmann::ordered_json json{{"event", name(event)},
                              {"bytes_done", progress.bytes_done},
                              {"bytes", progress.bytes},
                              {"tiles_done", progress.tiles_done},
                              {"tiles", progress.tiles},
                              {"pass", progress.pass},
                              {"passes", progress.passes},
                              {"seconds", rounded(progress.seconds, milliseconds)},
                              {"seconds_left", rounded(seconds_left(progress), milliseconds)},
                              {"bytes_per_second", rounded(bytes_per_second(progress), 1)}};
  if (!message.empty()) json["message"] = message;
  // A path in a message may be no UTF-8.
  return json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace);
}

}  // namespace tenstride::io
