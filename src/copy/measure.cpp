// SPDX-License-Identifier: Apache-2.0
#include "tenstride/copy/measure.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <optional>

#include "base/cache_file.hpp"
#include "base/cache_line.hpp"
#include "base/message.hpp"
#include "copy/known_plans.hpp"
#include "copy/tensor_plan.hpp"
#include "ledger/watch.hpp"
#include "tenstride/copy/run_plan.hpp"

namespace tenstride {
namespace {

using copy::Recipe;
using detail::line_bytes;

/// Ways that cost more than this multiple of the cheapest one are not run, and no more than so many.
constexpr double max_cost = 3;
constexpr std::size_t max_tried = 12;
/// How many go on after three calls each, where they took no more than this multiple of the fastest.
constexpr std::size_t max_finalists = 4;
constexpr double max_time = 1.4;
/// The rounds of these, with one sample of each; a sample is as many calls as take so many seconds.
constexpr int rounds = 7;
constexpr double sample_seconds = 2e-3;
/// Another way must take less than this multiple of the estimated one's time.
constexpr double noise = .95;

/// What may be planned otherwise than the machine does. Names are in the user's cache.
struct Variation {
  std::string_view name;
  void (*apply)(PlanOptions& options);
};
constexpr std::array variations{
    Variation{"", [](PlanOptions& /*options*/) {}},
    Variation{"ordinary stores",
              [](PlanOptions& options) { options.streaming_above = std::numeric_limits<Index>::max(); }},
    Variation{"streaming stores",
              [](PlanOptions& options) {
                options.streaming_above = 1;
                options.machine.stores = SequentialStores::streaming;
              }},
    Variation{"several streams",
              [](PlanOptions& options) { options.machine.streams = MemoryStreams::several; }},
    Variation{"one stream", [](PlanOptions& options) { options.machine.streams = MemoryStreams::one; }},
    Variation{"interleaved",
              [](PlanOptions& options) { options.machine.block_stores = BlockStores::interleaved; }},
    Variation{"bursts", [](PlanOptions& options) { options.machine.block_stores = BlockStores::burst; }},
};

/// Two plans with one text run alike.
std::string text_of(const CopyPlan& plan) {
  CopyPlan shown = plan;
  shown.costs = {};
  return shown.to_string() + run_text(plan);
}

/// The plan itself, then the other ways and variations of it that cost little, each once.
std::vector<TimedPlan> contenders_of(const CopyPlan& plan, const PlanOptions& options) {
  std::vector<TimedPlan> all;
  for (const Variation& variation : variations) {
    PlanOptions varied = options;
    variation.apply(varied);
    for (CopyPlan& other : other_ways(plan, varied)) all.push_back({std::move(other), variation.name, 0});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const TimedPlan& a, const TimedPlan& b) { return a.plan.cost() < b.plan.cost(); });
  std::vector<TimedPlan> kept{{plan, "", 0}};
  std::vector<std::string> texts{text_of(plan)};
  for (TimedPlan& one : all) {
    if (kept.size() == max_tried || one.plan.cost() > max_cost * all.front().plan.cost()) break;
    std::string text = text_of(one.plan);
    if (std::find(texts.begin(), texts.end(), text) != texts.end()) continue;
    texts.push_back(std::move(text));
    kept.push_back(std::move(one));
  }
  return kept;
}

/// The memory that a side of a nest reaches, around storage element 0.
struct Span {
  Index lowest = 0;
  Index end = 0;
};
Span span_of(const Nest& nest, Index Loop::*stride, Index offset, Index item) {
  Span span{offset, offset + item};
  for (const Loop& loop : nest.loops) {
    const Index reach = (loop.extent - 1) * (loop.*stride);
    (reach < 0 ? span.lowest : span.end) += reach;
  }
  return span;
}

Span dst_span(const Nest& nest) {
  return span_of(nest, &Loop::dst_stride, nest.dst_offset, nest.dst_item);
}
Span src_span(const Nest& nest) {
  return span_of(nest, &Loop::src_stride, nest.src_offset, nest.src_item);
}

/// The byte of which sources consist: elements that are no zeros, and neither tiny nor huge, of all types but
/// bool.
constexpr int ordinary_byte = 0x3c;

/// Memory for one side, all of it written, so that no page is untouched.
class Side {
 public:
  /// `base_in_line`: the offset of storage element 0 in its cache line. `fill`: a byte of which any element
  /// may consist.
  Side(Span span, Index base_in_line, int fill) : bytes_(bytes_of(span)) {
    memory_ = static_cast<std::byte*>(std::aligned_alloc(page_bytes, static_cast<std::size_t>(bytes_)));
    if (memory_ == nullptr) throw std::bad_alloc();
    std::memset(memory_, fill, static_cast<std::size_t>(bytes_));
    const Index first = base_in_line + span.lowest;
    base_ = memory_ + ((first % line_bytes + line_bytes) % line_bytes - span.lowest);
  }
  static Index bytes_of(Span span) {
    return (span.end - span.lowest + 2 * line_bytes + page_bytes - 1) / page_bytes * page_bytes;
  }
  ~Side() { std::free(memory_); }
  Side(const Side&) = delete;
  Side& operator=(const Side&) = delete;

