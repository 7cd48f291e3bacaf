// SPDX-License-Identifier: Apache-2.0
#include "tenstride/explain/explain.hpp"
#include "tenstride/layout/text.hpp"

#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using Json = nlohmann::ordered_json;

std::string text(const std::string& expression) {
  return to_text(explain(expression));
}
Json json(const std::string& expression) {
  return Json::parse(to_json(explain(expression)));
}

TEST(Explain, TellsWhyAViewIsImpossibleAndWhatToDo) {
  EXPECT_EQ(text("torch.randn(2,3,2).permute(0,2,1).view(-1)"),
            R"(1  torch.randn(2,3,2)  (2,3,2):(6,2,1)+0  float32  contiguous      new   48 B
2  .permute(0,2,1)     (2,2,3):(6,1,2)+0  float32  not contiguous  view  axes out of order
3  .view(-1)           refused

RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.
  from   (2,2,3):(6,1,2)+0   to (12)   (shape:strides+offset, in elements)
  axes 1 and 2 would merge, but a step along axis 1 moves 1 element and running through axis 2 moves 3*2 = 6
  walk:  the elements lie at 0 2 4, then at 1 3 5; one axis of stride 2 would go on at 6
  free:  the axes group as [0] [1] [2]; each may be split, none may be merged
  fixes: .reshape(12)                      copies 12 elements (48 B), silently
         .contiguous().view(12)            copies 12 elements (48 B), visibly
         .view(12) before .permute(0,2,1)  no copy, another element order
  since: .permute(0,2,1) (step 2) made (2,2,3):(6,1,2)+0 of the contiguous (2,3,2):(6,2,1)+0
)");
}

TEST(Explain, NamesTheStepThatLeftGaps) {
  EXPECT_EQ(text("x = torch.zeros(4, 8)\nx[:, 1:].view(28)"),
            R"(1  torch.zeros(4, 8)  (4,8):(8,1)+0  float32  contiguous      new   128 B
2  [:, 1:]            (4,7):(8,1)+1  float32  not contiguous  view  gaps
3  .view(28)          refused

RuntimeError: view size is not compatible with input tensor's size and stride (at least one dimension spans across two contiguous subspaces). Use .reshape(...) instead.
  from   (4,7):(8,1)+1   to (28)   (shape:strides+offset, in elements)
  axes 0 and 1 would merge, but a step along axis 0 moves 8 elements and running through axis 1 moves 7*1 = 7
  walk:  the elements lie at 1 2 … 7, then at 9 10 … 15; one axis of stride 1 would go on at 8
  free:  the axes group as [0] [1]; each may be split, none may be merged
  fixes: .reshape(28)            copies 28 elements (112 B), silently
         .contiguous().view(28)  copies 28 elements (112 B), visibly
  since: [:, 1:] (step 2) made (4,7):(8,1)+1 of the contiguous (4,8):(8,1)+0
)");
}

TEST(Explain, FindsTheCauseInAChainOnAnInput) {
  const Explanation explanation = explain("x.unsqueeze(0).T.view(-1)", {.inputs = {{"x", zeros({2, 3})}}});
  ASSERT_EQ(explanation.fixes.size(), 3U);
  EXPECT_EQ(explanation.fixes[2].code, ".view(6) before .T");
  const Explanation direct = explain("x.T.view(-1)", {.inputs = {{"x", zeros({2, 3})}}});
  ASSERT_EQ(direct.fixes.size(), 3U);
  EXPECT_EQ(direct.fixes[2].code, ".view(6) before .T");
}

TEST(Explain, ShowsStepsValueAndTotals) {
  EXPECT_EQ(text("x = torch.arange(6).reshape(2, 3); x.T.reshape(-1)"),
            R"(1  torch.arange(6)  (6):(1)+0      int64  contiguous      new   48 B
2  .reshape(2, 3)   (2,3):(3,1)+0  int64  contiguous      view
3  .T               (3,2):(1,3)+0  int64  not contiguous  view  axes out of order
4  .reshape(-1)     (6):(1)+0      int64  contiguous      copy  96 B moved: no view: axes 0 and 1 would merge, axis 0 has stride 1 and must have 6 (since step 3)

tensor([0, 3, 1, 4, 2, 5])

1 copy, 96 B moved, at most 96 B held
)");
}

