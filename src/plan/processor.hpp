// SPDX-License-Identifier: Apache-2.0
// The processor by CPUID, what is known of its kind, and the file of what was measured on it.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tenstride/export.hpp"
#include "tenstride/machine.hpp"

namespace tenstride::detail {

/// Vendor, family and model by CPUID; without CPUID an empty vendor, family and model 0.
struct ProcessorKind {
  std::array<char, 12> name{};
  unsigned family = 0;
  unsigned model = 0;

  [[nodiscard]] std::string_view vendor() const { return {name.data(), name.size()}; }
};

/// The processor that the program runs on.
TENSTRIDE_API ProcessorKind this_processor();

/// The best instruction set that this processor has and kernels are compiled for.
InstructionSet available_instructions();

/// A machine with the stores and streams that are known of such processors; streaming stores and several
/// streams where nothing is known.
TENSTRIDE_API Machine machine_of(const ProcessorKind& kind);

/// This machine, changed by the values of TENSTRIDE_MACHINE and TENSTRIDE_KERNELS; either may be null.
Machine find_machine(const char* machine_name, const char* instructions);

/// The name of the file that holds measured stores and streams (see `cache_file`), and its first line, which
/// names the processor: the file is ignored on any other.
inline constexpr std::string_view machine_cache = "machine";
TENSTRIDE_API std::string machine_file_heading(const ProcessorKind& kind);

}  // namespace tenstride::detail
