// SPDX-License-Identifier: Apache-2.0
#include "copy/processor.hpp"

#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

namespace tenstride::copy {

Processor this_processor() {
  Processor found;
#if defined(__x86_64__)
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
#endif
  return found;
}

}  // namespace tenstride::copy