TEST(Explain, WarnsOfAScramble) {
  EXPECT_EQ(text("y = torch.zeros(2, 3).reshape(3, 2)"),
            R"(1  torch.zeros(2, 3)  (2,3):(3,1)+0  float32  contiguous  new   24 B
2  .reshape(3, 2)     (3,2):(2,1)+0  float32  contiguous  view
   note: the sizes (2,3) are reordered to (3,2) but no axis is moved, so the elements are scrambled; probably meant: .transpose(0, 1)
    at      reshaped to (3,2)   .transpose(0, 1)
    [0,1]   0  from [0,1]       0  from [1,0]
    [1,0]   0  from [0,2]       0  from [0,1]
    [1,1]   0  from [1,0]       0  from [1,1]
    4 of 6 places hold another element; if that is meant, a comment `# as meant` in the line says so

no copy, 0 B moved, at most 24 B held
)");
}

TEST(Explain, PutsACaretUnderAnUnknownName) {
  EXPECT_EQ(text("torch.zeros(2).permut(0)"),
            R"(1  torch.zeros(2)  (2):(1)+0  float32  contiguous  new  8 B

AttributeError: Tensor has no method 'permut'; did you mean 'permute'?
  torch.zeros(2).permut(0)
                 ^~~~~~
)");
  EXPECT_EQ(text("torch.zeros(2"),
            "SyntaxError: expression: '(' is never closed\n  torch.zeros(2\n             ^\n");
}

TEST(Explain, CountsManyResultsOfOneCall) {
  EXPECT_EQ(text("y = torch.arange(8).unbind()"),
            R"(1  torch.arange(8)  (8):(1)+0  int64  contiguous  new   64 B
2  .unbind()        ():()+0    int64  contiguous  view
3  .unbind()        ():()+1    int64  contiguous  view
4  .unbind()        ():()+2    int64  contiguous  view
5  .unbind()        ():()+3    int64  contiguous  view
   … and 4 more

no copy, 0 B moved, at most 64 B held
)");
}

TEST(Explain, FillsWriteAndCopiesMove) {
  const auto last_line = [](const std::string& expression) {
    const std::string all = text(expression);
    const std::size_t begin = all.rfind('\n', all.size() - 2);
    return all.substr(begin + 1);
  };
  EXPECT_EQ(text("x = torch.zeros(3); x.fill_(2); y = x"),
            R"(1  torch.zeros(3)  (3):(1)+0  float32  contiguous  new   12 B
2  .fill_(2)       (3):(1)+0  float32  contiguous  self  12 B written

no copy, 12 B written, at most 12 B held
)");
  EXPECT_EQ(last_line("x = torch.zeros(3); x[0] = 2; y = x"), "no copy, 4 B written, at most 12 B held\n");
  EXPECT_EQ(last_line("x = torch.zeros(3); x.zero_(); y = x"), "no copy, 12 B written, at most 12 B held\n");
  EXPECT_EQ(last_line("x = torch.zeros(3); x.copy_(x + 1); y = x"),
            "no copy, 24 B read and written in place, at most 24 B held\n");
  EXPECT_EQ(last_line("x = torch.zeros(3).clone(); x.zero_(); y = x"),
            "1 copy, 36 B moved, at most 24 B held\n");
}

TEST(Explain, LeavesOutAValueThatNeedsTooMuchMemory) {
  const Explanation explanation = explain("torch.zeros(1000000, 1000000).T.contiguous()");
  ASSERT_FALSE(explanation.evaluation.failure);
  EXPECT_TRUE(explanation.evaluation.value.is_none());
  EXPECT_EQ(explanation.note, "the value is left out: it needs 7.3 TiB of memory, more than 1.0 GiB");
}

