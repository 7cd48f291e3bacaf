// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tenstride/explain/explain.hpp"

namespace tenstride {
namespace {

std::string transpose_plan(Index rows, Index columns) {
  return plan_copy(row_major({columns, rows}), DType::float32, column_major({columns, rows}), DType::float32)
      .to_string();
}

std::string indented(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 3)
    text.insert(at + 1, "  ");
  return "  " + text + '\n';
}

TEST(ExplainPlans, StandBelowTheSteps) {
  const Explanation explanation = explain("torch.zeros(2, 3).t().contiguous().shape");
  EXPECT_EQ(
      to_text(explanation, TextStyle::plain, PlanDetail::listed),
      "1  torch.zeros(2, 3)  (2,3):(3,1)+0  float32  contiguous      new   24 B\n"
      "2  .t()               (3,2):(1,3)+0  float32  not contiguous  view  axes out of order\n"
      "3  .contiguous()      (3,2):(2,1)+0  float32  contiguous      copy  48 B moved: strides (1,3) are "
      "not the row-major (2,1) (since step 2)\n"
      "\n"
      "plan of step 3, .contiguous():\n" +
          indented(transpose_plan(2, 3)) +
          "    run      item by item\n"
          "\n"
          "torch.Size([3, 2])\n"
          "\n"
          "1 copy, 48 B moved, at most 48 B held\n");
}

TEST(ExplainPlans, AreThoseOfEveryKindOfCopy) {
  const auto counts = [](const char* expression) {
    std::vector<std::size_t> result;
    for (const Step& step : explain(expression).evaluation.steps) result.push_back(step.plan_count);
    return result;
  };
  using Counts = std::vector<std::size_t>;
  EXPECT_EQ(counts("torch.zeros(2, 3).t().reshape(6)"), (Counts{0, 0, 1}));
  EXPECT_EQ(counts("torch.zeros(2, 3).to(torch.float64)"), (Counts{0, 1}));
  EXPECT_EQ(counts("x = torch.zeros(4); torch.cat([x, x, x])"), (Counts{0, 3}));
  EXPECT_EQ(counts("torch.zeros(4).copy_(torch.ones(4))"), (Counts{0, 0, 1}));
  EXPECT_EQ(counts("x = torch.zeros(4); print(x.to(torch.int8)); x.view(2, 2)"), (Counts{0, 1, 0}));
}

TEST(ExplainPlans, OfWhatIsTooLargeToRun) {
  const Explanation explanation = explain("torch.zeros(1000000, 1000000).t().contiguous()");
  ASSERT_EQ(explanation.evaluation.steps.size(), 3U);
  ASSERT_EQ(explanation.evaluation.steps[2].plans.size(), 1U);
  EXPECT_EQ(explanation.evaluation.steps[2].plans[0].count, 1'000'000'000'000);
}

TEST(ExplainPlans, SayHowTheyAreCarriedOut) {
  const Explanation explanation = explain("torch.zeros(400000, 17, 3).transpose(1, 2).contiguous()");
  const auto json = nlohmann::json::parse(to_json(explanation, PlanDetail::listed))["steps"][2]["plans"][0];
  EXPECT_EQ(json["kernel"], "blocks");
  EXPECT_GT(json["costs"]["channels"], json["costs"]["blocks, permuted"]);
  const auto told = json["run"].get<std::string>();
  EXPECT_TRUE(told.starts_with("in blocks of ")) << told;
  EXPECT_NE(to_text(explanation, TextStyle::plain, PlanDetail::listed).find("\n    run      " + told + "\n"),
            std::string::npos);
}

TEST(ExplainPlans, AreAFieldOfTheJson) {
  const Explanation explanation = explain("torch.zeros(2, 3).t().contiguous()");
  const auto steps = nlohmann::json::parse(to_json(explanation, PlanDetail::listed))["steps"];
  EXPECT_EQ(steps[1]["plans"].size(), 0U);
  EXPECT_EQ(steps[2]["plan_count"], 1);
  const auto& made = steps[2]["plans"][0];
  EXPECT_EQ(made["text"], transpose_plan(2, 3));
  EXPECT_EQ(made["kernel"], "small");
  EXPECT_EQ(made["run"], "item by item");
  EXPECT_EQ(made["elements"], 6);
  EXPECT_EQ(made["threads"], 1);
  EXPECT_EQ(made["loops"].size(), 2U);
  EXPECT_FALSE(nlohmann::json::parse(to_json(explanation))["steps"][2].contains("plans"));
}

TEST(ExplainPlans, OfReductionsStandThereToo) {
  const Explanation explanation = explain("torch.zeros(64, 512, 100).permute(2, 0, 1).sum(1)");
  ASSERT_EQ(explanation.evaluation.steps.size(), 3U);
  ASSERT_EQ(explanation.evaluation.steps[2].reductions.size(), 1U);
  const std::string text = to_text(explanation, TextStyle::plain, PlanDetail::listed);
  EXPECT_NE(text.find("plan of step 3, .sum(1):\n"
                      "  sum of 3276800 elements float32 -> 51200 float32\n"
                      "    way      rows, "),
            std::string::npos)
      << text;
  const auto json = nlohmann::json::parse(to_json(explanation, PlanDetail::listed));
  const auto& plan = json["steps"][2]["reductions"][0];
  EXPECT_EQ(plan["way"], "rows");
  EXPECT_EQ(plan["reduction"], "sum");
  EXPECT_EQ(plan["results"], 51200);
  EXPECT_EQ(plan["reduction_loops"][0]["extent"], 64);
  EXPECT_EQ(json["steps"][1]["reductions"], nlohmann::json::array());
}

}  // namespace
}  // namespace tenstride
