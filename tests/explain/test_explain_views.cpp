// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "support/sanitizer.hpp"
#include "support/slow.hpp"
#include "support/tensors.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/tensor/factory.hpp"

// Explanations of tensors, without an expression, and that none contradicts the library.
namespace tenstride {
namespace {

TEST(WhyNotView, ExplainsATensorAsItsErrorDoes) {
  const Tensor x = zeros({2, 3, 2}).permute({0, 2, 1});
  const std::optional<ViewExplanation> why = why_not_view(x, {-1});
  ASSERT_TRUE(why);
  EXPECT_EQ(why->text,
            R"(  from   (2,2,3):(6,1,2)+0   to (12)   (shape:strides+offset, in elements)
  axes 1 and 2 would merge, but a step along axis 1 moves 1 element and running through axis 2 moves 3*2 = 6
  walk:  the elements lie at 0 2 4, then at 1 3 5; one axis of stride 2 would go on at 6
  free:  the axes group as [0] [1] [2]; each may be split, none may be merged
  fixes: .reshape(12)              copies 12 elements (48 B), silently
         .contiguous().view(12)    copies 12 elements (48 B), visibly
         .permute(0,2,1).view(12)  no copy, another element order)");
  try {
    static_cast<void>(x.view({-1}));
    FAIL() << "viewed";
  } catch (const ViewError& error) {
    EXPECT_EQ(error.what(), testing::famous_line + "\n" + why->text);
  }
  EXPECT_FALSE(why_not_view(x, {2, 2, 3, 1}));
  EXPECT_FALSE(why_not_view(x.contiguous(), {-1}));
  EXPECT_THROW(static_cast<void>(why_not_view(x, {5})), ShapeError);
}

TEST(WhyNotView, IsNoCopyOfTheProgram) {
  const Tensor x = zeros({2, 3}).t();
  const CopyLedger ledger;
  const NoCopy none;
  EXPECT_EQ(why_not_view(x, {6})->fixes.size(), 3u);
  EXPECT_TRUE(ledger.entries().empty());
}

TEST(WhyNotContiguous, NamesWhatIsTheMatter) {
  const auto why = [](const Layout& layout) {
    const std::optional<ContiguityObstacle> obstacle = why_not_contiguous(layout);
    return obstacle ? summary(*obstacle) : "contiguous";
  };
  EXPECT_EQ(why({{2, 3}, {3, 1}}), "contiguous");
  EXPECT_EQ(why({{2, 1, 3}, {3, 77, 1}, 5}), "contiguous");
  EXPECT_EQ(why({{0, 3}, {1, 9}}), "contiguous");
  EXPECT_EQ(why({{3, 2}, {1, 3}}), "axes out of order");
  EXPECT_EQ(why({{4, 7}, {8, 1}, 1}), "gaps");
  EXPECT_EQ(why({{3}, {2}}), "gaps");
  EXPECT_EQ(why({{2, 3}, {0, 1}}), "repeats elements");
  EXPECT_EQ(why({{3}, {-1}, 2}), "backwards");
  EXPECT_EQ(why({{3, 3}, {1, 1}}), "overlaps itself");
  EXPECT_EQ(why({{3, 4, 2}, {2, 0, -12}, 20}), "axes out of order, repeats elements, backwards, gaps");
  EXPECT_EQ(to_string(*why_not_contiguous({{3, 2}, {1, 3}}), 4),
            "  strides (1,3), row-major would be (2,1): axis 1 moves 3 and would move 1\n"
            "  axes out of order: in memory they stand as in .permute(1,0), which is contiguous and copies "
            "nothing\n"
            "  .contiguous() copies 6 elements (24 B)");
  EXPECT_EQ(to_string(*why_not_contiguous({{3, 4, 2}, {2, 0, -12}, 20})),
            "  strides (2,0,-12), row-major would be (8,2,1): axis 2 moves -12 and would move 1\n"
            "  axes out of order: in memory they stand as in .permute(2,1,0)\n"
            "  repeats elements: axis 1 has stride 0, all its indexes reach the same element\n"
            "  backwards: axis 2 has stride -12\n"
            "  gaps: 6 elements lie in a span of 17\n"
            "  .contiguous() copies 24 elements");
}

TEST(ExplainScramble, ShowsTheElementsOfBoth) {
  EXPECT_EQ(
      explain_scramble(arange(6).view({2, 3}), {3, -1}),
      R"(the sizes (2,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; probably meant: .transpose(0, 1)
  at      reshaped to (3,2)   .transpose(0, 1)
  [0,1]   1  from [0,1]       3  from [1,0]
  [1,0]   2  from [0,2]       1  from [0,1]
  [1,1]   3  from [1,0]       4  from [1,1]
  4 of 6 places hold another element; if that is meant, a comment `# as meant` in the line says so)");
  EXPECT_EQ(explain_scramble(arange(6).view({2, 3}), {6}), std::nullopt);
  EXPECT_EQ(explain_scramble(arange(4).view({2, 2}), {2, 2}), std::nullopt);
  const ScrambleSeen forecast = *see_scramble(zeros({300, 400}, {.device = Device::meta}), {400, 300});
  EXPECT_TRUE(forecast.found.empty());
  EXPECT_FALSE(forecast.differing) << "too many to be counted";
  EXPECT_EQ(forecast.places.size(), 3U);
}

TEST(ExplainScramble, IsTrueOfTheSpotCheckOfAxisMoving) {
  const Tensor x = arange(120).view({2, 3, 4, 5});
  const ScrambleSeen seen = *see_scramble(x, {4, 3, 2, 5});
  const Tensor y = x.transpose(0, 2), z = x.reshape({4, 3, 2, 5});
  for (std::size_t i = 0; i < seen.places.size(); ++i) {
    Tensor meant = y, found = z;
    for (const Index at : seen.places[i].index) meant = meant[at], found = found[at];
    EXPECT_EQ(seen.meant[i], std::to_string(meant.item<Index>()));
    EXPECT_EQ(seen.found[i], std::to_string(found.item<Index>()));
    EXPECT_NE(seen.meant[i], seen.found[i]);
  }
  const std::vector<Scalar> of_y = testing::elements(y), of_z = testing::elements(z);
  Index differing = 0;
  for (std::size_t i = 0; i < of_y.size(); ++i) differing += of_y[i] == of_z[i] ? 0 : 1;
  EXPECT_EQ(seen.differing, differing);
  const ScrambledPlace spot = place_at(seen.scramble, {3, 2, 0, 4});
  EXPECT_EQ(spot.meant_from, (Dims{0, 2, 3, 4})) << "59";
  EXPECT_EQ(spot.reshaped_from, (Dims{1, 2, 2, 4})) << "114";
}

/// Draws layouts and shapes.
class Drawn {
 public:
  explicit Drawn(std::uint64_t seed) : random_(seed) {}
  Index up_to(Index most) { return std::uniform_int_distribution<Index>(0, most)(random_); }