TEST(ExplainJson, HasTheDocumentedShape) {
  const Json result = json("torch.zeros(2, 2).T.contiguous()");
  EXPECT_EQ(
      result.dump(),
      R"j({"expr":"torch.zeros(2, 2).T.contiguous()","steps":[)j"
      R"j({"op":"zeros","kind":"new","dtype":"float32","shape":[2,2],"strides":[2,1],"offset":0,)j"
      R"j("contiguous":true,"shares_storage":false,"bytes_moved":0,"bytes_allocated":16,"transfer":null,"reason":null,)j"
      R"j("cause":null,"not_contiguous":null,"scramble":null,"layout":"(2,2):(2,1)+0","call":"torch.zeros(2, 2)",)j"
      R"j("range":[0,17]},)j"
      R"j({"op":"T","kind":"view","dtype":"float32","shape":[2,2],"strides":[1,2],"offset":0,)j"
      R"j("contiguous":false,"shares_storage":true,"bytes_moved":0,"bytes_allocated":0,"transfer":null,"reason":null,)j"
      R"j("cause":2,"not_contiguous":{"axis":1,"stride_found":2,"stride_needed":1,"order":[1,0],"repeats":false,)j"
      R"j("backwards":false,"gaps":false,"may_overlap":false},"scramble":null,"layout":"(2,2):(1,2)+0",)j"
      R"j("call":".T","range":[17,19]},)j"
      R"j({"op":"contiguous","kind":"copy","dtype":"float32","shape":[2,2],"strides":[2,1],"offset":0,)j"
      R"j("contiguous":true,"shares_storage":false,"bytes_moved":32,"bytes_allocated":16,"transfer":null,)j"
      R"j("reason":"strides (1,2) are not the row-major (2,1)","cause":2,"not_contiguous":null,"scramble":null,)j"
      R"j("layout":"(2,2):(2,1)+0","call":".contiguous()","range":[19,32]}],"printed":"",)j"
      R"j("value":[[0.0,0.0],[0.0,0.0]],"value_text":"tensor([[0., 0.],\n        [0., 0.]])","note":"","error":null,"totals":{"copies":1,"bytes_moved":32,)j"
      R"j("transfers":0,"bytes_transferred":0,"peak_bytes":32,"peak_device_bytes":0},)j"
      R"j("chain":{"source":1,"shape":[2,2],"strides":[2,1],"offset":0,"dtype":"float32","eager":{"steps":[)j"
      R"j({"call":".T","kind":"view","shape":[2,2],"strides":[1,2],"offset":0,"bytes_read":0,"bytes_written":0},)j"
      R"j({"call":".contiguous()","kind":"copy","shape":[2,2],"strides":[2,1],"offset":0,"bytes_read":16,)j"
      R"j("bytes_written":16}],"copies":1,"bytes_read":16,"bytes_written":16},"lazy":{"copies":1,)j"
      R"j("bytes_read":16,"bytes_written":16,"peak_bytes":16,)j"
      R"j("plan":[{"from":"(2,2):(1,2)+0","to":"(2,2):(2,1)+0"}],"result":"(2,2):(2,1)+0"},)j"
      R"j("bytes_saved":0}})j");
}

TEST(ExplainJson, HoldsTheObstacleAndTheFixes) {
  const Json error = json("torch.zeros(2,3,2).permute(0,2,1).view(-1)")["error"];
  EXPECT_EQ(error["type"], "RuntimeError");
  EXPECT_EQ(error["step"], 2);
  EXPECT_EQ(error["cause"], 2);
  EXPECT_EQ(error["scramble"], nullptr);
  Json obstacle = error["obstacle"];
  for (Json& fix : obstacle["fixes"]) fix.erase("edits");
  EXPECT_EQ(obstacle.dump(),
            R"j({"shape":[2,2,3],"strides":[6,1,2],"offset":0,"to":[12],"left_axis":1,"right_axis":2,)j"
            R"j("stride_found":1,"stride_needed":6,"new_axis":0,"groups":[[0],[1],[2]],"fixes":[)j"
            R"j({"code":".reshape(12)","bytes_copied":48,"reorders":false},)j"
            R"j({"code":".contiguous().view(12)","bytes_copied":48,"reorders":false},)j"
            R"j({"code":".view(12) before .permute(0,2,1)","bytes_copied":0,"reorders":true}]})j");
}

