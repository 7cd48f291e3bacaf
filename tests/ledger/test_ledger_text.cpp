// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "support/test_data.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using Json = nlohmann::json;

TEST(LedgerText, HasALineForEachEntryAndTheTotals) {
  const CopyLedger ledger;
  const Tensor x = zeros({2, 3}, {.device = Device::meta});
  const std::string line = std::to_string(Caller::current().line() + 1);
  const Tensor y = x.t().contiguous();
  const Tensor z = x.view({3, 2});
  const auto number = [&](int more) { return std::to_string(std::stoi(line) + more); };
  EXPECT_EQ(
      to_text(ledger),
      "   operation   kind      from                   to                     read  written  allocated  "
      "kernel  time  place\n"
      "1  zeros       fill      -                      (2,3):(3,1)+0 float32  -     24 B     24 B       "
      "small   -     test_ledger_text.cpp:" +
          number(-2) +
          "\n"
          "2  contiguous  copy      (3,2):(1,3)+0 float32  (3,2):(2,1)+0 float32  24 B  24 B     24 B       "
          "small   -     test_ledger_text.cpp:" +
          number(0) +
          "\n"
          "     strides (1,3) are not the row-major (2,1)\n"
          "3  view        scramble  (2,3):(3,1)+0 float32  (3,2):(2,1)+0 float32  -     -        -          "
          "-       -     test_ledger_text.cpp:" +
          number(1) + "\n     " + to_string(*find_scramble({2, 3}, {3, 2})) +
          "\n"
          "\n"
          "1 copy, 24 B read, 48 B written; 2 allocations, 48 B, at most 48 B at the same time\n"
          "1 scramble\n");
}

TEST(LedgerText, OfNothingIsTheTotals) {
  const CopyLedger ledger;
  EXPECT_EQ(to_text(ledger),
            "0 copies, 0 B read, 0 B written; 0 allocations, 0 B, at most 0 B at the same time\n");
}

TEST(LedgerText, SaysHowManyItLeavesOut) {
  const Tensor x = zeros({2});
  const CopyLedger ledger(1);
  (void)x.clone();
  (void)x.clone();
  (void)x.clone();
  EXPECT_NE(to_text(ledger).find("\n… and 4 more\n\n3 copies, 24 B read, "), std::string::npos)
      << to_text(ledger);
}

TEST(LedgerJson, HoldsEveryField) {
  const Tensor x = zeros({2, 3});
  const CopyLedger ledger;
  const NoCopy none;
  const NoCopy::Allow allowed("a \"quoted\" place\n");
  const unsigned line = Caller::current().line() + 1;
  (void)x.t().contiguous();
  (void)empty({4});
  const Json json = Json::parse(to_json(ledger));
  ASSERT_EQ(json["entries"].size(), 2U);
  Json entry = json["entries"][0];
  EXPECT_GT(entry["seconds"].get<double>(), 0);
  EXPECT_GE(entry["start"].get<double>(), 0);
  EXPECT_NE(entry["function"].get<std::string>().find("TestBody"), std::string::npos);
  for (const char* key : {"seconds", "start", "function"}) entry.erase(key);
  EXPECT_EQ(entry, Json({{"kind", "copy"},
                         {"operation", "contiguous"},
                         {"reason", "strides (1,3) are not the row-major (2,1)"},
                         {"src", {{"layout", "(3,2):(1,3)+0"}, {"dtype", "float32"}}},
                         {"dst", {{"layout", "(3,2):(2,1)+0"}, {"dtype", "float32"}}},
                         {"device", "cpu"},
                         {"bytes_read", 24},
                         {"bytes_written", 24},
                         {"bytes_allocated", 24},
                         {"kernel", "small"},
                         {"link", nullptr},
                         {"file", "test_ledger_text.cpp"},
                         {"line", line},
                         {"allowed", "a \"quoted\" place\n"}}));
  EXPECT_EQ(json["entries"][1]["kind"], "allocation");
  EXPECT_EQ(json["entries"][1]["src"], nullptr);
  EXPECT_EQ(json["totals"]["copies"], 1);
  EXPECT_EQ(json["totals"]["allocations"], 2);
  EXPECT_EQ(json["totals"]["bytes_allocated"], 40);
  EXPECT_EQ(json["totals"]["transfers"], 0);
  EXPECT_EQ(json["totals"]["bytes_transferred"], 0);
  EXPECT_EQ(json["totals"]["peak_bytes"], 24);
  EXPECT_EQ(json["left_out"], 0);
}

TEST(LedgerTrace, IsAListOfCompleteEvents) {
  const Tensor x = zeros({200, 300});
  const CopyLedger ledger;
  (void)x.t().contiguous();
  (void)x.clone();
  const Json json = Json::parse(to_trace(ledger));
  ASSERT_EQ(json.size(), 2U);
  for (const Json& event : json) {
    EXPECT_EQ(event["ph"], "X");
    EXPECT_EQ(event["cat"], "copy");
    EXPECT_GT(event["dur"].get<double>(), 0);
    EXPECT_EQ(event["args"]["bytes_written"], 240000);
    EXPECT_EQ(event["pid"], 1);
    EXPECT_EQ(event["tid"], 1);
  }
  EXPECT_EQ(json[0]["name"], "contiguous");
  // One after the other.
  EXPECT_LE(json[0]["ts"].get<double>() + json[0]["dur"].get<double>(), json[1]["ts"].get<double>());
}

/// docs/ledger.md shows this code, and below it what it prints.
TEST(LedgerText, IsTheExampleOfItsDocument) {
  std::ifstream file(testing::test_data("../../docs/ledger.md"));
  std::stringstream document;
  document << file.rdbuf();
  const CopyLedger ledger;
  // clang-format off
#line 2 "prepare.cpp"
  const Tensor x = zeros({8, 3, 224, 224}, {.device = Device::meta});
  const Tensor y = x.permute({0, 2, 3, 1}).reshape({8, -1});
  const Tensor z = y.to(DType::float16);
  // clang-format on
  EXPECT_NE(document.str().find("\n```\n" + to_text(ledger) + "```\n"), std::string::npos) << to_text(ledger);
}

}  // namespace
}  // namespace tenstride
