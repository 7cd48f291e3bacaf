// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <complex>
#include <concepts>
#include <numeric>
#include <ranges>
#include <sstream>
#include <vector>

#include "support/refusal.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// Elements by their C++ type: at, accessor, elements. The oracle is PyTorch's order of elements, which
// to_vector has by another way.
namespace tenstride {
namespace {

using testing::refusal;

Tensor counted(const Dims& shape) {
  return arange(numel(row_major(shape)), {.dtype = DType::float32}).view(shape);
}

TEST(At, IsTheElementOfTheIndices) {
  const Tensor x = counted({2, 3, 4}).permute({2, 0, 1});  // (4,2,3)
  EXPECT_EQ(x.at<float>(3, 1, 2), 23);
  EXPECT_EQ(x.at<float>(-1, -2, 0), 3);
  EXPECT_EQ(x.at<float>(1U, 1L, short{1}), 17);
  EXPECT_EQ(x.select(0, 2).select(0, 1).select(0, 0).at<float>(), 14);
}

TEST(At, CarriesOutWhatIsPending) {
  const Tensor z = full({2}, std::complex<double>(1, 2), {.dtype = DType::complex64});
  EXPECT_EQ(z.conj().at<std::complex<float>>(1), std::complex<float>(1, -2));
  EXPECT_EQ(z.conj().imag().at<float>(0), -2);
}

TEST(At, WritesWhereItReads) {
  Tensor x = zeros({2, 3});
  x.t().mutable_at<float>(2, 1) = 5;
  EXPECT_EQ(x.at<float>(1, 2), 5);
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 0, 0, 0, 0, 5}));
}

TEST(At, Refuses) {
  const Tensor x = counted({2, 3});
  EXPECT_EQ(refusal<TypeError>([&] { return x.at<double>(0, 0); }),
            "at: the elements are float32 and must be asked for as such, not float64; use .to(dtype) or "
            ".view(dtype)");
  EXPECT_EQ(refusal<IndexError>([&] { return x.at<float>(0); }),
            "at: index (0) must have 2 entries (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([&] { return x.at<float>(1, 3); }),
            "at: index 3 must lie in [-3,2] on axis 1 (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([&] { return x.at<float>(-3, 0); }),
            "at: index -3 must lie in [-2,1] on axis 0 (shape (2,3))");
  EXPECT_THROW((void)x.to(Device::meta).at<float>(0, 0), RuntimeError);
  Tensor fixed = x.read_only();
  EXPECT_THROW(fixed.mutable_at<float>(0, 0) = 1, StorageError);
  Tensor pending = x.neg_view();
  EXPECT_EQ(refusal<RuntimeError>([&] { return pending.mutable_at<float>(0, 0); }),
            "mutable_at: a tensor whose negation is pending must be resolved first; use .resolve_neg()");
}

TEST(Accessor, IndexesEachAxis) {
  const Tensor x = counted({2, 3, 4}).transpose(0, 2);  // (4,3,2)
  const auto a = x.accessor<const float, 3>();
  for (Index i = 0; i < 4; ++i) {
    for (Index j = 0; j < 3; ++j) {
      for (Index k = 0; k < 2; ++k) {
        ASSERT_EQ(a[i][j][k], x.at<float>(i, j, k));
        ASSERT_EQ(&a(i, j, k), &a[i][j][k]);
      }
    }
  }
  EXPECT_EQ(a.size(0), 4);
  EXPECT_EQ(a[1].stride(1), 12);
  EXPECT_EQ(Dims(a.sizes()), x.shape());
  EXPECT_EQ(Dims(a.strides()), x.strides());
  EXPECT_EQ(a.data(), x.data<float>());
}

TEST(Accessor, Writes) {
  Tensor x = zeros({2, 3}, {.dtype = DType::int32});
  Tensor flipped = x.t();
  const TensorAccessor<int, 2> a = flipped.accessor<int, 2>();
  a[2][1] = 7;
  EXPECT_EQ(x.at<int>(1, 2), 7);
  Tensor number = zeros({});
  number.accessor<float, 0>()() = 3;
  EXPECT_EQ(number.item<float>(), 3);
}

