// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "support/test_data.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/tensor/factory.hpp"

// Texts one after another, and the texts of failures that are kept in tests/data.
namespace tenstride {
namespace {

std::vector<std::filesystem::path> files_of(const std::string& folder) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(testing::test_data(folder))) {
    files.push_back(entry.path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream stream(file);
  std::ostringstream text;
  text << stream.rdbuf();
  return text.str();
}

/// What Python's prompt would show.
std::string shown(const Explanation& explanation) {
  const Evaluation& evaluation = explanation.evaluation;
  if (evaluation.failure) {
    return evaluation.failure->type + ": " + explanation.message.substr(0, explanation.message.find('\n')) +
           '\n';
  }
  return evaluation.output + (evaluation.value.is_none() ? "" : evaluation.value.repr() + '\n');
}

/// Whether the statement is Python beyond the notation, or calls what such a one defined: Python has it
/// (tests/python/test_sessions.py).
bool is_beyond(std::string_view statement) {
  static constexpr std::array<std::string_view, 5> beginnings{"assert ", "def ", "idx_to_pos(",
                                                              "is_contiguous(", "test_view("};
  return std::any_of(beginnings.begin(), beginnings.end(),
                     [&](std::string_view begin) { return statement.substr(4).starts_with(begin); });
}

/// The statements of five well-known texts on tensors' memory, each typed in, with what PyTorch answers.
TEST(ExplainSession, AnswersAsPyTorchsPrompt) {
  int statements = 0;
  for (const auto& file : files_of("sessions")) {
    ExplainSession session;
    std::istringstream lines(content_of(file));
    std::string line, statement, answer;
    const auto check = [&] {
      if (statement.empty()) return;
      ++statements;
      const std::string found = shown(session.explain(statement));
      if (is_beyond(statement)) {
        EXPECT_TRUE(found.starts_with("SyntaxError") || found.starts_with("NameError")) << statement;
      } else {
        EXPECT_EQ(found, answer) << file.filename() << ": " << statement;
      }
    };
    while (std::getline(lines, line)) {
      if (line.starts_with("... ")) {
        statement += '\n' + line;
        continue;
      }
      if (!line.starts_with(">>> ")) {
        answer += line + '\n';
        continue;
      }
      check();
      statement = line;  // as it stands, with the prompt
      answer.clear();
    }
    check();
  }
  EXPECT_GT(statements, 90);
}

/// Each file holds an expression behind "$ " and what is told of it. They were read by people.
TEST(ExplainGolden, TellsWhatIsKept) {
  const auto files = files_of("explanations");
  EXPECT_GT(files.size(), 7U);
  for (const auto& file : files) {
    const std::string content = content_of(file);
    ASSERT_TRUE(content.starts_with("$ ")) << file;
    const std::size_t end = content.find("\n\n");
    const std::string expression = content.substr(2, end - 2);
    const ScrambleRule rule =
        file.stem().string().ends_with("strict") ? ScrambleRule::refuse : ScrambleRule::tell;
    const std::string told = to_text(explain(expression, {.scrambles = rule}));
    if (std::getenv("TENSTRIDE_KEEP_EXPLANATIONS") != nullptr) {
      std::ofstream(file) << "$ " << expression << "\n\n" << told;
    }
    EXPECT_EQ(told, content.substr(end + 2)) << file;
  }
}

TEST(ExplainSession, FindsCausesInEarlierLines) {
  ExplainSession session;
  EXPECT_EQ(to_text(session.explain("x = torch.zeros(2, 3)")),
            "1  torch.zeros(2, 3)  (2,3):(3,1)+0  float32  contiguous  new  24 B\n");
  EXPECT_EQ(to_text(session.explain("y = x.t()")),
            "2  .t()  (3,2):(1,3)+0  float32  not contiguous  view  axes out of order\n");
  EXPECT_EQ(to_text(session.explain("y.stride()")), "(1, 3)\n");
  const Explanation refused = session.explain("y.view(6)");
  EXPECT_EQ(refused.failure_cause, 1U);
  EXPECT_TRUE(
      refused.message.ends_with("  since: .t() (step 2) made (3,2):(1,3)+0 of the contiguous (2,3):(3,1)+0"))
      << refused.message;
  EXPECT_EQ(to_text(session.explain("z = y.reshape(6)")),
            "3  .reshape(6)  (6):(1)+0  float32  contiguous  copy  48 B moved: no view: axes 0 and 1 would "
            "merge, axis 0 has stride 1 and must have 6 (since step 2)\n\n"
            "1 copy, 48 B moved, at most 48 B held\n");
}

TEST(ExplainCauses, AreTheStepsThatBrokeTheOrder) {
  const auto causes = [](const std::string& expression) {
    std::string text;
    for (const auto& cause : explain(expression, {.inputs = {{"w", zeros({2, 3}).t()}}}).causes) {
      text += (text.empty() ? "" : " ") + (cause ? std::to_string(*cause + 1) : "-");
    }
    return text;
  };
  EXPECT_EQ(causes("x = torch.zeros(2, 3).T; x[0, 0] = 1; x.clone(); x.contiguous()"), "- 2 2 2 2");
  EXPECT_EQ(causes("torch.zeros(2, 3, 4).unsqueeze(0).mT.mT.mT.flatten()"), "- - 3 - 5 5");
  EXPECT_EQ(causes("torch.zeros(2, 3, 4).mT[..., :2].reshape(-1)"), "- 2 2 2");
  EXPECT_EQ(causes("w.view(3, 2).reshape(6)"), "- -") << "it came so from outside";
  EXPECT_EQ(causes("torch.empty_strided((2, 2), (1, 2))"), "1");
  EXPECT_EQ(causes("torch.zeros(2, 3).T.to(torch.int8)"), "- 2 2");
}

TEST(ExplainSession, KeepsNamesAfterAFailure) {
  ExplainSession session;
  session.explain("x = torch.arange(4)");
  EXPECT_EQ(session.explain("y = x[0]; x.viev(2, 2)").evaluation.failure->type, "AttributeError");
  const Explanation unfinished = session.explain("(1 +\n2");
  EXPECT_EQ(unfinished.evaluation.failure->type, "SyntaxError");
  EXPECT_EQ(unfinished.message, "expression: '(' is never closed\n  (1 +\n  ^");
  EXPECT_EQ(session.explain(std::string(65530, ' ')).message,
            "expression: the programs of this session have 65573 bytes together and must have at most 65536");
  EXPECT_EQ(shown(session.explain("y")), "tensor(0)\n");
  EXPECT_EQ(session.interpreter().names(), (std::vector<std::string>{"x", "y"}));
  EXPECT_EQ(session.interpreter().find("z"), nullptr);
}

TEST(ExplainSession, KeepsRandomNumbersAndSharedStorages) {
  ExplainSession session;
  session.explain("torch.manual_seed(3); a = torch.randn(3)");
  session.explain("b = torch.randn(3)");
  EXPECT_EQ(shown(session.explain("torch.manual_seed(3); torch.equal(torch.randn(6)[:3], a)")), "True\n");
  EXPECT_EQ(shown(session.explain("torch.equal(a, b)")), "False\n");
  session.explain("v = a.view(3, 1)");
  session.explain("v[0, 0] = 7");
  EXPECT_EQ(shown(session.explain("a[0].item()")), "7.0\n");
  session.explain("m = torch.zeros(2, 3); n = m; m.t_()");
  EXPECT_EQ(shown(session.explain("n.shape")), "torch.Size([3, 2])\n");
}

TEST(ExplainSession, CarriesOutWhatAsksForElements) {
  EXPECT_EQ(shown(explain("x = torch.ones(1); x[0] == 1 and 'one'")), "'one'\n");
}

TEST(ExplainSession, RefusesWhatNeedsTooMuchMemory) {
  ExplainSession session({.max_bytes = 1000});
  session.explain("x = torch.zeros(10)");
  const Explanation refused = session.explain("y = x.expand(100, 10).clone()");
  EXPECT_EQ(refused.evaluation.failure->type, "MemoryError");
  EXPECT_TRUE(refused.message.starts_with("not carried out: it needs 4000 B of memory, more than 1000 B"));
  EXPECT_EQ(session.interpreter().find("y"), nullptr);
  EXPECT_EQ(shown(session.explain("x.numel()")), "10\n");
}

TEST(ExplainStrict, MakesAScrambleAFailure) {
  const auto type = [](const std::string& text) {
    const Explanation explanation = explain(text, {.scrambles = ScrambleRule::refuse});
    return explanation.evaluation.failure ? explanation.evaluation.failure->type : "none";
  };
  EXPECT_EQ(type("torch.zeros(2, 3).reshape(3, 2)"), "RuntimeError");
  EXPECT_EQ(type("torch.zeros(2, 3).view(3, 2)"), "RuntimeError");
  EXPECT_EQ(type("torch.zeros(2, 3).view_as(torch.zeros(3, 2))"), "RuntimeError");
  EXPECT_EQ(type("torch.zeros(2, 3).reshape(3, 2)  # as meant"), "none");
  EXPECT_EQ(type("torch.zeros(2, 3).reshape(\n  3, 2)  # as meant: the rows are no rows"), "none");
  EXPECT_EQ(type("torch.zeros(2, 3).reshape(3, 2)\n# as meant"), "RuntimeError");
  EXPECT_EQ(type("a = '# as meant'; torch.zeros(2, 3).reshape(3, 2)"), "RuntimeError");
  EXPECT_EQ(type("(torch.zeros(2, 3).reshape(3, 2), '# as meant')"), "RuntimeError");
  EXPECT_EQ(type("torch.zeros(2, 2).reshape(2, 2)"), "none");
  EXPECT_EQ(type("torch.zeros(2, 3).t()"), "none");
  EXPECT_EQ(type("torch.zeros(2, 4).view(torch.float64).view(2, 2)"), "none");
}

TEST(ExplainStrict, LeavesWhatIsMeantWithoutANote) {
  EXPECT_EQ(explain("torch.zeros(2, 3).view(3, 2) # as meant").evaluation.steps.back().hint, "");
  EXPECT_FALSE(explain("torch.zeros(2, 3).view(3, 2) # as meant").evaluation.steps.back().scramble);
  EXPECT_TRUE(explain("torch.zeros(2, 3).view(3, 2) # as is").evaluation.steps.back().scramble);
}

TEST(Complete, OffersWhatFits) {
  const std::vector<std::string> bound{"x", "x_permuted"};
  EXPECT_EQ(complete("x.perm", bound).names, (std::vector<std::string>{"permute", "permute_"}));
  EXPECT_EQ(complete("x.perm", bound).begin, 2U);
  EXPECT_EQ(complete("y = x_p", bound).names, std::vector<std::string>{"x_permuted"});
  EXPECT_EQ(complete("y = x_p", bound).begin, 4U);
  EXPECT_EQ(complete("torch.channels_last", {}).names,
            (std::vector<std::string>{"channels_last", "channels_last_3d"}));
  EXPECT_EQ(complete("x[0].is_contig", {}).names, std::vector<std::string>{"is_contiguous"});
  EXPECT_EQ(complete("torch.manual", {}).names, std::vector<std::string>{"manual_seed"});
  EXPECT_TRUE(complete("", bound).names.empty());
  EXPECT_TRUE(complete("1.", bound).names.empty());
  EXPECT_TRUE(complete("x.nothing_like_it", bound).names.empty());
  EXPECT_FALSE(complete("x.", bound).names.empty());
}

}  // namespace
}  // namespace tenstride
