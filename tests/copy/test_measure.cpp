// SPDX-License-Identifier: Apache-2.0
// Tests of plans that are chosen by the clock: what is run, what is kept, and what is refused.
#include "tenstride/copy/measure.hpp"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <complex>
#include <filesystem>
#include <fstream>
#include <set>

#include "base/cache_file.hpp"
#include "copy/known_plans.hpp"
#include "support/copy_oracle.hpp"
#include "support/refusal.hpp"
#include "support/scratch.hpp"
#include "support/tensors.hpp"
#include "support/variable.hpp"
#include "tenstride/copy/run_plan.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/ledger/ledger.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using oracle::Bytes;

/// A copy of a view to row-major order, and what it gives.
struct Example {
  Layout view;
  DType type = DType::float32;
  Bytes in{};
  Bytes out{};

  Example(Layout view_, DType type_) : view(std::move(view_)), type(type_) {
    oracle::Random random(5);
    in = random.bytes(static_cast<std::size_t>(oracle::bytes_of(type, reach(view)->highest + 1)));
    out.resize(static_cast<std::size_t>(oracle::bytes_of(type, numel(view))));
    oracle::copy(row_major(view.shape), type, out.data(), view, type, in.data());
  }

  [[nodiscard]] CopyPlan plan(const PlanOptions& options) const {
    return plan_copy(row_major(view.shape), type, view, type, options);
  }
  [[nodiscard]] bool is_right(const CopyPlan& plan) const {
    Bytes given(out.size());
    run_plan(plan, given.data(), in.data());
    return given == out;
  }
};

std::vector<Example> examples() {
  return {{permute(row_major({1100, 5, 260}), {2, 1, 0}), DType::float32},
          {permute(row_major({70, 64, 90}), {1, 0, 2}), DType::float64},
          {{{600, 300}, {1200, 2}, 0}, DType::uint8},
          {permute(row_major({40000, 7, 5}), {0, 2, 1}), DType::complex64},
          {flip_view(row_major({500, 333}), {0}), DType::int16},
          {row_major({4, 5}), DType::float32}};
}

TEST(OtherWays, AreAllRightAndEachOnce) {
  PlanOptions options;
  options.machine.stores = SequentialStores::streaming;
  for (const Example& example : examples()) {
    const CopyPlan plan = example.plan(options);
    const std::vector<CopyPlan> ways = other_ways(plan, options);
    std::set<std::string> names;
    for (const CopyPlan& way : ways) {
      EXPECT_TRUE(names.insert(way.name()).second) << way.name();
      EXPECT_TRUE(example.is_right(way)) << way.to_string();
      EXPECT_TRUE(way.is_of(row_major(example.view.shape), example.view)) << way.to_string();
    }
    EXPECT_TRUE(std::is_sorted(ways.begin(), ways.end(),
                               [](const CopyPlan& a, const CopyPlan& b) { return a.cost() < b.cost(); }));
    if (plan.method() == "small") continue;
    ASSERT_FALSE(ways.empty());
    EXPECT_EQ(ways.front().name(), plan.name());
    EXPECT_EQ(ways.front().cost(), plan.cost());
    EXPECT_TRUE(names.contains(plan.name()));
  }
}

TEST(OtherWays, HaveEachPackingOfBlocks) {
  const Example example(permute(row_major({1100, 5, 260}), {2, 1, 0}), DType::float32);
  const PlanOptions options;
  std::set<std::string> names;
  for (const CopyPlan& way : other_ways(example.plan(options), options)) names.insert(way.name());
  EXPECT_TRUE(names.contains("blocks, transposed"));
  EXPECT_TRUE(names.contains("blocks, gathered"));
  EXPECT_TRUE(names.contains("tiles"));
}

TEST(Measure, RunsSeveralWaysAndTellsThem) {
  for (const Example& example : examples()) {
    const PlanOptions options = options_here();
    const CopyPlan plan = example.plan(options);
    const Measurement measured = measure_anew(plan, options);
    ASSERT_FALSE(measured.timed.empty());
    EXPECT_GT(measured.plain_seconds, 0);
    EXPECT_TRUE(example.is_right(measured.fastest.plan)) << measured.fastest.plan.to_string();
    for (const TimedPlan& one : measured.timed) {
      EXPECT_GT(one.seconds, 0);
      EXPECT_GE(one.seconds, measured.timed.front().seconds);
      EXPECT_TRUE(example.is_right(one.plan)) << one.variation << ' ' << one.plan.to_string();
    }
    const std::string text = to_text(measured);
    EXPECT_TRUE(text.starts_with("  measured  foretold  times a plain copy, which takes ")) << text;
    EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), std::ssize(measured.timed)) << text;
  }
}

