// SPDX-License-Identifier: Apache-2.0
// The place that a ledger tells: the line that called, whatever stands between it and the library.
#include <gtest/gtest.h>

#include <functional>
#include <string>
#include <vector>

#include "memory/watch.hpp"
#include "support/scratch.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/image.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

constexpr unsigned line_here(Caller here = Caller::current()) {
  return here.line();
}

/// The lines that a ledger tells of a call, which must have entries, all of this file.
std::vector<unsigned> lines_of(const std::function<void()>& call) {
  const CopyLedger ledger;
  call();
  std::vector<unsigned> lines;
  for (const LedgerEntry& entry : ledger.entries()) {
    EXPECT_NE(std::string(entry.caller.file_name()).find("test_ledger_places"), std::string::npos)
        << entry.operation << " at " << entry.caller.file_name() << ':' << entry.caller.line();
    lines.push_back(entry.caller.line());
  }
  return lines;
}

TEST(LedgerPlace, OfAnOperatorIsTheLineThatHasIt) {
  const Tensor a = arange(6, {.dtype = DType::float32}).view({2, 3});
  const Tensor whole = arange(1, 7).view({2, 3});
  const Tensor bits = whole > 2;
  const Scalar two = 2;
  using Lines = std::vector<unsigned>;
  EXPECT_EQ(lines_of([&] { (void)(a + a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a - 1); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a * 1.5); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a / two); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a % std::complex<float>(2).real()); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(whole & 3); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(whole | whole); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(bits ^ true); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1 + a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1.5 - a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(two * a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1 / a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(7 % whole); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(3 & whole); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(8 | whole); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(true ^ bits); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)-a; }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)~bits; }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a == a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a != 1); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a < a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a <= two); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a > 1); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(a >= a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1 == a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(two == a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(two != a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1 < a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1 <= a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(two > a); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)(1 >= a); }), Lines{line_here()});
}

TEST(LedgerPlace, OfNumbersOnEitherSideGivesTheSameAnswers) {
  const Tensor x = arange(4);
  const Scalar two = 2;
  EXPECT_TRUE((2 == x).equal(x == two));
  EXPECT_TRUE((two == x).equal(eq(x, 2)));
  EXPECT_TRUE((two != x).equal(ne(x, 2)));
  EXPECT_TRUE((2 < x).equal(gt(x, 2)));
  EXPECT_TRUE((2 <= x).equal(ge(x, 2)));
  EXPECT_TRUE((2 > x).equal(lt(x, 2)));
  EXPECT_TRUE((2 >= x).equal(le(x, 2)));
  EXPECT_TRUE(two == Scalar(2));
  EXPECT_TRUE(two != Scalar(3));
}

TEST(LedgerPlace, OfReductionsIsTheirCaller) {
  const Tensor x = ones({2, 3});
  using Lines = std::vector<unsigned>;
  EXPECT_EQ(lines_of([&] { (void)reduce_axes(x, {0}, Reduction::max); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)reduce(x, "a b -> a", Reduction::sum); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)sum(x); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)x.all(); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)any(x); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)all(x, 1); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)lt(x, 2); }), Lines{line_here()});
}

TEST(LedgerPlace, OfFunctionsThatForwardIsTheirCaller) {
  const Tensor x = ones({2, 3});
  const Tensor z = zeros({2}, {.dtype = DType::complex64}).conj();
  using Lines = std::vector<unsigned>;
  EXPECT_EQ(lines_of([&] { (void)resolve_conj(z); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)reshape(x.t(), {6}); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)flatten(x.t()); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)clone(x); }), Lines{line_here()});
}

TEST(LedgerPlace, OfFilesIsTheirCaller) {
  const testing::Scratch scratch;
  const Tensor x = zeros({2, 3});
  using Lines = std::vector<unsigned>;
  const std::string npy = scratch.path("x.npy"), png = scratch.path("x.png");
  EXPECT_EQ(lines_of([&] { io::save_npy(npy, x.t()); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] { (void)io::load_npy(npy); }), Lines{line_here()});
  EXPECT_EQ(lines_of([&] {
              io::write_png(png, zeros({2, 3}, {.dtype = DType::uint8}));
            }).back(),
            line_here());
  EXPECT_EQ(lines_of([&] { (void)io::open_tensor_file(png); }), Lines{line_here()});
}

TEST(LedgerPlace, OfAnExpressionIsItsLine) {
  const CopyLedger ledger;
  (void)evaluate(Program::parse("x = torch.arange(6).view(2, 3)\ny = x.t().contiguous()\nz = y + 1"));
  std::vector<std::string> places;
  for (const LedgerEntry& entry : ledger.entries()) {
    ASSERT_TRUE(entry.script);
    places.push_back(entry.operation + " " + entry.script->file + ':' + std::to_string(entry.script->line));
  }
  EXPECT_EQ(places, (std::vector<std::string>{"arange <expression>:1", "contiguous <expression>:2",
                                              "add <expression>:3"}));
}

TEST(LedgerPlace, OfAnExpressionIsTheScriptThatAskedForIt) {
  const ScriptPlace script{"train.py", "step", 12};
  const CopyLedger ledger;
  {
    const detail::ScriptScope scope(script);
    (void)explain("torch.arange(6).view(2, 3).t().contiguous()");
  }
  ASSERT_EQ(ledger.entries().size(), 2U);  // the trial run that comes first is muted
  for (const LedgerEntry& entry : ledger.entries()) EXPECT_EQ(entry.script->file, "train.py");
  EXPECT_EQ(ledger.totals().copies, 1U);
}

TEST(LedgerPlace, OfWhatExplainTriesOutIsNone) {
  const CopyLedger ledger;
  const Explanation explanation = explain("torch.zeros(2, 3).t().view(6)");
  EXPECT_FALSE(explanation.fixes.empty());
  EXPECT_EQ(ledger.totals().copies, 0U);
  EXPECT_EQ(ledger.totals().scrambles, 0U);
  EXPECT_EQ(ledger.totals().allocations, 1U);
}

}  // namespace
}  // namespace tenstride
