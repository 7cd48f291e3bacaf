// SPDX-License-Identifier: Apache-2.0
// The processor, what is known of its kind, and the file of what was measured on it. It is read by CPUID
// (processor_cpuid.cpp), or where there is none from Linux (processor_sysfs.cpp).
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride::detail {

/// Vendor, family and model by CPUID; of ARM's "ARM", the implementer and the part of /proc/cpuinfo; an empty
/// vendor where nothing is known.
struct ProcessorKind {
  std::array<char, 12> name{};
  unsigned family = 0;
  unsigned model = 0;

  [[nodiscard]] std::string_view vendor() const {
    const std::string_view all(name.data(), name.size());
    return all.substr(0, all.find('\0'));
  }
};

/// The processor that the program runs on.
TENSTRIDE_API ProcessorKind this_processor();

/// The sizes of its caches, as far as they are known.
void read_caches(Machine& machine, const ProcessorKind& kind);
/// The sizes of caches by the parts of ARM's cores, and from the files of a folder as
/// /sys/devices/system/cpu/cpu0/cache.
TENSTRIDE_API void caches_of_kind(Machine& machine, const ProcessorKind& kind);
TENSTRIDE_API void caches_in_folder(Machine& machine, const std::string& folder);
/// The kind that /proc/cpuinfo tells of an ARM processor.
TENSTRIDE_API ProcessorKind kind_in_cpuinfo(std::string_view cpuinfo);

/// The best instruction set that this processor has and kernels may be compiled for.
InstructionSet instructions_here();
/// Whether one instruction permutes the 64 bytes of a vector (AVX-512 VBMI).
bool permutes_lines();
/// `instructions_here()`, read once.
InstructionSet available_instructions();

/// A machine with the stores, streams and costs that are known of such processors; streaming stores and
/// several streams where nothing is known.
TENSTRIDE_API Machine machine_of(const ProcessorKind& kind);

/// The costs of processors that write blocks so: of Zen 3, or the default ones.
Costs costs_of(BlockStores stores);

/// This machine, changed by the values of TENSTRIDE_MACHINE and TENSTRIDE_KERNELS; either may be null.
Machine find_machine(const char* machine_name, const char* instructions);

/// The name of the file that holds measured stores and streams (see `cache_file`), and its first line, which
/// names the processor: the file is ignored on any other.
inline constexpr std::string_view machine_cache = "machine";
TENSTRIDE_API std::string machine_file_heading(const ProcessorKind& kind);

}  // namespace tenstride::detail