TEST(Measure, HasNothingToRunForNoElements) {
  const CopyPlan plan = plan_copy(row_major({0, 3}), DType::float32, row_major({0, 3}), DType::float32);
  EXPECT_TRUE(measure_anew(plan, {}).timed.empty());
  EXPECT_EQ(measure_anew(plan, {}).fastest.plan.count, 0);
}

/// Of what is drawn, with repeated, reversed and converted elements, every plan that is measured is right.
TEST(Measure, IsRightForDrawnCopies) {
  oracle::Random random(9);
  for (int trial = 0; trial < 20; ++trial) {
    const Dims shape = oracle::random_shape(random, static_cast<std::size_t>(random.between(1, 5)), 20000);
    const oracle::Placed src = oracle::random_layout(random, shape, true);
    const oracle::Placed dst = oracle::random_layout(random, shape, false);
    const DType from = random.one_in(2) ? DType::float32 : DType::uint8;
    const DType to = random.one_in(2) ? DType::float32 : DType::int16;
    const Bytes in = random.bytes(static_cast<std::size_t>(oracle::bytes_of(from, src.storage)));
    const Bytes before = random.bytes(static_cast<std::size_t>(oracle::bytes_of(to, dst.storage)));
    Bytes expected = before;
    oracle::copy(dst.layout, to, expected.data(), src.layout, from, in.data());
    PlanOptions options = options_here();
    options.placement.dst_in_line = random.between(0, 63);
    const CopyPlan plan = plan_copy(dst.layout, to, src.layout, from, options);
    const Measurement measured = measure_anew(plan, options);
    for (const TimedPlan& one : measured.timed) {
      Bytes given = before;
      run_plan(one.plan, given.data(), in.data());
      EXPECT_TRUE(given == expected) << one.plan.to_string();
    }
  }
}

class KnownPlans : public ::testing::Test {
 protected:
  std::string text() const { return detail::read_small_file(plans_file()); }
  void write(const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(plans_file()).parent_path());
    std::ofstream(plans_file(), std::ios::binary) << text;
  }

 private:
  testing::Scratch scratch_;
  testing::Variable cache_{"XDG_CACHE_HOME", scratch_.folder().c_str()};
};

TEST_F(KnownPlans, AreFoundAgain) {
  const PlanOptions options = options_here();
  for (const Example& example : examples()) {
    const CopyPlan plan = example.plan(options);
    const Measurement first = measure(plan, options);
    EXPECT_FALSE(first.timed.empty());
    const std::string written = text();
    const Measurement second = measure(plan, options);
    EXPECT_TRUE(second.timed.empty()) << plan.to_string();
    EXPECT_EQ(second.fastest.plan.name(), first.fastest.plan.name());
    EXPECT_EQ(second.fastest.plan.to_string(), first.fastest.plan.to_string());
    EXPECT_EQ(text(), written);
    EXPECT_TRUE(example.is_right(second.fastest.plan));
  }
}

TEST_F(KnownPlans, AreThoseOfTheirMachine) {
  const Example example = examples().front();
  PlanOptions options = options_here();
  EXPECT_FALSE(measure(example.plan(options), options).timed.empty());
  options.machine.costs.blocks *= 2;
  EXPECT_FALSE(measure(example.plan(options), options).timed.empty());
  EXPECT_TRUE(measure(example.plan(options), options).timed.empty());
}

TEST_F(KnownPlans, AreIgnoredWhereTheFileIsDamaged) {
  const Example example(permute(row_major({60, 50, 40}), {2, 1, 0}), DType::float32);
  const PlanOptions options = options_here();
  const CopyPlan plan = example.plan(options);
  static_cast<void>(measure(plan, options));
  const std::string whole = text();
  const std::string key = copy::key_of(plan, options);
  std::vector<std::string> damaged{"",
                                   "\n",
                                   std::string(70000, 'x'),
                                   whole + "\0\t\t\n",
                                   "no heading\n" + whole,
                                   whole.substr(0, whole.find('\n') + 1) + key + "\t\n",
                                   whole.substr(0, whole.find('\n') + 1) + key + "\tno way\t\n",
                                   whole.substr(0, whole.find('\n') + 1) + key + "\tfill\tno variation\n",
                                   whole.substr(0, whole.find('\n') + 1) + key + "\tfill\t\n"};
  for (std::size_t cut = 0; cut < whole.size(); cut += 7) damaged.push_back(whole.substr(0, cut));
  for (const std::string& text : damaged) {
    write(text);
    EXPECT_TRUE(example.is_right(measure(plan, options).fastest.plan)) << text;
    EXPECT_TRUE(measure(plan, options).timed.empty()) << "it is mended: " << text;
  }
}

