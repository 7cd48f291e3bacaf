// SPDX-License-Identifier: Apache-2.0
#include <unistd.h>

#include <algorithm>
#include <array>
#include <csignal>
#include <cstdlib>
#include <string_view>

#include "cli.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::cli {
namespace {

/// Code points, not bytes.
std::size_t width_of(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(
      text.begin(), text.end(), [](char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }));
}

}  // namespace

extern "C" {
static void remove_and_leave(int signal_number) {
  io::remove_unfinished_files();
  _exit(128 + signal_number);
}
static void report_lost_page(int /*signal_number*/) {
  static constexpr std::string_view text =
      "tenstride: a mapped file ended while it was read: another process made it shorter, or its disk "
      "failed\n";
  io::remove_unfinished_files();
  const ssize_t written = ::write(STDERR_FILENO, text.data(), text.size());
  _exit(written < 0 ? 128 + SIGBUS : failed);
}
}

TextStyle output_style() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool is_refused = no_color != nullptr && *no_color != '\0';
  const bool is_dumb = terminal == nullptr || std::string(terminal) == "dumb";
  return isatty(STDOUT_FILENO) == 1 && !is_refused && !is_dumb ? TextStyle::color : TextStyle::plain;
}

bool is_error_terminal() {
  return isatty(STDERR_FILENO) == 1;
}

void clean_up_on_signals() {
  struct sigaction action {};
  action.sa_handler = remove_and_leave;
  sigfillset(&action.sa_mask);
  for (const int signal_number : std::array{SIGINT, SIGTERM, SIGHUP}) {
    struct sigaction before {};
    sigaction(signal_number, nullptr, &before);
    if (before.sa_handler != SIG_IGN) sigaction(signal_number, &action, nullptr);  // nohup stays in force
  }
  action.sa_handler = report_lost_page;
  sigaction(SIGBUS, &action, nullptr);
}

std::string lay_out(const std::vector<std::vector<std::string>>& rows) {
  std::vector<std::size_t> widths;
  for (const std::vector<std::string>& row : rows) {
    widths.resize(std::max(widths.size(), row.size()), 0);
    for (std::size_t c = 0; c < row.size(); ++c) widths[c] = std::max(widths[c], width_of(row[c]));
  }
  std::string text;
  for (const std::vector<std::string>& row : rows) {
    std::string line;
    for (std::size_t c = 0; c < row.size(); ++c) {
      line += row[c] + std::string(widths[c] - width_of(row[c]) + 2, ' ');
    }
    line.erase(line.find_last_not_of(' ') + 1);
    text += line + '\n';
  }
  return text;
}

}  // namespace tenstride::cli
