// SPDX-License-Identifier: Apache-2.0
// Offsets, strides and lengths around 2^31 and 2^32, in elements and in bytes: a 32-bit index anywhere would
// show. The memory is mapped and hardly touched, so that most of it costs nothing; `Huge` copies more than
// 2^31 elements for real and is left to `make slow`.
#include <gtest/gtest.h>

#include <sys/mman.h>
#include <unistd.h>

#include <string>
#include <vector>

#include "support/copy_oracle.hpp"
#include "support/guarded.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"

namespace tenstride {
namespace {

using oracle::Bytes;
using testing::Guarded;

constexpr Index two31 = Index{1} << 31;
constexpr Index two32 = Index{1} << 32;

/// Address space that ends with a page nobody may touch; pages that are read hold zeros, pages that are
/// written cost one page each.
class Sparse : public Guarded {
 public:
  explicit Sparse(Index bytes) : Guarded(static_cast<std::size_t>(bytes)) {
    madvise(begin(), size(), MADV_NOHUGEPAGE);
  }
};

struct Side {
  Layout layout;
  DType type = DType::uint8;
};

Index bytes_reached(const Side& side) {
  return oracle::bytes_of(side.type, reach(side.layout).value_or(Reach{0, -1}).highest + 1);
}

void expect_same(const char* what, const Side& dst, const Side& src, const Bytes& given,
                 const Bytes& expected) {
  EXPECT_EQ(given, expected) << what << ": " << to_string(src.layout) << ' ' << name(src.type) << " -> "
                             << to_string(dst.layout) << ' ' << name(dst.type);
}

/// Writes successive numbers to the positions of a layout, by 64-bit arithmetic alone.
template <class F>
void for_each_place(const Side& side, std::byte* base, const F& f) {
  for (Index n = 0; n < numel(side.layout); ++n) {
    f(base + oracle::bytes_of(side.type, position(side.layout, unravel(n, side.layout.shape))), n);
  }
}

void write_counted(const Side& side, std::byte* base) {
  for_each_place(side, base, [&](std::byte* at, Index n) {
    visit(side.type, [&]<class T>(std::type_identity<T>) {
      store_element<T>(at, convert_element<T>(static_cast<double>((n * 7 + 3) % 100)));
    });
  });
}

/// The elements of a layout, one after another.
Bytes read_elements(const Side& side, std::byte* base) {
  Bytes result;
  for_each_place(side, base,
                 [&](std::byte* at, Index) { result.insert(result.end(), at, at + item_size(side.type)); });
  return result;
}

/// From sparse memory to sparse memory.
void check(const Side& dst, const Side& src, const PlanOptions& options = {}) {
  const Sparse in(bytes_reached(src));
  const Sparse out(bytes_reached(dst));
  write_counted(src, in.begin());
  const Side dense{row_major(dst.layout.shape), dst.type};
  Bytes expected(static_cast<std::size_t>(numel(dense.layout)) * item_size(dst.type));
  oracle::copy(dense.layout, dense.type, expected.data(), src.layout, src.type, in.begin(), options);
  run_plan(plan_copy(dst.layout, dst.type, src.layout, src.type, options), out.begin(), in.begin());
  expect_same("copied", dst, src, read_elements(dst, out.begin()), expected);
}

PlanOptions streaming() {
  PlanOptions options;
  options.streaming_above = 0;
  options.machine.stores = SequentialStores::streaming;
  return options;
}

/// Both directions, with ordinary and with streaming stores.
void check_from_and_to(const Layout& far, const Layout& near, DType far_type, DType near_type) {
  for (const PlanOptions& options : {PlanOptions{}, streaming()}) {
    check({near, near_type}, {far, far_type}, options);
    check({far, far_type}, {near, near_type}, options);
  }
}

const std::vector<Index>& telling_numbers() {
  static const std::vector<Index> numbers = [] {
    std::vector<Index> result;
    for (const Index middle : {two31 / 4, two31, two32}) {
      for (const Index step : {-65, -64, -1, 0, 1, 63, 64}) result.push_back(middle + step);
    }
    return result;
  }();
  return numbers;
}

TEST(Beyond31Bits, OffsetsOfEveryKernel) {
  for (const Index offset : telling_numbers()) {
    for (const DType type : {DType::uint8, DType::float32}) {
      check_from_and_to({{300}, {1}, offset}, row_major({300}), type, type);
      check_from_and_to({{40, 33}, {1, 40}, offset}, row_major({40, 33}), type, type);
      check_from_and_to({{20, 30}, {50, 1}, offset}, row_major({20, 30}), type, type);
      check_from_and_to({{200}, {3}, offset}, row_major({200}), type, type);
      check_from_and_to({{100}, {-1}, offset}, row_major({100}), type, type);
      check_from_and_to({{50, 3}, {1, 50}, offset}, row_major({50, 3}), type, type);
      check_from_and_to({{3, 50}, {1, 3}, offset}, row_major({3, 50}), type, type);
      check({row_major({30, 40}), type}, {{{30, 40}, {0, 0}, offset}, type});
    }
  }
}

TEST(Beyond31Bits, StridesOfEveryKernel) {
  for (const Index stride : telling_numbers()) {
    for (const DType type : {DType::uint8, DType::float32}) {
      check_from_and_to({{3}, {stride}, 0}, row_major({3}), type, type);
      check_from_and_to({{3}, {-stride}, 2 * stride}, row_major({3}), type, type);
      check_from_and_to({{3, 70}, {stride, 1}, 0}, row_major({3, 70}), type, type);
      check_from_and_to({{70, 3}, {1, stride}, 0}, row_major({70, 3}), type, type);
      check_from_and_to({{70, 3}, {1, -stride}, 2 * stride}, row_major({70, 3}), type, type);
      check_from_and_to({{3, 70}, {stride, 2}, 5}, row_major({3, 70}), type, type);
      check_from_and_to({{2, 40, 33}, {stride, 1, 40}, 1}, row_major({2, 40, 33}), type, type);
      check_from_and_to({{2, 40, 3}, {stride, 3, 1}, 1}, {{2, 40, 3}, {120, 1, 40}, 0}, type, type);
    }
  }
}

TEST(Beyond31Bits, Conversions) {
  for (const Index far : {two31 - 1, two31 + 1, two32 + 1}) {
    const std::vector<double> scale{0.5, 2, 4};
    for (const auto& [to, from] : {std::pair{DType::float32, DType::uint8},
                                   {DType::uint8, DType::float32},
                                   {DType::float16, DType::float32},
                                   {DType::int64, DType::int8}}) {
      check({row_major({3, 50}), to}, {{{3, 50}, {far, 1}, 0}, from});
      check({row_major({50, 3}), to}, {{{50, 3}, {1, far}, 9}, from});
      check({{{50, 3}, {1, far}, 9}, to}, {row_major({50, 3}), from}, streaming());
      check({row_major({40, 33}), to}, {{{40, 33}, {1, 40}, far}, from});
      PlanOptions options;
      options.scale = scale;
      options.axis = 1;
      check({row_major({50, 3}), to}, {{{50, 3}, {1, far}, 0}, from}, options);
    }
  }
}

/// Lengths that no memory could hold are planned all the same.
TEST(Beyond31Bits, PlansOfAnyLength) {
  const Dims shape{Index{1} << 21, Index{1} << 20};
  const CopyPlan made = plan_copy(row_major(shape), DType::float32, column_major(shape), DType::float32);
  EXPECT_EQ(made.count, Index{1} << 41);
  EXPECT_EQ(made.method(), "tiles");
  EXPECT_NE(made.stores(), Stores::ordinary);
  const CopyPlan dense = plan_copy(row_major(shape), DType::uint8, row_major(shape), DType::uint8);
  ASSERT_EQ(dense.nest.size(), 1U);
  EXPECT_EQ(dense.nest[0].extent, Index{1} << 41);
}

class HugeTensor : public ::testing::Test {
 protected:
  HugeTensor() : memory_(2 * two31 + 4096) {
    x_ = from_blob(memory_.begin(), {two31 + 5000}, DType::uint8);
    for (const Index at : {Index{0}, two31 - 2, two31 - 1, two31, two31 + 1, two31 + 4999}) {
      memory_.begin()[at] = static_cast<std::byte>(10 + at % 100);
    }
  }
  static int expected(Index at) { return static_cast<int>(10 + at % 100); }

