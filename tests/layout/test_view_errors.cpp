// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/views.hpp"

// Every refusal of views.hpp but the split family's (test_splits.cpp): the type, the whole message, the
// facts.
namespace tenstride {
namespace {

using testing::refusal;

const Layout scalar{};
const Layout vector = row_major({4});
const Layout matrix = row_major({2, 3});
const Layout cube = row_major({2, 3, 4});

Layout indexed(const Layout& layout, std::initializer_list<BasicIndex> entries,
               NegativeStep negative_step = NegativeStep::view) {
  return index(layout, std::span<const BasicIndex>(entries.begin(), entries.size()), negative_step);
}

TEST(ViewErrors, SayWhichAxesThereAre) {
  EXPECT_EQ(refusal<AxisError>([] { return transpose(cube, 0, 3); }),
            "transpose: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return transpose(cube, -4, 0); }),
            "transpose: axis -4 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return transpose(scalar, 1, 0); }),
            "transpose: axis 1 must lie in [-1,0] (shape ())");
  EXPECT_EQ(refusal<AxisError>([] {
              return permute(cube, {0, 1, 3});
            }),
            "permute: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return movedim(cube, {3}, {0}); }),
            "movedim: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return moveaxis(cube, {0}, {-4}); }),
            "moveaxis: axis -4 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return squeeze(cube, 3); }),
            "squeeze: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return unsqueeze(cube, 4); }),
            "unsqueeze: axis 4 must lie in [-4,3] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return select(cube, 3, 0); }),
            "select: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return narrow(cube, 3, 0, 1); }),
            "narrow: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return slice(cube, 3); }),
            "slice: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return diagonal(vector); }),
            "diagonal: axis 1 must lie in [-1,0] (shape (4))");
  EXPECT_EQ(refusal<AxisError>([] { return unfold(cube, 3, 1, 1); }),
            "unfold: axis 3 must lie in [-3,2] (shape (2,3,4))");
  EXPECT_EQ(refusal<AxisError>([] { return flip_view(cube, {3}); }),
            "flip: axis 3 must lie in [-3,2] (shape (2,3,4))");
}

TEST(ViewErrors, CarryTheirFacts) {
  try {
    static_cast<void>(transpose(cube, -4, 0));
    FAIL() << "axis -4 was not refused";
  } catch (const AxisError& error) {
    EXPECT_EQ(error.given(), -4);
    EXPECT_EQ(error.lowest(), -3);
    EXPECT_EQ(error.highest(), 2);
    EXPECT_EQ(error.kind(), ErrorKind::index);
    EXPECT_EQ(name(error.kind()), "IndexError");
  }
  try {
    static_cast<void>(permute(cube, {0, 2, 2}));
    FAIL() << "a repeated axis was not refused";
  } catch (const ShapeError& error) {
    EXPECT_EQ(error.from(), (Dims{2, 3, 4}));
    EXPECT_EQ(error.to(), (Dims{0, 2, 2}));
    EXPECT_EQ(error.kind(), ErrorKind::runtime);
    EXPECT_EQ(name(error.kind()), "RuntimeError");
  }
  EXPECT_EQ(name(ErrorKind::value), "ValueError");
  EXPECT_EQ(name(ErrorKind::type), "TypeError");
}

TEST(ViewErrors, OfOrdersAndRepeatedAxes) {
  EXPECT_EQ(refusal<ShapeError>([] {
              return permute(cube, {0, 2, 2});
            }),
            "permute: order (0,2,2) must list each axis 0..2 once (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] {
              return permute(cube, {0, 2});
            }),
            "permute: order (0,2) must list each axis 0..2 once (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] { return permute(scalar, {0}); }),
            "permute: order (0) must be empty for a tensor without axes (shape ())");
  EXPECT_EQ(refusal<ShapeError>([] {
              return movedim(cube, {0, -3}, {1, 2});
            }),
            "movedim: axes (0,-3) must not name axis -3 twice (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] {
              return movedim(cube, {0, 1}, {2, 2});
            }),
            "movedim: axes (2,2) must not name axis 2 twice (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] {
              return moveaxis(cube, {0, 1}, {2});
            }),
            "moveaxis: source (0,1) and destination (2) must name as many axes (2 and 1 given)");
  EXPECT_EQ(refusal<ShapeError>([] {
              return squeeze(cube, {0, 1, 0});
            }),
            "squeeze: axes (0,1,0) must not name axis 0 twice (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] {
              return flip_view(cube, {1, -2});
            }),
            "flip: axes (1,-2) must not name axis -2 twice (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] { return diagonal(cube, 0, 1, -2); }),
            "diagonal: the two axes must differ, both are axis 1 (shape (2,3,4))");
}

