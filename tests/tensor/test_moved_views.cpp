// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string_view>
#include <utility>

#include "tenstride/factory.hpp"
#include "tenstride/reshape.hpp"
#include "tenstride/tensor.hpp"

// A view of a tensor that is given away takes its storage over.
namespace tenstride {
namespace {

struct ViewOperation {
  std::string_view name;
  Tensor (*of_lvalue)(const Tensor& x);
  Tensor (*of_rvalue)(Tensor&& x);
};

#define TENSTRIDE_VIEW(call)                                                                     \
  {                                                                                              \
#call, [](const Tensor& x) { return x.call; }, [](Tensor && x) { return std::move(x).call; } \
  }

const ViewOperation operations[] = {
    TENSTRIDE_VIEW(alias()),
    TENSTRIDE_VIEW(detach()),
    TENSTRIDE_VIEW(view({6, 20})),
    TENSTRIDE_VIEW(view_as(x)),
    TENSTRIDE_VIEW(permute({3, 0, 2, 1})),
    TENSTRIDE_VIEW(transpose(1, -1)),
    TENSTRIDE_VIEW(swapaxes(0, 1)),
    TENSTRIDE_VIEW(swapdims(0, 1)),
    TENSTRIDE_VIEW(movedim(0, 2)),
    TENSTRIDE_VIEW(movedim({0, 1}, {2, 3})),
    TENSTRIDE_VIEW(moveaxis(0, 2)),
    TENSTRIDE_VIEW(moveaxis({0, 1}, {2, 3})),
    TENSTRIDE_VIEW(T()),
    TENSTRIDE_VIEW(mT()),
    TENSTRIDE_VIEW(squeeze()),
    TENSTRIDE_VIEW(squeeze(1)),
    TENSTRIDE_VIEW(squeeze({1, 2})),
    TENSTRIDE_VIEW(unsqueeze(-1)),
    TENSTRIDE_VIEW(unflatten(3, {5, 1})),
    TENSTRIDE_VIEW(expand({7, 2, 3, 4, 5})),
    TENSTRIDE_VIEW(expand_as(x)),
    TENSTRIDE_VIEW(broadcast_to({7, 2, 3, 4, 5})),
    TENSTRIDE_VIEW(as_strided({2, 2}, {1, 2}, 3)),
    TENSTRIDE_VIEW(select(1, 2)),
    TENSTRIDE_VIEW(operator[](1)),
    TENSTRIDE_VIEW(narrow(2, 1, 2)),
    TENSTRIDE_VIEW(slice(2, 0, 4, 2)),
    TENSTRIDE_VIEW(diagonal(0, 2, 3)),
    TENSTRIDE_VIEW(unfold(3, 2, 1)),
    TENSTRIDE_VIEW(select(0, 0).select(0, 0).t()),
    TENSTRIDE_VIEW(reshape({24, 5})),
    TENSTRIDE_VIEW(contiguous()),
};

#undef TENSTRIDE_VIEW

void expect_empty(const Tensor& x, std::string_view name) {
  EXPECT_EQ(x.storage(), Storage()) << name;
  EXPECT_EQ(x.layout(), Tensor().layout()) << name;
  EXPECT_EQ(x.numel(), 0) << name;
  EXPECT_EQ(x.clone().numel(), 0) << name;
}

TEST(MovedView, IsTheViewAndTakesTheStorage) {
  for (const ViewOperation& operation : operations) {
    const Tensor kept = empty({2, 3, 4, 5}).read_only();
    const Tensor expected = operation.of_lvalue(kept);
    Tensor given = kept;
    const std::size_t count = kept.storage().use_count();
    const Tensor view = operation.of_rvalue(std::move(given));
    EXPECT_TRUE(view.is_same(expected)) << operation.name;
    EXPECT_TRUE(view.is_read_only()) << operation.name;
    EXPECT_EQ(kept.storage().use_count(), count) << operation.name;
    expect_empty(given, operation.name);
  }
}

TEST(MovedView, RefusedLeavesTheTensorAsItWas) {
  Tensor x = empty({2, 3, 4}).transpose(0, 1);
  const Tensor same = x;
  EXPECT_THROW((void)std::move(x).permute({0, 0, 1}), ShapeError);
  EXPECT_THROW((void)std::move(x).transpose(0, 3), AxisError);
  EXPECT_THROW((void)std::move(x).view({24}), ViewError);
  EXPECT_THROW((void)std::move(x).view({23}), ShapeError);
  EXPECT_THROW((void)std::move(x).reshape({24}, CopyRule::never), ViewError);
  EXPECT_THROW((void)std::move(x).select(0, 3), IndexError);
  EXPECT_THROW((void)std::move(x).expand({2, 2, 2}), ShapeError);
  EXPECT_THROW((void)std::move(x).as_strided({100}, {1}), RuntimeError);
  EXPECT_TRUE(x.is_same(same));
}

TEST(MovedView, OfManyAxesTakesTheHeapAlong) {
  Dims shape = Dims::filled(12, 1);
  shape[3] = 5;
  Tensor x = empty(shape);
  const Tensor expected = x.transpose(3, 10);
  const Tensor view = std::move(x).transpose(3, 10);
  EXPECT_TRUE(view.is_same(expected));
  expect_empty(x, "transpose");
}

TEST(MovedView, WorksInPlaceOfItself) {
  Tensor x = arange(6).view({2, 3});
  x = std::move(x).t();
  EXPECT_EQ(x.shape(), (Dims{3, 2}));
  x = x.t();
  EXPECT_EQ(x.to_vector<float>(), (std::vector<float>{0, 1, 2, 3, 4, 5}));
}

TEST(MovedTensor, IsEmptyAndMayBeUsedAgain) {
  Tensor x = zeros({2, 3}, {.dtype = DType::int16});
  Tensor y = std::move(x);
  expect_empty(x, "move");
  EXPECT_EQ(x.dtype(), DType::int16);
  x.fill_(1);
  Tensor z = ones({4});
  const Tensor seen = z;
  z = std::move(y);
  expect_empty(y, "assignment");
  EXPECT_EQ(seen.storage().use_count(), 1U);  // the old storage is not handed to the other
  EXPECT_EQ(z.shape(), (Dims{2, 3}));
  Tensor& same = z;
  z = std::move(same);
  EXPECT_EQ(z.shape(), (Dims{2, 3}));
  y = z;
  EXPECT_TRUE(y.is_same(z));
}

}  // namespace
}  // namespace tenstride
