// SPDX-License-Identifier: Apache-2.0
#include "tenstride/layout/text.hpp"

#include <gtest/gtest.h>

#include "support/layouts.hpp"
#include "support/refusal.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride {
namespace {

using testing::refusal;

TEST(Text, IsTheOnePrintedForm) {
  EXPECT_EQ(to_string(Dims{2, 3}), "(2,3)");
  EXPECT_EQ(to_string(Dims{}), "()");
  EXPECT_EQ(to_string(Dims{5}), "(5)");
  EXPECT_EQ(to_tuple(Dims{5}), "(5,)");
  EXPECT_EQ(to_tuple(Dims{2, 3}), "(2,3)");
  EXPECT_EQ(to_string(Layout{{2, 3}, {3, 1}, 0}), "(2,3):(3,1)+0");
  EXPECT_EQ(to_string(Layout{{}, {}, 7}), "():()+7");
  EXPECT_EQ(to_string(Layout{{4}, {-1}, 3}), "(4):(-1)+3");
  EXPECT_EQ(to_string(Layout{{4}, {1}, -3}), "(4):(1)-3");
}

TEST(Text, IsReadBack) {
  std::vector<Layout> layouts = testing::small_layouts(3, 2);
  for (const Layout& odd : testing::odd_layouts()) layouts.push_back(odd);
  layouts.push_back({{4}, {1}, -3});
  layouts.push_back({{1}, {INT64_MIN}, INT64_MAX});
  for (const Layout& layout : layouts) {
    ASSERT_EQ(parse_layout(to_string(layout)), layout) << to_string(layout);
    ASSERT_EQ(parse_dims(to_string(layout.strides)), layout.strides);
  }
}

TEST(Text, MayHaveBlanksAndLeaveTheOffsetOut) {
  EXPECT_EQ(parse_layout("(2,3):(3,1)+4"), (Layout{{2, 3}, {3, 1}, 4}));
  EXPECT_EQ(parse_layout("(2,3):(3,1)"), (Layout{{2, 3}, {3, 1}, 0}));
  EXPECT_EQ(parse_layout("  ( 2 , 3 ) :\t( 3 , 1 ) + 4 "), (Layout{{2, 3}, {3, 1}, 4}));
  EXPECT_EQ(parse_layout("(3,):(1,)"), (Layout{{3}, {1}, 0})) << "as Python writes a tuple of one";
  EXPECT_EQ(parse_dims("( )"), Dims{});
}

TEST(TextErrors, SayWhatIsWrongAndWhere) {
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout(""); }),
            "layout: \"\" has the end at column 1 where it must have '(' (form: (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout("(2,3"); }),
            "layout: \"(2,3\" has the end at column 5 where it must have ')' (form: (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout("(2,x):(3,1)"); }),
            "layout: \"(2,x):(3,1)\" has 'x' at column 4 where it must have a number (form: (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout("(2,3)(3,1)"); }),
            "layout: \"(2,3)(3,1)\" has '(' at column 6 where it must have ':' (form: (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout("(2):(1)+"); }),
            "layout: \"(2):(1)+\" has the end at column 9 where it must have a number (form: (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout("(2):(1)+-3"); }),
            "layout: \"(2):(1)+-3\" has '-' at column 9 where it must have a number without a sign (form: "
            "(2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_layout("(2):(1)+0 7"); }),
            "layout: \"(2):(1)+0 7\" has '7' at column 11 where it must have the end (form: (2,3):(3,1)+0)");
  EXPECT_EQ(
      refusal<ParseError>([] { return parse_layout("(2):(9223372036854775808)"); }),
      "layout: \"(2):(9223372036854775808)\" has '9' at column 6 where it must have a number that fits 64 "
      "bits (form: (2,3):(3,1)+0)");
  EXPECT_EQ(refusal<ParseError>([] { return parse_dims("(,)"); }),
            "dims: \"(,)\" has ',' at column 2 where it must have a number (form: (2,3))");
  EXPECT_EQ(refusal<ParseError>([] { return parse_dims("(3,,)"); }),
            "dims: \"(3,,)\" has ',' at column 4 where it must have a number (form: (2,3))");
  try {
    static_cast<void>(parse_layout("(2,x):(3,1)"));
    FAIL() << "x is no number";
  } catch (const ParseError& error) {
    EXPECT_EQ(error.position(), 3U);
    EXPECT_EQ(error.kind(), ErrorKind::value);
  }
}

TEST(TextErrors, OfTextsThatParseButAreNoLayout) {
  EXPECT_EQ(refusal<ShapeError>([] { return parse_layout("(2,3):(1)"); }),
            "layout: shape (2,3) and strides (1) must have one length (2 and 1 given)");
  EXPECT_EQ(refusal<ShapeError>([] { return parse_layout("(-2):(1)"); }),
            "layout: sizes (-2) must not be negative");
  EXPECT_EQ(refusal<OverflowError>([] { return parse_layout("(4294967296,4294967296):(0,0)"); }),
            "layout: 4294967296 * 4294967296 must fit a signed 64-bit integer");
  std::string many = "(1";
  for (int i = 0; i < 64; ++i) many += ",1";
  EXPECT_EQ(refusal<RankError>([&] { return parse_dims(many + ")"); }),
            "dims: 65 entries given, must be at most 64 (the largest rank)");
}

}  // namespace
}  // namespace tenstride
