// SPDX-License-Identifier: Apache-2.0
// Random files and chains against the same in memory. The variable TENSTRIDE_RANDOM_FILES says how many,
// TENSTRIDE_RANDOM_FIRST the number of the first: each trial is made from its number alone.
#include <gtest/gtest.h>

#include <array>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "support/permuted_file.hpp"
#include "support/variable.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride {
namespace {

using io::DiskAccess;
using io::ElementOrder;
using io::FileJob;
using io::FileOptions;
using oracle::Random;
using testing::dear_requests;
using testing::expect_permuted;
using testing::file_options;
using testing::min_memory;
using testing::random_tensor;
using testing::Scratch;
using testing::Variable;

unsigned from_environment(const char* name, unsigned otherwise) {
  const char* const text = std::getenv(name);
  return text == nullptr ? otherwise : static_cast<unsigned>(std::strtoul(text, nullptr, 10));
}

void save(const Scratch& scratch, const Tensor& x, ElementOrder order = ElementOrder::row_major) {
  io::save_npy(scratch.path("x.npy"), x, {order, io::Overwrite::replace});
}

/// Makes a chain step by step and follows the shape.
class ChainMaker {
 public:
  ChainMaker(Random& random, Dims shape) : random_(random), shape_(std::move(shape)) {}
  std::string make(Index steps) {
    for (Index step = 0; step < steps; ++step) {
      switch (random_.between(0, 4)) {
        case 0:
          permute();
          break;
        case 1:
          slice();
          break;
        case 2:
          merge();
          break;
        case 3:
          split();
          break;
        default:
          cut();
          break;
      }
    }
    return text_;
  }

 private:
  static std::string listed(const Dims& numbers) {
    std::string text;
    for (const Index number : numbers) text += (text.empty() ? "" : ", ") + std::to_string(number);
    return text;
  }
  void permute() {
    if (shape_.size() < 2) return;
    Dims order = shape_, permuted = shape_;
    std::iota(order.begin(), order.end(), 0);
    std::shuffle(order.begin(), order.end(), random_.engine());
    for (std::size_t d = 0; d < order.size(); ++d) permuted[d] = shape_[static_cast<std::size_t>(order[d])];
    text_ += ".permute(" + listed(order) + ")";
    shape_ = permuted;
  }
  void slice() {
    if (shape_.size() == 0) return;
    std::string parts;
    for (Index& extent : shape_) {
      const Index first = random_.between(0, extent / 4),
                  step = random_.one_in(3) ? random_.between(2, 3) : 1;
      const bool is_whole = random_.one_in(2);
      parts += parts.empty() ? "" : ", ";
      parts += is_whole ? ":" : std::to_string(first) + "::" + std::to_string(step);
      if (!is_whole) extent = (extent - first + step - 1) / step;
    }
    text_ += "[" + parts + "]";
  }
  void merge() {
    if (shape_.size() < 2) return;
    const auto at = static_cast<std::size_t>(random_.between(0, static_cast<Index>(shape_.size()) - 2));
    shape_[at] *= shape_[at + 1];
    shape_.erase(at + 1);
    reshape();
  }
  void split() {
    if (shape_.size() == 0 || shape_.size() > 4) return;
    const auto at = static_cast<std::size_t>(random_.between(0, static_cast<Index>(shape_.size()) - 1));
    for (const Index part : {5, 4, 3, 2}) {
      if (shape_[at] == 0 || shape_[at] % part != 0) continue;
      shape_[at] /= part;
      shape_.insert(at + 1, part);
      return reshape();
    }
  }
  /// All in two axes whose border lies elsewhere.
  void cut() {
    const Index elements = numel(row_major(shape_));
    for (const Index part : {7, 6, 5, 3, 2}) {
      if (elements == 0 || elements % part != 0) continue;
      shape_ = {elements / part, part};
      return reshape();
    }
  }
  void reshape() { text_ += ".reshape(" + listed(shape_) + ")"; }

