// SPDX-License-Identifier: Apache-2.0
// Random tensors in chunks and out of chunks against the same in memory.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <numeric>
#include <string>

#include "io/job/job_plan.hpp"
#include "support/permuted_file.hpp"
#include "support/refusal.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::io {
namespace {

using oracle::Random;
using testing::random_tensor;
using testing::refusal;
using testing::Scratch;

/// A chain whose axes are axes of the source.
class AxisChain {
 public:
  AxisChain(Random& random, Dims shape) : random_(random), shape_(std::move(shape)) {}

  std::string make() {
    for (Index step = random_.between(0, 3); step > 0; --step) {
      switch (random_.between(0, 4)) {
        case 0:
          permute();
          break;
        case 1:
          slice();
          break;
        case 2:
          flip();
          break;
        case 3:
          select();
          break;
        default:
          add_axis();
          break;
      }
    }
    return text_;
  }

 private:
  [[nodiscard]] Index any_axis() { return random_.between(0, static_cast<Index>(shape_.size()) - 1); }

  void permute() {
    Dims order = shape_;
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_.engine());
    std::string axes;
    Dims permuted = shape_;
    for (std::size_t d = 0; d < order.size(); ++d) {
      axes += (d == 0 ? "" : ", ") + std::to_string(order[d]);
      permuted[d] = shape_[static_cast<std::size_t>(order[d])];
    }
    if (shape_.empty()) return;
    text_ += ".permute(" + axes + ")";
    shape_ = permuted;
  }
  void slice() {
    if (shape_.empty()) return;
    std::string parts;
    for (Index& extent : shape_) {
      const Index first = random_.between(0, extent / 3), step = random_.between(1, 3);
      const Index last = random_.between(first, extent);
      parts += (parts.empty() ? "" : ", ") + std::to_string(first) + ":" + std::to_string(last) + ":" +
               std::to_string(step);
      extent = (last - first + step - 1) / step;
    }
    text_ += "[" + parts + "]";
  }
  void flip() {
    if (shape_.empty()) return;
    text_ += ".flip(" + std::to_string(any_axis()) + ")";
  }
  void select() {
    if (shape_.size() < 2) return;
    const Index axis = any_axis();
    const Index extent = shape_[static_cast<std::size_t>(axis)];
    if (extent == 0) return;
    text_ += ".select(" + std::to_string(axis) + ", " + std::to_string(random_.between(0, extent - 1)) + ")";
    shape_.erase(static_cast<std::size_t>(axis));
  }
  void add_axis() {
    if (shape_.size() > 4) return;
    const Index axis = random_.between(0, static_cast<Index>(shape_.size()));
    shape_.insert(static_cast<std::size_t>(axis), 1);
    text_ += ".unsqueeze(" + std::to_string(axis) + ")";
    if (!random_.one_in(2)) return;
    const Index extent = random_.between(1, 4);
    shape_[static_cast<std::size_t>(axis)] = extent;
    std::string sizes;
    for (const Index size : shape_) sizes += (sizes.empty() ? "" : ", ") + std::to_string(size);
    text_ += ".expand(" + sizes + ")";
  }

  Random& random_;
  Dims shape_;
  std::string text_ = "x";
};

ChunkOptions random_chunks(Random& random, const Dims& shape) {
  ChunkOptions options;
  const bool has_shards = random.one_in(3);
  for (const Index extent : shape) {
    const Index chunk = random.between(1, std::max<Index>(1, std::min<Index>(extent, 7)));
    options.chunk.push_back(chunk);
    if (has_shards) options.shard.push_back(chunk * random.between(1, 3));
  }
  constexpr std::array codecs{"none", "zstd:1", "blosc", "gzip:1", "zstd+crc32c"};
  options.codec = codecs[static_cast<std::size_t>(random.between(0, codecs.size() - 1))];
  if (!has_shards && random.one_in(4)) {
    options.zarr_format = 2;
    options.codec = random.one_in(2) ? "zlib" : "none";
  }
  return options;
}

DType random_type(Random& random) {
  constexpr std::array types{DType::uint8, DType::int16, DType::float32, DType::float64, DType::complex64};
  return types[static_cast<std::size_t>(random.between(0, types.size() - 1))];
}

/// Bytes with which the job can just be planned.
std::uint64_t min_memory_of(const std::string& source, const std::string& chain,
                            const std::string& destination, FileOptions options) {
  options.memory = 1;
  try {
    static_cast<void>(plan_permute_file(source, chain, destination, options));
  } catch (const MemoryLimitError& error) {
    return error.least();
  }
  return 1;
}

class ChunkJobsThreads : public ::testing::TestWithParam<unsigned> {};

TEST_P(ChunkJobsThreads, GiveWhatTheChainGivesInMemory) {
  for (unsigned trial = 0; trial < 40; ++trial) {
    Random random(GetParam() * 1000 + trial);
    const Scratch scratch;
    Dims shape;
    for (Index d = random.between(1, 4); d > 0; --d) shape.push_back(random.between(1, 17));
    const Tensor x = random_tensor(random, shape, random_type(random));
    const std::string chain = AxisChain(random, shape).make();
    constexpr std::array sources{"x.zarr", "x.npy", "x.nii", "x.npz"};
    constexpr std::array destinations{"y.zarr", "y.zarr", "y.npy", "y.safetensors"};
    std::string source = sources[static_cast<std::size_t>(random.between(0, 3))];
    std::string destination = destinations[static_cast<std::size_t>(random.between(0, 3))];
    if (source != "x.zarr") destination = "y.zarr";
    const bool is_nifti = source == "x.nii";
    if (is_nifti && x.dtype() == DType::complex64) source = "x.npy";
    SaveTensorsOptions saved;
    saved.chunks = random_chunks(random, shape);
    saved.is_compressed = random.one_in(2) && source == "x.npz";
    if ((source == "x.npy" || source == "x.npz") && random.one_in(2))
      saved.order = ElementOrder::column_major;
    save_tensor_file(scratch.path(source), {{"", x}}, saved);
    const std::string from = scratch.path(source), to = scratch.path(destination);
    const Evaluation wanted = evaluate(Program::parse(chain), {.inputs = {{"x", x}}});
    ASSERT_FALSE(wanted.failure) << chain;
    const Tensor expected = *wanted.value.tensor();
    FileOptions options;
    options.check = FileCheck::checksum;
    options.chunks = random_chunks(random, expected.shape());
    if (destination == "y.npy" && random.one_in(2)) options.order = ElementOrder::column_major;
    if (random.one_in(3)) options.dtype = DType::float64;
    if (x.dtype() == DType::complex64) options.dtype.reset();
    options.memory =
        min_memory_of(from, chain, to, options) + static_cast<std::uint64_t>(random.between(0, 100000));
    const FileJob job = plan_permute_file(from, chain, to, options);
    SCOPED_TRACE(source + " " + chain + " " + destination + "\n" + to_string(job));
    ASSERT_TRUE(plan_of(job).tensors[0].is_in_parts());
    const FileResult result = run(job);
    const Tensor target = expected.to(job.tensors[0].dtype);
    EXPECT_TRUE(load_tensor_file(list_tensors(to)[0]).equal(target));
    EXPECT_EQ(result.checksum, checksum(target));
    EXPECT_EQ(checksum_file(to), result.checksum);
    EXPECT_TRUE(result.is_checked);
    EXPECT_EQ(scratch.names(), (std::vector<std::string>{source, destination}));
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, ChunkJobsThreads, ::testing::Range(0U, 6U));

}  // namespace
}  // namespace tenstride::io
