// SPDX-License-Identifier: Apache-2.0
// Processors without CPUID, by what Linux says of them in /proc and /sys.
#include <algorithm>
#include <array>
#include <charconv>
#include <cstring>

#include "base/cache_file.hpp"
#include "plan/processor.hpp"

namespace tenstride::detail {
namespace {

/// The number behind "key :" in /proc/cpuinfo, of the first processor that has it.
unsigned cpuinfo_number(std::string_view cpuinfo, std::string_view key) {
  const std::size_t at = cpuinfo.find(key);
  if (at == std::string_view::npos) return 0;
  std::string_view rest = cpuinfo.substr(at + key.size());
  rest.remove_prefix(std::min(rest.find_first_not_of(" \t:"), rest.size()));
  const bool is_hexadecimal = rest.starts_with("0x");
  if (is_hexadecimal) rest.remove_prefix(2);
  unsigned number = 0;
  std::from_chars(rest.data(), rest.data() + rest.size(), number, is_hexadecimal ? 16 : 10);
  return number;
}

/// What ARM's cores have; sizes in KiB. Of caches that cores share, all.
struct ArmCore {
  unsigned implementer;
  unsigned part;
  Index l1;
  Index l2;
  Index l3;
};

constexpr unsigned arm = 0x41;
constexpr unsigned apple = 0x61;
// Implementers and parts: Linux, arch/arm64/include/asm/cputype.h. Caches: ARM's technical reference manuals;
// of those whose sizes are the maker's choice, what the named machines have.
constexpr std::array arm_cores{
    ArmCore{arm, 0xd08, 32, 2048, 0},          // Cortex-A72: Graviton, Raspberry Pi 4 (1 MiB)
    ArmCore{arm, 0xd0b, 64, 512, 2048},        // Cortex-A76: Raspberry Pi 5
    ArmCore{arm, 0xd0c, 64, 1024, 32768},      // Neoverse N1: Graviton 2, Ampere Altra
    ArmCore{arm, 0xd40, 64, 1024, 32768},      // Neoverse V1: Graviton 3
    ArmCore{arm, 0xd49, 64, 1024, 65536},      // Neoverse N2: Cobalt 100
    ArmCore{arm, 0xd4f, 64, 2048, 36864},      // Neoverse V2: Graviton 4, Axion
    ArmCore{apple, 0x023, 128, 12288, 8192},   // M1
    ArmCore{apple, 0x025, 128, 12288, 24576},  // M1 Pro
    ArmCore{apple, 0x033, 128, 16384, 8192},   // M2
};

Index kibibytes(const std::string& text) {
  Index number = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || number < 1 || number > (Index{1} << 30)) return 0;
  return rest != end && *rest == 'M' ? number << 10 : number;
}

std::string word_in(const std::string& path) {
  std::string word = read_small_file(path);
  word.resize(std::min(word.find_first_of(" \n"), word.size()));
  return word;
}

}  // namespace

ProcessorKind kind_in_cpuinfo(std::string_view cpuinfo) {
  ProcessorKind found;
  found.family = cpuinfo_number(cpuinfo, "CPU implementer");
  found.model = cpuinfo_number(cpuinfo, "CPU part");
  if (found.family != 0) std::memcpy(found.name.data(), "ARM", 3);
  return found;
}

void caches_of_kind(Machine& machine, const ProcessorKind& kind) {
  if (kind.vendor() != "ARM") return;
  for (const ArmCore& core : arm_cores) {
    if (core.implementer != kind.family || core.part != kind.model) continue;
    machine.l1_bytes = core.l1 << 10;
    machine.l2_bytes = core.l2 << 10;
    machine.l3_bytes = (core.l3 == 0 ? core.l2 : core.l3) << 10;
  }
}

void caches_in_folder(Machine& machine, const std::string& folder) {
  constexpr int max_caches = 8;
  for (int i = 0; i < max_caches; ++i) {
    const std::string cache = folder + "/index" + std::to_string(i);
    if (word_in(cache + "/type") == "Instruction") continue;
    const Index bytes = kibibytes(word_in(cache + "/size")) << 10;
    const std::string level = word_in(cache + "/level");
    if (bytes == 0) continue;
    if (level == "1") machine.l1_bytes = bytes;
    if (level == "2") machine.l2_bytes = bytes;
    if (level == "3") machine.l3_bytes = bytes;
  }
}

#if !defined(__x86_64__) && !defined(__i386__)

ProcessorKind this_processor() {
  return kind_in_cpuinfo(read_small_file("/proc/cpuinfo"));
}

InstructionSet instructions_here() {
  return InstructionSet::best;
}

bool permutes_lines() {
  return false;
}

void read_caches(Machine& machine, const ProcessorKind& kind) {
  caches_of_kind(machine, kind);
  caches_in_folder(machine, "/sys/devices/system/cpu/cpu0/cache");
}

#endif

}  // namespace tenstride::detail