  Sparse memory_;
  Tensor x_ = empty({0});
};

TEST_F(HugeTensor, IsSlicedSelectedAndCopiedBeyond31Bits) {
  const Tensor last = x_.narrow(0, two31 - 2, 4).clone();
  for (Index i = 0; i < 4; ++i) EXPECT_EQ(last[i].item().to<int>(), expected(two31 - 2 + i));
  const Tensor stepped = x_.slice(0, 0, two31 + 1, two31).contiguous();
  ASSERT_EQ(stepped.numel(), 2);
  EXPECT_EQ(stepped[1].item().to<int>(), expected(two31));
  EXPECT_EQ(x_[-1].item().to<int>(), expected(two31 + 4999));
  Tensor tail = x_.narrow(0, two31 + 2000, 900);
  tail.fill_(7);
  EXPECT_EQ(x_[two31 + 2899].item().to<int>(), 7);
  EXPECT_EQ(x_[two31 + 2900].item().to<int>(), 0);
}

TEST_F(HugeTensor, IsIndexedByNumbersBeyond31Bits) {
  const Tensor places = tensor({two31 + 1, Index{0}, two31 - 1, two31 + 4999});
  const Tensor found = x_.index({places});
  ASSERT_EQ(found.numel(), 4);
  EXPECT_EQ(found[0].item().to<int>(), expected(two31 + 1));
  EXPECT_EQ(found[1].item().to<int>(), expected(0));
  EXPECT_EQ(found[2].item().to<int>(), expected(two31 - 1));
  EXPECT_EQ(found[3].item().to<int>(), expected(two31 + 4999));
}

TEST_F(HugeTensor, IsComparedBeyond31Bits) {
  const Tensor rows = x_.narrow(0, 0, two31 + 4096).view({2, two31 / 2 + 2048});
  const Tensor ends = rows.narrow(1, two31 / 2 + 1948, 100);
  EXPECT_TRUE(equal(ends, ends.clone()));
  EXPECT_FALSE(equal(ends, x_.narrow(0, 0, 100).expand({2, 100})));
}

/// A real copy of more than 2^31 elements and bytes.
class Huge : public ::testing::Test {
 protected:
  static constexpr Index columns = 46349;  // a prime; 46349^2 = 2^31 + 746,153
  static constexpr Index count = columns * columns;

