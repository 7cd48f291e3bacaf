// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "tenstride/explain/explain.hpp"

namespace tenstride::cli {

struct ReplCommand {
  /// "FILE" or "NAME=FILE".
  std::vector<std::string> inputs;
  PlanDetail plans = PlanDetail::left_out;
  bool shows_pictures = false;
  ScrambleRule scrambles = ScrambleRule::tell;
};
/// `failed` where the lines came from a pipe and one of them failed; all are carried out all the same.
int run(const ReplCommand& command);

}  // namespace tenstride::cli
