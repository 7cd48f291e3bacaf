// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli.hpp"
#include "tenstride/bandwidth.hpp"
#include "tenstride/parallel.hpp"

namespace tenstride::cli {

int run(const BenchCommand& command) {
  if (command.threads > 0) set_num_threads(command.threads);
  const Bandwidth measured = refresh_bandwidth();
  if (command.format == Format::json) {
    std::cout << to_json(measured) << '\n';
    return done;
  }
  const std::string file = bandwidth_file();
  std::cout << to_text(measured)
            << (file.empty() ? "not kept: neither XDG_CACHE_HOME nor HOME is set\n"
                             : "kept in " + file + "\n");
  return done;
}

}  // namespace tenstride::cli