TEST_F(KnownPlans, OfAnotherVersionAreMeasuredAnew) {
  const Example example(permute(row_major({60, 50}), {1, 0}), DType::float32);
  const PlanOptions options = options_here();
  static_cast<void>(measure(example.plan(options), options));
  std::string old = text();
  old.replace(old.find("plans 1"), 7, "plans 0");
  write(old);
  EXPECT_FALSE(measure(example.plan(options), options).timed.empty());
}

TEST_F(KnownPlans, NeedNoFile) {
  const testing::Variable home("HOME", nullptr);
  const testing::Variable cache("XDG_CACHE_HOME", nullptr);
  EXPECT_EQ(plans_file(), "");
  const Example example = examples()[2];
  EXPECT_TRUE(example.is_right(measure(example.plan(options_here()), options_here()).fastest.plan));
}

/// What two processes write at the same time is one of their files, whole.
TEST_F(KnownPlans, AreWrittenByTwoProcessesAtTheSameTime) {
  const PlanOptions options = options_here();
  std::vector<pid_t> children;
  for (Index child = 0; child < 2; ++child) {
    const pid_t pid = fork();
    ASSERT_GE(pid, 0);
    if (pid == 0) {
      bool is_right = true;
      for (Index i = 0; i < 40; ++i) {
        const std::string key = "copy " + std::to_string(child) + ' ' + std::to_string(i % 5);
        const std::string file = plans_file();
        const std::string before = detail::read_small_file(file);
        is_right = is_right && (before.empty() || before.ends_with("\n"));
        std::string text = copy::with_recipe(before, key, {"tiles", ""});
        is_right = is_right && copy::find_recipe(text, key)->way == "tiles";
        static_cast<void>(
            measure(plan_copy(row_major({i + 9, 30 + child}), DType::float32,
                              permute(row_major({30 + child, i + 9}), {1, 0}), DType::float32, options),
                    options));
      }
      _exit(is_right ? 0 : 1);
    }
    children.push_back(pid);
  }
  for (const pid_t pid : children) {
    int status = 0;
    ASSERT_EQ(waitpid(pid, &status, 0), pid);
    EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0);
  }
  const std::string found = text();
  EXPECT_TRUE(found.starts_with("tenstride plans 1 of "));
  EXPECT_TRUE(found.ends_with("\n"));
  EXPECT_GE(std::count(found.begin(), found.end(), '\n'), 40);
  for (const auto& file :
       std::filesystem::directory_iterator(std::filesystem::path(plans_file()).parent_path()))
    EXPECT_EQ(file.path().filename(), "plans");
}

TEST(Recipes, ReplaceThoseOfTheirKeyAndStayFew) {
  std::string text = copy::with_recipe("", "a", {"tiles", ""});
  text = copy::with_recipe(text, "b", {"blocks, gathered", "bursts"});
  text = copy::with_recipe(text, "a", {"rows", "one stream"});
  EXPECT_EQ(copy::find_recipe(text, "a")->way, "rows");
  EXPECT_EQ(copy::find_recipe(text, "a")->variation, "one stream");
  EXPECT_EQ(copy::find_recipe(text, "b")->way, "blocks, gathered");
  EXPECT_EQ(copy::find_recipe(text, "b")->variation, "bursts");
  EXPECT_FALSE(copy::find_recipe(text, "c"));
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  for (int i = 0; i < 3000; ++i)
    text = copy::with_recipe(text, "a key that is rather long " + std::to_string(i), {"tiles", ""});
  EXPECT_LE(text.size(), std::size_t{64} << 10);
  EXPECT_FALSE(copy::find_recipe(text, "b"));
  EXPECT_FALSE(copy::find_recipe(text, "a key that is rather long 0"));
  for (int i = 2500; i < 3000; ++i)
    EXPECT_TRUE(copy::find_recipe(text, "a key that is rather long " + std::to_string(i))) << i;
}

