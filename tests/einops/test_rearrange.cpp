// SPDX-License-Identifier: Apache-2.0
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/reduce_pattern.hpp"

#include <gtest/gtest.h>

#include "support/refusal.hpp"
#include "support/tensors.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using testing::elements;
using testing::refusal;

Tensor counted(const Dims& shape) {
  return arange(count_elements(shape)).view(shape);
}

TEST(Rearrange, IsAViewWhereStridesAllowIt) {
  const Tensor x = counted({2, 5, 24});
  const Tensor heads = rearrange(x, "b t (h d) -> b h t d", {{"h", 8}});
  EXPECT_TRUE(heads.shares_storage(x));
  EXPECT_EQ(heads.layout(), x.view({2, 5, 8, 3}).transpose(1, 2).layout());
  EXPECT_TRUE(rearrange(x, "a b c -> a b c").is_same(x));
  EXPECT_TRUE(rearrange(x, "... c -> ... c").is_same(x));
}

TEST(Rearrange, CopiesOnceToRowMajorOtherwise) {
  const Tensor x = counted({2, 3, 4, 5});
  const Tensor joined = rearrange(x, "b h t d -> b t (h d)");
  EXPECT_FALSE(joined.shares_storage(x));
  EXPECT_TRUE(joined.is_contiguous());
  EXPECT_EQ(joined.storage().nbytes(), x.nbytes());
  EXPECT_TRUE(joined.equal(x.permute({0, 2, 1, 3}).reshape({2, 4, 15})));
  EXPECT_EQ(
      refusal<ValueError>([&] { return rearrange(x, "b h t d -> b t (h d)", {}, CopyRule::never); }),
      "rearrange: copy = never, but it takes 1 copy ((2,4,(3,5)):(60,5,(20,1))+0); allow it with copy = "
      "if_needed");
  const Tensor fresh = rearrange(x, "a b c d -> a b c d", {}, CopyRule::always);
  EXPECT_FALSE(fresh.shares_storage(x));
  EXPECT_TRUE(fresh.equal(x));
}

TEST(Rearrange, InversePatternsRestore) {
  const std::tuple<const char*, const char*, std::vector<AxisSize>> pairs[] = {
      {"b h w c -> b c h w", "b c h w -> b h w c", {}},
      {"b h w c -> (b h) (w c)", "(b h) (w c) -> b h w c", {{"b", 2}, {"c", 5}}},
      {"b (h h2) w c -> b h w (c h2)", "b h w (c h2) -> b (h h2) w c", {{"h2", 7}}},
      {"... c -> c ...", "c ... -> ... c", {}},
      {"b h w c -> (w b h c)", "(w b h c) -> b h w c", {{"b", 2}, {"h", 7}, {"c", 5}}},
  };
  for (const Dims& order : {Dims{0, 1, 2, 3}, Dims{3, 1, 0, 2}}) {
    Dims shape = Dims::filled(4, 0);
    const Dims sizes{2, 7, 11, 5};
    for (std::size_t d = 0; d < 4; ++d) shape[detail::at(order[d])] = sizes[d];
    Dims back = Dims::filled(4, 0);
    for (std::size_t d = 0; d < 4; ++d) back[d] = order[d];
    const Tensor x = counted(shape).permute(back);
    ASSERT_EQ(x.shape(), sizes);
    for (const auto& [there, again, given] : pairs) {
      const bool splits_there = std::string_view(there).find("h2)") < std::string_view(there).find("->");
      const Tensor moved = rearrange(x, there, splits_there ? AxisSizes(given) : AxisSizes());
      EXPECT_TRUE(rearrange(moved, again, given).equal(x)) << there;
    }
  }
}

TEST(Rearrange, TakesAListAsAnAxisInFront) {
  std::vector<Tensor> list;
  for (Index i = 0; i < 6; ++i)
    list.push_back(counted({4, 5, 3}).permute({2, 0, 1}).slice(0, i % 2, i % 2 + 2));
  const Tensor stacked = stack(list);
  for (const char* pattern : {"n a b c -> n a b c", "n a b c -> (a b) (c n)", "(p q) a b c -> q a (b p c)",
                              "... c -> c ...", "n a (b r) c -> r n c a b"}) {
    const bool has_r = std::string_view(pattern).find('r') != std::string_view::npos;
    const bool has_size = has_r || std::string_view(pattern).find('p') != std::string_view::npos;
    const std::vector<AxisSize> used(has_size ? 1 : 0, AxisSize{has_r ? "r" : "p", 2});
    const Tensor result = rearrange(list, pattern, used);
    EXPECT_TRUE(result.is_contiguous());
    EXPECT_TRUE(result.equal(rearrange(stacked, pattern, used))) << pattern;
  }
  EXPECT_TRUE(repeat(list, "n a b c -> a 2 (n b) (r c)", {{"r", 3}})
                  .equal(repeat(stacked, "n a b c -> a 2 (n b) (r c)", {{"r", 3}})));
  EXPECT_TRUE(
      reduce(list, "n a b c -> b", Reduction::max).equal(reduce(stacked, "n a b c -> b", Reduction::max)));
  EXPECT_EQ(rearrange({counted({2}), counted({2}).to(DType::float64)}, "n a -> (n a)").dtype(),
            DType::float64);
  EXPECT_EQ(refusal<ShapeError>([] {
              return rearrange({counted({2}), counted({3})}, "n a -> a n");
            }),
            "rearrange: tensor 1 has shape (3) and must have tensor 0's, (2)");
  EXPECT_EQ(refusal<ValueError>([] { return rearrange(std::vector<Tensor>{}, "n a -> a n"); }),
            "rearrange: the list must hold a tensor");
}

