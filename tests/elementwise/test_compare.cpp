// SPDX-License-Identifier: Apache-2.0
#include "tenstride/elementwise/compare.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "support/ops_oracle.hpp"

namespace tenstride {
namespace {

using oracle::message_of;
using oracle::Number;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;

template <class T>
Tensor indexed(const std::vector<T>& values) {
  Tensor result = empty({static_cast<Index>(values.size())}, {.dtype = dtype_of<T>});
  for (std::size_t i = 0; i < values.size(); ++i) {
    store_element<T>(result.mutable_storage_data() + i * sizeof(T), values[i]);
  }
  return result;
}

std::vector<bool> truths(const Tensor& x) {
  std::vector<bool> result;
  oracle::each_index(x.shape(), [&](const Dims& at) { result.push_back(value_at(x, at) != Number(0)); });
  return result;
}

/// The element of x that broadcasts to an index of the result.
Number broadcast_value(const Tensor& x, const Dims& index) {
  Dims own;
  const std::size_t added = index.size() - x.layout().rank();
  for (std::size_t d = 0; d < x.layout().rank(); ++d) own.push_back(x.shape()[d] == 1 ? 0 : index[added + d]);
  return value_at(x, own);
}

TEST(Compare, IsTheHeadersExample) {
  EXPECT_EQ(truths(eq(numbered({3}, DType::int64), 1)), (std::vector<bool>{false, true, false}));
}

TEST(Compare, AgreesWithTheDefinitionOnAllLayouts) {
  for (const DType type_b : {DType::float32, DType::int16, DType::bool_, DType::bfloat16, DType::float64}) {
    for (const Tensor& a : odd_tensors()) {
      for (const Tensor& b : odd_tensors(type_b)) {
        Dims shape;
        try {
          shape = broadcast_shapes(a.shape(), b.shape());
        } catch (const ShapeError&) {
          EXPECT_THROW(static_cast<void>(eq(a, b)), ShapeError);
          continue;
        }
        const Tensor less = a < b;
        const Tensor equal = a == b;
        const Tensor at_least = a >= b;
        const Tensor other = a != b;
        EXPECT_EQ(less.dtype(), DType::bool_);
        EXPECT_EQ(less.shape(), shape);
        oracle::each_index(shape, [&](const Dims& at) {
          const double x = broadcast_value(a, at).real();
          const double y = broadcast_value(b, at).real();
          EXPECT_EQ(value_at(less, at) != Number(0), x < y);
          EXPECT_EQ(value_at(equal, at) != Number(0), x == y);
          EXPECT_EQ(value_at(at_least, at) != Number(0), x >= y);
          EXPECT_EQ(value_at(other, at) != Number(0), x != y);
        });
      }
    }
  }
}

TEST(Compare, KnowsEveryElementType) {
  for (std::size_t i = 0; i < dtype_count; ++i) {
    const auto type = static_cast<DType>(i);
    const Tensor x = numbered({40, 40}, type);  // more than a block
    const Tensor y = x.transpose(0, 1);
    const Tensor equal = eq(x, y);
    oracle::each_index(x.shape(), [&](const Dims& at) {
      EXPECT_EQ(value_at(equal, at) != Number(0), value_at(x, at) == value_at(y, at)) << name(type);
    });
    EXPECT_TRUE(eq(x, x.clone()).all().item().to<bool>());
  }
}

TEST(Compare, SplitsLargeTensorsWithoutLosingAny) {
  const Tensor x = numbered({700, 801}, DType::int32);
  const Tensor less = lt(x, x.flip({1}));
  const Tensor transposed = x.flip({1});
  Index wrong = 0;
  oracle::each_index(x.shape(), [&](const Dims& at) {
    wrong += (value_at(less, at) != Number(0)) != (value_at(x, at).real() < value_at(transposed, at).real());
  });
  EXPECT_EQ(wrong, 0);
}

TEST(Compare, IsRightForLargeTransposedOperands) {
  const Tensor x = numbered({300, 301}, DType::complex64);
  const Tensor transposed = x.transpose(0, 1).clone(MemoryFormat::contiguous).transpose(0, 1).conj();
  const Tensor same = x == transposed;
  Index wrong = 0;
  oracle::each_index(x.shape(), [&](const Dims& at) {
    wrong += (value_at(same, at) != Number(0)) != (value_at(x, at) == value_at(transposed, at));
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_FALSE(x.equal(transposed));
  EXPECT_TRUE(x.equal(transposed.conj()));
  EXPECT_TRUE(transposed.conj().equal(x));
}

TEST(Compare, HasAllOperatorsOnBothSides) {
  const Tensor x = numbered({3}, DType::int64);
  EXPECT_EQ(truths(x < 1), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(truths(x <= 1), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(truths(x > 1), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(truths(x >= 1), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(truths(x == 1), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(truths(x != 1), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(truths(1 < x), (std::vector<bool>{false, false, true}));
  EXPECT_EQ(truths(1 <= x), (std::vector<bool>{false, true, true}));
  EXPECT_EQ(truths(1 > x), (std::vector<bool>{true, false, false}));
  EXPECT_EQ(truths(1 >= x), (std::vector<bool>{true, true, false}));
  EXPECT_EQ(truths(1 == x), (std::vector<bool>{false, true, false}));
  EXPECT_EQ(truths(1 != x), (std::vector<bool>{true, false, true}));
  EXPECT_EQ(truths(x > x), (std::vector<bool>{false, false, false}));
  EXPECT_EQ(truths(x <= x), (std::vector<bool>{true, true, true}));
}

TEST(Compare, ConvertsNumbersAsPyTorchDoes) {
  EXPECT_EQ(truths(eq(indexed<std::uint8_t>({44, 45}), 300)), (std::vector<bool>{true, false}));
  EXPECT_EQ(truths(gt(indexed<std::int32_t>({2, 3}), 2.5)), (std::vector<bool>{false, true}));
  EXPECT_EQ(truths(eq(indexed<double>({0.1}), 0.1)), (std::vector<bool>{true}));
  EXPECT_EQ(truths(eq(indexed<float>({0.1F}), 0.1)), (std::vector<bool>{true}));
  EXPECT_EQ(truths(eq(indexed<bool>({false, true}), 2)), (std::vector<bool>{false, false}));
  const std::uint64_t large = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(truths(gt(indexed<std::uint64_t>({large, 1}), indexed<std::uint64_t>({1, large}))),
            (std::vector<bool>{true, false}));
  const Index odd = (Index{1} << 53) + 1;  // double cannot tell it from its neighbour
  EXPECT_EQ(truths(eq(indexed<Index>({odd}), odd - 1)), (std::vector<bool>{false}));
  EXPECT_EQ(truths(eq(indexed<Index>({odd}), indexed<double>({static_cast<double>(odd - 1)}))),
            (std::vector<bool>{true}));
}

TEST(Compare, FindsNothingEqualToNaN) {
  const double nan = std::nan("");
  const Tensor x = indexed<double>({nan, 1});
  EXPECT_EQ(truths(x == x), (std::vector<bool>{false, true}));
  EXPECT_EQ(truths(x != x), (std::vector<bool>{true, false}));
  EXPECT_EQ(truths(x < 2), (std::vector<bool>{false, true}));
}

TEST(Compare, ComparesWhatPendingConjugationStandsFor) {
  const Tensor x = numbered({6}, DType::complex64);
  const Tensor transposed = x.conj();
  const Tensor equal = x == transposed;
  oracle::each_index(x.shape(), [&](const Dims& at) {
    EXPECT_EQ(value_at(equal, at) != Number(0), value_at(x, at) == value_at(transposed, at));
  });
  EXPECT_TRUE(x.conj().equal(x.conj().clone()));
}

TEST(Compare, LaysTheResultOutAsTheOperands) {
  const Tensor transposed = numbered({3, 4}).transpose(0, 1);
  EXPECT_EQ((transposed == 1).strides(), (Dims{1, 4}));
  EXPECT_EQ((transposed == transposed).strides(), (Dims{1, 4}));
  EXPECT_EQ((transposed == numbered({4, 3})).strides(), (Dims{1, 4}));
  EXPECT_EQ((numbered({4, 3}) == transposed).strides(), (Dims{3, 1}));
}

TEST(Compare, RefusesInWords) {
  const Tensor complex = numbered({2}, DType::complex64);
  EXPECT_EQ(
      message_of([&] { return lt(complex, complex); }),
      "RuntimeError: lt: complex numbers have no order, dtypes complex64 and complex64 must be real; use eq "
      "or ne");
  EXPECT_EQ(message_of([] { return eq(numbered({2}, DType::int64), numbered({2}, DType::uint64)); }),
            "RuntimeError: eq: dtypes int64 and uint64 must have a common type; convert one with .to(dtype)");
  EXPECT_EQ(message_of([] { return ge(numbered({2}), empty({2}, {.device = Device::meta})); }),
            "RuntimeError: ge: both tensors must be on one device, not cpu and meta");
}

TEST(Compare, ForecastsOnMeta) {
  const Tensor x = empty({2, 1}, {.device = Device::meta});
  const Tensor result = x == empty({3}, {.device = Device::meta});
  EXPECT_TRUE(result.is_meta());
  EXPECT_EQ(result.shape(), (Dims{2, 3}));
  EXPECT_EQ((x < 3).dtype(), DType::bool_);
  EXPECT_EQ(all(x, 0).shape(), (Dims{1}));
}

TEST(AllAny, AgreeWithTheDefinition) {
  for (const DType type : {DType::float32, DType::bool_, DType::uint8, DType::complex64, DType::complex32,
                           DType::bfloat16, DType::float8_e4m3fn, DType::float8_e5m2}) {
    std::vector<Tensor> tensors = odd_tensors(type);
    tensors.push_back(numbered({3, 4}, type).index({Slice{1, {}}, Slice{1, {}}}));
    if (is_complex(type)) {
      tensors.push_back(numbered({3, 4}, type).conj());
      tensors.push_back(numbered({3, 4}, type).conj().imag());  // its elements are negated
    }
    for (const Tensor& x : tensors) {
      bool all_of_all = true;
      bool any_of_all = false;
      for (const Number& value : oracle::values(x)) {
        all_of_all = all_of_all && value != Number(0);
        any_of_all = any_of_all || value != Number(0);
      }
      EXPECT_EQ(all(x).item().to<bool>(), all_of_all);
      EXPECT_EQ(any(x).item().to<bool>(), any_of_all);
      EXPECT_EQ(all(x).dtype(), type == DType::uint8 ? DType::uint8 : DType::bool_);
      for (Index d = 0; d < x.dim(); ++d) {
        const Tensor all_along = all(x, d, KeepDim::yes);
        const Tensor any_along = any(x, d);
        Dims kept = x.shape();
        kept[static_cast<std::size_t>(d)] = 1;
        EXPECT_EQ(all_along.shape(), kept);
        EXPECT_EQ(any_along.shape(), all_along.squeeze(d).shape());
        EXPECT_TRUE(any_along.is_contiguous());
        oracle::each_index(kept, [&](const Dims& at) {
          bool every = true;
          bool any_set = false;
          for (Index i = 0; i < x.size(d); ++i) {
            Dims index = at;
            index[static_cast<std::size_t>(d)] = i;
            every = every && value_at(x, index) != Number(0);
            any_set = any_set || value_at(x, index) != Number(0);
          }
          Dims without = at;
          without.erase(static_cast<std::size_t>(d));
          EXPECT_EQ(value_at(all_along, at) != Number(0), every);
          EXPECT_EQ(value_at(any_along, without) != Number(0), any_set);
        });
      }
    }
  }
  EXPECT_EQ(message_of([] {
              return all(numbered({2, 3}), 2);
            }),
            "IndexError: all: axis 2 must lie in [-2,1] (shape (2,3))");
}

TEST(Equal, LooksAtShapeAndElements) {
  for (const Tensor& x : odd_tensors()) {
    EXPECT_TRUE(x.equal(x.clone()));
    EXPECT_TRUE(equal(x.clone(MemoryFormat::contiguous), x));
    if (x.numel() == 0) continue;
    Tensor changed = x.clone(MemoryFormat::contiguous);
    changed.view({-1}).select(0, -1).fill_(-5);
    EXPECT_FALSE(x.equal(changed));
  }
  EXPECT_FALSE(numbered({2, 3}).equal(numbered({6})));
  EXPECT_FALSE(indexed<float>({std::nanf("")}).equal(indexed<float>({std::nanf("")})));
  EXPECT_TRUE(numbered({2}).equal(numbered({2}, DType::int8)));
  EXPECT_FALSE(numbered({2}).equal(numbered({3}, DType::int8)));
  EXPECT_FALSE(indexed<float>({1.5F}).equal(indexed<std::int64_t>({1})));
  EXPECT_FALSE(indexed<std::int8_t>({-1}).equal(indexed<std::uint8_t>({255})));
  EXPECT_TRUE(indexed<std::int64_t>({(1 << 24) + 1}).equal(indexed<float>({16777216.0F})));
  const Tensor meta = empty({2}, {.device = Device::meta});
  EXPECT_EQ(message_of([&] { return meta.equal(meta); }),
            "RuntimeError: equal: a meta tensor has no elements to be read (shape (2))");
}

TEST(AllClose, AllowsTheToleranceAndNoMore) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_TRUE(indexed<double>({1, infinity}).allclose(indexed<double>({1 + 1e-6, infinity})));
  EXPECT_FALSE(indexed<double>({1}).allclose(indexed<double>({1 + 1e-4})));
  EXPECT_TRUE(allclose(indexed<double>({1}), indexed<double>({1.5}), 0, 0.5));
  EXPECT_FALSE(indexed<double>({infinity}).allclose(indexed<double>({-infinity})));
  EXPECT_FALSE(indexed<double>({std::nan("")}).allclose(indexed<double>({std::nan("")})));
  EXPECT_TRUE(numbered({3, 4}).transpose(0, 1).allclose(numbered({3, 4}).transpose(0, 1).clone()));
  EXPECT_TRUE(numbered({1}).allclose(zeros({3, 2})));  // broadcasts
  EXPECT_TRUE(numbered({4}, DType::complex64).allclose(numbered({4}, DType::complex64)));
  EXPECT_FALSE(numbered({4}, DType::complex64).allclose(numbered({4}, DType::complex64).conj()));
  EXPECT_EQ(message_of([] { return allclose(numbered({2}), numbered({2}), -1); }),
            "RuntimeError: allclose: rtol (-1.0) and atol (1e-08) must not be negative");
  EXPECT_EQ(
      message_of([] { return allclose(numbered({2}), numbered({2}, DType::int8)); }),
      "RuntimeError: allclose: both tensors must have one dtype, not float32 and int8; convert one with "
      ".to(dtype)");
}

}  // namespace
}  // namespace tenstride