TEST(ExplainJson, WritesEveryKindOfValue) {
  EXPECT_EQ(json("(1, 2.5, True, None, 'a', [1], torch.float32, 2j)")["value"].dump(),
            R"([1,2.5,true,null,"a",[1],"torch.float32",[0.0,2.0]])");
  EXPECT_EQ(json("torch.tensor([1.0, torch.inf, torch.nan])")["value"].dump(), R"([1.0,"inf","nan"])");
  EXPECT_EQ(json("torch.zeros(2, 3).shape")["value"].dump(), "[2,3]");
  EXPECT_EQ(json("x = 3")["value"], nullptr);
  EXPECT_EQ(json("torch.zeros(10001)")["value"], nullptr);
  EXPECT_EQ(json("\xFF")["error"]["type"], "SyntaxError");
}

/// Each fix is carried out on elements, not on meta as the explainer does it.
TEST(ExplainChain, TellsWhatStepsCopyAndAChainDoesNot) {
  EXPECT_EQ(text("y = torch.zeros(2,3,4,5).permute(0,2,1,3).reshape(2,4,15).transpose(0,1).flatten()"),
            R"(1  torch.zeros(2,3,4,5)  (2,3,4,5):(60,20,5,1)+0  float32  contiguous      new   480 B
2  .permute(0,2,1,3)     (2,4,3,5):(60,5,20,1)+0  float32  not contiguous  view  axes out of order
3  .reshape(2,4,15)      (2,4,15):(60,15,1)+0     float32  contiguous      copy  960 B moved: no view: axes 2 and 3 would merge, axis 2 has stride 20 and must have 5 (since step 2)
4  .transpose(0,1)       (4,2,15):(15,60,1)+0     float32  not contiguous  view  axes out of order
5  .flatten()            (120):(1)+0              float32  contiguous      copy  960 B moved: no view: axes 1 and 2 would merge, axis 1 has stride 60 and must have 15 (since step 4)

2 copies, 1920 B moved, at most 960 B held

one by one, as an eager library does it:
  .permute(0,2,1,3)  (2,4,3,5):(60,5,20,1)+0  view
  .reshape(2,4,15)   (2,4,15):(60,15,1)+0     copy  480 B read, 480 B written
  .transpose(0,1)    (4,2,15):(15,60,1)+0     view
  .flatten()         (120):(1)+0              copy  480 B read, 480 B written
  2 copies, 960 B read, 960 B written
as one chain from (2,3,4,5):(60,20,5,1)+0:
  copy 1  120 elements  (4,6,5):(5,20,1)+0 -> (4,6,5):(30,5,1)+0
  result  (120):(1)+0
  1 copy, 480 B read, 480 B written; 960 B saved
)");
}