  /// Numbered elements behind a few random view operations.
  Tensor tensor() {
    Dims shape;
    for (Index rank = up_to(4); rank > 0; --rank) shape.push_back(1 + up_to(3));
    Tensor x = arange(count_elements(shape)).to(up_to(1) == 0 ? DType::int64 : DType::int16).view(shape);
    for (Index steps = up_to(3); steps > 0; --steps) x = moved(x);
    return x;
  }

  Dims shape_of(Index count) {
    Dims shape;
    while (count > 1 || up_to(3) == 0) {
      Index size = 1 + up_to(std::min<Index>(count - 1, 11));
      while (count % size != 0) --size;
      shape.push_back(size);
      count /= size;
      if (shape.size() == 6) {
        shape.back() *= count;
        break;
      }
    }
    return shape;
  }

 private:
  Tensor moved(const Tensor& x) {
    if (x.dim() == 0) return x.unsqueeze(0);
    const Index axis = up_to(x.dim() - 1);
    const Index size = x.size(axis);
    switch (up_to(5)) {
      case 0:
        return x.transpose(axis, up_to(x.dim() - 1));
      case 1:
        return size > 1 ? x.narrow(axis, up_to(size - 1), 1 + up_to(0)) : x;
      case 2:
        return size > 1 ? x.slice(axis, up_to(1), {}, 1 + up_to(1)) : x;
      case 3:
        return x.dim() < 5 ? x.unsqueeze(up_to(x.dim())) : x;
      case 4: {
        Dims sizes = x.shape();
        sizes.insert(0, 1 + up_to(2));
        return sizes.size() < 6 ? x.expand(sizes) : x;
      }
      default:
        return x.movedim(axis, up_to(x.dim() - 1));
    }
  }

