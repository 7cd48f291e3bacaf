// SPDX-License-Identifier: Apache-2.0
// `convert` by a pattern, against `rearrange` and `convert` one after the other.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "tenstride/base/error.hpp"
#include "tenstride/einops/convert.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

struct Case {
  std::string pattern;
  std::vector<AxisSize> sizes{};
};

const std::vector<Case>& cases() {
  static const std::vector<Case> all{
      {"a b c d -> a b c d"},
      {"a b c d -> d a b c"},
      {"a b c d -> (a d) b c"},
      {"a b c d -> a 1 d (b c)"},
      {"a (b two) c d -> a d b two c", {{"two", 2}}},
      {"(a two) b c d -> two (b a) c d", {{"two", 2}}},
      {"... d -> d ..."},
      {"a b ... -> b (a ...)"},
  };
  return all;
}

Tensor images() {
  return arange(4 * 6 * 5 * 3, TensorOptions{.dtype = DType::uint8}).view({4, 6, 5, 3});
}

std::vector<double> numbers(Index count) {
  std::vector<double> all;
  for (Index i = 0; i < count; ++i) all.push_back(0.5 + 0.25 * static_cast<double>(i));
  return all;
}

TEST(ConvertByPattern, IsRearrangeAndConvertInOnePass) {
  const Tensor x = images();
  std::vector<Tensor> list;
  for (Index i = 0; i < 4; ++i) list.push_back(x.select(0, i).clone());
  for (const Case& it : cases()) {
    const Tensor moved = rearrange(x, it.pattern, it.sizes);
    for (Index axis = -1; axis < moved.dim(); ++axis) {
      const std::vector<double> scale = numbers(axis < 0 ? 1 : moved.shape()[static_cast<std::size_t>(axis)]);
      const std::vector<double> shift(scale.rbegin(), scale.rend());
      const ScaleShift arithmetic{scale, shift, axis};
      const Tensor expected = convert(moved, DType::float32, arithmetic);
      const ConvertOptions options{DType::float32, arithmetic, it.sizes};
      EXPECT_TRUE(equal(convert(x, it.pattern, options), expected)) << it.pattern << ", axis " << axis;
      EXPECT_TRUE(equal(convert(list, it.pattern, options), expected))
          << it.pattern << ", a list, axis " << axis;
      Tensor out =
          empty({expected.numel() * 2}, {.dtype = DType::float32}).slice(0, 0, {}, 2).view(moved.shape());
      convert_into(out, x, it.pattern, options);
      EXPECT_TRUE(equal(out, expected)) << it.pattern << ", into strides, axis " << axis;
      convert_into(out.zero_(), list, it.pattern, options);
      EXPECT_TRUE(equal(out, expected)) << it.pattern << ", a list into strides, axis " << axis;
    }
  }
}

TEST(ConvertByPattern, CopiesOnceWhateverMerges) {
  const Tensor x = images();
  const CopyLedger ledger;
  const Tensor made = convert(x, "a b c d -> (a d) b c", {.dtype = DType::float32});
  EXPECT_EQ(ledger.entries().size(), 1U);
}

TEST(ConvertByPattern, MayWriteOverItsSource) {
  Tensor x = arange(16.0).view({4, 4});
  const Tensor expected = x.t().clone();
  convert_into(x, x, "a b -> b a");
  EXPECT_TRUE(equal(x, expected));
}

TEST(ConvertByPattern, TakesWhatIsEmpty) {
  const std::vector<double> three(3, 1.0);
  const Tensor made = convert(zeros({0, 5, 3}), "a b c -> c a b", {.arithmetic = {three, {}, 0}});
  EXPECT_EQ(made.shape(), (Dims{3, 0, 5}));
}

TEST(ConvertByPattern, RefusesWhatDoesNotFit) {
  const Tensor x = images();
  const std::vector<double> two(2, 1.0);
  EXPECT_THROW((void)convert(x, "a b c d -> d a b c", {.arithmetic = {two, {}, 0}}), ShapeError);
  EXPECT_THROW((void)convert(x, "a b c -> c a b"), PatternError);
  EXPECT_THROW((void)convert(x, "a b c d -> d a b c", {.arithmetic = {two, {}, 4}}), AxisError);
  EXPECT_THROW((void)convert(TensorList{}, "a b c d -> d a b c"), ValueError);
  EXPECT_THROW((void)convert(TensorList{x, zeros({2, 2})}, "n ... -> ... n"), ShapeError);
  Tensor out = zeros({3, 4, 6, 5}, {.dtype = DType::float32});
  EXPECT_THROW(convert_into(out, x, "a b c d -> a d b c"), ShapeError);
  EXPECT_THROW(convert_into(out, x, "a b c d -> d a b c", {.dtype = DType::uint8}), TypeError);
  EXPECT_TRUE(equal(out, zeros_like(out)));
}

}  // namespace
}  // namespace tenstride