TEST(ViewErrors, OfRanks) {
  EXPECT_EQ(
      refusal<ShapeError>([] { return t(cube); }),
      "t: the tensor has 3 axes and must have at most 2 axes; use .mT or .permute(...) (shape (2,3,4))");
  EXPECT_EQ(refusal<ShapeError>([] { return matrix_transpose(vector); }),
            "mT: the tensor has 1 axis and must have 0 or at least 2 axes (shape (4))");
  EXPECT_EQ(refusal<ShapeError>([] { return matrix_transpose(vector, "adjoint"); }),
            "adjoint: the tensor has 1 axis and must have 0 or at least 2 axes (shape (4))");
  EXPECT_EQ(refusal<ShapeError>([] { return narrow(scalar, 0, 0, 0); }),
            "narrow: the tensor has 0 axes and must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<IndexError>([] { return select(scalar, 0, 0); }),
            "select: the tensor must have at least 1 axis (shape ())");
  EXPECT_EQ(refusal<IndexError>([] { return slice(scalar); }),
            "slice: the tensor must have at least 1 axis (shape ())");
}

TEST(ViewErrors, OfExpand) {
  EXPECT_EQ(refusal<ShapeError>([] { return expand(matrix, {3}); }),
            "expand: sizes (3) must be at least as many as the tensor's axes, 2 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([] {
              return expand(matrix, {4, 3});
            }),
            "expand: size 4 at position 0 must be 2, the size of axis 0; only axes of size 1 expand (shape "
            "(2,3) to (4,3))");
  EXPECT_EQ(refusal<ShapeError>([] {
              return expand(matrix, {-1, 2, 3}, "broadcast_to");
            }),
            "broadcast_to: size -1 at position 0 must not be negative: the axis is new, there is no size to "
            "keep (shape (2,3) to (-1,2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return expand(row_major({0}), {-2}); }),
            "expand: size -2 at position 0 must be -1 (keep) or at least 0 (shape (0) to (-2))")
      << "PyTorch lets this one through";
  EXPECT_EQ(refusal<ShapeError>([] {
              return broadcast_shapes({2, 3}, {4, 1, 2});
            }),
            "broadcast_shapes: shapes (2,3) and (4,1,2) must be equal or 1 in every axis, counted from the "
            "right; axis -1 differs");
  EXPECT_EQ(refusal<ShapeError>([] {
              return broadcast_shapes({5, 2, 3}, {4, 1, 3});
            }),
            "broadcast_shapes: shapes (5,2,3) and (4,1,3) must be equal or 1 in every axis, counted from the "
            "right; axis -3 differs");
  EXPECT_EQ(refusal<ShapeError>([] { return broadcast_shapes({-2}, {1}); }),
            "broadcast_shapes: sizes (-2) must not be negative");
}

