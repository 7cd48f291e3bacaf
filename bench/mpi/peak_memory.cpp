// SPDX-License-Identifier: Apache-2.0
#include "peak_memory.hpp"

#include <fstream>
#include <string>

#ifdef __GLIBC__
#include <malloc.h>
#endif

namespace tenstride::bench {
namespace {

/// Bytes that a line of /proc/self/status names in kB. Example: "VmHWM:" is the peak of the resident pages.
std::optional<Index> status_of(const std::string& wanted) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(wanted)) return 1024 * std::stoll(line.substr(wanted.size()));
  }
  return {};
}

}  // namespace

PeakMemory::PeakMemory() {
#ifdef __GLIBC__
  malloc_trim(0);
#endif
  // Sets the peak to what is resident now (proc_pid_clear_refs(5)).
  std::ofstream reset("/proc/self/clear_refs");
  reset << "5" << std::flush;
  if (reset) start_ = status_of("VmHWM:");
}

std::optional<Index> PeakMemory::extra_bytes() const {
  const std::optional<Index> peak = status_of("VmHWM:");
  if (!start_ || !peak) return {};
  return *peak - *start_;
}

}  // namespace tenstride::bench
