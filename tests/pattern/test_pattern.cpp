// SPDX-License-Identifier: Apache-2.0
#include "tenstride/pattern/pattern.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "support/refusal.hpp"

namespace tenstride {
namespace {

using testing::refusal;

Layout rearranged(std::string_view pattern, const Dims& shape, const AxisSizes& sizes = {}) {
  return Pattern(pattern).apply(row_major(shape), sizes).plan().result;
}

TEST(Pattern, BindsToShapes) {
  const BoundPattern bound = Pattern("b t (h d) -> b h t d").bind({2, 5, 24}, {{"h", 8}});
  EXPECT_EQ(bound.split, (Dims{2, 5, 8, 3}));
  EXPECT_EQ(bound.order, (Dims{0, 2, 1, 3}));
  EXPECT_EQ(bound.kept, 4U);
  EXPECT_EQ(bound.shape, (Dims{2, 8, 5, 3}));
  EXPECT_TRUE(bound.splits);
  EXPECT_FALSE(bound.merges);
  const BoundPattern pooled = Pattern("b c (h 2) (w 2) -> b c h w", PatternVerb::reduce).bind({1, 3, 8, 6});
  EXPECT_EQ(pooled.order, (Dims{0, 1, 2, 4, 3, 5}));
  EXPECT_EQ(pooled.kept, 4U);
  EXPECT_EQ(pooled.shape, (Dims{1, 3, 4, 3}));
  const BoundPattern repeated = Pattern("h w -> r h (w 3)", PatternVerb::repeat).bind({2, 4}, {{"r", 5}});
  EXPECT_EQ(repeated.parts, (Dims{5, 2, 4, 3}));
  EXPECT_EQ(repeated.added, (Dims{0, 3}));
  EXPECT_EQ(repeated.shape, (Dims{5, 2, 12}));
}

TEST(Pattern, IsToldFromAnExpression) {
  for (const std::string_view text :
       {"h w -> w h", "->", "(h w) c->c h w", "... -> ...", "h w -> w'", "h w ->", "(h w -> w h)"}) {
    EXPECT_TRUE(is_pattern(text)) << text;
  }
  for (const std::string_view text :
       {"x", "", "x - 1 > 0", "rearrange(x, 'h w -> w h')", "rearrange(x, \"h w -> w h\")",
        "x.t() # h w -> w h", "rearrange ( x , 'h w c->c h w' ).T", "einsum('ij->ji', x)",
        "f('it\\'s a -> b')", "'a -> b", "- >"}) {
    EXPECT_FALSE(is_pattern(text)) << text;
  }
  EXPECT_TRUE(is_pattern("# a comment\nh w -> w h"));
  EXPECT_TRUE(is_pattern("'a' -> b"));
}

TEST(Pattern, IsWrittenOutAsCalls) {
  const auto written = [](std::string_view text, const Dims& shape, const AxisSizes& sizes = {}) {
    return Pattern(text, PatternVerb::repeat).bind(shape, sizes).written_out();
  };
  EXPECT_EQ(Pattern("(h a) w -> w h a").bind({6, 5}, {{"a", 2}}).written_out(),
            "x.reshape((3,2,5)).permute((2,0,1))");
  EXPECT_EQ(written("h w c -> c (h w)", {2, 3, 4}), "x.permute((2,0,1)).reshape((4,6))");
  EXPECT_EQ(written("h -> r h", {2}, {{"r", 3}}), "x.unsqueeze(0).expand((3,2))");
  EXPECT_EQ(written("h w -> h w", {2, 3}), "x");
}

TEST(Pattern, IsAChain) {
  EXPECT_EQ(rearranged("h w c -> c h w", {2, 3, 4}), (Layout{{4, 2, 3}, {1, 12, 4}, 0}));
  EXPECT_EQ(rearranged("h w c -> h (w c)", {2, 3, 4}), row_major({2, 12}));
  EXPECT_EQ(rearranged("h w -> (w h)", {2, 3}), row_major({6}));
  EXPECT_EQ(rearranged("... c -> c ...", {2, 3, 4}), (Layout{{4, 2, 3}, {1, 12, 4}, 0}));
  EXPECT_EQ(rearranged("a ... -> (...) a", {2, 3, 4}), (Layout{{12, 2}, {1, 12}, 0}));
  EXPECT_EQ(rearranged("... -> (...)", {}), row_major({1}));
  EXPECT_EQ(rearranged("a 1 () -> 1 a", {3, 1, 1}), (Layout{{1, 3}, {3, 1}, 0}));
  EXPECT_EQ(rearranged(" -> ", {}), row_major({}));
  EXPECT_EQ(rearranged("\xce\xb1 \xce\xb2_1 -> \xce\xb2_1 \xce\xb1", {2, 3}), (Layout{{3, 2}, {1, 3}, 0}));
}

TEST(Pattern, TwoSpellingsAreOne) {
  const std::pair<std::string_view, std::string_view> spellings[] = {
      {"a b c d -> (a b) c d", "... c d -> (...) c d"},
      {"a b c d->a b c d", "...->..."},

      {"a b c d -> a () b (c d)", "a b c d -> a 1 b (c d)"},
      {"a b c d -> (a b c d)", "longer_name ... x1 -> (longer_name ... x1)"},
      {"a b c d -> a (b 1 c) d", "a b c d -> a (b c) d"},
      {" a  b c d  ->  a b (c d )", "a b c d -> a b (c d)"},
  };
  const Layout dense = row_major({2, 3, 4, 5});
  for (const auto& [one, other] : spellings) {
    EXPECT_EQ(Pattern(one).apply(dense).plan(), Pattern(other).apply(dense).plan()) << one;
  }
}

TEST(Pattern, AViewAtOnceIsTheChainsView) {
  for (const Layout& layout :
       {row_major({4, 3, 6}), Layout{{4, 3, 6}, {1, 24, 4}, 5}, Layout{{4, 3, 6}, {9, 3, 0}, 1}}) {
    for (const char* pattern :
         {"(a r) b c -> r b c a", "a b c -> (a b) c", "a ... -> (...) a", "a b (r c) -> (a b r) c",
          "a b c -> c 1 (a b) ()", "a b (c r) -> (b r) (a c)"}) {
      const bool has_r = std::string_view(pattern).find('r') != std::string_view::npos;
      const std::vector<AxisSize> sizes(has_r ? 1 : 0, AxisSize{"r", 2});
      const Pattern parsed(pattern);
      EXPECT_EQ(parsed.bind(layout.shape, sizes).try_view(layout), parsed.apply(layout, sizes).try_view())
          << pattern;
    }
    const Pattern repeat("a b c -> r a (b 1) c s", PatternVerb::repeat);
    EXPECT_EQ(repeat.bind(layout.shape, {{"r", 2}, {"s", 5}}).try_view(layout),
              repeat.apply(layout, {{"r", 2}, {"s", 5}}).try_view());
  }
}

/// The whole message for a pattern that breaks the rules.
std::string broken(std::string_view pattern, PatternVerb verb = PatternVerb::rearrange) {
  return refusal<PatternError>([&] { return Pattern(pattern, verb).text(); });
}

TEST(Pattern, PointsAtWhatBreaksTheRules) {
  EXPECT_EQ(broken("b (h w -> b h w"),
            "rearrange: \"b (h w -> b h w\" opens '(' at column 3 and never closes it\n"
            "  b (h w -> b h w\n"
            "    ^");
  EXPECT_EQ(broken("b h) -> b h"),
            "rearrange: \"b h) -> b h\" closes ')' at column 4, which nothing opened\n"
            "  b h) -> b h\n"
            "     ^");
  EXPECT_EQ(broken("(b (h)) -> b h"),
            "rearrange: \"(b (h)) -> b h\" opens '(' at column 4 inside another '('; groups do not nest\n"
            "  (b (h)) -> b h\n"
            "     ^");
  // A column is a character, whatever its bytes.
  EXPECT_EQ(broken("\xce\xb1 \xce\xb2) -> \xce\xb1"),
            "rearrange: \"\xce\xb1 \xce\xb2) -> \xce\xb1\" closes ')' at column 4, which nothing opened\n"
            "  \xce\xb1 \xce\xb2) -> \xce\xb1\n"
            "     ^");
}

TEST(Pattern, RefusesWordsThatAreNoAxes) {
  EXPECT_EQ(broken("_q h -> h"),
            "rearrange: \"_q h -> h\" names an axis \"_q\" at column 1; a name is letters, digits and inner "
            "underscores, and begins with a letter\n"
            "  _q h -> h\n"
            "  ^");
  EXPECT_EQ(
      broken("a _ -> a"),
      "rearrange: \"a _ -> a\" has \"_\" at column 3; only parse_shape skips axes, here each has a name\n"
      "  a _ -> a\n"
      "    ^");
  EXPECT_EQ(broken("a 0 -> a"),
            "rearrange: \"a 0 -> a\" has an axis of size 0 at column 3; a number must be at least 1 and fit "
            "64 bits\n"
            "  a 0 -> a\n"
            "    ^");
  EXPECT_EQ(broken("a .. -> a"),
            "rearrange: \"a .. -> a\" has dots at column 3 that are not an ellipsis, which is \"...\"\n"
            "  a .. -> a\n"
            "    ^");
  EXPECT_EQ(broken("... a ... -> a ..."),
            "rearrange: \"... a ... -> a ...\" has a second \"...\" at column 7; a side has one at most\n"
            "  ... a ... -> a ...\n"
            "        ^");
  for (const char* word :
       {"a...", "...a", "....", "\xe2\x80\xa6", "1a", "a_", "a-b", "a\tb", "99999999999999999999"}) {
    EXPECT_TRUE(broken(std::string(word) + " -> a").starts_with("rearrange: ")) << word;
  }
}

TEST(Pattern, ComparesItsSides) {
  EXPECT_EQ(broken("b b c -> b c"),
            "rearrange: \"b b c -> b c\" names axis \"b\" twice on one side, again at column 3\n"
            "  b b c -> b c\n"
            "    ^");
  EXPECT_EQ(broken("b -> b zz"),
            "rearrange: \"b -> b zz\" has axis \"zz\" at column 8 on the right only; rearrange makes no axis "
            "(repeat does)\n"
            "  b -> b zz\n"
            "         ^");
  EXPECT_EQ(broken("b 2 -> b"),
            "rearrange: \"b 2 -> b\" has the size 2 at column 3 on the left only; rearrange keeps every axis "
            "(reduce drops axes)\n"
            "  b 2 -> b\n"
            "    ^");
  EXPECT_EQ(broken("b -> b ..."),
            "rearrange: \"b -> b ...\" has \"...\" at column 8 on the right, and none on the left\n"
            "  b -> b ...\n"
            "         ^");
  EXPECT_EQ(
      broken("(b ...) -> b ..."),
      "rearrange: \"(b ...) -> b ...\" has \"...\" in parentheses at column 4; on the left it stands alone\n"
      "  (b ...) -> b ...\n"
      "     ^");
  EXPECT_EQ(broken("b c -> b", PatternVerb::repeat),
            "repeat: \"b c -> b\" has axis \"c\" at column 3 on the left only; repeat keeps every axis "
            "(reduce drops axes)\n"
            "  b c -> b\n"
            "    ^");
  EXPECT_EQ(broken("b c -> b 2", PatternVerb::reduce),
            "reduce: \"b c -> b 2\" has the size 2 at column 10 on the right only; reduce makes no axis "
            "(repeat does)\n"
            "  b c -> b 2\n"
            "           ^");
}

TEST(Pattern, WantsOneArrow) {
  EXPECT_EQ(refusal<ParseError>([] { return Pattern("a b").text(); }),
            "rearrange: \"a b\" must have one \"->\", between what comes in and what goes out; it has none\n"
            "  a b\n"
            "     ^");
  EXPECT_EQ(refusal<ParseError>([] { return Pattern("a -> b -> c").text(); }),
            "rearrange: \"a -> b -> c\" must have one \"->\", between what comes in and what goes out\n"
            "  a -> b -> c\n"
            "         ^");
}

/// The whole message for a shape or sizes that do not fit.
std::string unfit(std::string_view pattern, const Dims& shape, const AxisSizes& sizes = {},
                  PatternVerb verb = PatternVerb::rearrange) {
  return refusal<PatternError>([&] { return Pattern(pattern, verb).bind(shape, sizes).shape; });
}

TEST(Pattern, NamesTheAxisTheSizeFoundAndTheSizeNeeded) {
  EXPECT_EQ(unfit("b (h w) -> b h w", {2, 12}, {{"h", 5}}),
            "rearrange: \"b (h w) -> b h w\" has \"(h w)\" at column 3 where axis 1 has size 12; needed is a "
            "multiple "
            "of 5 with h=5 (shape (2,12))\n"
            "  b (h w) -> b h w\n"
            "    ^");
  EXPECT_EQ(unfit("b (h w) -> b h w", {2, 12}, {{"h", 3}, {"w", 5}}),
            "rearrange: \"b (h w) -> b h w\" has \"(h w)\" at column 3 where axis 1 has size 12; needed is "
            "15 with h=3, "
            "w=5 (shape (2,12))\n"
            "  b (h w) -> b h w\n"
            "    ^");
  EXPECT_EQ(
      unfit("b 1 -> b", {2, 3}),
      "rearrange: \"b 1 -> b\" has \"1\" at column 3 where axis 1 has size 3; needed is 1 (shape (2,3))\n"
      "  b 1 -> b\n"
      "    ^");
  EXPECT_EQ(unfit("b (h w) -> b h w", {2, 12}),
            "rearrange: \"b (h w) -> b h w\" leaves the sizes of \"h\" and \"w\" open, which share axis 1 of "
            "size 12; "
            "give one of them (shape (2,12))\n"
            "  b (h w) -> b h w\n"
            "       ^");
  EXPECT_EQ(unfit("b c -> c b", {2, 3, 4}),
            "rearrange: \"b c -> c b\" describes 2 axes, the tensor has 3 (shape (2,3,4))\n"
            "  b c -> c b\n"
            "  ^");
  EXPECT_EQ(unfit("... b c -> c b ...", {2}),
            "rearrange: \"... b c -> c b ...\" describes at least 2 axes, the tensor has 1 (shape (2))\n"
            "  ... b c -> c b ...\n"
            "  ^");
  EXPECT_EQ(unfit("b -> b r", {2}, {}, PatternVerb::repeat),
            "repeat: \"b -> b r\" makes axis \"r\" at column 8, whose size must be given\n"
            "  b -> b r\n"
            "         ^");
  EXPECT_EQ(unfit("b -> b", {2}, {{"unused", 2}}),
            "rearrange: \"b -> b\" has no axis \"unused\", for which the size 2 is given\n"
            "  b -> b\n"
            "        ^");
  EXPECT_EQ(unfit("(a b) -> b a", {4}, {{"a", -2}}),
            "rearrange: \"(a b) -> b a\" is given the size -2 for axis \"a\", which must not be negative\n"
            "  (a b) -> b a\n"
            "   ^");
  EXPECT_EQ(unfit("(a b) -> b a", {4}, {{"a", 2}, {"a", 2}}),
            "rearrange: \"(a b) -> b a\" is given the size 2 for axis \"a\", and before that 2\n"
            "  (a b) -> b a\n"
            "   ^");
  EXPECT_EQ(unfit("(a b) -> b a", {0}, {{"a", 0}}),
            "rearrange: \"(a b) -> b a\" has \"(a b)\" at column 1 where axis 0 has size 0; needed is known, "
            "not open "
            "beside a size of 0 with a=0 (shape (0))\n"
            "  (a b) -> b a\n"
            "  ^");
  EXPECT_EQ(Pattern("(a b) -> b a").bind({0}, {{"a", 0}, {"b", 3}}).shape, (Dims{3, 0}));
}

TEST(Pattern, IsKeptByAllThreads) {
  const auto first = Pattern::cached("kept a -> a kept", PatternVerb::rearrange);
  std::vector<std::thread> threads;
  std::vector<std::shared_ptr<const Pattern>> found(4);
  for (std::size_t t = 0; t < found.size(); ++t) {
    threads.emplace_back([&found, t] {
      for (int i = 0; i < 2000; ++i) {
        Pattern::cached("x" + std::to_string(i % 50) + " b -> b x" + std::to_string(i % 50),
                        PatternVerb::rearrange);
      }
      found[t] = Pattern::cached("kept a -> a kept", PatternVerb::rearrange);
    });
  }
  for (std::thread& thread : threads) thread.join();
  for (const auto& pattern : found) EXPECT_EQ(pattern, first);
  EXPECT_NE(Pattern::cached("kept a -> a kept", PatternVerb::repeat), first);
  for (int i = 0; i < 3000; ++i)
    Pattern::cached("n" + std::to_string(i) + " -> n" + std::to_string(i), PatternVerb::repeat);
  EXPECT_EQ(first->text(), "kept a -> a kept");
}

using Sizes = std::vector<AxisSize>;

TEST(ParseShape, NamesSizes) {
  EXPECT_EQ(parse_shape(Dims{2, 3, 4}, "b _ w"), (Sizes{{"b", 2}, {"w", 4}}));
  EXPECT_EQ(parse_shape(Dims{2, 3, 4, 5}, "b ... w"), (Sizes{{"b", 2}, {"w", 5}}));
  EXPECT_EQ(parse_shape(Dims{2, 1, 4, 1}, "b () 4 1"), (Sizes{{"b", 2}}));
  EXPECT_EQ(parse_shape(Dims{}, "..."), Sizes{});
  EXPECT_EQ(refusal<PatternError>([] {
              return parse_shape(Dims{2, 3}, "a b c");
            }),
            "parse_shape: \"a b c\" describes 3 axes, the shape has 2 (shape (2,3))\n"
            "  a b c\n"
            "  ^");
  EXPECT_EQ(refusal<PatternError>([] {
              return parse_shape(Dims{2, 3}, "a (b c)");
            }),
            "parse_shape: \"a (b c)\" has a group at column 3; each axis of the shape has one name\n"
            "  a (b c)\n"
            "    ^");
  EXPECT_EQ(refusal<PatternError>([] {
              return parse_shape(Dims{2, 3}, "a 4");
            }),
            "parse_shape: \"a 4\" has 4 at column 3 where axis 1 has size 3 (shape (2,3))\n"
            "  a 4\n"
            "    ^");
  EXPECT_EQ(refusal<PatternError>([] {
              return parse_shape(Dims{2, 3}, "a a");
            }),
            "parse_shape: \"a a\" names axis \"a\" twice, again at column 3\n"
            "  a a\n"
            "    ^");
}

TEST(PackPattern, CountsAxesAroundTheStar) {
  EXPECT_EQ(parse_pack_pattern("pack", "b * c d").before, 1U);
  EXPECT_EQ(parse_pack_pattern("pack", "b * c d").after, 2U);
  const auto refused = [](std::string_view pattern) {
    return refusal<PatternError>([&] { return parse_pack_pattern("pack", pattern).before; });
  };
  EXPECT_EQ(refused("b c"),
            "pack: \"b c\" has no \"*\", which stands for the axes to be packed\n  b c\n     ^");
  EXPECT_EQ(refused("b * *"), "pack: \"b * *\" has \"*\" twice, again at column 5\n  b * *\n      ^");
  EXPECT_EQ(refused("b *c"),
            "pack: \"b *c\" has \"*c\" at column 3; it consists of names and one \"*\", with blanks "
            "between\n  b *c\n    ^");
}

}  // namespace
}  // namespace tenstride