TEST(ViewErrors, OfAsStridedInPyTorchsOrder) {
  EXPECT_EQ(refusal<ShapeError>([] {
              return as_strided({2, 3}, {-1}, -1, 0);
            }),
            "as_strided: shape (2,3) and strides (-1) must have one length (2 and 1 given)");
  EXPECT_EQ(refusal<RuntimeError>([] {
              return as_strided({2, 3}, {1, -4}, -1, 0);
            }),
            "as_strided: strides (1,-4) must not be negative, -4 is; walk an axis backwards with a slice of "
            "step -1");
  EXPECT_EQ(refusal<StorageError>([] {
              return as_strided({2, 3}, {3, 1}, 4, 9);
            }),
            "as_strided: sizes (2,3), strides (3,1) and offset 4 reach elements 4..9, which must lie in the "
            "storage of 9 elements");
  EXPECT_EQ(refusal<RuntimeError>([] {
              return as_strided({2, 3}, {3, 1}, -1, 9);
            }),
            "as_strided: storage offset -1 must not be negative");
  EXPECT_EQ(refusal<RuntimeError>([] {
              return as_strided({2, 0}, {99, 1}, -1, 0);
            }),
            "as_strided: storage offset -1 must not be negative");
  EXPECT_EQ(as_strided({2, 0}, {99, 1}, 50, 0), (Layout{{2, 0}, {99, 1}, 50})) << "empty: no reach to check";
  EXPECT_EQ(refusal<ShapeError>([] {
              return as_strided({2, -1}, {1, 1}, 0, 9);
            }),
            "as_strided: sizes (2,-1) must not be negative");
}

TEST(ViewErrors, OfIndexesOutOfRange) {
  EXPECT_EQ(refusal<IndexError>([] { return select(matrix, 1, 3); }),
            "select: index 3 must lie in [-3,2] on axis 1 (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([] { return select(matrix, -1, -4); }),
            "select: index -4 must lie in [-3,2] on axis 1 (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([] {
              return select(row_major({2, 0}), 1, 0);
            }),
            "select: index 0 has nothing to select on axis 1, whose size is 0 (shape (2,0))");
  EXPECT_EQ(refusal<IndexError>([] { return narrow(matrix, 1, 4, 0); }),
            "narrow: start 4 must lie in [-3,3] on axis 1 (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([] { return narrow(matrix, -1, -4, 0); }),
            "narrow: start -4 must lie in [-3,3] on axis -1 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return narrow(matrix, 1, 2, 2); }),
            "narrow: start 2 and length 2 must end within axis 1, whose size is 3 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return narrow(matrix, 1, 0, INT64_MAX); }),
            "narrow: start 0 and length 9223372036854775807 must end within axis 1, whose size is 3 (shape "
            "(2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return narrow(matrix, 1, 9, -1); }),
            "narrow: length -1 must not be negative (shape (2,3))");
}

TEST(ViewErrors, OfSteps) {
  EXPECT_EQ(refusal<RuntimeError>([] { return slice(matrix, 0, 0, 2, 0); }),
            "slice: step 0 must be at least 1; indexing x[::-1] walks backwards");
  EXPECT_EQ(refusal<RuntimeError>([] { return slice(matrix, 0, 0, 2, -1); }),
            "slice: step -1 must be at least 1; indexing x[::-1] walks backwards");
  EXPECT_EQ(refusal<RuntimeError>([] { return unfold(matrix, 1, 2, 0); }),
            "unfold: step 0 must be at least 1");
  EXPECT_EQ(refusal<ShapeError>([] { return unfold(matrix, 1, 4, 1); }),
            "unfold: window size 4 must lie in [0,3] on axis 1 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([] { return unfold(scalar, 0, -1, 1); }),
            "unfold: window size -1 must lie in [0,1] on axis 0 (shape ())");
}

TEST(ViewErrors, OfBasicIndexingNameTheAxisOfTheTensorIndexed) {
  EXPECT_EQ(refusal<IndexError>([] {
              return indexed(cube, {Index{1}, Index{3}});
            }),
            "index: index 3 must lie in [-3,2] on axis 1 (shape (2,3,4))");
  EXPECT_EQ(refusal<IndexError>([] {
              return indexed(cube, {NewAxis{}, Ellipsis{}, NewAxis{}, Index{4}});
            }),
            "index: index 4 must lie in [-4,3] on axis 2 (shape (2,3,4))");
  EXPECT_EQ(refusal<IndexError>([] {
              return indexed(matrix, {Slice{}, Slice{}, Slice{}});
            }),
            "index: 3 indices given, must be at most 2, one for each axis (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([] { return indexed(scalar, {Index{0}}); }),
            "index: 1 index given, must be at most 0, one for each axis (shape ())");
  EXPECT_EQ(refusal<IndexError>([] {
              return indexed(cube, {Ellipsis{}, Index{0}, Ellipsis{}});
            }),
            "index: an index must have at most one ellipsis ('...'), two are given");
  EXPECT_EQ(refusal<ValueError>([] {
              return indexed(cube, {Slice{{}, {}, 0}});
            }),
            "index: step 0 must not be 0 (a slice start:stop:step)");
  EXPECT_EQ(refusal<ValueError>([] {
              return indexed(cube, {Slice{{}, {}, -1}}, NegativeStep::refuse);
            }),
            "index: step -1 must be at least 1 (PyTorch's rule; NegativeStep::view allows it)");
}

