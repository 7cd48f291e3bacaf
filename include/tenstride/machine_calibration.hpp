// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/export.hpp"
#include "tenstride/machine.hpp"

namespace tenstride {

/// This machine with its stores and streams as they are measured, for about a second and with 256 MiB of
/// memory. What is within .05 of each other is left as it is known of the processor's kind.
/// Throws StorageError where the memory cannot be had.
TENSTRIDE_API Machine calibrate_machine();

/// Calibrates, and keeps that in `machine_file()` for `Machine::here()` of processes that start later. A file
/// that cannot be written is no error.
TENSTRIDE_API Machine refresh_machine();

/// `$XDG_CACHE_HOME/tenstride/machine`, or `~/.cache/tenstride/machine`; empty where neither is known.
TENSTRIDE_API std::string machine_file();

}  // namespace tenstride
