// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "cli.hpp"
#include "speed.hpp"

namespace tenstride::cli {
namespace {

/// Of the terminal that standard error is.
std::size_t error_columns() {
  constexpr std::size_t usual = 80;
  winsize size{};
  return ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : usual;
}

void write_error(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stderr);
  std::fflush(stderr);
}

}  // namespace

ProgressReport::Form ProgressReport::choose_form(ProgressStyle style) {
  if (style == ProgressStyle::quiet) return Form::nothing;
  if (style == ProgressStyle::json) return Form::json;
  const char* const terminal = std::getenv("TERM");
  const bool is_dumb = terminal != nullptr && std::string_view(terminal) == "dumb";
  return is_error_terminal() && !is_dumb ? Form::bar : Form::lines;
}

ProgressReport::ProgressReport(ProgressStyle style) : form_(choose_form(style)) {
  if (form_ == Form::bar) due_ = now() + 1;  // a bar that is gone at once only flickers
  if (form_ == Form::lines) due_ = now() + 5;
}

ProgressReport::~ProgressReport() {
  erase_bar();
}

void ProgressReport::erase_bar() {
  if (is_drawn_) write_error("\r\033[K");
  is_drawn_ = false;
}

void ProgressReport::show(const io::Progress& progress) {
  last_ = progress;
  const double time = now();
  if (form_ == Form::nothing || time < due_) return;
  if (form_ == Form::bar) {
    // One column less: in the last one some terminals begin a new line.
    write_error("\r" + io::progress_bar(progress, error_columns() - 1) + "\033[K");
    is_drawn_ = true;
    due_ = time + 0.1;
  } else if (form_ == Form::lines) {
    write_error("tenstride: " + io::progress_text(progress) + "\n");
    due_ = time + 5;
  } else {
    const io::ProgressEvent event = is_begun_ ? io::ProgressEvent::progress : io::ProgressEvent::start;
    write_error(io::progress_json(event, progress) + "\n");
    is_begun_ = true;
    due_ = time + 1;
  }
}

void ProgressReport::end(io::ProgressEvent how, std::string_view message) {
  erase_bar();
  if (form_ == Form::json) write_error(io::progress_json(how, last_, message) + "\n");
}

}  // namespace tenstride::cli
