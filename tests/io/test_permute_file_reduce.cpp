// SPDX-License-Identifier: Apache-2.0
// Reductions from file to file. Sums of small whole numbers are exact in any order, so that files can be
// compared byte for byte.
#include <gtest/gtest.h>

#include <string>

#include "support/permuted_file.hpp"

namespace tenstride {
namespace {

using testing::dear_requests;
using testing::expect_permuted;
using testing::file_options;
using testing::min_memory;
using testing::random_tensor;
using testing::Scratch;

class Reduced {
 public:
  explicit Reduced(DType dtype, const Dims& shape = {30, 14, 22}) {
    oracle::Random random(7);
    io::save_npy(scratch.path("x.npy"), random_tensor(random, shape, dtype));
  }
  /// With the least memory, with some, and with all.
  void expect(const std::string& chain, io::FileOptions options = file_options(0)) const {
    const std::uint64_t least = min_memory(scratch, chain, options);
    for (const std::uint64_t memory : {least, 4 * least, std::uint64_t{8} << 20}) {
      options.memory = memory;
      expect_permuted(scratch, chain, options);
    }
  }
  Scratch scratch;
};

TEST(PermuteFileReduce, ReducesAnyAxes) {
  const Reduced file(DType::float32);
  for (const char* const chain :
       {"x.sum(0)", "x.sum(1)", "x.sum(2)", "x.sum((0, 2))", "x.sum((-1, 1), keepdim=True)", "x.sum()",
        "x.amax(0)", "x.amin((1, 2))", "x.prod(1)", "x.mean(1)"}) {
    file.expect(chain);
  }
}

TEST(PermuteFileReduce, ReducesWhatWasMovedBefore) {
  const Reduced file(DType::float64);
  for (const char* const chain :
       {"x.permute(2, 0, 1).sum(1)", "x[::2, 3:].sum(1)", "x.reshape(15, 28, 22).sum((0, 2))",
        "x.permute(1, 0, 2).reshape(14, 660).sum(1)", "x.sum(1).reshape(-1)", "x.sum(1)[None]",
        "reduce(x, 'a b (c two) -> c a', 'sum', two=2)", "reduce(x, '(a two) b c -> a c', 'max', two=2)"}) {
    file.expect(chain);
  }
}

TEST(PermuteFileReduce, ConvertsBeforeAndBehind) {
  const Reduced bytes(DType::uint8);
  bytes.expect("x.sum(0)");  // int64
  bytes.expect("x.sum(0, dtype=torch.float64)");
  bytes.expect("x.float().mean(2)");
  bytes.expect("(x.permute(2, 1, 0)).any(0)");
  bytes.expect("x.all(1)");
  io::FileOptions options = file_options(0);
  options.dtype = DType::float32;
  options.scale = {0.5};
  bytes.expect("x.amax(1)", options);
  options.order = io::ElementOrder::column_major;
  bytes.expect("x.sum(1)", options);
}

TEST(PermuteFileReduce, IsOnePassHoweverDearRequestsAre) {
  const Reduced file(DType::float32);
  io::FileOptions options = file_options(std::uint64_t{1} << 16, dear_requests(1));
  const io::FileJob job = expect_permuted(file.scratch, "x.permute(2, 1, 0).sum(1)", options);
  EXPECT_EQ(job.passes, 1U);
}

TEST(PermuteFileReduce, NeedsAnElement) {
  const Reduced file(DType::float32, {0, 3});
  EXPECT_EQ(io::obstacle_to_permute_file("x.sum(0)", io::read_file_info(file.scratch.path("x.npy"))),
            "there is no element to reduce");
}

}  // namespace
}  // namespace tenstride