TEST(Accessor, Refuses) {
  Tensor x = counted({2, 3});
  EXPECT_EQ(refusal<RuntimeError>([&] { return x.accessor<const float, 3>().size(0); }),
            "accessor: the tensor has 2 axes and must have 3 (shape (2,3)); view it in as many");
  EXPECT_THROW(((void)x.accessor<const int, 2>()), TypeError);
  EXPECT_THROW(((void)x.to(Device::meta).accessor<const float, 2>()), RuntimeError);
  EXPECT_THROW(((void)x.neg_view().accessor<const float, 2>()), RuntimeError);
  Tensor fixed = x.read_only();
  EXPECT_THROW(((void)fixed.accessor<float, 2>()), StorageError);
  EXPECT_EQ((fixed.accessor<const float, 2>()[1][1]), 4);
}

static_assert(std::ranges::random_access_range<Elements<const float>>);
static_assert(std::ranges::sized_range<Elements<float>>);
static_assert(std::ranges::view<Elements<float>>);
static_assert(std::sortable<std::ranges::iterator_t<Elements<float>>>);

TEST(ElementsRange, HasTheLogicalOrder) {
  const Tensor x = counted({4, 3, 5});
  for (const Tensor& view :
       {x, x.permute({2, 0, 1}), x.slice(1, 0, 3, 2), x.select(0, 1), x.transpose(0, 1),
        x.unsqueeze(1).expand({4, 2, 3, 5}), x.slice(0, 2, 2), x[0][0][0], x.flip({1})}) {
    const Elements<const float> elements = view.elements<float>();
    EXPECT_TRUE(std::ranges::equal(elements, view.to_vector<float>())) << view.layout();
    EXPECT_EQ(elements.size(), static_cast<std::size_t>(view.numel()));
    EXPECT_EQ(elements.empty(), view.numel() == 0);
  }
  // Negative strides, which Tensor's own views have not.
  const Tensor back(x.storage(), {{3, 4}, {-1, 15}, 2}, DType::float32);
  EXPECT_TRUE(std::ranges::equal(back.elements<float>(), back.to_vector<float>()));
}

TEST(ElementsRange, JumpsAnywhere) {
  const Tensor x = counted({4, 3, 5}).permute({2, 0, 1});
  const std::vector<float> expected = x.to_vector<float>();
  const Elements<const float> all = x.elements<float>();
  const auto first = all.begin();
  for (std::ptrdiff_t i = 0; i < 60; ++i) {
    ASSERT_EQ(first[i], expected[static_cast<std::size_t>(i)]);
    ASSERT_EQ(*(all.end() - (60 - i)), expected[static_cast<std::size_t>(i)]);
    ASSERT_EQ((first + i) - first, i);
    auto next = first + i;
    ASSERT_EQ(next++ - first, i);
    ASSERT_EQ(*--next, expected[static_cast<std::size_t>(i)]);
  }
  EXPECT_LT(first, all.end());
  std::vector<float> backwards(60);
  std::ranges::copy(all | std::views::reverse, backwards.begin());
  EXPECT_TRUE(std::equal(backwards.rbegin(), backwards.rend(), expected.begin()));
}

TEST(ElementsRange, KeepsTheMemory) {
  float sum = 0;
  for (const float v : counted({3, 4}).t().elements<float>()) sum = 2 * sum + v;
  const std::vector<float> order{0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11};
  EXPECT_EQ(sum,
            std::accumulate(order.begin(), order.end(), 0.F, [](float s, float v) { return 2 * s + v; }));
}

TEST(ElementsRange, IsSortedInPlace) {
  Tensor x = counted({3, 4});
  Tensor columns = x.t();
  std::ranges::sort(columns.mutable_elements<float>(), std::greater<>());
  EXPECT_EQ(columns.to_vector<float>(), (std::vector<float>{11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0}));
  EXPECT_EQ(x.at<float>(0, 1), 8);
  EXPECT_THROW((void)x.elements<int>(), TypeError);
  EXPECT_THROW((void)x.neg_view().elements<float>(), RuntimeError);
  Tensor fixed = x.read_only();
  EXPECT_THROW((void)fixed.mutable_elements<float>(), StorageError);
}

TEST(Stream, WritesWhatToStringGives) {
  std::ostringstream out;
  const Tensor x = counted({2, 3});
  out << x << '\n' << x.shape() << '\n' << x.t().layout();
  EXPECT_EQ(out.str(), "tensor([[0., 1., 2.],\n        [3., 4., 5.]])\n(2,3)\n(3,2):(1,3)+0");
}

}  // namespace
}  // namespace tenstride
