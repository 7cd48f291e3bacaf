// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <set>

#include "support/slow.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/layout/scramble.hpp"
#include "tenstride/tensor/factory.hpp"

/// Scrambles in which axes are split or merged as well.
namespace tenstride {
namespace {

std::string told(const Dims& from, const Dims& to) {
  const std::optional<Scramble> scramble = find_scramble(from, to);
  return scramble ? std::string(name(scramble->certainty)) + ' ' + to_code(*scramble) : "none";
}

/// Reshapes that their authors, or their readers, found to be wrong; sizes as told there, where none are told
/// the usual ones.
TEST(ScrambleMoved, IsFoundInModelsOfOthers) {
  // https://github.com/hyunwoongko/transformer/issues/15: (batch, time, model) viewed as (batch, heads, time,
  // …)
  EXPECT_EQ(told({1, 4, 6}, {1, 3, 4, 2}), "likely .view(1, 4, 3, 2).transpose(1, 2)");
  // https://github.com/jsbaan/transformer-from-scratch/pull/6: heads merged without moving them
  EXPECT_EQ(told({32, 8, 20, 64}, {32, 20, 512}), "likely .transpose(1, 2).reshape(32, 20, 512)");
  // https://github.com/ajhalthor/Transformer-Neural-Network/pull/4
  EXPECT_EQ(told({30, 8, 200, 64}, {30, 200, 512}), "possible .transpose(1, 2).reshape(30, 200, 512)");
  // https://github.com/zhouhaoyi/Informer2020/issues/100
  EXPECT_EQ(told({32, 8, 96, 64}, {32, 96, 512}), "possible .transpose(1, 2).reshape(32, 96, 512)");
  // https://github.com/xieenze/Trans2Seg/issues/4: (batch, heads, classes, …)
  EXPECT_EQ(told({4, 8, 12, 32}, {4, 12, 256}), "likely .transpose(1, 2).reshape(4, 12, 256)");
  // https://github.com/hackiey/QAnet-pytorch/issues/2: (heads, batch, length, values)
  EXPECT_EQ(told({8, 12, 400, 16}, {12, 400, 128}), "likely .permute(1, 2, 0, 3).reshape(12, 400, 128)");
  // https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/10
  EXPECT_EQ(told({3, 4, 5}, {1, 4, 15}), "likely .transpose(0, 1).reshape(1, 4, 15)");
  // https://github.com/649453932/Chinese-Text-Classification-Pytorch/issues/53, to (batch·heads, time, …)
  EXPECT_EQ(told({128, 32, 300}, {640, 32, 60}),
            "likely .view(128, 32, 5, 60).transpose(1, 2).reshape(640, 32, 60)");
  // https://github.com/ACheun9/Pytorch-implementation-of-Mobile-Former/issues/3: (b, c, h, w) to (b, h·w, c)
  EXPECT_EQ(told({2, 16, 7, 7}, {2, 49, 16}), "likely .reshape(2, 16, 49).transpose(1, 2)");
  EXPECT_EQ(told({1, 12, 112, 112}, {1, 12544, 12}), "likely .reshape(1, 12, 12544).transpose(1, 2)");
  // https://github.com/XunshanMan/MVGFormer/issues/11
  EXPECT_EQ(told({1, 15360, 3, 128}, {1, 15360, 8, 3, 8, 2}),
            "likely .view(1, 15360, 3, 8, 8, 2).transpose(2, 3)");
  // https://github.com/higgsfield/Capsule-Network-Tutorial/issues/18
  EXPECT_EQ(told({100, 8, 32, 6, 6}, {100, 1152, 8}), "likely .reshape(100, 8, 1152).transpose(1, 2)");
}

/// Sizes alone do not tell these from a merge.
TEST(ScrambleMoved, IsNotFoundWhereSizesSayNothing) {
  // https://github.com/jsbaan/transformer-from-scratch/pull/6, the example there: as many heads as tokens
  EXPECT_EQ(told({1, 2, 2, 2}, {1, 2, 4}), "none");
  // https://github.com/ohtlab/headpose-fsanet-pytorch/issues/4: 64 channels of 8 times 8 pixels
  EXPECT_EQ(told({16, 64, 8, 8}, {16, 64, 64}), "none");
  // https://github.com/XifengGuo/CapsNet-Pytorch/issues/2: of (32·8, 6, 6) no axis stands whole in (6·6·32,
  // 8)
  EXPECT_EQ(told({4, 256, 6, 6}, {4, 1152, 8}), "none");
}

TEST(ScrambleMoved, LooksPastAxesOfSizeOne) {
  EXPECT_EQ(told({2, 16, 7, 1, 7}, {2, 49, 1, 16}), "likely .reshape(2, 16, 49, 1).permute(0, 2, 3, 1)");
  EXPECT_EQ(told({1, 4, 6}, {3, 4, 2}), "likely .view(1, 4, 3, 2).permute(2, 1, 3, 0).view(3, 4, 2)");
  EXPECT_EQ(told({4, 6}, {1, 3, 1, 4, 2}), "likely .view(4, 3, 2).transpose(0, 1).view(1, 3, 1, 4, 2)");
}

TEST(ScrambleMoved, SaysHowMuchSpeaksForIt) {
  EXPECT_EQ(told({2, 3}, {3, 2}), "certain .transpose(0, 1)");
  EXPECT_EQ(told({4, 8}, {8, 4}), "likely .transpose(0, 1)");
  EXPECT_EQ(told({3, 4, 5}, {4, 15}), "likely .transpose(0, 1).reshape(4, 15)");
  EXPECT_EQ(told({2, 4, 5}, {4, 10}), "possible .transpose(0, 1).reshape(4, 10)");
  EXPECT_EQ(to_string(*find_scramble({2, 16, 7, 7}, {2, 49, 16})),
            "the sizes (2,16,7,7) become (2,49,16) but no axis is moved, so the elements are scrambled; "
            "probably meant: .reshape(2, 16, 49).transpose(1, 2)");
  EXPECT_EQ(to_string(*find_scramble({2, 4, 5}, {4, 10})),
            "the sizes (2,4,5) become (4,10) but no axis is moved, so the elements may be scrambled; "
            "possibly meant: .transpose(0, 1).reshape(4, 10)");
}

/// What models do: split, merge, and both at places that do not cut across axes.
TEST(ScrambleMoved, LeavesHonestReshapesAlone) {
  const std::vector<std::pair<Dims, Dims>> honest{
      {{2, 197, 768}, {2, 197, 12, 64}},                // heads
      {{2, 197, 12, 64}, {2, 197, 768}},                // and back
      {{2, 197, 2304}, {2, 197, 3, 12, 64}},            // queries, keys and values
      {{2, 96, 56, 56}, {2, 96, 3136}},                 // pixels
      {{2, 3136, 96}, {2, 56, 56, 96}},                 // and back
      {{394, 768}, {2, 197, 768}},                      // batch and time
      {{2, 3, 224, 224}, {2, 3, 14, 16, 14, 16}},       // patches
      {{2, 14, 14, 16, 16, 3}, {2, 196, 768}},          // patches, moved before
      {{2, 8, 8, 2, 2, 32, 32}, {2, 8, 8, 4, 32, 32}},  // pixel shuffle
      {{2, 32, 56, 56}, {2, 8, 4, 56, 56}},             // groups
      {{2, 56, 56, 96}, {2, 8, 7, 8, 7, 96}},           // windows
      {{128, 49, 96}, {128, 7, 7, 96}},                 // windows
      {{128, 7, 7, 96}, {2, 8, 8, 7, 7, 96}},           // windows back
      {{2401, 12}, {49, 49, 12}},                       // relative positions
      {{2, 116, 28, 28}, {2, 2, 58, 28, 28}},           // shuffled channels
      {{20, 16, 64}, {4, 5, 16, 64}},                   // beams
      {{20, 30000}, {4, 150000}},                       // beams and words
      {{2, 8, 4, 128, 64}, {2, 32, 128, 64}},           // repeated keys
      {{2, 12, 197, 64}, {2, 12, 197, 32, 2}},          // rotary positions
      {{10, 4, 512}, {10, 32, 64}},                     // (time, batch, model) to (time, batch·heads, …)
      {{10, 32, 64}, {40, 512}},                        // and back
      {{64, 3, 128, 128}, {16, 4, 3, 128, 128}},        // frames
      {{2, 7, 5, 7}, {2, 35, 7}},                       // a merge that looks like (b, h·w, c)
      {{2, 64, 8, 8}, {2, 64, 64}},
  };
  for (const auto& [from, to] : honest) EXPECT_EQ(told(from, to), "none") << ::testing::PrintToString(to);
}

std::set<Index> boundaries(const Dims& sizes) {
  std::set<Index> result{1};
  Index product = 1;
  for (const Index size : sizes) result.insert(product *= size);
  return result;
}

std::set<Index> joined(std::set<Index> left, const std::set<Index>& right) {
  left.insert(right.begin(), right.end());
  return left;
}

/// Every list of sizes above 1 with that many elements.
std::vector<Dims> lists_of(Index count) {
  if (count == 1) return {{}};
  std::vector<Dims> lists;
  for (Index first = 2; first <= count; ++first) {
    if (count % first != 0) continue;
    for (Dims list : lists_of(count / first)) {
      list.insert(0, first);
      lists.push_back(list);
    }
  }
  return lists;
}

/// By its definition, told from the middle: sizes that the old ones split to, or merge to, of which two
/// neighbouring runs exchange places, and of which the new sizes then come by merging, at the ends of the
/// runs alone. One run is old axes, whole, and new ones; the boundary between the runs is none of the new
/// sizes, and that between the exchanged ones none of the old.
bool is_moved_slowly(const Dims& from, const Dims& to, const std::vector<Dims>& middles) {
  const auto is_whole = [](const Dims& run, const Dims& sizes, Index before) {
    Index start = 1;
    for (std::size_t d = 0; d < sizes.size(); start *= sizes[d++]) {
      if (start != before) continue;
      return d + run.size() <= sizes.size() && std::equal(run.begin(), run.end(), sizes.begin() + d);
    }
    return false;
  };
  const auto product = [](const Dims& sizes) { return count_elements(sizes); };
  for (const Dims& middle : middles) {
    const std::set<Index> cuts = boundaries(middle);
    if (!std::ranges::includes(cuts, boundaries(from)) && !std::ranges::includes(boundaries(from), cuts)) {
      continue;
    }
    for (std::size_t a = 0; a < middle.size(); ++a) {
      for (std::size_t b = a + 1; b < middle.size(); ++b) {
        for (std::size_t c = b + 1; c <= middle.size(); ++c) {
          const auto part = [&](std::size_t first, std::size_t last) {
            return Dims(std::vector<Index>(middle.begin() + first, middle.begin() + last));
          };
          Dims moved = middle;
          std::rotate(moved.begin() + a, moved.begin() + b, moved.begin() + c);
          const Index before = product(part(0, a));
          const Dims left = part(a, b);
          const Dims right = part(b, c);
          const std::set<Index> ends{before, before * product(right),
                                     before * product(left) * product(right)};
          if (boundaries(moved) != joined(boundaries(to), ends)) continue;
          if (product(left) == product(right) || boundaries(to).contains(before * product(left)) ||
              boundaries(from).contains(before * product(right))) {
            continue;
          }
          if ((is_whole(left, from, before) && is_whole(left, to, before * product(right))) ||
              (is_whole(right, from, before * product(left)) && is_whole(right, to, before))) {
            return true;
          }
        }
      }
    }
  }
  return false;
}

TEST(ScrambleMoved, IsWhatItsDefinitionSaysOfAllSizesOfSomeCounts) {
  int found = 0;
  for (const Index count : {16, 24, 30, 36, 48}) {
    const std::vector<Dims> lists = lists_of(count);
    for (const Dims& from : lists) {
      for (const Dims& to : lists) {
        if (from == to || std::is_permutation(from.begin(), from.end(), to.begin(), to.end())) continue;
        const bool is_found = find_scramble(from, to).has_value();
        ASSERT_EQ(is_found, is_moved_slowly(from, to, lists))
            << ::testing::PrintToString(from) << " to " << ::testing::PrintToString(to);
        found += is_found ? 1 : 0;
      }
    }
  }
  EXPECT_GT(found, 100);
}

/// Random sizes, ones among them.
std::pair<Dims, Dims> draw(std::mt19937& random) {
  const std::vector<Index> counts{12, 24, 36, 48, 60, 72};
  const Index count = counts[random() % counts.size()];
  const std::vector<Dims> lists = lists_of(count);
  std::pair<Dims, Dims> sizes{lists[random() % lists.size()], lists[random() % lists.size()]};
  for (Dims* const each : {&sizes.first, &sizes.second}) {
    for (int ones = static_cast<int>(random() % 3); ones > 0; --ones)
      each->insert(random() % (each->size() + 1), 1);
  }
  return sizes;
}

TEST(ScrambleMoved, NamesCodeThatGivesWhatWasMeant) {
  std::mt19937 random(5);
  int found = 0;
  for (int i = 0; i < 4000; ++i) {
    const auto [from, to] = draw(random);
    const std::optional<Scramble> scramble = find_scramble(from, to);
    if (!scramble) continue;
    ++found;
    const Tensor x = arange(count_elements(from)).view(from);
    const Evaluation meant = evaluate(Program::parse("x" + to_code(*scramble)), {.inputs = {{"x", x}}});
    ASSERT_FALSE(meant.failure) << to_code(*scramble) << ": " << meant.failure->message;
    const Tensor& y = *meant.value.tensor();
    ASSERT_EQ(y.shape(), to) << to_code(*scramble);
    EXPECT_TRUE(y.equal(x.reshape(scramble->split).permute(scramble->order).reshape(to)));
    for (const Step& step : meant.steps) EXPECT_EQ(step.hint, "") << to_code(*scramble);
    // Where each element comes from, and how many stand elsewhere, is read off the elements themselves.
    const Tensor reshaped = x.view(to);
    const auto element = [](Tensor tensor, const Dims& index) {
      for (const Index at : index) tensor = tensor.select(0, at);
      return tensor.item().to<Index>();
    };
    Index differing = 0;
    testing::for_each_index(to, [&](const Dims& index) {
      const ScrambledPlace place = place_at(*scramble, index);
      EXPECT_EQ(element(x, place.reshaped_from), element(reshaped, index));
      EXPECT_EQ(element(x, place.meant_from), element(y, index));
      differing += element(reshaped, index) != element(y, index) ? 1 : 0;
    });
    EXPECT_EQ(count_differing(*scramble), differing);
    for (const ScrambledPlace& place : differing_places(*scramble, 3)) {
      EXPECT_EQ(place, place_at(*scramble, place.index));
      EXPECT_NE(place.reshaped_from, place.meant_from);
    }
    EXPECT_GT(differing, 0);
  }
  EXPECT_GT(found, 300);
}

/// An axis that moves stands whole in what was meant: along it alone its index counts up.
TEST(ScrambleMoved, KeepsHeadsApart) {
  const Tensor x = arange(2 * 5 * 12).view({2, 5, 12});
  const Scramble scramble = *find_scramble({2, 5, 12}, {2, 3, 5, 4});
  EXPECT_EQ(place_at(scramble, {1, 2, 3, 1}), (ScrambledPlace{{1, 2, 3, 1}, {1, 4, 5}, {1, 3, 9}}));
  EXPECT_EQ(differing_places(scramble, 1).at(0), (ScrambledPlace{{0, 0, 1, 0}, {0, 0, 4}, {0, 1, 0}}));
}

}  // namespace
}  // namespace tenstride
