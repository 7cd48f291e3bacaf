// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

namespace tenstride::cli {

struct ExploreCommand {
  /// Empty: the page begins with an example of its own.
  std::string expression;
  /// Of the page; empty: where it is installed or built.
  std::string folder;
  /// 0: one that is free.
  int port = 0;
  /// The address is printed, and nothing opens it.
  bool opens_nothing = false;
};
/// Serves the explorer's page on 127.0.0.1 until Ctrl-C, which ends the program with `done`.
int run(const ExploreCommand& command);

}  // namespace tenstride::cli