  std::mt19937_64 random_;
};

const long pairs_to_try = is_sanitized() ? 5'000 : 50'000;

/// Carried out as the text says it, a fix copies what it tells, nothing more, and gives what it promises.
void expect_true(const Tensor& x, const Fix& fix, const Dims& shape) {
  const Evaluation done = evaluate(Program::parse("x" + fix.code), {.inputs = {{"x", x}}});
  ASSERT_FALSE(done.failure) << fix.code << ": " << done.failure->message;
  const Tensor& result = *done.value.tensor();
  ASSERT_EQ(result.shape(), shape) << fix.code;
  Index allocated = 0;
  for (const Step& step : done.steps) allocated += step.bytes_allocated;
  EXPECT_EQ(allocated, fix.bytes_copied) << fix.code;
  EXPECT_EQ(done.totals.bytes_moved, 2 * fix.bytes_copied) << fix.code;
  EXPECT_EQ(fix.bytes_copied, fix.elements_copied * static_cast<Index>(x.element_size()));
  EXPECT_EQ(result.shares_storage(x), fix.bytes_copied == 0) << fix.code;
  const std::vector<Scalar> from = testing::elements(x), to = testing::elements(result);
  EXPECT_EQ(from == to, !fix.reorders) << fix.code << " of " << x.layout().shape.size();
}

TEST(ExplainRandomPairs, NeverContradictTheLibrary) {
  Drawn drawn(20260711);
  long refused = 0, possible = 0, free = 0;
  for (long i = 0; i < pairs_to_try; ++i) {
    const Tensor x = drawn.tensor();
    const Dims shape = drawn.shape_of(x.numel());
    const std::optional<ViewExplanation> why = why_not_view(x, shape);
    if (!why) {
      ++possible;
      EXPECT_TRUE(x.view(shape).shares_storage(x));
      continue;
    }
    ++refused;
    EXPECT_TRUE(testing::refuses_view(x, shape));
    ASSERT_GE(why->fixes.size(), 2U);
    for (const Fix& fix : why->fixes) {
      expect_true(x, fix, shape);
      free += fix.bytes_copied == 0 ? 1 : 0;
    }
    // The obstacle's own numbers: the elements do lie where the walk says.
    const ViewObstacle& obstacle = why->obstacle;
    EXPECT_EQ(obstacle.stride_found, x.stride(static_cast<Index>(obstacle.left_axis)));
    EXPECT_NE(obstacle.stride_found, obstacle.stride_needed);
    if (HasFatalFailure()) return;
  }
  EXPECT_GT(refused, pairs_to_try / 10);
  EXPECT_GT(possible, pairs_to_try / 10);
  EXPECT_GT(free, pairs_to_try / 100);
}

/// By the definition: what the positions of all elements say.
TEST(ExplainRandomPairs, SayOfContiguityWhatThePositionsSay) {
  Drawn drawn(7);
  long told = 0;
  for (long i = 0; i < pairs_to_try; ++i) {
    const Layout layout = drawn.tensor().layout();
    const std::optional<ContiguityObstacle> why = why_not_contiguous(layout);
    const std::vector<Index> visited = testing::positions(layout);
    EXPECT_EQ(!why, testing::is_run(visited));
    if (!why) continue;
    ++told;
    EXPECT_NE(summary(*why), "");
    EXPECT_EQ(why->stride_needed, row_major_strides(layout.shape)[why->axis]);
    EXPECT_NE(why->stride_found, why->stride_needed);
    std::vector<Index> distinct = testing::sorted_positions(layout);
    const bool is_unique = std::adjacent_find(distinct.begin(), distinct.end()) == distinct.end();
    EXPECT_EQ(is_unique, !why->repeats && !why->may_overlap);
    distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
    EXPECT_EQ(why->has_gaps, distinct.back() - distinct.front() + 1 > static_cast<Index>(distinct.size()));
    std::vector<Index> order(why->order.begin(), why->order.end());
    if (order.empty()) {
      EXPECT_TRUE(std::is_sorted(visited.begin(), visited.end()) || why->repeats || why->may_overlap);
    } else {
      const std::vector<Index> sorted = testing::positions(permute(layout, why->order));
      EXPECT_TRUE(std::is_sorted(sorted.begin(), sorted.end()) || why->repeats || why->may_overlap);
    }
  }
  EXPECT_GT(told, pairs_to_try / 10);
}

}  // namespace
}  // namespace tenstride
