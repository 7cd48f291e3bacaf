// SPDX-License-Identifier: Apache-2.0
// What the library reads from the processor by CPUID, and the machine that follows from it.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <string>

#include "base/cache_file.hpp"
#include "base/message.hpp"
#include "plan/processor.hpp"
#include "tenstride/machine.hpp"

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tenstride {
namespace detail {

#if defined(__x86_64__)

ProcessorKind this_processor() {
  ProcessorKind found;
  std::array<unsigned, 4> r{};
  if (__get_cpuid(0, &r[0], &r[1], &r[2], &r[3]) == 0) return found;
  std::memcpy(found.name.data(), &r[1], 4);
  std::memcpy(found.name.data() + 4, &r[3], 4);
  std::memcpy(found.name.data() + 8, &r[2], 4);
  if (__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) == 0) return found;
  // Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID: the extended model counts
  // for families 6 and 15, the extended family for 15.
  const unsigned base = r[0] >> 8 & 0xfU;
  found.family = base + (base == 15 ? r[0] >> 20 & 0xffU : 0);
  found.model = (r[0] >> 4 & 0xfU) | (base == 6 || base == 15 ? r[0] >> 12 & 0xf0U : 0);
  return found;
}

namespace {

InstructionSet instructions_here() {
  __builtin_cpu_init();
  if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
      __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512vl") &&
      __builtin_cpu_supports("avx512cd")) {
    return InstructionSet::avx512;
  }
  // Every processor with AVX2 and FMA has BMI, BMI2 and F16C too.
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2"))
    return InstructionSet::avx2;
  return __builtin_cpu_supports("ssse3") ? InstructionSet::ssse3 : InstructionSet::portable;
}

/// Whether one instruction permutes the 64 bytes of a vector (AVX-512 VBMI).
bool permutes_lines() {
  return __builtin_cpu_supports("avx512vbmi");
}

/// Reads the cache sizes from the deterministic cache parameters: leaf 4 of Intel's CPUID, 0x8000001D of
/// AMD's, of the same form (AMD64 Architecture Programmer's Manual, volume 3, appendix E.4.15).
void read_caches(Machine& machine, bool is_amd) {
  constexpr unsigned max_caches = 8;
  for (unsigned i = 0; i < max_caches; ++i) {
    std::array<unsigned, 4> r{};
    if (__get_cpuid_count(is_amd ? 0x8000001dU : 4U, i, &r[0], &r[1], &r[2], &r[3]) == 0) return;
    const unsigned type = r[0] & 0x1fU;
    constexpr unsigned instructions_only = 2;
    if (type == 0) return;
    if (type == instructions_only) continue;
    const Index ways = (r[1] >> 22 & 0x3ffU) + Index{1};
    const Index partitions = (r[1] >> 12 & 0x3ffU) + Index{1};
    const Index line = (r[1] & 0xfffU) + Index{1};
    const Index bytes = ways * partitions * line * (r[2] + Index{1});
    const unsigned level = r[0] >> 5 & 7U;
    if (level == 1) machine.l1_bytes = bytes;
    if (level == 2) machine.l2_bytes = bytes;
    if (level == 3) machine.l3_bytes = bytes;
  }
}

}  // namespace

#else

ProcessorKind this_processor() {
  return {};
}

namespace {

InstructionSet instructions_here() {
  return InstructionSet::best;
}

bool permutes_lines() {
  return false;
}

void read_caches(Machine& /*machine*/, bool /*is_amd*/) {}

}  // namespace

#endif

Machine machine_of(const ProcessorKind& kind) {
  Machine machine;
  // Skylake-SP, Cascade Lake and Cooper Lake write faster by ordinary stores.
  constexpr unsigned skylake_sp = 0x55;
  const bool is_skylake = kind.vendor() == "GenuineIntel" && kind.family == 6 && kind.model == skylake_sp;
  machine.stores = is_skylake ? SequentialStores::ordinary : SequentialStores::streaming;
  machine.streams = kind.vendor() == "AuthenticAMD" ? MemoryStreams::one : MemoryStreams::several;
  return machine;
}

std::string machine_file_heading(const ProcessorKind& kind) {
  return message("processor ", kind.vendor(), " ", kind.family, " ", kind.model, "\n");
}

namespace {

/// The machine that `tenstride bench --calibrate` wrote for this processor, if any.
std::optional<Machine> calibrated_machine(const ProcessorKind& kind) {
  const std::string text = read_cache(cache_file(machine_cache));
  const std::string heading = machine_file_heading(kind);
  if (!text.starts_with(heading)) return std::nullopt;
  return machine_from_text(std::string_view(text).substr(heading.size()));
}

/// The machine of TENSTRIDE_MACHINE: a profile, or the text in a file of that name.
std::optional<Machine> requested_machine(const char* requested) {
  if (requested == nullptr || std::strcmp(requested, "here") == 0) return std::nullopt;
  const std::optional<Machine> profile = machine_named(requested);
  return profile ? profile : machine_from_text(read_cache(requested));
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
  read_caches(machine, kind.vendor() == "AuthenticAMD");
  if (const std::optional<Machine> requested = requested_machine(machine_name)) {
    machine = *requested;
  } else if (const std::optional<Machine> calibrated = calibrated_machine(kind)) {
    machine.stores = calibrated->stores;
    machine.streams = calibrated->streams;
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