TEST(ExplainChain, ExplainsEachPartOfAPattern) {
  EXPECT_EQ(
      text("y = rearrange(torch.zeros(2,3,4,5), 'b h t d -> b t (h d)')"),
      R"(1  torch.zeros(2,3,4,5)                                     (2,3,4,5):(60,20,5,1)+0  float32  contiguous  new   480 B
2  rearrange(torch.zeros(2,3,4,5), 'b h t d -> b t (h d)')  (2,4,15):(60,15,1)+0     float32  contiguous  copy  960 B moved: the pattern puts together axes that are apart in memory

1 copy, 960 B moved, at most 960 B held

one by one, as an eager library does it:
  .permute(0,2,1,3)  (2,4,3,5):(60,5,20,1)+0  view
  .reshape(2,4,15)   (2,4,15):(60,15,1)+0     copy  480 B read, 480 B written
  1 copy, 480 B read, 480 B written
as one chain from (2,3,4,5):(60,20,5,1)+0:
  copy 1  120 elements  (2,4,3,5):(60,5,20,1)+0 -> (2,4,3,5):(60,15,5,1)+0
  result  (2,4,15):(60,15,1)+0
  1 copy, 480 B read, 480 B written; none saved
)");
  // There and back again: the chain is the tensor it began with.
  const std::string both = text(
      "x = torch.zeros(2,3,4,5)\ny = rearrange(x, 'b h t d -> b t (h d)')\nz = rearrange(y, "
      "'b t (h d) -> b h t d', h=3)");
  EXPECT_EQ(both.substr(both.find("one by one")), R"(one by one, as an eager library does it:
  .permute(0,2,1,3)  (2,4,3,5):(60,5,20,1)+0  view
  .reshape(2,4,15)   (2,4,15):(60,15,1)+0     copy  480 B read, 480 B written
  .reshape(2,4,3,5)  (2,4,3,5):(60,15,5,1)+0  view
  .permute(0,2,1,3)  (2,3,4,5):(60,5,15,1)+0  view
  1 copy, 480 B read, 480 B written
as one chain from (2,3,4,5):(60,20,5,1)+0:
  view    (2,3,4,5):(60,20,5,1)+0
  no copy; 960 B saved
)");
  const std::string wide = text("y = repeat(torch.zeros(2,3), 'h w -> h (w w2)', w2=2)");
  EXPECT_EQ(wide.substr(wide.find("one by one")), R"(one by one, as an eager library does it:
  .expand(2,3,2)  (2,3,2):(3,1,0)+0  view
  .reshape(2,6)   (2,6):(6,1)+0      copy  48 B read, 48 B written
  1 copy, 48 B read, 48 B written
as one chain from (2,3):(3,1)+0:
  copy 1  12 elements  (6,2):(1,0)+0 -> (6,2):(2,1)+0
  result  (2,6):(6,1)+0
  1 copy, 48 B read, 48 B written; none saved
)");
}

TEST(ExplainChain, FollowsEveryLayoutOperation) {
  const auto costs = [](const std::string& expression) -> std::string {
    const Explanation explanation = explain(expression, {.inputs = {{"x", zeros({4, 6, 5})}}});
    EXPECT_FALSE(explanation.evaluation.failure) << expression << ": " << explanation.message;
    if (!explanation.chain) return "no chain";
    const ChainComparison& chain = *explanation.chain;
    EXPECT_EQ(chain.plan.result.shape, explanation.evaluation.steps.back().layout.shape) << expression;
    return std::to_string(chain.eager.size()) + " steps, " + std::to_string(chain.eager_copies) + " to " +
           std::to_string(chain.cost.copies) + " copies, saved " + std::to_string(chain.bytes_saved());
  };
  EXPECT_EQ(costs("x.T.contiguous().mT"), "3 steps, 1 to 0 copies, saved 960");
  EXPECT_EQ(costs("x.T.contiguous().flatten()"), "3 steps, 1 to 1 copies, saved 0");
  EXPECT_EQ(costs("x.T.contiguous()"), "2 steps, 1 to 1 copies, saved 0");
  EXPECT_EQ(costs("x.flip(0, 1).select(0, 1)[1:3, None].swapaxes(0, 1).contiguous()"),
            "5 steps, 1 to 1 copies, saved 880");
  EXPECT_EQ(costs("x[..., 0].t().reshape(-1).unflatten(0, (6, 4)).movedim(0, 1)"),
            "5 steps, 1 to 0 copies, saved 192");
  EXPECT_EQ(costs("x[1, ::2].permute(1, 0).ravel().view(5, 3).unsqueeze(0).expand(2, 5, 3)"),
            "6 steps, 1 to 0 copies, saved 120");
  EXPECT_EQ(costs("x.transpose(0, 1).reshape(6, 20).unsqueeze(0).expand(3, 6, 20)"),
            "4 steps, 1 to 1 copies, saved -1920");
  EXPECT_EQ(costs("x.diagonal(0, 0, 2).narrow(0, 0, 2).squeeze().movedim(0, 1)"),
            "4 steps, 0 to 0 copies, saved 0");
  // Something else begins a chain of its own, or ends it.
  EXPECT_EQ(costs("x.T.reshape(-1).to(torch.float64).view(10, 12).T"), "2 steps, 0 to 0 copies, saved 0");
  EXPECT_EQ(costs("x.T.reshape(-1).clone()"), "no chain");
  EXPECT_EQ(costs("x.T.reshape(-1)[[0, 2]]"), "no chain");
  EXPECT_EQ(costs("y = x.T.reshape(-1)\ny.fill_(1)\ny.view(4, 30)"), "no chain");
  EXPECT_EQ(costs("y = x.T.reshape(-1)\nx.fill_(1)\ny.view(4, 30)"), "no chain");
  EXPECT_EQ(costs("x.T.view(torch.int32).T"), "1 steps, 0 to 0 copies, saved 0");
}