  Huge() : in_(count), out_(count) {
    for (Guarded* side : {&in_, &out_}) madvise(side->begin(), side->size(), MADV_HUGEPAGE);
    for (Index i = 0; i < count; ++i) in_.begin()[i] = value(i);
  }
  static std::byte value(Index i) { return static_cast<std::byte>((i * 2654435761) >> 20); }

  Guarded in_;
  Guarded out_;
};

TEST_F(Huge, DenseCopy) {
  run_plan(plan_copy(row_major({count}), DType::uint8, row_major({count}), DType::uint8), out_.begin(),
           in_.begin());
  EXPECT_EQ(std::memcmp(in_.begin(), out_.begin(), static_cast<std::size_t>(count)), 0);
}

TEST_F(Huge, TransposedCopy) {
  const Dims shape{columns, columns};
  run_plan(plan_copy(row_major(shape), DType::uint8, column_major(shape), DType::uint8), out_.begin(),
           in_.begin());
  Index wrong = 0;
  for (Index row = 0; row < columns; ++row) {
    for (Index column = 0; column < columns; ++column) {
      wrong += out_.begin()[row * columns + column] == value(column * columns + row) ? 0 : 1;
    }
  }
  EXPECT_EQ(wrong, 0);
}

TEST_F(Huge, BackwardsCopyOfEachElement) {
  const Layout backwards{{count}, {-1}, count - 1};
  run_plan(plan_copy(row_major({count}), DType::uint8, backwards, DType::uint8), out_.begin(), in_.begin());
  Index wrong = 0;
  for (Index i = 0; i < count; ++i) wrong += out_.begin()[i] == value(count - 1 - i) ? 0 : 1;
  EXPECT_EQ(wrong, 0);
}

TEST_F(Huge, ConvertedCopy) {
  const Dims shape{count / 4, 4};
  const Layout first_of_four{{count / 4}, {4}, 0};
  const Guarded wide(static_cast<std::size_t>(count / 4) * sizeof(float));
  run_plan(plan_copy(row_major({count / 4}), DType::float32, first_of_four, DType::uint8), wide.begin(),
           in_.begin());
  Index wrong = 0;
  for (Index i = 0; i < count / 4; ++i) {
    const auto given = load_element<float>(wide.begin() + i * Index{sizeof(float)});
    wrong += given == static_cast<float>(std::to_integer<int>(value(4 * i))) ? 0 : 1;
  }
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace tenstride
