// SPDX-License-Identifier: Apache-2.0
// How the program tells that it failed.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace tenstride::cli {

/// The words of a command line, without the program's name.
using Words = std::span<const char* const>;

/// What a call that cannot be parsed most likely wanted, for words that are no command and files whose names
/// begin with a dash; `said` where nothing is known. Example: "no command 'convrt'; there are convert, info".
std::string wrong_call_text(Words words, const std::vector<std::string>& commands, const std::string& said);

/// An error of the library as an error of the program: its command in place of a function's name, its options
/// in place of arguments, the given names of files. Example: `permute_file: "x.npy" exists already and must
/// not be replaced (Overwrite::refuse)` of convert is `convert: "x.npy" exists already and must not be
/// replaced
/// (--force replaces it)`.
std::string in_words_of_program(const std::string& message, std::string_view command);

/// Tells people on standard error, and with --json programs by an object {"error", "exit_code"} on standard
/// output; on standard error alone where the call sends data to standard output. The exit code.
int fail(const std::string& given, int exit_code, Words words);

}  // namespace tenstride::cli
