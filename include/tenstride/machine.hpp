// SPDX-License-Identifier: Apache-2.0
// What a plan has to know of the processor that it is made for: a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/export.hpp"
#include "tenstride/index.hpp"

namespace tenstride {

/// The instructions that kernels are compiled for; each set has those before it. On processors other than x86
/// `best` stands for the one set there is.
enum class InstructionSet : std::uint8_t { portable, ssse3, avx2, avx512, best = avx512 };

/// Which stores write what is in order to memory faster.
enum class SequentialStores : std::uint8_t {
  ordinary,  ///< through the cache
  streaming  ///< past it
};

/// How many places of memory a core goes on with at a time where it is fastest.
enum class MemoryStreams : std::uint8_t {
  several,  ///< four pages, or eight rows, line by line in turn
  one       ///< page after page, row after row
};

/// A processor, as far as plans depend on it. The default one is a processor of which nothing is known.
/// Example: `PlanOptions options; options.machine = Machine::zen5();` plans a copy as on a Zen 5.
struct Machine {
  /// Bytes of the caches that a core has: for the third one all that it shares.
  Index l1_bytes = Index{32} << 10;
  Index l2_bytes = Index{2} << 20;
  Index l3_bytes = Index{32} << 20;
  /// Bytes that one instruction permutes in any way: 64 with AVX-512 VBMI.
  Index permuted_bytes = 16;
  InstructionSet instructions = InstructionSet::best;
  SequentialStores stores = SequentialStores::ordinary;
  MemoryStreams streams = MemoryStreams::several;

  /// Measured processors: an Intel Xeon of the second and of the fifth generation, an AMD EPYC of the fifth.
  TENSTRIDE_API static Machine cascade_lake();
  TENSTRIDE_API static Machine emerald_rapids();
  TENSTRIDE_API static Machine zen5();

  /// This one, found out once. Caches and instructions are what CPUID tells, stores and streams what
  /// `tenstride bench --calibrate` measured, or else what is known of its kind. The environment variable
  /// TENSTRIDE_MACHINE names another one, a profile or a file of `to_text`: all but the instructions, of
  /// which no others can be had, are then taken from there. TENSTRIDE_KERNELS asks for a smaller instruction
  /// set. A name that is none changes nothing.
  TENSTRIDE_API static const Machine& here();

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// While it lives, copies of this thread are planned as on another processor; what they give is the same.
/// Example: `MachineScope scope(Machine::zen5());`
class TENSTRIDE_API MachineScope {
 public:
  explicit MachineScope(const Machine& machine);
  ~MachineScope();
  MachineScope(const MachineScope&) = delete;
  MachineScope& operator=(const MachineScope&) = delete;

 private:
  Machine machine_;
  const Machine* outer_;
};

/// The machine that copies of this thread are planned for: that of the innermost MachineScope, or
/// `Machine::here()`.
TENSTRIDE_API const Machine& planned_machine();

/// "portable", "ssse3", "avx2", "avx512"; "ordinary", "streaming"; "several", "one".
TENSTRIDE_API std::string_view name(InstructionSet instructions);
TENSTRIDE_API std::string_view name(SequentialStores stores);
TENSTRIDE_API std::string_view name(MemoryStreams streams);

/// "cascade_lake", "emerald_rapids", "zen5".
TENSTRIDE_API std::span<const std::string_view> machine_names();

/// A profile by its name, or `Machine::here()` for "here".
TENSTRIDE_API std::optional<Machine> machine_named(std::string_view name);

/// One line for each figure: "tenstride machine 1\nl1_bytes 49152\n…\nstreams several\nend\n".
TENSTRIDE_API std::string to_text(const Machine& machine);

/// What `to_text` wrote, also behind a line that names a processor, as `tenstride bench --calibrate` keeps
/// it; nothing for another text.
TENSTRIDE_API std::optional<Machine> machine_from_text(std::string_view text);

}  // namespace tenstride