TEST(PlanOfTensors, RunsAsOftenAsWanted) {
  Tensor x = arange(24).reshape({2, 3, 4}).to(DType::float32);
  Tensor y = empty({4, 3, 2});
  const Tensor view = x.permute({2, 1, 0});
  const CopyPlan plan = plan_copy(y, view);
  for (int i = 0; i < 3; ++i) {
    x.fill_(i).select(0, 1).fill_(7);
    run_plan(plan, y, view);
    EXPECT_TRUE(y.equal(view));
  }
  CopyLedger ledger;
  run_plan(plan, y, view);
  ASSERT_EQ(ledger.entries().size(), 1U);
  EXPECT_EQ(ledger.entries()[0].kernel, plan.method());
  EXPECT_EQ(ledger.entries()[0].operation, "run_plan");
}

TEST(PlanOfTensors, BroadcastsConvertsAndConjugates) {
  Tensor wide = empty({3, 2}, {.dtype = DType::float64});
  const Tensor row = arange(2).to(DType::float32);
  run_plan(plan_copy(wide, row), wide, row);
  EXPECT_TRUE(wide.equal(row.to(DType::float64).expand({3, 2})));
  const Tensor number = full({2, 2}, std::complex<double>(1, 2), {.dtype = DType::complex64});
  Tensor conjugate = empty({2, 2}, {.dtype = DType::complex64});
  run_plan(plan_copy(conjugate, number.conj()), conjugate, number.conj());
  EXPECT_TRUE(conjugate.equal(number.conj()));
}

TEST(PlanOfTensors, OfOtherTensorsIsRefused) {
  Tensor y = empty({4, 3});
  const Tensor x = zeros({3, 4});
  const CopyPlan plan = plan_copy(y, x.t());
  Tensor other = empty({4, 3}, {.dtype = DType::float64});
  Tensor transposed = empty({3, 4}).t();
  EXPECT_EQ(
      testing::refusal<RuntimeError>([&] { run_plan(plan, other, x.t()); }),
      "run_plan: the plan is one of other tensors than (4,3):(3,1)+0 float64 and (4,3):(1,4)+0 float32; "
      "plan_copy(dst, src) makes theirs");
  EXPECT_THROW(run_plan(plan, transposed, x.t()), RuntimeError);
  EXPECT_THROW(run_plan(plan, y, zeros({4, 3})), RuntimeError);
  EXPECT_THROW(run_plan(plan, y, zeros({5, 4}).t().narrow(1, 1, 3)), RuntimeError);
}

TEST(PlanOfTensors, SaysWhatItCannotPlan) {
  Tensor x = zeros({4, 4});
  EXPECT_EQ(
      testing::refusal<RuntimeError>([&] { static_cast<void>(plan_copy(x, x.t())); }),
      "plan_copy: the source and the destination share memory (shapes (4,4) and (4,4)); clone() one of them");
  Tensor repeated = zeros({1, 4}).expand({4, 4});
  EXPECT_THROW(static_cast<void>(plan_copy(repeated, zeros({4, 4}))), RuntimeError);
  Tensor none = empty({4, 4}, {.device = Device::meta});
  EXPECT_THROW(static_cast<void>(plan_copy(none, x)), RuntimeError);
  EXPECT_THROW(static_cast<void>(plan_copy(x, none)), RuntimeError);
  EXPECT_THROW(static_cast<void>(plan_copy(x, zeros({3, 4}))), ShapeError);
  EXPECT_THROW(static_cast<void>(plan_copy(x, zeros({4, 4}).neg_view())), RuntimeError);
}

class MeasuredTensors : public KnownPlans {};

TEST_F(MeasuredTensors, HaveTheElementsAfterwards) {
  const Tensor x = arange(300 * 200).reshape({300, 200});
  Tensor y = empty({200, 300}, {.dtype = DType::int64});
  CopyLedger ledger;
  const Measurement measured = measure(y, x.t());
  EXPECT_EQ(ledger.entries().size(), 1U) << "one line, however many ways were run";
  EXPECT_FALSE(measured.timed.empty());
  EXPECT_EQ(measured.plain_seconds, 0);
  EXPECT_TRUE(y.equal(x.t()));
  EXPECT_TRUE(to_text(measured).starts_with("  measured  foretold\n")) << to_text(measured);
  EXPECT_EQ(plan_copy(y, x.t(), Effort::measured).name(), measured.fastest.plan.name());
  EXPECT_EQ(ledger.entries().size(), 1U) << "what is known is not run";
}

}  // namespace
}  // namespace tenstride
