// SPDX-License-Identifier: Apache-2.0
#include "copy/stores.hpp"

#include <array>
#include <cstdlib>
#include <cstring>

#if defined(__x86_64__)
#include <cpuid.h>
#endif

#include "tenstride/run_plan.hpp"

namespace tenstride::copy {
namespace {

Stores ask_processor() {
#if defined(__x86_64__)
  std::array<unsigned, 4> r{};
  std::array<char, 12> vendor{};
  if (__get_cpuid(0, &r[0], &r[1], &r[2], &r[3]) == 0) return Stores::streaming;
  std::memcpy(vendor.data(), &r[1], 4);
  std::memcpy(vendor.data() + 4, &r[3], 4);
  std::memcpy(vendor.data() + 8, &r[2], 4);
  if (__get_cpuid(1, &r[0], &r[1], &r[2], &r[3]) == 0) return Stores::streaming;
  // Intel 64 and IA-32 Architectures Software Developer's Manual, volume 2A, CPUID: the extended model counts
  // for families 6 and 15, the extended family for 15.
  const unsigned base = r[0] >> 8 & 0xfU;
  const unsigned family = base + (base == 15 ? r[0] >> 20 & 0xffU : 0);
  const unsigned model = (r[0] >> 4 & 0xfU) | (base == 6 || base == 15 ? r[0] >> 12 & 0xf0U : 0);
  return stores_in_order({vendor.data(), vendor.size()}, family, model);
#else
  return Stores::streaming;
#endif
}

}  // namespace

Stores stores_in_order(std::string_view vendor, unsigned family, unsigned model) {
  constexpr unsigned skylake_sp = 0x55;  // and its successors on the same core
  return vendor == "GenuineIntel" && family == 6 && model == skylake_sp ? Stores::ordinary
                                                                        : Stores::streaming;
}

Stores stores_in_order() {
  static const Stores chosen = [] {
    const char* const name = std::getenv("TENSTRIDE_STORES");
    if (name != nullptr && std::strcmp(name, "ordinary") == 0) return Stores::ordinary;
    if (name != nullptr && std::strcmp(name, "streaming") == 0) return Stores::streaming;
    return ask_processor();
  }();
  return chosen;
}

}  // namespace tenstride::copy

namespace tenstride {

PlanOptions options_here() {
  PlanOptions options;
  if (copy::stores_in_order() == copy::Stores::streaming)
    options.streaming_in_order_above = options.streaming_above;
  return options;
}

}  // namespace tenstride
