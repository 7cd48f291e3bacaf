// SPDX-License-Identifier: Apache-2.0
// The machine that plans are made for: profiles, this machine, the environment variables and the calibration
// file.
#include "tenstride/plan/machine.hpp"

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

#include "calibration/machine_calibration.hpp"
#include "copy/kernels/kernels.hpp"
#include "plan/processor.hpp"
#include "tenstride/copy/run_plan.hpp"

namespace tenstride {
namespace {

using detail::ProcessorKind;

ProcessorKind kind(std::string_view vendor, unsigned family, unsigned model) {
  ProcessorKind made{{}, family, model};
  vendor.copy(made.name.data(), made.name.size());
  return made;
}

TEST(Machine, HasProfilesOfMeasuredProcessors) {
  for (const std::string_view name : machine_names()) {
    const std::optional<Machine> profile = machine_named(name);
    ASSERT_TRUE(profile) << name;
    EXPECT_EQ(machine_from_text(to_text(*profile)), *profile);
    const std::string file_text = detail::machine_file_heading(detail::this_processor()) + to_text(*profile);
    EXPECT_EQ(machine_from_text(file_text), *profile);
  }
  EXPECT_EQ(Machine::cascade_lake().stores, SequentialStores::ordinary);
  EXPECT_EQ(Machine::zen5().streams, MemoryStreams::one);
  EXPECT_EQ(Machine::zen3().block_stores, BlockStores::burst);
  EXPECT_EQ(Machine::emerald_rapids().permuted_bytes, 64);
  EXPECT_EQ(machine_named("here"), Machine::here());
  EXPECT_FALSE(machine_named("zen"));
}

TEST(Machine, IsWrittenAsTheLinesOfItsExample) {
  const std::string text = to_text(Machine::emerald_rapids());
  EXPECT_TRUE(text.starts_with("tenstride machine 3\nl1_bytes 49152\n")) << text;
  EXPECT_NE(text.find("streams several\nblock_stores interleaved\nrow_bytes 60\n"), std::string::npos)
      << text;
  EXPECT_TRUE(text.ends_with("\nline_permute 0.1\npermute 0.05\nend\n")) << text;
  for (const auto& [name, value] : cost_constants())
    EXPECT_NE(text.find("\n" + std::string(name) + " "), std::string::npos) << name;
}

TEST(Machine, IsNotReadFromAnythingElse) {
  const std::string text = to_text(Machine::zen5());
  for (std::size_t cut = 0; cut < text.size(); ++cut) EXPECT_FALSE(machine_from_text(text.substr(0, cut)));
  EXPECT_FALSE(machine_from_text(text + "\n"));
  const auto with = [&](std::string_view from, std::string_view to) {
    std::string changed = text;
    changed.replace(changed.find(from), from.size(), to);
    return machine_from_text(changed);
  };
  EXPECT_TRUE(with("49152", "65536"));
  EXPECT_FALSE(with("49152", "1"));
  EXPECT_FALSE(with("49152", "1e15"));
  EXPECT_FALSE(with("49152", "nan"));
  EXPECT_FALSE(with("streaming", "fast"));
  EXPECT_FALSE(with("interleaved", "late"));
  EXPECT_FALSE(with("machine 3", "machine 2"));
  EXPECT_TRUE(with("\npermute 0.05", "\npermute 0.0625"));
  EXPECT_FALSE(with("\npermute 0.05", "\npermute -1"));
  EXPECT_FALSE(with("\npermute 0.05", "\npermute 1e7"));
  EXPECT_FALSE(with("\npermute 0.05", "\nshuffle 0.05"));
}

TEST(Machine, KnowsTheStoresAndStreamsOfItsKind) {
  const auto stores = [](const ProcessorKind& of) { return detail::machine_of(of).stores; };
  EXPECT_EQ(stores(kind("GenuineIntel", 6, 0x55)), SequentialStores::ordinary);   // Cascade Lake
  EXPECT_EQ(stores(kind("GenuineIntel", 6, 0x6a)), SequentialStores::streaming);  // Ice Lake
  EXPECT_EQ(stores(kind("GenuineIntel", 6, 0xcf)), SequentialStores::streaming);  // Emerald Rapids
  EXPECT_EQ(stores(kind("GenuineIntel", 15, 0x55)), SequentialStores::streaming);
  EXPECT_EQ(stores(kind("AuthenticAMD", 6, 0x55)), SequentialStores::streaming);
  EXPECT_EQ(detail::machine_of(kind("AuthenticAMD", 26, 2)).streams, MemoryStreams::one);
  EXPECT_EQ(detail::machine_of(kind("GenuineIntel", 6, 0xcf)).streams, MemoryStreams::several);
  EXPECT_EQ(detail::machine_of({}).streams, MemoryStreams::several);
  const auto block_stores = [](unsigned family, unsigned model) {
    return detail::machine_of(kind("AuthenticAMD", family, model)).block_stores;
  };
  EXPECT_EQ(block_stores(25, 0x01), BlockStores::burst);        // Zen 3: Milan
  EXPECT_EQ(block_stores(25, 0x21), BlockStores::burst);        // Vermeer
  EXPECT_EQ(block_stores(25, 0x11), BlockStores::interleaved);  // Zen 4: Genoa
  EXPECT_EQ(block_stores(25, 0x61), BlockStores::interleaved);  // Raphael
  EXPECT_EQ(block_stores(26, 0x02), BlockStores::interleaved);  // Zen 5
}

TEST(Machine, IsTheRequestedOne) {
  const Machine own = detail::find_machine(nullptr, nullptr);
  EXPECT_EQ(detail::find_machine("here", nullptr), own);
  EXPECT_EQ(detail::find_machine("zen", nullptr), own) << "a name that is none changes nothing";
  EXPECT_EQ(detail::find_machine(nullptr, "avx1024"), own);
  for (const std::string_view name : machine_names()) {
    Machine requested = *machine_named(name);
    requested.instructions = own.instructions;  // the instructions stay those of this processor
    requested.permuted_bytes = own.permuted_bytes;
    EXPECT_EQ(detail::find_machine(std::string(name).c_str(), nullptr), requested) << name;
  }
  const Machine portable = detail::find_machine("zen5", "portable");
  EXPECT_EQ(portable.instructions, InstructionSet::portable);
  EXPECT_EQ(portable.permuted_bytes, 16);
  EXPECT_EQ(portable.streams, MemoryStreams::one);
  EXPECT_EQ(Machine::here(),
            detail::find_machine(std::getenv("TENSTRIDE_MACHINE"), std::getenv("TENSTRIDE_KERNELS")));
}

TEST(Machine, HasTheInstructionsOfItsKernels) {
  EXPECT_EQ(options_here().machine, Machine::here());
  EXPECT_LE(Machine::here().instructions, detail::available_instructions());
  EXPECT_GE(Machine::here().l1_bytes, Index{8} << 10);
  EXPECT_GE(Machine::here().l2_bytes, Machine::here().l1_bytes);
#if defined(__x86_64__)
  EXPECT_EQ(copy::kernels().name, name(Machine::here().instructions));
  const ProcessorKind here = detail::this_processor();
  EXPECT_GE(here.family, 6U);  // the first with 64 bits
  EXPECT_EQ(here.vendor().size(), 12U);
#endif
}

TEST(Machine, IsAnotherOneForPlansOfAScope) {
  EXPECT_EQ(planned_machine(), Machine::here());
  {
    const MachineScope zen(Machine::zen5());
    EXPECT_EQ(options_here().machine, Machine::zen5());
    {
      const MachineScope cascade(Machine::cascade_lake());
      EXPECT_EQ(planned_machine(), Machine::cascade_lake());
    }
    EXPECT_EQ(planned_machine(), Machine::zen5());
  }
  EXPECT_EQ(planned_machine(), Machine::here());
}

TEST(Machine, IsCalibratedInItsStoresAndStreamsAlone) {
  Machine measured = calibrate_machine();
  measured.stores = Machine::here().stores;
  measured.streams = Machine::here().streams;
  measured.block_stores = Machine::here().block_stores;
  EXPECT_EQ(measured, Machine::here());
}

}  // namespace
}  // namespace tenstride
