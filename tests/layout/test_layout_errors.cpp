// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/views.hpp"

// Every refusal of layout.hpp, and of every function that a product or sum beyond 64 bits can reach.
namespace tenstride {
namespace {

using testing::refusal;

constexpr Index two_to_31 = Index{1} << 31;
constexpr Index two_to_32 = Index{1} << 32;
constexpr Index two_to_62 = Index{1} << 62;

TEST(LayoutErrors, NameTheSizesAndTheIndex) {
  EXPECT_EQ(refusal<ShapeError>([] {
              return count_elements({2, -3});
            }),
            "shape: sizes (2,-3) must not be negative");
  EXPECT_EQ(refusal<ShapeError>([] {
              return row_major_strides({0, -1}, "zeros");
            }),
            "zeros: sizes (0,-1) must not be negative");
  EXPECT_EQ(refusal<IndexError>([] {
              return position(row_major({2, 3}), {1});
            }),
            "position: index (1) must have 2 entries (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([] {
              return position(row_major({2, 3}), {1, 3});
            }),
            "position: index 3 must lie in [-3,2] on axis 1 (shape (2,3))");
  EXPECT_EQ(refusal<IndexError>([] {
              return position(row_major({2, 3}), {-3, 0});
            }),
            "position: index -3 must lie in [-2,1] on axis 0 (shape (2,3))");
}

TEST(LayoutErrors, NameTheMemoryFormat) {
  const Layout matrix = row_major({2, 3});
  EXPECT_EQ(refusal<ShapeError>([&] { return layout_like(matrix, MemoryFormat::channels_last, "clone"); }),
            "clone: memory format channels_last must meet rank 4, not 2 (shape (2,3))");
  EXPECT_EQ(refusal<ShapeError>([&] { return format_strides({2}, MemoryFormat::channels_last_3d); }),
            "shape: memory format channels_last_3d must meet rank 5, not 1 (shape (2))");
  EXPECT_EQ(name(MemoryFormat::contiguous), "contiguous");
  EXPECT_EQ(name(MemoryFormat::preserve), "preserve");
}

TEST(Overflow, IsRefusedWhereAShapeEnters) {
  const std::string message = ": 2147483648 * 4294967296 must fit a signed 64-bit integer";
  const Dims shape{two_to_31, two_to_32};
  EXPECT_EQ(refusal<OverflowError>([&] { return count_elements(shape); }), "shape" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return row_major_strides(shape, "empty"); }), "empty" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return column_major_strides(shape, "empty"); }), "empty" + message);
  EXPECT_EQ(refusal<OverflowError>([&] {
              return format_strides({1, two_to_31, two_to_32, 1}, MemoryFormat::channels_last, "empty");
            }),
            "empty" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return row_major(shape); }), "shape" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return expand({{1, 1}, {1, 1}}, shape); }), "expand" + message);
  EXPECT_EQ(refusal<OverflowError>([&] {
              return broadcast_shapes({two_to_31, 1}, {two_to_32});
            }),
            "broadcast_shapes" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return as_strided(shape, {0, 0}, 0, 1); }), "as_strided" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return infer_shape(shape, 6, {6}); }), "view" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return try_view(row_major({6}), shape); }), "view" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return unflatten(row_major({6}), 0, shape); }),
            "unflatten" + message);
  EXPECT_EQ(refusal<OverflowError>([&] { return flatten_shape(shape); }), "flatten" + message);
}

TEST(Overflow, IsJudgedAt2ToThe63Exactly) {
  EXPECT_EQ(count_elements({two_to_31, two_to_31}), two_to_62);
  EXPECT_EQ(count_elements({INT64_MAX}), INT64_MAX);
  EXPECT_EQ(count_elements({7, 7, 73, 127, 337, 92737, 649657}), INT64_MAX) << "the factors of 2^63 - 1";
  EXPECT_EQ(refusal<OverflowError>([] {
              return count_elements({two_to_62, 2});
            }),
            "shape: 4611686018427387904 * 2 must fit a signed 64-bit integer");
}

