// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "tenstride/io/progress.hpp"

namespace tenstride::cli {

/// `automatic`: a bar on a terminal, lines elsewhere. `json`: one object a line.
enum class ProgressStyle : unsigned char { quiet, automatic, json };

/// Tells on standard error how far a run is: a bar from its first second on, ten times a second at most; or a
/// line every five seconds; or JSON, of which the first `show` is the event "start", then one every second.
/// Not for several threads at once.
class ProgressReport {
 public:
  explicit ProgressReport(ProgressStyle style);
  /// Takes the bar away.
  ~ProgressReport();
  ProgressReport(const ProgressReport&) = delete;
  ProgressReport& operator=(const ProgressReport&) = delete;

  /// What is not yet due is kept for `end`.
  void show(const io::Progress& progress);
  /// The run has ended: takes the bar away, or writes the event as JSON. Pre: `how` is done, interrupted or
  /// error.
  void end(io::ProgressEvent how, std::string_view message = {});

 private:
  enum class Form : unsigned char { nothing, bar, lines, json };
  static Form choose_form(ProgressStyle style);
  void erase_bar();

  Form form_;
  io::Progress last_;
  /// When the next one is due, by `now`.
  double due_ = 0;
  bool is_begun_ = false;
  bool is_drawn_ = false;
};

}  // namespace tenstride::cli
