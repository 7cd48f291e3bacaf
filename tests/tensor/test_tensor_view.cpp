// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <string>

#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "support/slow.hpp"
#include "support/tensors.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/tensor/factory.hpp"
#include "tenstride/tensor/tensor.hpp"

// Every statement and snippet of PyTorch's page on torch.Tensor.view.
namespace tenstride {
namespace {

using testing::elements;
using testing::expect_view;
using testing::refusal;

TEST(TensorView, AViewSharesDataAndCountAndHasAnotherSize) {
  const Tensor x = randn({4, 4});
  for (const Dims& shape : {Dims{16}, Dims{2, 8}, Dims{2, 2, 2, 2}, Dims{4, 1, 4}}) {
    Tensor y = x.view(shape);
    expect_view(y, x);
    EXPECT_EQ(y.shape(), shape);
    EXPECT_EQ(y.dtype(), x.dtype());
    EXPECT_EQ(elements(y), elements(x));
  }
  EXPECT_EQ(refusal<ShapeError>([&] { return x.view({15}); }),
            "view: sizes (15) make 15 elements and must make the tensor's 16 (shape (4,4))");
}

// The condition: a new axis is part of an old one, or spans old axes with stride[i] = stride[i+1] *
// size[i+1].
TEST(TensorView, AxesMergeExactlyUnderTheContiguityLikeCondition) {
  for (const Layout& layout : testing::small_layouts(3, 3)) {
    for (std::size_t d = 0; d < layout.rank(); ++d) {
      if (layout.shape[d] < 2) continue;
      EXPECT_TRUE(try_view(unsqueeze(layout, static_cast<Index>(d)), layout.shape)) << "part of an axis";
      if (d + 1 == layout.rank() || layout.shape[d + 1] < 2 || is_empty(layout)) continue;
      const bool condition = layout.strides[d] == layout.strides[d + 1] * layout.shape[d + 1];
      const Dims merged = flatten_shape(layout.shape, static_cast<Index>(d), static_cast<Index>(d) + 1);
      EXPECT_EQ(try_view(layout, merged).has_value(), condition) << to_string(layout);
    }
  }
}

TEST(TensorView, WhereAViewCannotBeContiguousOrReshapeHelp) {
  const Tensor x = randn({2, 3}).T();
  EXPECT_TRUE(testing::refuses_view(x, {6}));
  EXPECT_EQ(elements(x.contiguous().view({6})), elements(x));
  testing::expect_copy(x.reshape({6}), x);
  const Tensor y = randn({2, 3});
  expect_view(y.reshape({6}), y);
}

TEST(TensorView, ExampleOfSizes) {
  const Tensor x = randn({4, 4});
  EXPECT_EQ(x.size(0), 4);
  EXPECT_EQ(x.sizes(), (Dims{4, 4}));
  EXPECT_EQ(x.view({16}).sizes(), (Dims{16}));
  EXPECT_EQ(x.view({-1, 8}).sizes(), (Dims{2, 8})) << "-1 is inferred";
}

TEST(TensorView, ExampleOfTransposeAndView) {
  const Tensor a = randn({1, 2, 3, 4});
  EXPECT_EQ(a.sizes(), (Dims{1, 2, 3, 4}));
  const Tensor b = a.transpose(1, 2);
  EXPECT_EQ(b.sizes(), (Dims{1, 3, 2, 4}));
  const Tensor c = a.view({1, 3, 2, 4});
  EXPECT_EQ(c.sizes(), (Dims{1, 3, 2, 4}));
  EXPECT_EQ(c.stride(), (Dims{24, 8, 4, 1})) << "the layout in memory stays row-major";
  EXPECT_EQ(elements(c), elements(a));
  EXPECT_FALSE(b.equal(c));
}

/// The page's numbers, as the integers it prints for view(int32).
Tensor page_integers() {
  return tensor({{1064483442, -1124191867, 1069546515, -1089989247},
                 {-1105482831, 1061112040, 1057999968, -1084397505},
                 {-1071760287, -1123489973, -1097310419, -1084649136},
                 {-1101533110, 1073668768, -1082790149, -1088634448}},
                {.dtype = DType::int32});
}

const std::string page_floats =
    "tensor([[ 0.9482, -0.0310,  1.4999, -0.5316],\n"
    "        [-0.1520,  0.7472,  0.5617, -0.8649],\n"
    "        [-2.4724, -0.0334, -0.2976, -0.8499],\n"
    "        [-0.2109,  1.9913, -0.9607, -0.6123]])";
const std::string page_floats_after_writing =
    "tensor([[ 0.0047, -0.0310,  1.4999, -0.5316],\n"
    "        [-0.1520,  0.7472,  0.5617, -0.8649],\n"
    "        [-2.4724, -0.0334, -0.2976, -0.8499],\n"
    "        [-0.2109,  1.9913, -0.9607, -0.6123]])";

TEST(TensorView, ExampleOfViewDtypeOfTheSameSize) {
  const Tensor x = page_integers().view(DType::float32);
  EXPECT_EQ(x.dtype(), DType::float32);
  EXPECT_EQ(x.to_string(), page_floats);
  Tensor y = x.view(DType::int32);
  expect_view(y, x);
  EXPECT_EQ(y.to_string(),
            "tensor([[ 1064483442, -1124191867,  1069546515, -1089989247],\n"
            "        [-1105482831,  1061112040,  1057999968, -1084397505],\n"
            "        [-1071760287, -1123489973, -1097310419, -1084649136],\n"
            "        [-1101533110,  1073668768, -1082790149, -1088634448]],\n"
            "       dtype=torch.int32)");
  y.index_put_({0, 0}, 1000000000);
  EXPECT_EQ(x.to_string(), page_floats_after_writing);
}

TEST(TensorView, ExampleOfViewDtypeOfTwiceTheSize) {
  const Tensor x = page_integers().view(DType::float32);
  Tensor y = x.view(DType::int32);
  y.index_put_({0, 0}, 1000000000);
  const Tensor pairs = x.view(DType::complex64);
  expect_view(pairs, x);
  EXPECT_EQ(pairs.sizes(), (Dims{4, 2}));
  EXPECT_EQ(pairs.to_string(),
            "tensor([[ 0.0047-0.0310j,  1.4999-0.5316j],\n"
            "        [-0.1520+0.7472j,  0.5617-0.8649j],\n"
            "        [-2.4724-0.0334j, -0.2976-0.8499j],\n"
            "        [-0.2109+1.9913j, -0.9607-0.6123j]])");
}

// The page's bytes are those of the printed (rounded) numbers, so the test starts from the bytes.
TEST(TensorView, ExampleOfViewDtypeOfAQuarterOfTheSize) {
  const Tensor bytes = tensor({{0, 202, 154, 59, 182, 243, 253, 188, 185, 252, 191, 63, 240, 22, 8, 191},
                               {227, 165, 27, 190, 128, 72, 63, 63, 146, 203, 15, 63, 22, 106, 93, 191},
                               {205, 59, 30, 192, 112, 206, 8, 189, 7, 95, 152, 190, 12, 147, 89, 191},
                               {43, 246, 87, 190, 235, 226, 254, 63, 111, 240, 117, 191, 177, 191, 28, 191}},
                              {.dtype = DType::uint8});
  const Tensor x = bytes.view(DType::float32);
  EXPECT_EQ(x.sizes(), (Dims{4, 4}));
  EXPECT_EQ(x.to_string(), page_floats_after_writing);
  const Tensor y = x.view(DType::uint8);
  expect_view(y, x);
  EXPECT_EQ(y.sizes(), (Dims{4, 16}));
  EXPECT_EQ(y.to_string(),
            "tensor([[  0, 202, 154,  59, 182, 243, 253, 188, 185, 252, 191,  63, 240,  22,\n"
            "           8, 191],\n"
            "        [227, 165,  27, 190, 128,  72,  63,  63, 146, 203,  15,  63,  22, 106,\n"
            "          93, 191],\n"
            "        [205,  59,  30, 192, 112, 206,   8, 189,   7,  95, 152, 190,  12, 147,\n"
            "          89, 191],\n"
            "        [ 43, 246,  87, 190, 235, 226, 254,  63, 111, 240, 117, 191, 177, 191,\n"
            "          28, 191]], dtype=torch.uint8)");
}

TEST(TensorView, ViewDtypeScalesTheLastSize) {
  const Tensor x = randn({3, 4});
  EXPECT_EQ(x.view(DType::float64).sizes(), (Dims{3, 2})) << "twice the element size: half the elements";
  EXPECT_EQ(x.view(DType::float16).sizes(), (Dims{3, 8})) << "half the element size: twice the elements";
  EXPECT_EQ(x.view(DType::complex128).sizes(), (Dims{3, 1}));
  EXPECT_EQ(x.view(DType::float64).view(DType::float32).layout(), x.layout());
}

TEST(TensorView, ViewDtypeRefusesWhereAConditionFails) {
  const auto refuses = [](const Tensor& x, DType dtype) {
    return refusal<ShapeError>([&] { return x.view(dtype); }).starts_with("view: to see elements of 4 B as");
  };
  const Tensor x = randn({4, 4});
  EXPECT_TRUE(refuses(x[0][0], DType::uint8)) << "dim() > 0";
  EXPECT_TRUE(refuses(x.T(), DType::uint8)) << "stride(-1) == 1, to a smaller type";
  EXPECT_TRUE(refuses(x.T(), DType::float64)) << "and to a larger one";
  EXPECT_TRUE(refuses(x.slice(1, 0, 3), DType::float64)) << "size(-1) divisible by the ratio";
  EXPECT_TRUE(refuses(x.slice(1, 1, 3), DType::float64)) << "storage_offset() divisible by the ratio";
  EXPECT_TRUE(refuses(randn({4, 5}).slice(1, 0, 4), DType::float64))
      << "other strides divisible by the ratio";
  EXPECT_EQ(x[0][0].view(DType::int32).dtype(), DType::int32) << "the same size asks for nothing";
  EXPECT_EQ(x.T().view(DType::int32).stride(), (Dims{1, 4}));
}

/// At once, and not when the memory is full.
TEST(TensorSplits, RefuseMorePiecesThanMemoryHolds) {
  for (const Index rows : {Index{1} << 40, Index{1} << 60}) {
    const Tensor x = zeros({rows}, {.device = Device::meta});
    EXPECT_THROW(x.unbind(), std::bad_alloc);
    EXPECT_THROW(x.unbind(-1), std::bad_alloc);
    EXPECT_THROW(x.split(1), std::bad_alloc);
    EXPECT_EQ(x.split(rows / 4).size(), 4U);
    EXPECT_THROW(x.unbind(1), IndexError);
    EXPECT_THROW(x.split(-1), RuntimeError);
  }
}

}  // namespace
}  // namespace tenstride