  Random& random_;
  Dims shape_;
  std::string text_ = "x";
};

constexpr std::array<DType, 8> types{DType::uint8,   DType::int16, DType::float16, DType::float32,
                                     DType::float64, DType::int64, DType::bool_,   DType::complex64};

DType any_type(Random& random) {
  return types[static_cast<std::size_t>(random.between(0, static_cast<Index>(types.size()) - 1))];
}

/// Options of a trial: anything that goes together.
FileOptions random_options(Random& random, DType dtype) {
  const Index page = random.one_in(2) ? 4096 : 1;
  FileOptions options = file_options(0, random.one_in(2) ? dear_requests(page) : DiskRates{});
  options.disk->page = page;
  if (page == 1 || random.one_in(2)) options.access = DiskAccess::buffered;
  if (random.one_in(3)) options.order = ElementOrder::column_major;
  if (random.one_in(3)) options.check = io::FileCheck::checksum;
  if (random.one_in(3) && !is_complex(dtype)) options.dtype = any_type(random);
  const bool is_plain = is_complex(dtype) || (options.dtype && is_complex(*options.dtype));
  if (!is_plain && random.one_in(4)) options.scale = {0.5};
  if (!is_plain && random.one_in(4)) options.shift = {3};
  return options;
}

void expect_trial(unsigned number) {
  SCOPED_TRACE("trial " + std::to_string(number));
  Random random(number);
  const Scratch scratch;
  const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(0, 4)),
                                          random.one_in(6) ? 20000 : 4000);
  const DType dtype = any_type(random);
  save(scratch, random_tensor(random, shape, dtype),
       random.one_in(3) ? ElementOrder::column_major : ElementOrder::row_major);
  ChainMaker maker(random, shape);
  const std::string chain = maker.make(random.between(0, 4));
  FileOptions options = random_options(random, dtype);
  const std::uint64_t least = min_memory(scratch, chain, options);
  options.memory = random.one_in(3)
                       ? least
                       : static_cast<std::uint64_t>(random.between(static_cast<Index>(least), 2'000'000));
  expect_permuted(scratch, chain, options);
}

TEST(PermuteFile, DoesWhatTheChainDoesInMemory) {
  const unsigned first = from_environment("TENSTRIDE_RANDOM_FIRST", 0);
  const unsigned count = from_environment("TENSTRIDE_RANDOM_FILES", 25);
  for (unsigned number = first; number < first + count && !HasFailure(); ++number) expect_trial(number);
}

