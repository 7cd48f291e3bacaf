// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tenstride/explain/explain.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using Json = nlohmann::ordered_json;

std::string edited(std::string text, std::vector<TextEdit> edits) {
  std::sort(edits.begin(), edits.end(),
            [](const TextEdit& a, const TextEdit& b) { return a.range.begin > b.range.begin; });
  for (const TextEdit& edit : edits)
    text.replace(edit.range.begin, edit.range.end - edit.range.begin, edit.text);
  return text;
}

/// What each fix makes of a text; "" where it writes nothing.
std::vector<std::string> fixed(const std::string& text) {
  std::vector<std::string> all;
  for (const Fix& fix : explain(text).fixes) all.push_back(fix.edits.empty() ? "" : edited(text, fix.edits));
  return all;
}

TEST(ExplainEdits, StandInTheText) {
  EXPECT_EQ(fixed("y = torch.arange(6).view(2, 3).T.view(-1) # all"),
            (std::vector<std::string>{"y = torch.arange(6).view(2, 3).T.reshape(6) # all",
                                      "y = torch.arange(6).view(2, 3).T.contiguous().view(6) # all",
                                      "y = torch.arange(6).view(2, 3).view(6) # all"}));
  EXPECT_EQ(fixed("x = torch.zeros(2,3,2)\ny = x.permute(0,2,1)\nz = y.view(-1); z"),
            (std::vector<std::string>{
                "x = torch.zeros(2,3,2)\ny = x.permute(0,2,1)\nz = y.reshape(12); z",
                "x = torch.zeros(2,3,2)\ny = x.permute(0,2,1)\nz = y.contiguous().view(12); z",
                "x = torch.zeros(2,3,2)\ny = x.permute(0,2,1)\nz = x.view(12); z"}));
}

TEST(ExplainEdits, AreNoneWhereTheyWouldSaySomethingElse) {
  for (const char* const text :
       {"x = torch.zeros(2,3,2); y = x.permute(0,2,1); x = torch.zeros(12); y.view(-1)",
        "x = torch.zeros(2,3,2); torch.permute(x, (0,2,1)).view(-1)",
        "(torch.zeros(2,3) + 1).T.clone().T[:, :2].T.view(-1)"}) {
    const std::vector<std::string> all = fixed(text);
    ASSERT_GE(all.size(), 2U) << text;
    EXPECT_NE(all[0], "");
    EXPECT_NE(all[1], "");
    for (const std::string& each : all) {
      if (each.empty()) continue;
      EXPECT_FALSE(explain(each).evaluation.failure) << each;
    }
  }
  EXPECT_EQ(fixed("x = torch.zeros(2,3,2); y = x.permute(0,2,1); x = torch.zeros(12); y.view(-1)")[2], "");
  EXPECT_EQ(fixed("x = torch.zeros(2,3,2); torch.permute(x, (0,2,1)).view(-1)")[2], "");
}

TEST(ExplainEdits, DoWhatTheFixSays) {
  int tried = 0;
  for (const std::string chain :
       {".permute(0,2,1)", ".permute(2,1,0)", ".transpose(0,1)", "[:, ::2]", "[:, :, 1:]",
        ".permute(1,0,2)[:, 1:]", ".unsqueeze(0).expand(2,-1,-1,-1)", ".flip(0).T", ".mT.mT.mT"}) {
    for (const std::string form :
         {"torch.arange(48).view(4,4,3)$", "x = torch.arange(48).view(4,4,3)\ny = x$\ny"}) {
      for (const std::string sizes : {"-1", "6,-1", "4,-1"}) {
        std::string start = form;
        start.replace(start.find('$'), 1, chain);
        const std::string text = start + ".view(" + sizes + ")";
        const Explanation refused = explain(text);
        if (!refused.evaluation.failure || !refused.evaluation.failure->obstacle) continue;
        const Tensor wanted = *evaluate(Program::parse(start + ".reshape(" + sizes + ")")).value.tensor();
        for (const Fix& fix : refused.fixes) {
          if (fix.edits.empty()) continue;
          ++tried;
          const Evaluation done = evaluate(Program::parse(edited(text, fix.edits)));
          ASSERT_FALSE(done.failure) << edited(text, fix.edits);
          EXPECT_EQ(done.value.tensor()->shape(), wanted.shape());
          EXPECT_EQ(done.value.tensor()->equal(wanted), !fix.reorders) << edited(text, fix.edits);
          EXPECT_EQ(done.steps.back().kind == StepKind::view &&
                        done.totals.copies == refused.evaluation.totals.copies,
                    fix.bytes_copied == 0);
        }
      }
    }
  }
  EXPECT_GT(tried, 100);
}

TEST(ExplainEdits, AndPlacesStandInTheJson) {
  const std::string text = "x = torch.zeros(2,\n 3)\nx.T.view(-1)";
  const Json told = Json::parse(to_json(explain(text)));
  EXPECT_EQ(told["steps"][0]["call"], "torch.zeros(2,  3)");
  EXPECT_EQ(told["steps"][0]["range"].dump(), "[4,22]");
  EXPECT_EQ(told["steps"][1]["layout"], "(3,2):(1,3)+0");
  EXPECT_EQ(told["error"]["call"], ".view(-1)");
  EXPECT_EQ(told["error"]["range"].dump(), "[26,35]");
  EXPECT_EQ(told["error"]["notation"], false);
  EXPECT_EQ(told["error"]["obstacle"]["fixes"][0]["edits"].dump(),
            R"j([{"range":[26,35],"text":".reshape(6)"}])j");
  const Json unknown = Json::parse(to_json(explain("torch.zeros(2).flat()")));
  EXPECT_EQ(unknown["error"]["notation"], true);
  EXPECT_EQ(unknown["error"]["call"], nullptr);
  const Json printed = Json::parse(to_json(explain("print(1)\ntorch.arange(2)")));
  EXPECT_EQ(printed["printed"], "1\n");
  EXPECT_EQ(printed["value_text"], "tensor([0, 1])");
  EXPECT_EQ(printed["note"], "");
  EXPECT_EQ(Json::parse(to_json(explain("torch.zeros(10**12)")))["note"],
            "the value is left out: it needs 3.6 TiB of memory, more than 1.0 GiB");
}

}  // namespace
}  // namespace tenstride