// Modulo 2^64 the product is 1: who only compares counts takes it for one element.
TEST(Overflow, IsSeenWhereAProductComesBackToTheCount) {
  const Dims shape{7, 7905747460161236407};
  EXPECT_THROW(view(row_major({1}), shape), OverflowError);
  EXPECT_THROW(try_view(row_major({1}), shape), OverflowError);
  EXPECT_THROW(expand({{1, 1}, {1, 1}}, shape), OverflowError);
  EXPECT_THROW(as_strided(shape, {0, 0}, 0, 1), OverflowError);
}

TEST(Overflow, DoesNotComeOfTheLeastNumber) {
  EXPECT_THROW(view(row_major({6}), {INT64_MIN}), ShapeError);
  EXPECT_THROW(try_view(row_major({6}), {INT64_MIN, 2}), ShapeError);
  EXPECT_THROW(expand({{1}, {1}}, {INT64_MIN}), ShapeError);
  EXPECT_THROW(as_strided({INT64_MIN}, {1}, 0, 8), ShapeError);
  EXPECT_THROW(as_strided({2}, {INT64_MIN}, 0, 8), RuntimeError);
  EXPECT_THROW(as_strided({2}, {1}, INT64_MIN, 8), RuntimeError);
}

TEST(Overflow, IsNotTakenForWhereNumbersAreLarge) {
  const Layout large = row_major({two_to_31, two_to_31});
  EXPECT_EQ(view(large, {two_to_62}), (Layout{{two_to_62}, {1}, 0}));
  EXPECT_EQ(view(large, {4, -1}), (Layout{{4, two_to_62 / 4}, {two_to_62 / 4, 1}, 0}));
  EXPECT_EQ(as_strided({2}, {two_to_62}, 5, two_to_62 + 6), (Layout{{2}, {two_to_62}, 5}));
  EXPECT_THROW(as_strided({2}, {two_to_62}, 5, two_to_62 + 5), StorageError);
  EXPECT_THROW(as_strided({3}, {2}, -1, 8), RuntimeError) << "though its last elements lie inside";
  EXPECT_EQ(expand({{1, 1}, {1, 1}}, {two_to_31, two_to_31}), (Layout{{two_to_31, two_to_31}, {0, 0}, 0}));
}

TEST(Overflow, DoesNotHappenWhereASizeIs0) {
  const Dims shape{two_to_31, two_to_32, 0};
  EXPECT_EQ(count_elements(shape), 0);
  EXPECT_EQ(infer_shape(shape, 0, {0}), shape);
  EXPECT_EQ(numel({shape, {0, 0, 0}, 0}), 0);
  EXPECT_EQ(refusal<OverflowError>([&] {
              return row_major({0, two_to_31, two_to_32, 1});
            }),
            "shape: 4294967296 * 2147483648 must fit a signed 64-bit integer")
      << "but its strides must fit";
  EXPECT_EQ(refusal<OverflowError>([&] {
              return try_view(row_major({0}), {0, two_to_31, two_to_32, 1});
            }),
            "view: 4294967296 * 2147483648 must fit a signed 64-bit integer");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return view(row_major({6}), {two_to_31, two_to_32, 0});
            }),
            "view: sizes (2147483648,4294967296,0) make 0 elements and must make the tensor's 6 (shape (6))");
}