/// A matrix and limits under which its transpose takes two passes: dear requests, little memory.
struct TwoPasses {
  Dims shape{600, 610};
  FileOptions options = file_options(100'000, dear_requests(1));
};
TwoPasses two_passes(Index page) {
  if (page > 1) return {{1400, 1500}, file_options(1'600'000, dear_requests(page))};
  TwoPasses result;
  result.options.access = DiskAccess::buffered;
  return result;
}

void save_matrix(const Scratch& scratch, const Dims& shape, DType dtype = DType::float32) {
  Random random(11);
  save(scratch, random_tensor(random, shape, dtype));
}

std::size_t passes(const FileJob& job, std::size_t stage = 0) {
  return plan_of(job).tensors[0].stages.at(stage).plan.passes.size();
}

TEST(PermuteFile, GoesThroughBlocksWhereRequestsAreDear) {
  const Scratch scratch;
  for (const Index page : {1, 4096}) {
    auto [shape, options] = two_passes(page);
    save_matrix(scratch, shape);
    EXPECT_EQ(passes(expect_permuted(scratch, "x.t()", options)), 2U);
    options.check = io::FileCheck::checksum;
    options.order = ElementOrder::column_major;
    EXPECT_EQ(passes(expect_permuted(scratch, "x[3:, ::2]", options)), 2U);
  }
}

TEST(PermuteFile, ConvertsInThePassAfterWhichLessIsMoved) {
  const Scratch scratch;
  for (const DType before : {DType::float32, DType::int16, DType::uint8}) {
    auto [shape, options] = two_passes(1);
    save_matrix(scratch, shape, before);
    for (const DType after : {DType::uint8, DType::float64, DType::bool_}) {
      options.dtype = after;
      options.scale = {0.5};
      options.shift = {-2};
      expect_permuted(scratch, "x.t()", options);
    }
  }
}

TEST(PermuteFile, CopiesOnceMoreForEachReshapeThatCutsAcross) {
  const Scratch scratch;
  for (const Index page : {1, 4096}) {
    auto [shape, options] = two_passes(page);
    save_matrix(scratch, shape);
    // Rows of 600 (1400) elements become rows of 366 (2100): neither is a multiple of the other.
    const std::string cut = page == 1 ? "x.t().reshape(1000, 366).t()" : "x.t().reshape(1000, 2100).t()";
    const FileJob job = expect_permuted(scratch, cut, options);
    ASSERT_EQ(plan_of(job).tensors[0].stages.size(), 2U);
    EXPECT_EQ(passes(job) + passes(job, 1), 4U);
    if (page > 1) continue;
    EXPECT_EQ(plan_of(expect_permuted(scratch, cut + ".reshape(750, 488).t()[5:]", options))
                  .tensors[0]
                  .stages.size(),
              3U);
    options.memory = 20'000'000;
    expect_permuted(scratch, cut, options);
  }
}

TEST(PermuteFile, CarriesOutPatternsAndConversionsThatLose) {
  const Scratch scratch;
  Random random(12);
  save(scratch, random_tensor(random, {12, 10, 9}, DType::float32));
  const FileOptions options = file_options(60'000);
  expect_permuted(scratch, "rearrange(x, 'a (b c) d -> c (d a) b', b=5)", options);
  expect_permuted(scratch, "x.transpose(0, 2).flip(1).to(torch.int16)", options);
  const FileJob job =
      expect_permuted(scratch, "x.to(torch.int8).permute(1, 2, 0).to(torch.float64)", options);
  EXPECT_EQ(job.tensors[0].conversions, (std::vector<DType>{DType::int8, DType::float64}));
}

TEST(PermuteFile, MultipliesAndShiftsAlongAnAxis) {
  const Scratch scratch;
  Random random(13);
  save(scratch, random_tensor(random, {30, 20, 3}, DType::uint8));
  FileOptions options = file_options(40'000);
  options.dtype = DType::float32;
  options.scale = {0.5, 0.25, 2};
  options.shift = {1, -1, 0};
  options.axis = 0;
  expect_permuted(scratch, "x.permute(2, 0, 1)", options);
  options.axis = -1;
  for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
    options.order = order;
    expect_permuted(scratch, "x.permute(1, 0, 2)", options);
    expect_permuted(scratch, "x", options);
  }
}

TEST(PermuteFile, MultipliesAlongAnAxisInEitherOfTwoPasses) {
  const Scratch scratch;
  auto [shape, options] = two_passes(1);
  save_matrix(scratch, shape, DType::int16);
  for (const DType dtype : {DType::float32, DType::uint8}) {
    for (const Index axis : {0, 1}) {
      options.dtype = dtype;
      options.axis = axis;
      options.scale.assign(static_cast<std::size_t>(shape[static_cast<std::size_t>(1 - axis)]), 0.5);
      options.scale[4] = 1.5;
      EXPECT_EQ(passes(expect_permuted(scratch, "x.t()", options)), 2U);
    }
  }
}

/// The same elements with the bytes of each exchanged, under a header of the version.
void save_big_endian(const Scratch& scratch, const Tensor& x, int version) {
  std::string text = "{'descr': '>f4', 'fortran_order': False, 'shape': " + to_string(x.shape()) + ", }";
  const std::size_t lengths = version == 1 ? 2 : 4;
  while ((8 + lengths + text.size() + 1) % 64 != 0) text += ' ';
  text += '\n';
  std::string bytes = std::string("\x93NUMPY") + static_cast<char>(version) + '\0';
  for (std::size_t n = 0; n < lengths; ++n) bytes += static_cast<char>(text.size() >> (8 * n));
  bytes += text;
  const auto* const data = reinterpret_cast<const char*>(x.storage_data());
  for (std::size_t n = 0; n < x.nbytes(); ++n) bytes += data[n / 4 * 4 + 3 - n % 4];
  scratch.file("x.npy", bytes);
}

TEST(PermuteFile, ReadsTheOtherByteOrderAndVersionTwo) {
  Random random(14);
  const Tensor x = random_tensor(random, {40, 30, 7}, DType::float32);
  for (const int version : {1, 2}) {
    const Scratch scratch;
    save_big_endian(scratch, x, version);
    FileOptions options = file_options(30'000);
    options.check = io::FileCheck::checksum;
    expect_permuted(scratch, "x.permute(2, 0, 1)", options);
    EXPECT_EQ(io::checksum_file(scratch.path("x.npy")), checksum(x));
    EXPECT_EQ(io::checksum_file(scratch.path("x.npy"), 3000), checksum(x));
    expect_permuted(scratch, "x.permute(2, 1, 0)[:, ::2]", file_options(2'000'000));
    const TwoPasses two = two_passes(1);
    save_big_endian(scratch, random_tensor(random, two.shape, DType::float32), version);
    EXPECT_EQ(passes(expect_permuted(scratch, "x.t()", two.options)), 2U);
  }
}

TEST(PermuteFile, SumsFilesOfEitherOrder) {
  const Scratch scratch;
  Random random(15);
  for (const Dims& shape : {Dims{}, Dims{0, 4}, Dims{7}, Dims{31, 5, 17}}) {
    const Tensor x = random_tensor(random, shape, DType::int16);
    for (const ElementOrder order : {ElementOrder::row_major, ElementOrder::column_major}) {
      save(scratch, x, order);
      EXPECT_EQ(io::checksum_file(scratch.path("x.npy")), checksum(x)) << to_string(shape);
      EXPECT_EQ(io::checksum_file(scratch.path("x.npy"), 4096), checksum(x)) << to_string(shape);
    }
  }
}

TEST(PermuteFile, TakesEmptyTensorsAndOnesWithoutAxes) {
  const Scratch scratch;
  Random random(16);
  for (const Dims& shape : {Dims{}, Dims{0}, Dims{3, 0, 2}, Dims{1, 1}}) {
    save(scratch, random_tensor(random, shape, DType::float64));
    for (const io::FileCheck check : {io::FileCheck::none, io::FileCheck::checksum}) {
      FileOptions options = file_options(20'000);
      options.check = check;
      expect_permuted(scratch, "x", options);
      if (shape.size() > 1) expect_permuted(scratch, "x.transpose(0, 1)", options);
    }
  }
}

TEST(PermuteFileThreads, ReadAndWriteSideBySideByEitherQueue) {
  const Scratch scratch;
  Random random(17);
  save(scratch, random_tensor(random, {60, 70, 5}, DType::int32));
  for (const char* const queue : {"uring", "threads"}) {
    const Variable variable("TENSTRIDE_IO", queue);
    for (const DiskAccess access : {DiskAccess::buffered, DiskAccess::automatic}) {
      FileOptions options = file_options(30'000, dear_requests(4096));
      options.access = access;
      options.check = io::FileCheck::checksum;
      expect_permuted(scratch, "x.permute(2, 1, 0)", options);
      options.memory = 1'500'000;
      expect_permuted(scratch, "x.permute(2, 1, 0).reshape(14, 1500).t()", options);
    }
  }
}

}  // namespace
}  // namespace tenstride