TEST(ViewErrors, OfOtherElementSizesNameTheSizesAndWhatHelps) {
  const std::string helps = "; a .clone() in the contiguous format has such strides and offset 0";
  EXPECT_EQ(refusal<ShapeError>([] { return view_dtype(scalar, 4, 2); }),
            "view: to see elements of 4 B as elements of 2 B, the tensor must have at least 1 axis (layout "
            "():()+0)");
  EXPECT_EQ(refusal<ShapeError>([] { return view_dtype(transpose(matrix, 0, 1), 4, 1); }),
            "view: to see elements of 4 B as elements of 1 B, the last stride must be 1 (layout "
            "(3,2):(1,3)+0)" +
                helps);
  EXPECT_EQ(refusal<ShapeError>([] {
              return view_dtype({{1}, {5}}, 4, 1);
            }),
            "view: to see elements of 4 B as elements of 1 B, the last stride must be 1 (layout (1):(5)+0); "
            ".contiguous() changes nothing, as axes of size 1 and empty tensors count as contiguous whatever "
            "their strides: use .clone() in the contiguous format")
      << "PyTorch's zeros(5)[::5]";
  EXPECT_EQ(
      refusal<ShapeError>([] { return view_dtype(matrix, 4, 8); }),
      "view: to see elements of 4 B as elements of 8 B, the last size must be a multiple of their ratio "
      "(layout (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ShapeError>([] {
              return view_dtype({{2, 2}, {3, 1}, 1}, 4, 8);
            }),
            "view: to see elements of 4 B as elements of 8 B, the offset must be a multiple of their ratio "
            "(layout (2,2):(3,1)+1)" +
                helps);
  EXPECT_EQ(refusal<ShapeError>([] {
              return view_dtype({{2, 2}, {1, 2}, 2}, 4, 8);
            }),
            "view: to see elements of 4 B as elements of 8 B, the last stride must be 1 (layout "
            "(2,2):(1,2)+2)" +
                helps);
  EXPECT_EQ(
      refusal<ShapeError>([] {
        return view_dtype({{2, 2}, {3, 1}, 2}, 4, 8);
      }),
      "view: to see elements of 4 B as elements of 8 B, every stride but the last must be a multiple of "
      "their ratio (layout (2,2):(3,1)+2)" +
          helps);
}

TEST(ViewErrors, OfViewAsComplex) {
  EXPECT_EQ(refusal<ShapeError>([] { return view_as_complex(scalar); }),
            "view_as_complex: the tensor must have at least 1 axis (shape (), strides (), offset 0)");
  EXPECT_EQ(refusal<ShapeError>([] { return view_as_complex(matrix); }),
            "view_as_complex: the last size must be 2 (shape (2,3), strides (3,1), offset 0)");
  EXPECT_EQ(refusal<ShapeError>([] {
              return view_as_complex({{2, 2}, {1, 2}});
            }),
            "view_as_complex: the last stride must be 1 (shape (2,2), strides (1,2), offset 0)");
  EXPECT_EQ(refusal<ShapeError>([] {
              return view_as_complex({{2, 2}, {3, 1}});
            }),
            "view_as_complex: every stride but the last must be even (shape (2,2), strides (3,1), offset 0)");
  EXPECT_EQ(refusal<ShapeError>([] {
              return view_as_complex({{2, 2}, {2, 1}, 3});
            }),
            "view_as_complex: the offset must be even (shape (2,2), strides (2,1), offset 3)");
}

}  // namespace
}  // namespace tenstride