TEST(ExplainChain, IsNoneAfterARefusal) {
  EXPECT_FALSE(explain("torch.zeros(2,3).T.view(-1)").chain);
  EXPECT_EQ(json("torch.zeros(2,3).T.view(-1)")["chain"], nullptr);
  EXPECT_EQ(json("1 + 1")["chain"], nullptr);
}

TEST(ExplainFixes, DoWhatTheySay) {
  int refused = 0;
  for (const std::string chain :
       {".permute(0,2,1)", ".permute(2,1,0)", ".transpose(0,1)", ".movedim(0,2)", "[:, ::2]", "[:, :, 1:]",
        ".permute(1,0,2)[:, 1:]", ".unsqueeze(0).expand(2,-1,-1,-1)", ".flip(0).T", "[:, ::-1]",
        ".mT.mT.mT"}) {
    for (const std::string sizes : {"-1", "6,-1", "-1,6", "4,-1", "2,-1,2"}) {
      const std::string start = "torch.arange(48).view(4,4,3)" + chain;
      const Explanation explanation = explain(start + ".view(" + sizes + ")");
      const std::optional<Failure>& failure = explanation.evaluation.failure;
      if (!failure || !failure->obstacle) continue;
      ++refused;
      ASSERT_GE(explanation.fixes.size(), 2U);
      const Tensor wanted = *evaluate(Program::parse(start + ".reshape(" + sizes + ")")).value.tensor();
      for (std::size_t i = 0; i < 2; ++i) {
        const Evaluation fixed = evaluate(Program::parse(start + explanation.fixes[i].code));
        ASSERT_FALSE(fixed.failure) << start << explanation.fixes[i].code;
        EXPECT_TRUE(fixed.value.tensor()->equal(wanted)) << start << explanation.fixes[i].code;
        const Evaluation before = evaluate(Program::parse(start));
        EXPECT_EQ(fixed.totals.copies, before.totals.copies + 1);
        EXPECT_EQ(explanation.fixes[i].bytes_copied * 2,
                  fixed.totals.bytes_moved - before.totals.bytes_moved);
      }
      if (explanation.fixes.size() < 3) continue;
      // ".view(48) before .permute(0,2,1)": the text up to that step, viewed.
      const std::string& code = explanation.fixes[2].code;
      const std::size_t before = code.find(" before ");
      const std::string step = code.substr(before + 8);
      const Evaluation moved =
          evaluate(Program::parse(start.substr(0, start.rfind(step)) + code.substr(0, before)));
      ASSERT_FALSE(moved.failure) << code;
      EXPECT_EQ(moved.value.tensor()->shape(), wanted.shape());
      EXPECT_FALSE(moved.value.tensor()->equal(wanted)) << start << code;
      EXPECT_EQ(moved.steps.back().kind, StepKind::view);
    }
  }
  EXPECT_GT(refused, 20);
}

TEST(BytesToText, KeepsSmallNumbersExact) {
  EXPECT_EQ(bytes_to_text(0), "0 B");
  EXPECT_EQ(bytes_to_text(9999), "9999 B");
  EXPECT_EQ(bytes_to_text(10240), "10.0 KiB");
  EXPECT_EQ(bytes_to_text(Index{3} << 30), "3.0 GiB");
  EXPECT_EQ(bytes_to_text(INT64_MAX), "8.0 EiB");
}

}  // namespace
}  // namespace tenstride
