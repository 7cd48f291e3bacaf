// SPDX-License-Identifier: Apache-2.0
// The kernels of checksums of every instruction set this processor has, against the definitions, between
// forbidden pages.
#include <gtest/gtest.h>

#include "checksum/kernels.hpp"
#include "copy/kernels/kernels.hpp"
#include "support/guarded.hpp"

namespace tenstride {
namespace {

using checksums::ChecksumKernels;
using checksums::ChecksumSums;
using testing::Guarded;

std::vector<const ChecksumKernels*> tables() {
  std::vector<const ChecksumKernels*> result;
  for (const copy::Kernels* kernels : copy::available_kernels()) {
    result.push_back(&checksums::checksum_kernels(kernels->name));
  }
  return result;
}

TEST(ChecksumKernels, AreThereForEveryInstructionSet) {
  EXPECT_EQ(tables().size(), copy::available_kernels().size());
}

TEST(ChecksumKernels, AgreeOnRunsOfEveryLengthAndPosition) {
  Guarded memory(4096);
  memory.fill_randomly(1);
  for (const ChecksumKernels* table : tables()) {
    for (std::size_t log2 = 0; log2 < table->run.size(); ++log2) {
      for (std::size_t count = 0; count < 150; ++count) {
        const std::size_t bytes = count << log2;
        for (const std::uint64_t position : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{63},
                                             std::uint64_t{1} << 33, ~std::uint64_t{0} - 70}) {
          for (const std::byte* in : {memory.at_front(), memory.at_back(bytes)}) {
            ChecksumSums given{1, 2};
            ChecksumSums wanted{1, 2};
            table->run[log2](given, in, static_cast<Index>(count), position);
            checksums::portable_checksum_kernels().run[log2](wanted, in, static_cast<Index>(count), position);
            ASSERT_EQ(given, wanted) << table->name << ' ' << log2 << ", " << count << " at " << position;
          }
        }
      }
    }
  }
}

TEST(ChecksumKernels, AgreeOnStridedPositions) {
  Guarded memory(4096);
  memory.fill_randomly(2);
  for (const ChecksumKernels* table : tables()) {
    for (std::size_t log2 = 0; log2 < table->strided.size(); ++log2) {
      for (std::size_t count = 0; count < 150; ++count) {
        const std::size_t bytes = count << log2;
        for (const std::int64_t step : {0, 1, -1, 3, 64, -640, 1000003}) {
          for (const std::byte* in : {memory.at_front(), memory.at_back(bytes)}) {
            ChecksumSums given{1, 2};
            ChecksumSums wanted{1, 2};
            const auto unsigned_step = static_cast<std::uint64_t>(step);
            table->strided[log2](given, in, static_cast<Index>(count), 100037, unsigned_step);
            checksums::portable_checksum_kernels().strided[log2](wanted, in, static_cast<Index>(count),
                                                                 100037, unsigned_step);
            ASSERT_EQ(given, wanted) << table->name << ' ' << log2 << ", " << count << " by " << step;
          }
        }
      }
    }
  }
}

}  // namespace
}  // namespace tenstride
