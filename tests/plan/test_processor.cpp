// SPDX-License-Identifier: Apache-2.0
// Processors without CPUID: what Linux says of them. The texts are those of the machines that they name.
#include "plan/processor.hpp"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "support/scratch.hpp"

namespace tenstride {
namespace {

constexpr std::string_view graviton3 =
    "processor\t: 0\nBogoMIPS\t: 2100.00\nFeatures\t: fp asimd evtstrm aes pmull sha1 sha2 crc32 atomics "
    "sve\n"
    "CPU implementer\t: 0x41\nCPU architecture: 8\nCPU variant\t: 0x1\nCPU part\t: 0xd40\nCPU revision\t: "
    "1\n\n"
    "processor\t: 1\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n";

TEST(Processor, OfArmIsReadFromCpuinfo) {
  const detail::ProcessorKind kind = detail::kind_in_cpuinfo(graviton3);
  EXPECT_EQ(kind.vendor(), "ARM");
  EXPECT_EQ(kind.family, 0x41U);
  EXPECT_EQ(kind.model, 0xd40U);
  EXPECT_EQ(detail::machine_of(kind).stores, SequentialStores::ordinary);
  EXPECT_EQ(detail::kind_in_cpuinfo("isa\t: rv64imafdc\n").vendor(), "");
  EXPECT_EQ(detail::kind_in_cpuinfo("CPU implementer").vendor(), "");
}

TEST(Processor, OfArmHasTheCachesOfItsPart) {
  Machine machine;
  detail::caches_of_kind(machine, detail::kind_in_cpuinfo(graviton3));
  EXPECT_EQ(machine.l1_bytes, Index{64} << 10);
  EXPECT_EQ(machine.l2_bytes, Index{1} << 20);
  EXPECT_EQ(machine.l3_bytes, Index{32} << 20);
  Machine unknown;
  detail::caches_of_kind(unknown, detail::kind_in_cpuinfo("CPU implementer : 0x41\nCPU part : 0xfff\n"));
  EXPECT_EQ(unknown, Machine());
}

TEST(Processor, CachesAreReadFromSysfs) {
  const testing::Scratch scratch;
  const auto write = [&](int index, std::string_view level, std::string_view type, std::string_view size) {
    const std::filesystem::path folder = scratch.path("index" + std::to_string(index));
    std::filesystem::create_directories(folder);
    std::ofstream(folder / "level") << level << '\n';
    std::ofstream(folder / "type") << type << '\n';
    std::ofstream(folder / "size") << size << '\n';
  };
  write(0, "1", "Data", "64K");
  write(1, "1", "Instruction", "128K");
  write(2, "2", "Unified", "2048K");
  write(3, "3", "Unified", "36M");
  Machine machine;
  detail::caches_in_folder(machine, scratch.folder().string());
  EXPECT_EQ(machine.l1_bytes, Index{64} << 10);
  EXPECT_EQ(machine.l2_bytes, Index{2} << 20);
  EXPECT_EQ(machine.l3_bytes, Index{36} << 20);
  write(2, "2", "Unified", "many");
  Machine damaged;
  detail::caches_in_folder(damaged, scratch.folder().string());
  EXPECT_EQ(damaged.l2_bytes, Machine().l2_bytes);
}

}  // namespace
}  // namespace tenstride