  [[nodiscard]] std::byte* base() const { return base_; }
  [[nodiscard]] std::byte* memory() const { return memory_; }
  [[nodiscard]] Index bytes() const { return bytes_; }

 private:
  static constexpr Index page_bytes = 4096;

  Index bytes_;
  std::byte* memory_;
  std::byte* base_;
};

template <class Run>
double seconds_of(std::uint64_t calls, const Run& run) {
  const auto begin = std::chrono::steady_clock::now();
  for (std::uint64_t i = 0; i < calls; ++i) run();
  const std::chrono::duration<double> took = std::chrono::steady_clock::now() - begin;
  return took.count() / static_cast<double>(calls);
}

/// A call whose caches hold what its own last call left, and then some calls in one sample.
template <class Run>
double sample(double estimate, const Run& run) {
  run();
  return seconds_of(
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(sample_seconds / std::max(estimate, 1e-9))), run);
}

bool is_faster(const TimedPlan& a, const TimedPlan& b) {
  return a.seconds < b.seconds;
}

/// The second largest: all values but one are at most this.
double all_but_one(std::vector<double> values) {
  const auto second = values.end() - 2;
  std::nth_element(values.begin(), second, values.end());
  return *second;
}

/// Runs the contenders on memory: each three times, then in rounds the first of them and the fastest others,
/// which remain. Returns the index of the one that is faster than the first by most in all rounds but one, as
/// the machine's speed changes from round to round; 0 where none is by more than noise.
std::size_t time_all(std::vector<TimedPlan>& all, std::byte* dst, const std::byte* src) {
  const auto run = [&](const TimedPlan& one) { return [&] { run_plan(one.plan, dst, src); }; };
  for (TimedPlan& one : all) {
    run(one)();
    one.seconds = std::min(seconds_of(1, run(one)), seconds_of(1, run(one)));
  }
  std::stable_sort(all.begin() + 1, all.end(), is_faster);
  const double fastest = all.size() > 1 ? std::min(all[0].seconds, all[1].seconds) : all[0].seconds;
  while (all.size() > 1 && (all.size() > max_finalists || all.back().seconds > max_time * fastest))
    all.pop_back();
  std::vector<std::vector<double>> of_first(all.size());
  for (int round = 0; round < rounds; ++round) {
    double first = 0;
    for (std::size_t i = 0; i < all.size(); ++i) {
      const double seconds = sample(all[i].seconds, run(all[i]));
      if (i == 0) first = seconds;
      of_first[i].push_back(seconds / first);
      all[i].seconds = std::min(all[i].seconds, seconds);
    }
  }
  std::size_t chosen = 0;
  double least = noise;
  for (std::size_t i = 1; i < all.size(); ++i) {
    const double ratio = all_but_one(of_first[i]);
    if (ratio >= least) continue;
    least = ratio;
    chosen = i;
  }
  return chosen;
}

/// Runs the contenders, of which the estimated plan comes first.
Measurement measure_on(std::byte* dst, const std::byte* src, const CopyPlan& plan,
                       const PlanOptions& options) {
  Measurement result;
  result.timed = contenders_of(plan, options);
  const std::size_t chosen = time_all(result.timed, dst, src);
  result.fastest = result.timed[chosen];
  std::stable_sort(result.timed.begin(), result.timed.end(), is_faster);
  return result;
}

/// Seconds of a plain copy of as many bytes as a plan moves, on the memory of both sides.
double plain_seconds(const CopyPlan& plan, const Side& dst, const Side& src) {
  const Index moved = plan.count * (plan.nest.dst_item + plan.nest.src_item) / plan.nest.elements / 2;
  const Index bytes = std::min({moved, dst.bytes(), src.bytes()});
  const Layout run = row_major({bytes});
  PlanOptions options = options_here();
  options.max_threads = plan.threads;
  std::vector<TimedPlan> plain{{plan_copy(run, DType::uint8, run, DType::uint8, options), "", 0}};
  static_cast<void>(time_all(plain, dst.memory(), src.memory()));
  return plain.front().seconds * static_cast<double>(moved) / static_cast<double>(bytes);
}

