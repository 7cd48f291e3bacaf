// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/scatter.hpp"

#include <gtest/gtest.h>

#include "support/ops_oracle.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/ledger/ledger.hpp"

namespace tenstride {
namespace {

using oracle::each_index;
using oracle::message_of;
using oracle::Number;
using oracle::numbered;
using oracle::odd_tensors;
using oracle::value_at;
using oracle::values;

Tensor numbers(const Nested& list) {
  return tensor(list, {.dtype = DType::int64});
}

/// An index of the shape, its numbers below `size`, several of them equal.
Tensor index_below(Index size, const Dims& shape) {
  Tensor index = empty(shape, {.dtype = DType::int64});
  for (Index k = 0; k < index.numel(); ++k) index.mutable_data<Index>()[k] = (k * 7 + k / 3) % size;
  return index;
}

Index number_at(const Tensor& index, const Dims& at) {
  return static_cast<Index>(value_at(index, at).real());
}

std::vector<Tensor> tensors_of_all_kinds() {
  std::vector<Tensor> result = odd_tensors();
  for (const Tensor& x : odd_tensors(DType::complex64)) result.push_back(x.conj());
  for (const Tensor& x : odd_tensors(DType::int16)) result.push_back(x);
  return result;
}

/// Calls f(x, axis, index) with an index that repeats and leaves out places along the axis.
void each_call(const std::function<void(const Tensor&, std::size_t, const Tensor&)>& f) {
  for (const Tensor& x : tensors_of_all_kinds()) {
    if (x.numel() == 0) continue;
    for (std::size_t axis = 0; axis < x.layout().rank(); ++axis) {
      Dims shape = x.shape();
      shape[axis] = 5;
      f(x, axis, index_below(x.shape()[axis], shape));
      f(x, axis, index_below(x.shape()[axis], shape).narrow(static_cast<Index>(axis), 1, 2));
    }
  }
}

TEST(Gather, ReadsWhereTheIndexSays) {
  EXPECT_EQ(gather(numbers({{1, 2}, {3, 4}}), 1, numbers({{1}, {0}})).tolist(), Nested({{2}, {3}}));
  each_call([](const Tensor& x, std::size_t axis, const Tensor& index) {
    const Tensor result = gather(x, static_cast<Index>(axis), index);
    EXPECT_TRUE(result.is_contiguous());
    EXPECT_FALSE(result.is_conj());
    ASSERT_EQ(result.shape(), index.shape());
    each_index(index.shape(), [&](const Dims& at) {
      Dims from = at;
      from[axis] = number_at(index, at);
      EXPECT_EQ(value_at(result, at), value_at(x, from));
    });
  });
}

TEST(Take, CountsInRowMajorOrderAndFromTheEnd) {
  EXPECT_EQ(take(numbers({{1, 2}, {3, 4}}), numbers({0, -1})).tolist(), Nested({1, 4}));
  for (const Tensor& x : tensors_of_all_kinds()) {
    if (x.numel() == 0) continue;
    const Tensor index = index_below(x.numel(), {4, 9}).t();
    const Tensor result = take(x, index);
    EXPECT_TRUE(result.is_contiguous());
    const std::vector<Number> all = values(x);
    each_index(index.shape(), [&](const Dims& at) {
      EXPECT_EQ(value_at(result, at), all[static_cast<std::size_t>(number_at(index, at))]);
    });
    EXPECT_EQ(values(take(x, numbers({-1})))[0], all.back());
  }
}

TEST(IndexSelect, ReadsSlices) {
  each_call([](const Tensor& x, std::size_t axis, const Tensor& index) {
    for (const DType dtype : {DType::int64, DType::int32}) {
      const Tensor list = index.flatten().narrow(0, 0, 2).to(dtype);
      const Tensor result = index_select(x, static_cast<Index>(axis) - x.dim(), list);
      EXPECT_TRUE(result.is_contiguous());
      each_index(result.shape(), [&](const Dims& at) {
        Dims from = at;
        from[axis] = number_at(list, {at[axis]});
        EXPECT_EQ(value_at(result, at), value_at(x, from));
      });
    }
  });
}

TEST(Scatter, WritesInTheOrderOfTheIndex) {
  each_call([](const Tensor& x, std::size_t axis, const Tensor& index) {
    const Tensor src = numbered(index.shape(), x.dtype());
    Tensor expected = x.clone(MemoryFormat::contiguous);
    each_index(index.shape(), [&](const Dims& at) {
      Dims to = at;
      to[axis] = number_at(index, at);
      Tensor place = expected;
      for (const Index i : to) place = place.select(0, i);
      place.copy_(src.as_strided({}, {}, position(src.layout(), at)));
    });
    const Tensor result = scatter(x, static_cast<Index>(axis), index, src);
    EXPECT_EQ(values(result), values(expected));
    if (!is_provably_unique(x.layout())) return;
    Tensor self = x.clone();
    EXPECT_EQ(&scatter_(self, static_cast<Index>(axis), index, src), &self);
    EXPECT_EQ(values(self), values(expected));
    EXPECT_EQ(self.strides(), x.clone().strides());
  });
}

/// All values for one place, that of self first.
Number reduced(Reduction reduce, const std::vector<Number>& all) {
  Number result = all[0];
  for (std::size_t i = 1; i < all.size(); ++i) {
    const bool is_larger = all[i].real() > result.real();
    if (reduce == Reduction::sum || reduce == Reduction::mean) result += all[i];
    if (reduce == Reduction::prod) result *= all[i];
    if (reduce == Reduction::max && is_larger) result = all[i];
    if (reduce == Reduction::min && !is_larger) result = all[i];
  }
  return reduce == Reduction::mean ? result / static_cast<double>(all.size()) : result;
}

TEST(ScatterReduce, IsTheDefinition) {
  for (const Reduction reduce :
       {Reduction::sum, Reduction::prod, Reduction::mean, Reduction::max, Reduction::min}) {
    for (const IncludeSelf include : {IncludeSelf::no, IncludeSelf::yes}) {
      for (const Tensor& x : odd_tensors(DType::float64)) {
        if (x.numel() == 0 || x.dim() == 0) continue;
        Dims shape = x.shape();
        shape[0] = 3;
        const Tensor index = index_below(x.shape()[0], shape);
        const Tensor src = numbered(shape, DType::float64);
        const Tensor result = scatter_reduce(x, 0, index, src, reduce, include);
        each_index(x.shape(), [&](const Dims& at) {
          std::vector<Number> all;
          for (Index k = 0; k < 3; ++k) {
            Dims from = at;
            from[0] = k;
            if (number_at(index, from) == at[0]) all.push_back(value_at(src, from));
          }
          if (all.empty() || include == IncludeSelf::yes) all.insert(all.begin(), value_at(x, at));
          EXPECT_NEAR(value_at(result, at).real(), reduced(reduce, all).real(), 1e-9);
        });
      }
    }
  }
}

TEST(IndexAdd, AddsSlicesLargeAndSmall) {
  for (const Index columns : {Index{3}, Index{100}}) {
    const Tensor x = numbered({4, columns}, DType::int64);
    const Tensor source = numbered({3, columns}, DType::int64);
    const Tensor result = index_add(x, 0, numbers({2, 2, 0}), source, 3);
    each_index(x.shape(), [&](const Dims& at) {
      Number sum = value_at(x, at);
      if (at[0] == 2) sum += 3.0 * (value_at(source, {0, at[1]}) + value_at(source, {1, at[1]}));
      if (at[0] == 0) sum += 3.0 * value_at(source, {2, at[1]});
      EXPECT_EQ(value_at(result, at), sum);
    });
    EXPECT_TRUE(index_add(x.t(), 1, numbers({2, 2, 0}), source.t(), 3).equal(result.t()));
  }
}

TEST(Scatter, SaysWhatDoesNotFit) {
  Tensor x = numbered({3, 4}, DType::int64);
  const Tensor index = numbers({{0, 1}, {2, 0}});
  EXPECT_EQ(message_of([&] { return gather(x, 0, index.to(DType::int32)); }),
            "RuntimeError: gather: the index's dtype int32 must be int64; convert with .to(torch.int64)");
  EXPECT_EQ(message_of([&] { return gather(x, 0, numbers({{3}})); }),
            "RuntimeError: gather: index 3 must lie in [0,2] on axis 0 (shape (3,4))");
  EXPECT_EQ(
      message_of([&] { return gather(x, 0, numbers({3})); }),
      "RuntimeError: gather: the index of shape (1) must have as many axes as the tensor of shape (3,4)");
  EXPECT_EQ(
      message_of([&] {
        return gather(x, 1, index.t().expand({5, 2, 2}).select(1, 0));
      }),
      "RuntimeError: gather: the index of shape (5,2) must not exceed the tensor of shape (3,4) on axis 0, "
      "only on axis 1");
  EXPECT_EQ(message_of([&] { return take(x, numbers({12})); }),
            "IndexError: take: index 12 must lie in [-12,11] (shape (3,4))");
  EXPECT_EQ(message_of([&] {
              return scatter(x, 0, index, numbered({2, 2}));
            }),
            "RuntimeError: scatter_: the source's dtype float32 must be the tensor's, int64; convert it with "
            ".to(dtype)");
  EXPECT_EQ(
      message_of([&] { return scatter_(x, 0, index, x); }),
      "RuntimeError: scatter_: what is written to ((3,4), strides (4,1), offset 0) and what is read ((3,4), "
      "strides (4,1), offset 0) must not share memory (some elements of the input tensor and the "
      "written-to tensor refer to a single memory location); clone() the second first");
  Tensor repeated = numbered({1, 4}, DType::int64).expand({3, 4});
  EXPECT_EQ(
      message_of([&] { return scatter_(repeated, 0, index, 7); }),
      "RuntimeError: scatter_: the destination must not have several elements in one place, axis 0 of size 3 "
      "has stride 0 ((3,4):(0,1)+0); use .clone() first");
  EXPECT_EQ(
      message_of([&] {
        return index_copy(x, 0, numbers({0, 1}), x.narrow(0, 0, 1));
      }),
      "IndexError: index_copy_: the index of shape (2) must have a number for each slice of the source of "
      "shape (1,4) on axis 0");
}

TEST(Scatter, IsToldAndForeseen) {
  const Tensor x = numbered({3, 4});
  CopyLedger ledger;
  const Tensor result = gather(x, 0, numbers({{0, 1, 2, 0}}));
  ASSERT_FALSE(ledger.entries().empty());
  EXPECT_EQ(ledger.entries().back().operation, "gather");
  const Tensor meta = empty({3, 4}, {.device = Device::meta});
  EXPECT_EQ(index_select(meta, 1, numbers({0, 0})).shape(), (Dims{3, 2}));
  EXPECT_EQ(scatter(meta, 1, index_below(4, {3, 2}), 1).shape(), (Dims{3, 4}));
}

}  // namespace
}  // namespace tenstride
