// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "picture/palette.hpp"
#include "picture/shown.hpp"
#include "picture/walk.hpp"
#include "support/refusal.hpp"
#include "tenstride/layout/text.hpp"
#include "tenstride/picture/picture.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride {
namespace {

TEST(Picture, IsOfTheHeadersExample) {
  const Picture picture = picture_of("torch.arange(6).view(2,3).T");
  ASSERT_EQ(picture.tensors.size(), 2U);
  EXPECT_EQ(picture.storages.size(), 1U);
  EXPECT_EQ(picture.tensors[0].title, "torch.arange(6).view(2,3)");
  EXPECT_EQ(picture.tensors[1].title, ".T");
  EXPECT_EQ(to_string(picture.tensors[1].layout), "(3,2):(1,3)+0");
  EXPECT_EQ(picture.error, "");
}

TEST(Picture, NamesStatementsAsTheyAreWritten) {
  const Picture picture = picture_of("x = torch.zeros(2,3); y = x.T; z = rearrange(y.clone(), 'a b -> b a')");
  std::vector<std::string> titles;
  for (const PictureTensor& tensor : picture.tensors) titles.push_back(tensor.title);
  EXPECT_EQ(titles, (std::vector<std::string>{"x = torch.zeros(2,3)", "y = x.T", ".clone()",
                                              "z = rearrange(y.clone(), 'a b -> b a')"}));
}

TEST(Picture, KeepsValuesAsTheyWereAtEachStep) {
  const Picture picture = picture_of("x = torch.zeros(2); y = x[:]; y[0] = 5; z = x[:]");
  EXPECT_EQ(detail::value_at(picture.tensors[0], 0), "0");
  EXPECT_EQ(detail::value_at(picture.tensors.back(), 0), "5");
}

TEST(Picture, TellsWhyAnExpressionStopped) {
  EXPECT_EQ(picture_of("torch.zeros(2).view(3)").error.substr(0, 13), "RuntimeError:");
  EXPECT_FALSE(picture_of("torch.zeros(2).view(3)").is_wrong_notation);
  EXPECT_TRUE(picture_of("torch.zeros(2").is_wrong_notation);
  EXPECT_TRUE(picture_of("torch.arange(12).view(2,3,2).permute(0,2,1).view(-1)").refusal.has_value());
}

TEST(Picture, OfALayoutHasAStorageUpToItsEnd) {
  const Picture picture = picture_of(parse_layout("(2,3):(5,-1)+4"), "x");
  EXPECT_EQ(picture.storages[0].nbytes, 4 * 10);
  EXPECT_EQ(
      tenstride::testing::refusal<ValueError>([] { return picture_of(parse_layout("(3):(-1)+1"), "x"); }),
      "picture: the lowest position (-1) must not lie before the storage (layout (3):(-1)+1)");
}

TEST(Picture, OfHostileTensorsIsSmallInEveryForm) {
  for (const char* expression :
       {"torch.zeros(10**9,10**9)", "torch.zeros(0,3)", "torch.tensor(1)", "torch.zeros([1]*64)",
        "torch.zeros(1).expand(10**18)", "torch.zeros(100000).unfold(0,50000,1)", "torch.arange(100)[::-7]",
        "torch.zeros(30,30,device='meta').T.contiguous()", "torch.zeros(5000).as_strided((50,60),(3,5),7)",
        "torch.zeros(2,3).to(torch.complex64).T.contiguous()", "torch.zeros(50,50,50,50).permute(3,1,0,2)",
        "torch.zeros(7,5,3,2,2).permute(4,2,0,1,3).reshape(-1).view(2,210)",
        "torch.zeros(8,8).view(torch.uint8).T", "x = torch.zeros(3); x[10]",
        "torch.arange(12).view(2,3,2).permute(0,2,1).view(-1)", "torch.zeros(2)  # \xff\xfe \xed\xa0\x80"}) {
    const Picture picture = picture_of(expression);
    for (const PictureColors colors : {PictureColors::axis, PictureColors::position}) {
      for (const std::size_t axis : {0U, 3U}) {
        PictureOptions options{.colors = colors, .axis = axis, .style = TextStyle::color, .width = 40};
        EXPECT_LT(to_svg(picture, options).size(), 400'000U) << expression;
        EXPECT_LT(to_html(picture, options).size(), 400'000U) << expression;
        EXPECT_LT(to_text(picture, options).size(), 60'000U) << expression;
        for (const PictureSubject subject : {PictureSubject::atoms, PictureSubject::walk}) {
          options.subject = subject;
          if (subject == PictureSubject::atoms ? picture.chains.size() < 2 : picture.copies.empty()) continue;
          EXPECT_LT(to_svg(picture, options).size(), 100'000U) << expression;
          EXPECT_LT(to_text(picture, options).size(), 10'000U) << expression;
        }
      }
    }
  }
}

TEST(PictureRoots, FollowElementsThroughEveryKindOfCopy) {
  for (const char* expression :
       {"x = torch.arange(12).view(3,4); x.T.contiguous()", "x = torch.arange(12).view(3,4); x.flip(0)",
        "x = torch.arange(12).view(3,4); x.T.reshape(-1).view(2,6).clone()",
        "x = torch.arange(12).view(3,4); x.T.to(torch.int16)",
        "x = torch.arange(12).view(3,4); rearrange(x, '(a b) c -> (c b) a', b=1)"}) {
    const Picture picture = picture_of(expression);
    for (const PictureTensor& tensor : picture.tensors) {
      for (Index n = 0; n < numel(tensor.layout); ++n) {
        const Index at = position(tensor.layout, unravel(n, tensor.layout.shape));
        const auto bytes = static_cast<Index>(item_size(tensor.dtype));
        const detail::Root root = detail::root_of(picture, tensor.storage, at * bytes);
        EXPECT_EQ(root.storage, 0U) << expression;
        EXPECT_EQ(std::to_string(root.byte / 8), detail::value_at(tensor, at)) << expression;
      }
    }
  }
}

TEST(PictureRoots, BeginAnewWhereACopyHasSeveralSources) {
  const Picture picture = picture_of("x = torch.arange(2); torch.cat([x, x])");
  EXPECT_EQ(detail::root_of(picture, 1, 8), (detail::Root{1, 8}));
}

TEST(PictureLocate, InvertsEveryNestingLayout) {
  for (const char* text : {"(3,4):(4,1)+0", "(4,3):(1,4)+2", "(3,4):(-4,1)+8", "(2,3):(10,2)+1",
                           "(5,3):(0,1)+0", "():()+3", "(1,1,2):(9,9,-1)+1"}) {
    const Layout layout = parse_layout(text);
    std::set<Index> used;
    for (Index n = 0; n < numel(layout); ++n) used.insert(position(layout, unravel(n, layout.shape)));
    for (Index at = -2; at < 40; ++at) {
      const std::optional<Dims> index = detail::locate(layout, at);
      EXPECT_EQ(index.has_value(), used.contains(at)) << text << ' ' << at;
      if (index) {
        EXPECT_EQ(position(layout, *index), at) << text;
      }
    }
  }
  EXPECT_FALSE(detail::locate(parse_layout("(0,3):(3,1)+0"), 0));
  // Of 10^18 elements at once.
  const Layout huge{{Index{1} << 30, Index{1} << 30}, {Index{1} << 30, 1}, 0};
  EXPECT_EQ(detail::locate(huge, (Index{5} << 30) + 7), (Dims{5, 7}));
}

TEST(PictureLocate, CountsTheElementsOnAPosition) {
  for (const char* text : {"(4,3):(1,1)+0", "(4,3):(0,1)+1", "(3,2,2):(2,1,1)+0", "(3):(2)+1"}) {
    const Layout layout = parse_layout(text);
    for (Index at = 0; at < 10; ++at) {
      Index count = 0;
      for (Index n = 0; n < numel(layout); ++n)
        count += position(layout, unravel(n, layout.shape)) == at ? 1 : 0;
      EXPECT_EQ(detail::elements_at(layout, at), count) << text << ' ' << at;
    }
  }
}

TEST(PictureShown, LeavesOutTheMiddle) {
  EXPECT_EQ(detail::shown_indices(5, 5), (std::vector<Index>{0, 1, 2, 3, 4}));
  EXPECT_EQ(detail::shown_indices(9, 5), (std::vector<Index>{0, 1, 2, detail::left_out, 8}));
  EXPECT_TRUE(detail::shown_indices(0, 5).empty());
}

TEST(PictureShown, DrawsNoMoreThanItsLimits) {
  for (const Dims& shape :
       {Dims{1000000}, Dims{1000, 1000}, Dims{90, 90, 90}, Dims{50, 50, 50, 50}, Dims{9, 9, 9, 9, 9, 9}}) {
    const detail::ShownGrid grid = detail::shown_grid(row_major(shape));
    std::size_t count = 1;
    for (const auto& axis : grid.axes) count *= axis.size();
    EXPECT_LE(count, picture_limits::elements);
    EXPECT_LE(grid.axes.size(), picture_limits::rank);
    EXPECT_FALSE(grid.is_whole(shape));
    const detail::ShownStrip strip = detail::shown_strip(picture_of(row_major(shape), "x"), 0);
    EXPECT_LE(strip.cells.size(), picture_limits::positions + picture_limits::positions / 2);
    EXPECT_LT(to_svg(picture_of(row_major(shape), "x")).size(), picture_limits::svg_bytes);
  }
}

TEST(PictureShown, ShowsWhereTheFirstStepsLead) {
  const detail::ShownStrip strip = detail::shown_strip(picture_of(row_major({50, 60, 70}), "x"), 0);
  const std::set<Index> cells(strip.cells.begin(), strip.cells.end());
  for (const Index at : {0, 1, 2, 70, 140, 4200, 8400, 209999}) EXPECT_TRUE(cells.contains(at)) << at;
  for (std::size_t i = 1; i < strip.cells.size(); ++i) {
    const bool is_gap = strip.cells[i] == detail::left_out || strip.cells[i - 1] == detail::left_out;
    EXPECT_TRUE(is_gap || strip.cells[i] == strip.cells[i - 1] + 1);
  }
}

TEST(PictureWalk, VisitsWhatThePlanCopies) {
  const Layout src = transpose(row_major({5, 7}), 0, 1);
  const detail::Walk walk =
      detail::walk_of(plan_copy(row_major({7, 5}), DType::float32, src, DType::float32).in_elements());
  ASSERT_EQ(walk.visits.size(), 35U);
  EXPECT_TRUE(walk.is_whole);
  for (const detail::Visit& visit : walk.visits) EXPECT_EQ(visit.src, visit.dst % 5 * 7 + visit.dst / 5);
}

TEST(PictureWalk, OfALargeCopyIsItsBeginning) {
  const Layout src = transpose(row_major({4096, 4096}), 0, 1);
  const detail::Walk walk =
      detail::walk_of(plan_copy(row_major({4096, 4096}), DType::float32, src, DType::float32).in_elements());
  EXPECT_LE(walk.visits.size(), 64U);
  EXPECT_FALSE(walk.is_whole);
}

TEST(PictureColors, AreDarkEnoughToTellApartAndPaleEnoughForFigures) {
  // WCAG's contrast of the dark figures on each colour.
  const auto channel = [](std::uint8_t value) {
    const double share = value / 255.0;
    return share <= 0.03928 ? share / 12.92 : std::pow((share + 0.055) / 1.055, 2.4);
  };
  const auto light = [&](detail::Rgb c) {
    return 0.2126 * channel(c.red) + 0.7152 * channel(c.green) + 0.0722 * channel(c.blue);
  };
  const double figure = light({0x16, 0x18, 0x1d});
  for (std::size_t hue = 0; hue < 8; ++hue) {
    for (const double depth : {0.0, 0.5, 1.0}) {
      EXPECT_GT((light(detail::hue_color(hue, depth)) + 0.05) / (figure + 0.05), 7) << hue;
    }
  }
  double before = 2;
  for (int i = 0; i <= 20; ++i) {
    const double now = light(detail::scale_color(i / 20.0));
    EXPECT_GT((now + 0.05) / (figure + 0.05), 6);
    EXPECT_LT(now, before);
    before = now;
  }
}

/// The words of a grid, row by row.
std::vector<std::string> words_of(const Picture& picture, std::size_t number) {
  const PictureTensor& tensor = picture.tensors[number];
  std::vector<std::string> words;
  for (Index n = 0; n < count_elements(tensor.layout.shape); ++n)
    words.push_back(
        detail::words_at(picture, tensor, position(tensor.layout, unravel(n, tensor.layout.shape))));
  return words;
}

TEST(PictureRanks, FollowElementsThroughViewsAndCopies) {
  const Picture picture = spread_over(picture_of("torch.arange(8).view(2,4).t().contiguous().view(2,4)"),
                                      {{2, 2}}, {distributed::shard(1), distributed::shard(0)});
  ASSERT_EQ(picture.tensors.size(), 4U);
  using Words = std::vector<std::string>;
  EXPECT_EQ(words_of(picture, 0), (Words{"0", "0", "2", "2", "1", "1", "3", "3"}));
  EXPECT_EQ(words_of(picture, 2), (Words{"0", "1", "0", "1", "2", "3", "2", "3"}));
  EXPECT_EQ(words_of(picture, 3), words_of(picture, 2));
  const detail::Colors colors(picture, {});
  std::set<std::string> hues;
  for (Index n = 0; n < 8; ++n) hues.insert(to_hex(colors.of({0, 8 * n})));
  EXPECT_EQ(hues.size(), 4U);
}

TEST(PictureRanks, SaysAllThatHoldAnElement) {
  const auto words = [](const distributed::Mesh& mesh, std::vector<distributed::Placement> placements) {
    return words_of(spread_over(picture_of("torch.arange(2)"), mesh, std::move(placements)), 0);
  };
  using distributed::replicate;
  using distributed::shard;
  using Words = std::vector<std::string>;
  EXPECT_EQ(words({{2, 2}}, {replicate(), shard(0)}), (Words{"0,2", "1,3"}));
  EXPECT_EQ(words({{3}}, {replicate()}), (Words{"0,1…", "0,1…"}));
  EXPECT_EQ(words({{12}}, {shard(0)}), (Words{"0", "1"}));
}

TEST(PictureRanks, RefusesWhatCannotBeSpread) {
  EXPECT_EQ(tenstride::testing::refusal<ValueError>([&] { return spread_over(picture_of("3"), {{1}}, {}); }),
            "spread_over: the picture has no tensor to be spread over ranks");
  EXPECT_EQ(tenstride::testing::refusal<ValueError>([&] {
              return spread_over(picture_of(Layout{{3}, {0}, 0}, "x"), {{1}}, {distributed::shard(0)});
            }),
            "spread_over: the elements of x ((3), strides (0)) must have places of their own");
  EXPECT_THROW(spread_over(picture_of("torch.arange(4)"), {{2}}, {distributed::shard(1)}), AxisError);
}

TEST(PictureSubjects, AreNamed) {
  EXPECT_EQ(picture_subject("atoms"), PictureSubject::atoms);
  EXPECT_EQ(picture_subject("walks"), std::nullopt);
}

TEST(PictureText, RefusesWhatIsNotThere) {
  const Picture picture = picture_of("torch.zeros(2)");
  EXPECT_EQ(tenstride::testing::refusal<ValueError>(
                [&] { return to_text(picture, {.subject = PictureSubject::walk}); }),
            "picture: the expression must copy by a plan to be drawn as a walk");
  EXPECT_EQ(tenstride::testing::refusal<ValueError>(
                [&] { return to_svg(picture, {.subject = PictureSubject::atoms}); }),
            "picture: the expression must end with layout operations to be drawn as a chain");
  EXPECT_EQ(tenstride::testing::refusal<ValueError>([&] { return to_svg(picture_of("3")); }),
            "picture: the expression must make a tensor to be drawn");
}

}  // namespace
}  // namespace tenstride
