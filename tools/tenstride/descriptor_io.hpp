// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <span>
#include <string>

namespace tenstride::cli {

/// At least one byte, or 0 at the end, or -1 with `errno`. Waits where the descriptor would not.
ssize_t read_some(int file, std::span<std::byte> bytes);

/// All bytes; false with `errno`. Waits where the descriptor would not.
bool write_all(int file, std::span<const std::byte> bytes);

/// What the system says to an `errno`, in brackets: " (Broken pipe)".
std::string reason(int error);

/// Standard input, output and error that are closed become descriptors that can neither be read nor written:
/// no file that is opened later has their numbers.
void hold_standard_descriptors();

}  // namespace tenstride::cli