TEST(Overflow, IsRefusedWhereStridesAndOffsetsGrow) {
  const Layout far{{1, 1}, {1, two_to_62}, 0};
  const Layout wide{{2}, {two_to_62}, 0};
  const Layout empty{{0, 4}, {1, two_to_62}, 0};
  const std::string times_two = ": 4611686018427387904 * 2 must fit a signed 64-bit integer";
  const std::string twice = ": 2 * 4611686018427387904 must fit a signed 64-bit integer";
  EXPECT_EQ(refusal<OverflowError>([&] {
              return reach({{4}, {two_to_62}, 0});
            }),
            "reach: 3 * 4611686018427387904 must fit a signed 64-bit integer");
  EXPECT_EQ(refusal<OverflowError>([&] {
              return reach({{2}, {two_to_62}, two_to_62});
            }),
            "reach: 4611686018427387904 + 4611686018427387904 must fit a signed 64-bit integer");
  EXPECT_EQ(refusal<OverflowError>([&] { return position({{4}, {two_to_62}, 0}, {2}); }), "position" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] { return unsqueeze(wide, 0); }), "unsqueeze" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] { return expand(wide, {1, 2}); }), "expand" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] { return select(empty, 1, 2); }), "select" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] { return narrow(empty, 1, 2, 1); }), "narrow" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] { return slice(empty, 1, 2, 3); }), "slice" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] { return slice(far, 1, 0, 1, 2); }), "slice" + times_two);
  EXPECT_EQ(refusal<OverflowError>([&] { return unfold(far, 1, 1, 2); }), "unfold" + times_two);
  EXPECT_EQ(refusal<OverflowError>([&] {
              return diagonal({{1, 1}, {two_to_62, two_to_62}, 0});
            }),
            "diagonal: 4611686018427387904 + 4611686018427387904 must fit a signed 64-bit integer");
  EXPECT_EQ(refusal<OverflowError>([&] {
              return flip_view({{1}, {INT64_MIN}, 0}, {0});
            }),
            "flip: -9223372036854775808 * -1 must fit a signed 64-bit integer");
  EXPECT_EQ(refusal<OverflowError>([&] { return view(wide, {1, 2}); }), "view" + twice);
  EXPECT_EQ(refusal<OverflowError>([&] {
              return view_dtype({{1, 2}, {two_to_62, 1}, 0}, 2, 1);
            }),
            "view" + times_two);
  EXPECT_EQ(refusal<OverflowError>([&] { return view_as_real(wide); }), "view_as_real" + times_two);
  EXPECT_EQ(refusal<OverflowError>([&] { return complex_component(wide, 0); }), "real" + times_two);
  EXPECT_EQ(refusal<OverflowError>([&] {
              return inferred_dense_strides({{0, two_to_32, two_to_31}, {0, 0, 0}});
            }),
            "preserve: 2147483648 * 4294967296 must fit a signed 64-bit integer");
}

TEST(Overflow, GivesAnAnswerInQuestions) {
  const Layout wide{{2, 2}, {1, two_to_62}, 0};
  EXPECT_FALSE(is_contiguous(wide));
  EXPECT_FALSE(is_non_overlapping_and_dense(wide));
  EXPECT_TRUE(is_provably_unique(wide));
  EXPECT_FALSE(try_view(wide, {4})) << "the stride needed does not exist";
  EXPECT_EQ(mergeable_groups(wide).size(), 2U);
  const Layout empty{{0, two_to_32, 1, two_to_32}, {1, 1, 1, two_to_32}, 0};
  EXPECT_FALSE(is_contiguous(empty, MemoryFormat::channels_last)) << "2^64 is no stride";
  EXPECT_EQ(suggested_memory_format(Layout{{1, 2, 2, 2}, {1, two_to_62, 1, two_to_62}, 0}),
            MemoryFormat::contiguous);
}

TEST(RankLimit, IsRefusedByOperationsThatAddAxes) {
  const Layout full{Dims::filled(64, 1), Dims::filled(64, 1), 0};
  const std::string message = "dims: 65 entries given, must be at most 64 (the largest rank)";
  EXPECT_EQ(refusal<RankError>([&] { return unsqueeze(full, 0); }), message);
  EXPECT_EQ(refusal<RankError>([&] { return unfold(full, 0, 1, 1); }), message);
  EXPECT_EQ(refusal<RankError>([&] { return view_as_real(full); }), message);
  EXPECT_EQ(refusal<RankError>([&] { return unflatten(full, 0, {1, 1}); }), message);
}

}  // namespace
}  // namespace tenstride
