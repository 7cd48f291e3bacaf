// SPDX-License-Identifier: Apache-2.0
// Sums and means along expanded axes, against those of memory that holds each element as often.
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <vector>

#include "tenstride/einops/convert.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/reduce/reduce.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// The same elements, bit for bit, -0 apart from 0; NaN is NaN.
void expect_same_bits(const Tensor& found, const Tensor& expected, const std::string& what) {
  ASSERT_EQ(found.shape(), expected.shape()) << what;
  ASSERT_EQ(found.dtype(), expected.dtype()) << what;
  const std::size_t item = found.itemsize();
  const std::vector<double> numbers = found.to_vector<double>();
  const std::vector<double> others = expected.to_vector<double>();
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    if (std::isnan(numbers[i]) && std::isnan(others[i])) continue;
    EXPECT_EQ(std::memcmp(found.storage_data() + i * item, expected.storage_data() + i * item, item), 0)
        << what << ", result " << i << ": " << numbers[i] << " and " << others[i];
  }
}

std::vector<double> numbers_of(DType type) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> numbers{0, 1, 3, 100, 117};
  if (type != DType::uint8 && type != DType::bool_) numbers.insert(numbers.end(), {-1, -5, -128});
  if (type == DType::int64) numbers.insert(numbers.end(), {9e18, -9e18});
  if (!is_floating_point(type)) return numbers;
  // The greatest float16, the least ones, and numbers whose multiples are rounded.
  numbers.insert(numbers.end(), {-0., inf, -inf, std::nan(""), 65504, 6e-8, 0.1, 1. / 3, -1e-3, 2049});
  if (type == DType::float32 || type == DType::bfloat16) {
    numbers.insert(numbers.end(), {3.3e38, -3.3e38, 1e-40, 1.17549435e-38, 16777217});
  }
  return numbers;
}

TEST(RepeatedSums, AreThoseOfRepeatedMemory) {
  for (const DType type : {DType::bool_, DType::uint8, DType::int8, DType::int16, DType::int32, DType::int64,
                           DType::float16, DType::bfloat16, DType::float32}) {
    const std::vector<double> numbers = numbers_of(type);
    const auto count = static_cast<Index>(numbers.size());
    Tensor doubles = empty({count, 1}, {.dtype = DType::float64});
    std::memcpy(doubles.mutable_storage_data(), numbers.data(), numbers.size() * sizeof(double));
    const Tensor x = doubles.to({.dtype = type});
    for (const Index repeats : {1, 2, 3, 7, 64, 1000}) {
      const Tensor last = x.expand({count, repeats});
      const Tensor first = x.view({1, count}).expand({repeats, count});
      for (const Reduction reduction : {Reduction::sum, Reduction::mean}) {
        if (reduction == Reduction::mean && !is_floating_point(type)) continue;
        const std::string what =
            std::string(name(reduction)) + " of " + std::to_string(repeats) + " " + std::string(name(type));
        const Tensor expected = reduce_axes(last.contiguous(), {1}, reduction);
        expect_same_bits(reduce_axes(last, {1}, reduction), expected, what);
        expect_same_bits(reduce_axes(first, {0}, reduction), expected, what + " rows");
        // Beside an expanded axis that stays.
        const Tensor three = x.view({count, 1, 1}).expand({count, 4, repeats});
        expect_same_bits(reduce_axes(three, {2}, reduction), reduce_axes(three.contiguous(), {2}, reduction),
                         what + " of an expanded axis");
      }
    }
  }
}

TEST(RepeatedSums, AreWithOtherAxes) {
  for (const DType type : {DType::uint8, DType::int16, DType::int64, DType::float32}) {
    const Tensor x = arange(60).to({.dtype = type}).view({3, 4, 1, 5}).expand({3, 4, 6, 5});
    for (const Dims& axes : {Dims{2}, Dims{1, 2}, Dims{0, 2, 3}, Dims{0, 1, 2, 3}, Dims{0}}) {
      EXPECT_TRUE(
          reduce_axes(x, axes, Reduction::sum).equal(reduce_axes(x.contiguous(), axes, Reduction::sum)));
    }
  }
  const Tensor none = empty({3, 0, 1}).expand({3, 0, 5});
  EXPECT_EQ(reduce_axes(none, {1, 2}, Reduction::sum).to_vector<float>(), (std::vector<float>{0, 0, 0}));
}

TEST(RepeatedSums, MakeNoCopyThatALedgerLists) {
  const Tensor x = ones({1000, 1}).expand({1000, 9});
  const Tensor whole = arange(1000).view({1000, 1}).expand({1000, 9});
  const CopyLedger ledger;
  reduce_axes(x, {1}, Reduction::sum);
  reduce_axes(whole, {1}, Reduction::sum);
  EXPECT_EQ(ledger.totals().copies, 0U);
  EXPECT_EQ(ledger.totals().allocations, 2U);
}

}  // namespace
}  // namespace tenstride
