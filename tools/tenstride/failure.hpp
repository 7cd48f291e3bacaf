// SPDX-License-Identifier: Apache-2.0
// How the program tells that it failed.
#pragma once

#include <span>
#include <string>
#include <vector>

namespace tenstride::cli {

/// The words of a command line, without the program's name.
using Words = std::span<const char* const>;

/// Whether an error is to be told as JSON: by --json, also where the rest of the call is wrong.
bool wants_json(Words words);

/// What a call that cannot be parsed most likely wanted, for words that are no command and files whose names
/// begin with a dash; `said` where nothing is known. Example: "no command 'convrt'; there are convert, info".
std::string wrong_call_text(Words words, const std::vector<std::string>& commands, const std::string& said);

/// Tells people on standard error, and programs by an object {"error", "exit_code"} on standard output. The
/// exit code.
int fail(const std::string& given, int exit_code, bool as_json);

}  // namespace tenstride::cli
