// SPDX-License-Identifier: Apache-2.0
// x86 processors, by CPUID.
#if defined(__x86_64__) || defined(__i386__)

#include <cpuid.h>

#include <cstring>

#include "plan/processor.hpp"

namespace tenstride::detail {

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
  return InstructionSet::portable;
}

bool permutes_lines() {
  return __builtin_cpu_supports("avx512vbmi");
}

// By the deterministic cache parameters: leaf 4 of Intel's CPUID, 0x8000001D of AMD's, of the same form
// (AMD64 Architecture Programmer's Manual, volume 3, appendix E.4.15).
void read_caches(Machine& machine, const ProcessorKind& kind) {
  const bool is_amd = kind.vendor() == "AuthenticAMD";
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

}  // namespace tenstride::detail

#endif
