// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <stdexcept>
#include <vector>

#include "tenstride/explain/explain.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

/// One tensor of any name, (2,3) of float32.
struct Opened {
  std::string address;
  FileContent content = FileContent::layout;
};

FileOpener opener(std::vector<Opened>& opened) {
  return [&opened](const std::string& address, FileContent content) {
    opened.push_back({address, content});
    if (address == "none") throw FileError("open: \"none\" must be a file", address);
    const Device device = content == FileContent::layout ? Device::meta : Device::cpu;
    return OpenedFile{ones({2, 3}, {.device = device}), "in chunks of (1,3)"};
  };
}

TEST(ExpressionFiles, ATensorIsOpenedByItsNameAndExplainedByItsLayout) {
  std::vector<Opened> opened;
  const Explanation explanation =
      explain("open(\"f.h5\")[\"a/b\"].T.contiguous()", {.open_file = opener(opened)});
  ASSERT_FALSE(explanation.evaluation.failure) << explanation.message;
  ASSERT_EQ(opened.size(), 1U);
  EXPECT_EQ(opened[0].address, "f.h5::a/b");
  EXPECT_EQ(opened[0].content, FileContent::layout);
  EXPECT_EQ(
      to_text(explanation),
      "1  open(\"f.h5\")[\"a/b\"]  (2,3):(3,1)+0  float32  contiguous      file  24 B: in chunks of (1,3)\n"
      "2  .T                   (3,2):(1,3)+0  float32  not contiguous  view  axes out of order\n"
      "3  .contiguous()        (3,2):(2,1)+0  float32  contiguous      copy  48 B moved: strides (1,3) are "
      "not the row-major (2,1) (since step 2)\n\n"
      "the value is left out: of a file that is opened the layout alone is read\n\n"
      "1 copy, 48 B moved, at most 24 B held\n");
}

TEST(ExpressionFiles, AnIndexThatIsNoTextIndexesTheOnlyTensor) {
  std::vector<Opened> opened;
  for (const char* text : {"open(\"x.npy\")[0]", "n = 0; open(\"x.npy\")[n]", "open(\"x.npy\")[:, 1]",
                           "torch.arange(2); open(\"x.npy\")[torch.arange(2)]"}) {
    const Explanation explanation = explain(text, {.open_file = opener(opened)});
    EXPECT_FALSE(explanation.evaluation.failure) << text << explanation.message;
    EXPECT_EQ(opened.back().address, "x.npy") << text;
  }
  explain("name = \"a\"; open(\"x.npz\")[name]", {.open_file = opener(opened)});
  EXPECT_EQ(opened.back().address, "x.npz::a");
}

TEST(ExpressionFiles, ElementsAreReadOnlyWhereAnOperationNeedsThem) {
  std::vector<Opened> opened;
  const Explanation explanation = explain("open(\"x.npy\").sum().item()", {.open_file = opener(opened)});
  ASSERT_FALSE(explanation.evaluation.failure) << explanation.message;
  EXPECT_EQ(explanation.evaluation.value.repr(), "6.0");
  ASSERT_EQ(opened.size(), 2U);
  EXPECT_EQ(opened[1].content, FileContent::elements);
  opened.clear();
  EXPECT_TRUE(explain("open(\"x.npy\").permute(0)", {.open_file = opener(opened)}).evaluation.failure);
  EXPECT_EQ(explain("open(\"x.npy\").shape", {.open_file = opener(opened)}).evaluation.value.repr(),
            "torch.Size([2, 3])");
  for (const Opened& each : opened) EXPECT_EQ(each.content, FileContent::layout);
}

TEST(ExpressionFiles, ASessionHasTheElements) {
  std::vector<Opened> opened;
  ExplainSession session({.open_file = opener(opened)});
  session.explain("x = open(\"x.npy\")");
  EXPECT_EQ(session.explain("(x + torch.ones(3))[0, 0].item()").evaluation.value.repr(), "2.0");
  EXPECT_EQ(opened.back().content, FileContent::elements);
}

TEST(ExpressionFiles, WhatCannotBeOpenedIsToldAtItsPlace) {
  std::vector<Opened> opened;
  const auto said = [&](std::string_view text) {
    const Explanation explanation = explain(text, {.open_file = opener(opened)});
    return explanation.evaluation.failure->type + ": " + explanation.message;
  };
  EXPECT_EQ(said("open(\"none\").T"),
            "RuntimeError: open: \"none\" must be a file\n  open(\"none\").T\n  ^~~~~~~~~~~~");
  EXPECT_EQ(said("open(1)"),
            "TypeError: open: one file must be given, as open(\"x.npy\")\n  open(1)\n  ^~~~~~~");
  EXPECT_EQ(evaluate(Program::parse("open(\"x.npy\")")).failure->message,
            "open: files cannot be opened here; explain, show and repl open them");
}

TEST(ExpressionFiles, OpenIsANameLikeAnyOther) {
  EXPECT_EQ(evaluate(Program::parse("open = [1, 2]; open[0]")).value.repr(), "1");
  EXPECT_EQ(complete("ope").names, std::vector<std::string>{"open"});
}

}  // namespace
}  // namespace tenstride
