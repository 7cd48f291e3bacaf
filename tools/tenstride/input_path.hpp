// SPDX-License-Identifier: Apache-2.0
// Input that can be read only once, from its first byte to its last: pipes and standard input.
#pragma once

#include <string>

namespace tenstride::cli {

/// Whether that names standard input: "-" or /dev/stdin.
bool is_standard_input(const std::string& given);

/// Whether it is standard input or a pipe; nothing is read.
bool is_read_once(const std::string& given);

/// What a pipe is expected to have: of a file of no known kind no more is read than its start.
enum class InputContent : unsigned char { known_kind, any };

/// A path under which the library opens the file `given`: the same for a regular file, also where standard
/// input is redirected from one. A pipe is read to its end into a temporary file without a name, in the
/// folder that TMPDIR names (/tmp), or in memory where no file can be made there. The same `given` has one
/// path however often it is asked for. Throws UsageError where standard input is a terminal, WorkError where
/// it is empty, cannot be read, or is larger than the limit; errors begin with `command`.
std::string seekable_path(const std::string& given, const std::string& command,
                          InputContent content = InputContent::known_kind);

/// Whether standard input begins as a file of a known kind does; of a terminal nothing is read.
bool has_file_on_standard_input(const std::string& command);

/// All of standard input as text. Throws WorkError where it cannot be read, and UsageError where it was read
/// as a file.
std::string read_standard_input(const std::string& command);

/// The limit of what is read from pipes, as `--max-spool` has it. Without it, half of what is free in that
/// folder, and of the free memory where the folder lies in memory. Throws UsageError.
void limit_spool(const std::string& bytes);

/// A message with the given names in place of the paths that stand for them. Example: `npy: standard input
/// holds 3 bytes …`.
std::string with_given_names(std::string message);

}  // namespace tenstride::cli
