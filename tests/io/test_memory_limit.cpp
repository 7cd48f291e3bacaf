// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/memory_limit.hpp"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <limits>
#include <vector>

#include "io/job/system_memory.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using testing::refusal;
using testing::Scratch;

constexpr std::uint64_t KiB = 1024;
constexpr std::uint64_t MiB = 1024 * KiB;
constexpr std::uint64_t GiB = 1024 * MiB;
constexpr std::uint64_t unlimited = std::numeric_limits<std::uint64_t>::max();

/// Folders that stand for /proc and /sys/fs/cgroup.
class Fixture {
 public:
  void put(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(scratch_.path(name)).parent_path());
    scratch_.file(name, text);
  }
  /// Of a group of version 1 or 2, by the names of their files.
  void put_group_1(const std::string& group, std::uint64_t limit, std::uint64_t usage) const {
    put(group + "/memory.limit_in_bytes", std::to_string(limit) + "\n");
    put(group + "/memory.usage_in_bytes", std::to_string(usage) + "\n");
  }
  void put_group_2(const std::string& group, const std::string& max, const std::string& high,
                   std::uint64_t usage) const {
    put(group + "/memory.max", max + "\n");
    put(group + "/memory.high", high + "\n");
    put(group + "/memory.current", std::to_string(usage) + "\n");
  }
  void put_machine() const {
    put("proc/meminfo",
        "MemTotal:       16777216 kB\nMemFree:         1048576 kB\nMemAvailable:    8388608 kB\n");
  }
  [[nodiscard]] SystemFolders folders() const { return {scratch_.path("proc"), scratch_.path("cgroup")}; }
  [[nodiscard]] std::uint64_t free() const { return free_memory(folders()); }

 private:
  Scratch scratch_;
};

TEST(FreeMemory, IsWhatTheMachineHasAvailable) {
  const Fixture system;
  EXPECT_EQ(system.free(), unlimited);  // nothing is known
  system.put_machine();
  EXPECT_EQ(system.free(), 8 * GiB);
  system.put("proc/self/cgroup", "broken\n1:cpu:/\n0::/\n");
  EXPECT_EQ(system.free(), 8 * GiB);
}

TEST(FreeMemory, IsWhatAGroupOfVersion2Leaves) {
  const Fixture system;
  system.put_machine();
  system.put("proc/self/cgroup", "0::/box\n");
  system.put_group_2("cgroup/box", std::to_string(512 * MiB), "max", 100 * MiB);
  EXPECT_EQ(system.free(), 412 * MiB);
  system.put("cgroup/box/memory.stat", "anon 1\ninactive_file 20971520\nactive_file 10485760\nslab 5\n");
  EXPECT_EQ(system.free(), 442 * MiB);  // the example of the header
  system.put_group_2("cgroup/box", std::to_string(512 * MiB), std::to_string(300 * MiB), 100 * MiB);
  EXPECT_EQ(system.free(), 230 * MiB);
  system.put_group_2("cgroup/box", std::to_string(512 * MiB), std::to_string(60 * MiB), 100 * MiB);
  EXPECT_EQ(system.free(), 0U);
  system.put_group_2("cgroup/box", "max", "max", 100 * MiB);
  EXPECT_EQ(system.free(), 8 * GiB);
}

TEST(FreeMemory, IsWhatTheGroupsAroundLeave) {
  const Fixture system;
  system.put_machine();
  system.put("proc/self/cgroup", "0::/a/b/c\n");
  system.put_group_2("cgroup/a/b/c", "max", "max", 10 * MiB);
  system.put_group_2("cgroup/a/b", std::to_string(3 * GiB), "max", GiB);
  EXPECT_EQ(system.free(), 2 * GiB);
  system.put_group_2("cgroup/a", std::to_string(2 * GiB), "max", GiB);
  EXPECT_EQ(system.free(), GiB);
  system.put_group_2("cgroup/a/b/c", std::to_string(11 * MiB), "max", 10 * MiB);
  EXPECT_EQ(system.free(), MiB);
}

TEST(FreeMemory, IsWhatAGroupOfVersion1Leaves) {
  const Fixture system;
  system.put_machine();
  system.put("proc/self/cgroup", "9:cpu,cpuacct:/x\n4:hugetlb,memory:/a/b\n0::/unified\n");
  system.put_group_1("cgroup/memory", 9223372036854771712U, 5 * GiB);
  EXPECT_EQ(system.free(), 8 * GiB);
  system.put_group_1("cgroup/memory/a", 2 * GiB, GiB);
  EXPECT_EQ(system.free(), GiB);
  system.put("cgroup/memory/a/memory.stat",
             "inactive_file 1\nactive_file 1\ntotal_inactive_file 536870912\ntotal_active_file 1048576\n");
  EXPECT_EQ(system.free(), GiB + 513 * MiB);
  system.put_group_1("cgroup/memory/a/b", 20 * MiB, 15 * MiB);
  EXPECT_EQ(system.free(), 5 * MiB);
}

TEST(FreeMemory, OfAContainerIsWhatTheRootLeaves) {
  const Fixture system;
  system.put_machine();
  for (const std::string path : {"/docker/1234", "/../../elsewhere", "/"}) {
    system.put("proc/self/cgroup", "3:memory:" + path + "\n");
    system.put_group_1("cgroup/memory", GiB, 24 * MiB);
    EXPECT_EQ(system.free(), 1000 * MiB);
  }
  system.put("proc/self/cgroup", "0::/docker/1234\n");
  system.put_group_2("cgroup", std::to_string(100 * MiB), "max", 24 * MiB);
  EXPECT_EQ(system.free(), 76 * MiB);
}