/// The plan of a recipe; nothing where it makes none.
std::optional<TimedPlan> plan_by(const Recipe& recipe, const CopyPlan& plan, PlanOptions options) {
  const auto* const variation = std::find_if(variations.begin(), variations.end(), [&](const Variation& one) {
    return one.name == recipe.variation;
  });
  if (variation == variations.end()) return std::nullopt;
  if (recipe.way == plan.name() && recipe.variation.empty()) return TimedPlan{plan, "", 0};
  variation->apply(options);
  for (CopyPlan& other : other_ways(plan, options)) {
    if (other.name() == recipe.way) return TimedPlan{std::move(other), variation->name, 0};
  }
  return std::nullopt;
}

/// The plan that the user's cache has, or what `measure_now` finds, which is kept there.
template <class MeasureNow>
Measurement known_or(const CopyPlan& plan, const PlanOptions& options, const MeasureNow& measure_now) {
  const std::string file = plans_file();
  const std::string key = copy::key_of(plan, options);
  if (const std::optional<Recipe> recipe = copy::find_recipe(detail::read_small_file(file), key)) {
    if (std::optional<TimedPlan> known = plan_by(*recipe, plan, options)) return {*std::move(known), {}, 0};
  }
  Measurement result = measure_now();
  const Recipe recipe{result.fastest.plan.name(), std::string(result.fastest.variation)};
  detail::write_cache(file, copy::with_recipe(detail::read_small_file(file), key, recipe));
  return result;
}

/// Example: "3.11 ms".
std::string duration_text(double seconds) {
  if (seconds >= 1) return detail::fixed(seconds, 2) + " s";
  if (seconds >= 1e-3) return detail::fixed(seconds * 1e3, 2) + " ms";
  return detail::fixed(seconds * 1e6, 2) + " us";
}

/// A copy that is made again and again finds the pages of its destination there.
PlanOptions touched(PlanOptions options) {
  options.placement.is_untouched = false;
  return options;
}

bool is_nothing(const CopyPlan& plan) {
  return plan.count == 0 || plan.nest.loops.empty();
}

}  // namespace

std::string to_text(const Measurement& measurement) {
  const double unit = measurement.plain_seconds;
  if (measurement.timed.empty())
    return detail::message("  the fastest way was known: ", measurement.fastest.plan.name());
  std::string text = unit > 0 ? "  measured  foretold  times a plain copy, which takes " + duration_text(unit)
                              : "  measured  foretold";
  for (const TimedPlan& one : measurement.timed) {
    const std::string time = unit > 0 ? detail::fixed(one.seconds / unit, 2) : duration_text(one.seconds);
    const std::string cost = one.plan.cost() > 0 ? detail::fixed(one.plan.cost(), 2) : "-";
    text += "\n  " + std::string(time.size() < 8 ? 8 - time.size() : 0, ' ') + time +
            std::string(cost.size() < 10 ? 10 - cost.size() : 0, ' ') + cost + "  " + one.plan.name();
    if (!one.variation.empty()) text.append(", ").append(one.variation);
  }
  return text;
}

std::string plans_file() {
  return detail::cache_file("plans");
}

Index measured_bytes(const CopyPlan& plan) {
  if (is_nothing(plan)) return 0;
  return Side::bytes_of(dst_span(plan.nest)) + Side::bytes_of(src_span(plan.nest));
}

Measurement measure_anew(const CopyPlan& plan, const PlanOptions& options) {
  if (is_nothing(plan)) return {{plan, "", 0}, {}, 0};
  const Side dst(dst_span(plan.nest), options.placement.dst_in_line, 0);
  const Side src(src_span(plan.nest), 0, plan.conversion.src_type == DType::bool_ ? 1 : ordinary_byte);
  Measurement result = measure_on(dst.base(), src.base(), plan, touched(options));
  result.plain_seconds = plain_seconds(plan, dst, src);
  return result;
}

Measurement measure(const CopyPlan& plan, const PlanOptions& options) {
  if (is_nothing(plan)) return {{plan, "", 0}, {}, 0};
  return known_or(plan, touched(options), [&] { return measure_anew(plan, options); });
}

Measurement measure(Tensor& dst, const Tensor& src, Caller caller) {
  const detail::OperationScope scope("measure", caller);
  const Tensor source = copy::source_of_plan("measure", dst, src);
  const PlanOptions options = touched(copy::plan_options(dst, source, {}));
  const CopyPlan plan = plan_copy(dst.layout(), dst.dtype(), source.layout(), source.dtype(), options);
  if (is_nothing(plan)) return {{plan, "", 0}, {}, 0};
  return known_or(plan, options, [&] {
    Measurement result;
    const auto run = [&] {
      result = measure_on(dst.mutable_storage_data(), source.storage_data(), plan, options);
      return result.fastest.plan.method();
    };
    if (!detail::is_watched()) {
      run();
      return result;
    }
    LedgerEntry entry = detail::copy_entry(dst, source, plan.count);
    detail::record({&entry, 1}, dst.storage(), run);
    return result;
  });
}

}  // namespace tenstride