TEST(Rearrange, KeepsAPatternForHotLoops) {
  const Pattern pattern("(a b) c -> c b a");
  const Tensor x = counted({6, 5});
  EXPECT_TRUE(rearrange(x, pattern, {{"a", 2}}).equal(rearrange(x, "(a b) c -> c b a", {{"a", 2}})));
  EXPECT_EQ(
      refusal<ValueError>([&] { return repeat(x, pattern); }),
      "repeat: the Pattern \"(a b) c -> c b a\" is made for rearrange; make it with PatternVerb::repeat");
}

TEST(Rearrange, CarriesConjugationAndMeta) {
  const Tensor z = counted({2, 3}).to(DType::complex64).conj();
  EXPECT_TRUE(rearrange(z, "a b -> b a").is_conj());
  EXPECT_FALSE(rearrange(z, "a b -> (b a)").is_conj());
  const Tensor meta = empty({2, 3, 4}, {.device = Device::meta});
  EXPECT_EQ(rearrange(meta, "a b c -> (c a) b").shape(), (Dims{8, 3}));
  EXPECT_TRUE(rearrange(meta, "a b c -> (c a) b").is_meta());
  EXPECT_EQ(reduce(meta, "a b c -> b", "mean").shape(), (Dims{3}));
}

TEST(Repeat, IsAViewUntilACopyIsNeeded) {
  const Tensor x = counted({2, 3});
  const Tensor rgb = repeat(x, "h w -> h w c", {{"c", 3}});
  EXPECT_TRUE(rgb.shares_storage(x));
  EXPECT_EQ(rgb.strides(), (Dims{3, 1, 0}));
  const Tensor wide = repeat(x, "h w -> h (w 2)");
  EXPECT_FALSE(wide.shares_storage(x));
  EXPECT_EQ(wide.tolist(), (Nested{{0, 0, 1, 1, 2, 2}, {3, 3, 4, 4, 5, 5}}));
  EXPECT_EQ(repeat(x, "h w -> (2 h) w").tolist(), (Nested{{0, 1, 2}, {3, 4, 5}, {0, 1, 2}, {3, 4, 5}}));
}

TEST(Reduce, ReducesTheAxesOnTheLeftOnly) {
  const Tensor x = counted({2, 4, 6});
  EXPECT_EQ(reduce(x, "b h w -> b", "sum").tolist(), (Nested{276, 852}));
  EXPECT_EQ(reduce(x, "b (h 2) (w 3) -> b h w", Reduction::max).tolist(),
            (Nested{{{8, 11}, {20, 23}}, {{32, 35}, {44, 47}}}));
  EXPECT_EQ(reduce(x, "... w -> w ()", Reduction::min).tolist(), (Nested{{0}, {1}, {2}, {3}, {4}, {5}}));
  EXPECT_EQ(reduce(x.to(DType::float32), "b h w -> (h b)", Reduction::mean).tolist(),
            (Nested{2.5, 26.5, 8.5, 32.5, 14.5, 38.5, 20.5, 44.5}));
  EXPECT_TRUE(reduce(x, "b h w -> w (h b)", "mean").equal(rearrange(x, "b h w -> w (h b)")));
  EXPECT_EQ(refusal<ValueError>([&] { return reduce(x, "b h w -> b", "median"); }),
            "reduce: reduction \"median\" must be one of sum, mean, prod, min, max, any, all");
}

TEST(Pack, JoinsAndSplits) {
  const Tensor a = counted({2, 3, 5});
  const Tensor b = counted({4, 5, 7, 2}).permute({3, 0, 2, 1});
  const Tensor c = counted({2, 5});
  const Packed packed = pack({a, b, c}, "i * k");
  EXPECT_EQ(packed.tensor.shape(), (Dims{2, 3 + 28 + 1, 5}));
  EXPECT_EQ(packed.shapes, (std::vector<Dims>{{3}, {4, 7}, {}}));
  const std::vector<Tensor> parts = unpack(packed.tensor, packed.shapes, "i * k");
  ASSERT_EQ(parts.size(), 3U);
  EXPECT_TRUE(parts[0].equal(a) && parts[1].equal(b) && parts[2].equal(c));
  EXPECT_TRUE(parts[1].shares_storage(packed.tensor));
  const std::vector<Tensor> open = unpack(packed.tensor, {{3}, {-1, 7}, {1}}, "i * k");
  EXPECT_EQ(open[1].shape(), (Dims{2, 4, 7, 5}));
  EXPECT_TRUE(open[2].equal(c.unsqueeze(1)));
}