TEST(FreeMemory, IsWhatTheProcessMayHave) {
  const Fixture system;
  system.put_machine();
  system.put("proc/self/status", "VmSize:\t  102400 kB\nVmData:\t   51200 kB\n");
  const auto limits = [&](const std::string& data, const std::string& address_space) {
    system.put("proc/self/limits",
               "Limit                     Soft Limit           Hard Limit           Units     \n"
               "Max data size             " +
                   data +
                   "           unlimited            bytes     \n"
                   "Max address space         " +
                   address_space + "           unlimited            bytes     \n");
  };
  limits("unlimited", "unlimited");
  EXPECT_EQ(system.free(), 8 * GiB);
  limits("unlimited", std::to_string(GiB));
  EXPECT_EQ(system.free(), 924 * MiB);
  limits(std::to_string(80 * MiB), std::to_string(GiB));
  EXPECT_EQ(system.free(), 30 * MiB);
  limits(std::to_string(MiB), "unlimited");
  EXPECT_EQ(system.free(), 0U);
}

TEST(FreeMemory, OfThisProcessIsWithinTheMachine) {
  const auto machine =
      static_cast<std::uint64_t>(sysconf(_SC_PHYS_PAGES)) * static_cast<std::uint64_t>(getpagesize());
  EXPECT_GT(free_memory(), 0U);
  EXPECT_LE(free_memory(), machine);
}

TEST(MemoryUse, IsWhatTheStatusSays) {
  const Fixture system;
  EXPECT_EQ(memory_use(system.folders()).peak_resident, 0U);
  system.put("proc/self/status",
             "Name:\tx\nVmHWM:\t    9 kB\nVmRSS:\t    6 kB\nRssAnon:\t    1 kB\nRssFile:\t    2 "
             "kB\nRssShmem:\t    3 kB\n");
  const MemoryUse use = memory_use(system.folders());
  EXPECT_EQ(use.peak_resident, 9 * KiB);
  EXPECT_EQ(use.resident, 6 * KiB);
  EXPECT_EQ(use.anonymous, KiB);
  EXPECT_EQ(use.mapped_files, 2 * KiB);
  EXPECT_EQ(use.shared, 3 * KiB);
}

TEST(MemoryUse, OfThisProcessSeesWhatItTouches) {
  const MemoryUse before = memory_use();
  EXPECT_GT(before.mapped_files, 0U);
  const std::vector<char> touched(32 * MiB, 1);
  EXPECT_GE(memory_use().anonymous + MiB, before.anonymous + touched.size());
  EXPECT_GE(memory_use().peak_resident, touched.size());
}

TEST(ParseBytes, TakesUnitsOfPowersOf1024) {
  const auto parsed = [](const char* text) { return parse_bytes("--memory", text); };
  EXPECT_EQ(parsed("512M"), 512 * MiB);
  EXPECT_EQ(parsed("1.5GiB"), GiB + 512 * MiB);
  EXPECT_EQ(parsed("4096"), 4096U);
  EXPECT_EQ(parsed("1"), 1U);
  EXPECT_EQ(parsed("3K"), 3 * KiB);
  EXPECT_EQ(parsed("3k"), 3 * KiB);
  EXPECT_EQ(parsed("3KiB"), 3 * KiB);
  EXPECT_EQ(parsed("3MiB"), 3 * MiB);
  EXPECT_EQ(parsed("2g"), 2 * GiB);
  EXPECT_EQ(parsed("2T"), 2048 * GiB);
  EXPECT_EQ(parsed("2TiB"), 2048 * GiB);
  EXPECT_EQ(parsed("0.25K"), 256U);
  EXPECT_EQ(parsed("1.0001K"), 1024U);
  EXPECT_EQ(parsed("18446744073709551614"), unlimited - 1);
  EXPECT_EQ(parsed("1.99999999999999999999999K"), 2047U);
  EXPECT_EQ(parsed("16777215T"), 16777215 * (1024 * GiB));
}

TEST(ParseBytes, RefusesAnythingElse) {
  const auto refused = [](const std::string& text) {
    return refusal<ValueError>([&] { return parse_bytes("--memory", text); });
  };
  const std::string example = ", such as 4096, 512M or 1.5GiB (K, M, G and T are powers of 1024)";
  for (const std::string text :
       {"",    "M",   "-1",    "+1",  " 1",   "1 M",  "1MB", "1B",  "1Mi",   "1Q",
        "1.M", ".5G", "1.5.5", "1e3", "0x10", "1,5G", "inf", "nan", "1.e3K", "1MiBx"}) {
    EXPECT_EQ(refused(text), "--memory: \"" + text + "\" must be a number of bytes" + example);
  }
  for (const std::string text : {"0", "0G", "0.0001K"}) {
    EXPECT_EQ(refused(text), "--memory: \"" + text + "\" must be more than 0 bytes" + example);
  }
  for (const std::string text : {"18446744073709551616", "16777216T", "99999999999999999999G"}) {
    EXPECT_EQ(refused(text), "--memory: \"" + text + "\" must be below 2^64 bytes" + example);
  }
}

}  // namespace
}  // namespace tenstride::io
