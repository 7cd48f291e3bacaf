// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli.hpp"
#include "tenstride/io/permute_file.hpp"

/// How an explained chain is carried out from file to file.
namespace tenstride::cli {

struct FilePlan {
  std::uint64_t limit = 0;
  /// By --max-mem; otherwise it is half of the free memory.
  bool is_limit_given = false;
  io::FileJob job;
};

/// Nothing where plans are not listed, where x is no file of uncompressed elements, and where the expression
/// is no chain that moves and converts the elements of x. Throws UsageError for a limit without --plan and
/// for one that is too small.
std::optional<FilePlan> plan_of_file(const ExplainCommand& command, const std::string& expression);

std::string to_text(const FilePlan& plan);
/// An object with "limit" and "stages".
std::string to_json(const FilePlan& plan);

}  // namespace tenstride::cli
