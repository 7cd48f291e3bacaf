// SPDX-License-Identifier: Apache-2.0
// What is known of a processor before anything is measured, and where what was measured is kept.
#pragma once

#include <array>
#include <string>
#include <string_view>

#include "tenstride/machine.hpp"

namespace tenstride::detail {

/// What CPUID tells of the processor; without CPUID an empty vendor, family and model 0.
struct ProcessorKind {
  std::array<char, 12> name{};
  unsigned family = 0;
  unsigned model = 0;

  [[nodiscard]] std::string_view vendor() const { return {name.data(), name.size()}; }
};

ProcessorKind this_processor();

/// The largest instruction set that this processor has.
InstructionSet available_instructions();

/// Its stores and streams, as far as its kind is known: of others streaming stores, several streams.
Machine machine_of(const ProcessorKind& kind);

/// This machine as the two environment variables ask for it; either may be null.
Machine find_machine(const char* machine_name, const char* instructions);

/// The file of the cache that keeps measured behaviour (`cache_file`), and the line that stands before the
/// text of a Machine: it is of no use on another processor.
inline constexpr std::string_view machine_cache = "machine";
std::string kept_heading(const ProcessorKind& kind);

}  // namespace tenstride::detail
