// SPDX-License-Identifier: Apache-2.0
// The machine that follows from the processor, from what was measured on it, and from the environment.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/cache_file.hpp"
#include "base/message.hpp"
#include "plan/processor.hpp"
#include "tenstride/plan/machine.hpp"

namespace tenstride {
namespace detail {

namespace {

/// Family 25 of AMD is Zen 3 and Zen 4, which differ in their models.
bool is_zen3(const ProcessorKind& kind) {
  constexpr unsigned family = 25;
  const unsigned series = kind.model / 16;
  return kind.vendor() == "AuthenticAMD" && kind.family == family &&
         (series == 0 || series == 2 || series == 4 || series == 5);
}

}  // namespace

Machine machine_of(const ProcessorKind& kind) {
  Machine machine;
  // Skylake-SP, Cascade Lake and Cooper Lake write faster by ordinary stores.
  constexpr unsigned skylake_sp = 0x55;
  const bool is_skylake = kind.vendor() == "GenuineIntel" && kind.family == 6 && kind.model == skylake_sp;
  // Highway's streaming stores are ordinary ones on ARM.
  const bool is_arm = kind.vendor() == "ARM";
  machine.stores = is_skylake || is_arm ? SequentialStores::ordinary : SequentialStores::streaming;
  machine.streams = kind.vendor() == "AuthenticAMD" ? MemoryStreams::one : MemoryStreams::several;
  if (is_zen3(kind)) machine.block_stores = BlockStores::burst;
  machine.costs = costs_of(machine.block_stores);
  return machine;
}

std::string machine_file_heading(const ProcessorKind& kind) {
  return message("processor ", kind.vendor(), " ", kind.family, " ", kind.model, "\n");
}

namespace {

/// The machine that `tenstride bench --calibrate` wrote for this processor, if any.
std::optional<Machine> calibrated_machine(const ProcessorKind& kind) {
  const std::string text = read_small_file(cache_file(machine_cache));
  const std::string heading = machine_file_heading(kind);
  if (!text.starts_with(heading)) return std::nullopt;
  return machine_from_text(std::string_view(text).substr(heading.size()));
}

/// The machine of TENSTRIDE_MACHINE: a profile, or the text in a file of that name.
std::optional<Machine> requested_machine(const char* requested) {
  if (requested == nullptr || std::strcmp(requested, "here") == 0) return std::nullopt;
  const std::optional<Machine> profile = machine_named(requested);
  return profile ? profile : machine_from_text(read_small_file(requested));
}

/// The instruction set that TENSTRIDE_KERNELS names, or the best available one where it names none of these.
InstructionSet requested_instructions(const char* requested, InstructionSet available) {
  if (requested == nullptr) return available;
  for (unsigned i = 0; i < static_cast<unsigned>(available); ++i) {
    const auto instructions = static_cast<InstructionSet>(i);
    if (name(instructions) == requested) return instructions;
  }
  return available;
}

}  // namespace

Machine find_machine(const char* machine_name, const char* instructions) {
  const ProcessorKind kind = this_processor();
  Machine machine = machine_of(kind);
  read_caches(machine, kind);
  if (const std::optional<Machine> requested = requested_machine(machine_name)) {
    machine = *requested;
  } else if (const std::optional<Machine> calibrated = calibrated_machine(kind)) {
    machine.stores = calibrated->stores;
    machine.streams = calibrated->streams;
    machine.block_stores = calibrated->block_stores;
    machine.costs = costs_of(machine.block_stores);
  }
  machine.instructions = requested_instructions(instructions, available_instructions());
  // Only the kernels for AVX-512 use instructions that permute 64 bytes.
  machine.permuted_bytes = machine.instructions == InstructionSet::avx512 && permutes_lines() ? 64 : 16;
  return machine;
}

InstructionSet available_instructions() {
  static const InstructionSet found = instructions_here();
  return found;
}

}  // namespace detail

const Machine& Machine::here() {
  static const Machine found =
      detail::find_machine(std::getenv("TENSTRIDE_MACHINE"), std::getenv("TENSTRIDE_KERNELS"));
  return found;
}

}  // namespace tenstride
