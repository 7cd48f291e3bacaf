// SPDX-License-Identifier: Apache-2.0
#include "tenstride/permute_in_place.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <numeric>
#include <random>
#include <vector>

#include "support/refusal.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/ledger.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride/text.hpp"

namespace tenstride {
namespace {

using testing::refusal;

/// Elements of which no two neighbours are alike, row-major from the element `offset` of a longer storage on.
Tensor numbered(const Dims& shape, DType dtype, Index offset = 0) {
  const Layout layout = row_major(shape);
  const std::size_t bytes = static_cast<std::size_t>(numel(layout) + offset + 5) * item_size(dtype);
  Storage storage = Storage::allocate(bytes);
  std::mt19937 random(static_cast<unsigned>(bytes));
  for (std::size_t i = 0; i < bytes; ++i) storage.mutable_data()[i] = static_cast<std::byte>(random());
  return Tensor(storage, {layout.shape, layout.strides, offset}, dtype);
}

std::vector<std::byte> bytes_of(const Storage& storage) {
  return {storage.data(), storage.data() + storage.nbytes()};
}

/// The storage's bytes as they are to be: those of `elements`, row-major, from the offset on, others as they
/// were.
std::vector<std::byte> expected_bytes(const Tensor& before, const Tensor& elements) {
  std::vector<std::byte> result = bytes_of(before.storage());
  const Tensor dense = elements.contiguous(MemoryFormat::contiguous, CopyRule::always);
  const auto offset = static_cast<std::size_t>(before.storage_offset()) * before.element_size();
  if (before.nbytes() != 0) std::memcpy(result.data() + offset, dense.data_ptr(), before.nbytes());
  return result;
}

/// The smallest `extra_bytes` of a contiguous tensor.
std::size_t least(const Tensor& x, const Dims& dims) {
  return static_cast<std::size_t>(least_extra_bytes(x.shape(), dims, static_cast<Index>(x.element_size())));
}

void expect_permuted(Tensor x, const Dims& dims, std::size_t extra) {
  const Tensor view = x.permute(dims);
  const std::vector<std::byte> expected = expected_bytes(x, view);
  const Index offset = x.storage_offset();
  const std::string text = to_string(x.layout()) + " by " + ::testing::PrintToString(dims.to_vector()) +
                           " of " + std::to_string(x.element_size()) + " B with " + std::to_string(extra) +
                           " B:\n" + permute_plan(x, dims, {extra}).to_string();
  EXPECT_EQ(&permute_(x, dims, {extra}), &x);
  EXPECT_EQ(x.shape(), view.shape()) << text;
  EXPECT_TRUE(x.is_contiguous()) << text;
  EXPECT_EQ(x.storage_offset(), offset);
  EXPECT_TRUE(x.shares_storage(view));
  EXPECT_TRUE(bytes_of(x.storage()) == expected) << text;
}

constexpr DType types[] = {DType::uint8, DType::bfloat16, DType::float32, DType::int64, DType::complex128};

TEST(PermuteInPlace, IsAsInItsExample) {
  Tensor x = arange(6).view({2, 3});
  permute_(x, {1, 0});
  EXPECT_EQ(x.to_string(), "tensor([[0, 3],\n        [1, 4],\n        [2, 5]])");
}

TEST(PermuteInPlace, GivesWhatPermuteGivesForAllOrdersAndAnyScratch) {
  constexpr Index extents[] = {0, 1, 1, 2, 3, 4, 5, 6, 7};
  std::mt19937 random(1);
  for (std::size_t rank = 1; rank <= 6; ++rank) {
    Dims order = Dims::of_size(rank);
    std::iota(order.begin(), order.end(), Index{0});
    do {
      const int shapes = rank < 5 ? 8 : 1;
      for (int i = 0; i < shapes; ++i) {
        Dims shape;
        for (std::size_t d = 0; d < rank; ++d) shape.push_back(extents[(random() % (rank > 4 ? 6 : 8)) + 1]);
        if (random() % 16 == 0) shape[0] = extents[0];
        const Tensor x = numbered(shape, types[random() % 5], static_cast<Index>(random() % 4));
        const auto lowest = least(x, order);
        for (const std::size_t extra : {lowest, lowest + 13, lowest * 3, std::size_t{1} << 20}) {
          expect_permuted(x, order, extra);
        }
      }
    } while (std::next_permutation(order.begin(), order.end()));
  }
}

TEST(PermuteInPlace, TransposesMatricesOfAllSizesWithAnyScratch) {
  for (Index rows = 1; rows < 24; ++rows) {
    for (Index columns = 1; columns < 24; ++columns) {
      const Tensor x = numbered({rows, columns}, types[(rows + columns) % 5], 1);
      const auto lowest = least(x, {1, 0});
      for (const std::size_t factor : {1U, 2U, 3U, 4U, 9U}) expect_permuted(x, {1, 0}, lowest * factor);
    }
  }
}

TEST(PermuteInPlace, TransposesBatchesOfItemsByEachMethod) {
  struct Case {
    Dims shape;
    Dims dims;
    DType dtype;
    std::size_t extra;
    InPlaceMethod method;
  };
  const Case cases[] = {
      {{5, 40, 30, 2}, {0, 2, 1, 3}, DType::float32, 1 << 16, InPlaceMethod::scratch},
      {{3, 64, 64, 3}, {0, 2, 1, 3}, DType::uint8, 1 << 10, InPlaceMethod::tiles},
      {{2, 37, 37}, {0, 2, 1}, DType::float32, 777, InPlaceMethod::tiles},
      {{2, 29, 31, 1000}, {0, 2, 1, 3}, DType::float32, 10000, InPlaceMethod::cycles},
      {{29, 31, 9000}, {1, 0, 2}, DType::float32, 1000, InPlaceMethod::cycles},
      {{211, 307}, {1, 0}, DType::float32, 4096, InPlaceMethod::decomposition},
      {{2, 202, 505}, {0, 2, 1}, DType::bfloat16, 1100, InPlaceMethod::decomposition},
      {{303, 202, 3}, {1, 0, 2}, DType::uint8, 1000, InPlaceMethod::decomposition},
      {{240, 360}, {1, 0}, DType::float32, 16384, InPlaceMethod::scratch},
  };
  for (const Case& c : cases) {
    const Tensor x = numbered(c.shape, c.dtype, 3);
    const InPlacePlan plan = permute_plan(x, c.dims, {c.extra});
    EXPECT_EQ(plan.steps[0].method, c.method) << plan.to_string();
    EXPECT_LE(plan.scratch_bytes, static_cast<Index>(c.extra));
    expect_permuted(x, c.dims, c.extra);
  }
}

}  // namespace
}  // namespace tenstride