TEST(Pack, RefusesWhatDoesNotFit) {
  const Tensor a = counted({2, 3});
  EXPECT_EQ(refusal<PatternError>([&] {
              return pack({a, counted({2})}, "i * k").shapes.size();
            }),
            "pack: \"i * k\" describes at least 2 axes, tensor 1 has 1 (shape (2))\n  i * k\n  ^");
  EXPECT_EQ(refusal<ShapeError>([&] {
              return pack({a, counted({3, 3})}, "i *").shapes.size();
            }),
            "pack: tensor 1 of shape (3,3) and tensor 0 of shape (2,3) must agree but for the axes of \"*\" "
            "(pattern "
            "\"i *\")");
  EXPECT_EQ(refusal<PatternError>([&] {
              return unpack(a, {{1}, {1}}, "i *").size();
            }),
            "unpack: \"i *\" has \"*\" where the tensor has size 3; the shapes given make 2 (shape (2,3))\n  "
            "i *\n  ^");
  EXPECT_EQ(refusal<PatternError>([&] {
              return unpack(a, {{-1}, {-1}}, "i *").size();
            }),
            "unpack: \"i *\" is given -1 in shapes 0 and 1; one of all sizes may be open\n  i *\n  ^");
  EXPECT_EQ(refusal<PatternError>([&] {
              return unpack(a, {{4}, {-1}}, "i *").size();
            }),
            "unpack: \"i *\" has \"*\" where the tensor has size 3; the shapes given make at least 4 (shape "
            "(2,3))\n  i "
            "*\n  ^");
  EXPECT_EQ(refusal<PatternError>([&] { return unpack(a, {{3}}, "i * k").size(); }),
            "unpack: \"i * k\" describes 3 axes, the tensor has 2 (shape (2,3))\n  i * k\n  ^");
}

TEST(Lists, AreAlwaysCopiedAndRefuseNever) {
  const Tensor a = counted({2, 3});
  const std::vector<Tensor> two{a, a};
  EXPECT_EQ(
      refusal<ValueError>([&] { return rearrange(two, "n a b -> a (n b)", {}, CopyRule::never); }),
      "rearrange: copy = never, but a list of 2 tensors is always copied into one; allow it with copy = "
      "if_needed");
  EXPECT_EQ(refusal<ValueError>([&] { return repeat(two, "n a b -> n a b 2", {}, CopyRule::never); }),
            "repeat: copy = never, but a list of 2 tensors is always copied into one; allow it with copy = "
            "if_needed");
  EXPECT_EQ(
      refusal<ValueError>([&] { return reduce(two, "n a b -> a b", Reduction::sum, {}, CopyRule::never); }),
      "reduce: copy = never, but a list of 2 tensors is always copied into one; allow it with copy = "
      "if_needed");
  EXPECT_EQ(refusal<ValueError>([&] { return pack({a}, "* b", CopyRule::never).tensor; }),
            "pack: copy = never, but a list of 1 tensor is always copied into one; allow it with copy = "
            "if_needed");
  EXPECT_TRUE(rearrange(two, "n a b -> a (n b)", {}, CopyRule::always).equal(cat({a, a}, 1)));
  EXPECT_FALSE(pack({a}, "* b", CopyRule::always).tensor.shares_storage(a));
}

TEST(Reduce, CopiesByTheRuleWhereThePatternReducesNothing) {
  const Tensor x = counted({2, 3});
  EXPECT_TRUE(reduce(x, "a b -> b a", Reduction::sum, {}, CopyRule::never).shares_storage(x));
  EXPECT_FALSE(reduce(x, "a b -> b a", "sum", {}, CopyRule::always).shares_storage(x));
  EXPECT_EQ(
      refusal<ValueError>([&] { return reduce(x, "a b -> (b a)", Reduction::sum, {}, CopyRule::never); }),
      refusal<ValueError>([&] {
        return rearrange(x, "a b -> (b a)", {}, CopyRule::never);
      }).replace(0, 9, "reduce"));
  // What is reduced is new, and nothing is copied before.
  EXPECT_EQ(reduce(x, "a b -> b", Reduction::sum, {}, CopyRule::never).shape(), (Dims{3}));
}

TEST(ParseShape, FeedsSizes) {
  const Tensor x = counted({2, 3, 4});
  const Tensor flat = rearrange(x, "b h w -> (b h w)");
  EXPECT_TRUE(rearrange(flat, "(b h w) -> b h w", parse_shape(x, "b h _")).equal(x));
}

}  // namespace
}  // namespace tenstride
