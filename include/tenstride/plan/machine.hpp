// SPDX-License-Identifier: Apache-2.0
// What plans depend on of the processor, as a value.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "tenstride/base/export.hpp"
#include "tenstride/base/index.hpp"
#include "tenstride/plan/costs.hpp"

namespace tenstride {

/// The instruction sets that kernels are compiled for; each includes those before it. On processors other
/// than x86 `best` stands for the only one.
enum class InstructionSet : std::uint8_t { portable, avx2, avx512, best = avx512 };

/// Which kind of stores writes sequential memory faster.
enum class SequentialStores : std::uint8_t {
  ordinary,  ///< through the caches
  streaming  ///< by non-temporal stores, which bypass the caches
};

/// How many memory streams a core reads and writes at the same time where it is fastest.
enum class MemoryStreams : std::uint8_t {
  several,  ///< four pages or eight rows, alternating from line to line
  one       ///< one page or one row after the other
};

/// When a core writes the lines of a block that it has packed in a cache.
enum class BlockStores : std::uint8_t {
  interleaved,  ///< between the packing of the next block
  burst         ///< all at once, where streaming stores are slow beside ordinary ones
};

/// A processor, as far as plans depend on it. The default value describes a processor of which nothing is
/// known.
/// Example: `PlanOptions options; options.machine = Machine::zen5();` plans a copy as on a Zen 5.
struct Machine {
  /// Bytes of a core's caches; the third includes what cores share.
  Index l1_bytes = Index{32} << 10;
  Index l2_bytes = Index{2} << 20;
  Index l3_bytes = Index{32} << 20;
  /// Bytes that one instruction can permute freely: 64 with AVX-512 VBMI.
  Index permuted_bytes = 16;
  InstructionSet instructions = InstructionSet::best;
  SequentialStores stores = SequentialStores::ordinary;
  MemoryStreams streams = MemoryStreams::several;
  BlockStores block_stores = BlockStores::interleaved;
  /// The constants of the ways' costs.
  Costs costs{};

  /// Measured processors: Intel Xeons of the second and fifth generation, AMD EPYCs of the third and fifth.
  TENSTRIDE_API static Machine cascade_lake();
  TENSTRIDE_API static Machine emerald_rapids();
  TENSTRIDE_API static Machine zen3();
  TENSTRIDE_API static Machine zen5();

  /// The processor that the program runs on; determined once. Caches and instructions come from CPUID, stores
  /// and streams from what `tenstride bench --calibrate` measured, otherwise from what is known of the
  /// processor's kind, as the costs are. The environment variable TENSTRIDE_MACHINE names another machine, by
  /// a profile's name or a file of `to_text`, from which everything but the instructions is taken.
  /// TENSTRIDE_KERNELS names a smaller instruction set. Unknown names have no effect.
  TENSTRIDE_API static const Machine& here();

  friend bool operator==(const Machine&, const Machine&) = default;
};

/// During its lifetime copies of this thread are planned for another processor; their results are the same.
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

/// "portable", "avx2", "avx512"; "ordinary", "streaming"; "several", "one"; "interleaved", "burst".
TENSTRIDE_API std::string_view name(InstructionSet instructions);
TENSTRIDE_API std::string_view name(SequentialStores stores);
TENSTRIDE_API std::string_view name(MemoryStreams streams);
TENSTRIDE_API std::string_view name(BlockStores stores);

/// "cascade_lake", "emerald_rapids", "zen3", "zen5".
TENSTRIDE_API std::span<const std::string_view> machine_names();

/// A profile by its name, or `Machine::here()` for "here".
TENSTRIDE_API std::optional<Machine> machine_named(std::string_view name);

/// One line for each value: "tenstride machine 3\nl1_bytes 49152\n…\npermute 0.05\nend\n".
TENSTRIDE_API std::string to_text(const Machine& machine);

/// The machine that `to_text` wrote, also behind a line that names a processor, as `tenstride bench
/// --calibrate` and `tenstride-bench --fit` write it; nothing for any other text.
TENSTRIDE_API std::optional<Machine> machine_from_text(std::string_view text);

}  // namespace tenstride
