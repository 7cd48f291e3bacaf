// SPDX-License-Identifier: Apache-2.0
// The memory of the process while a file is moved, as the kernel tells it.
#include <gtest/gtest.h>

#include <cstdint>
#include <fstream>
#include <numeric>
#include <string>
#include <vector>

#include "support/scratch.hpp"
#include "tenstride/io/memory_limit.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride {
namespace {

using testing::Scratch;

constexpr Index rows = 8192;
constexpr Index columns = 8192;

/// Element i of a file of 256 MiB is i, in int32; written row by row, so that little of it is in memory.
void write_numbers(const std::string& path) {
  const std::string header =
      io::detail::npy_header_text(Dims{rows, columns}, DType::int32, io::ElementOrder::row_major, "test");
  std::ofstream file(path, std::ios::binary);
  file << header;
  std::vector<std::int32_t> row(static_cast<std::size_t>(columns));
  for (Index i = 0; i < rows; ++i) {
    std::iota(row.begin(), row.end(), static_cast<std::int32_t>(i * columns));
    file.write(reinterpret_cast<const char*>(row.data()), columns * Index{sizeof(std::int32_t)});
  }
}

/// The most that was resident begins anew, where the kernel lets it.
void forget_peak() {
  std::ofstream("/proc/self/clear_refs") << "5";
}

TEST(PermuteFileMemory, Is16MiBForAFileOf256MiB) {
  const Scratch scratch;
  write_numbers(scratch.path("x.npy"));
  io::FileOptions options;
  options.memory = std::uint64_t{16} << 20;
  options.check = io::FileCheck::checksum;
  const io::FileJob job =
      io::plan_permute_file(scratch.path("x.npy"), "x.t()", scratch.path("y.npy"), options);
  forget_peak();
  const std::uint64_t before = io::memory_use().peak_resident;
  const io::FileResult result = io::run(job);
  const std::uint64_t growth = io::memory_use().peak_resident - before;
  EXPECT_TRUE(result.is_checked);
  EXPECT_GE(result.bytes_read, std::uint64_t{256} << 20);
  // Stacks of threads and journal are beside the buffers.
  EXPECT_LE(growth, std::uint64_t{20} << 20);
  const Tensor moved = io::open_npy(scratch.path("y.npy"));
  const auto* const elements = moved.data<std::int32_t>();
  for (Index i = 0; i < columns; i += 127) {
    for (Index j = 0; j < rows; j += 131) ASSERT_EQ(elements[i * rows + j], j * columns + i);
  }
}

}  // namespace
}  // namespace tenstride
