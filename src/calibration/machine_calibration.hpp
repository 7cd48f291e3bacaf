// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/base/export.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride {

/// This machine with measured stores, streams and block stores; takes about two seconds and 256 MiB of
/// memory. Where two measurements differ by less than 5 %, what is known of the processor's kind is kept.
/// Throws StorageError where the memory cannot be allocated.
TENSTRIDE_API Machine calibrate_machine();

/// Calibrates, and writes the result to `machine_file()` for `Machine::here()` of processes that start later.
/// Failing to write the file is no error.
TENSTRIDE_API Machine refresh_machine();

/// `$XDG_CACHE_HOME/tenstride/machine`, or `~/.cache/tenstride/machine`; empty where neither is known.
TENSTRIDE_API std::string machine_file();

}  // namespace tenstride
