// SPDX-License-Identifier: Apache-2.0
#include "harness.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <thread>

namespace tenstride::bench {
namespace {

using Clock = std::chrono::steady_clock;

/// Seconds that `calls` calls take together.
double time_calls(const Call& call, std::uint64_t calls) {
  if (call.run_elsewhere) return call.run_elsewhere(calls);
  const Clock::time_point begin = Clock::now();
  for (std::uint64_t i = 0; i < calls; ++i) call.run();
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

/// Seconds of one call, roughly: calls are added, eight times as many each time, until a sample is long
/// enough.
double estimate(const Contender& contender, const Rounds& rounds) {
  if (contender.seconds_when_checked >= rounds.known_from) return contender.seconds_when_checked;
  const Call& call = contender.call;
  if (call.before) call.before();
  double seconds = time_calls(call, 1);
  for (std::uint64_t calls = 4; !call.before && calls < 1U << 20U; calls *= 8) {
    if (seconds * static_cast<double>(calls) > rounds.seconds_of_a_sample) break;
    seconds = time_calls(call, calls) / static_cast<double>(calls);
  }
  return seconds;
}

/// The part that one contender has in the rounds.
struct Schedule {
  std::uint64_t calls_of_a_sample = 1;
  int rounds = 1;
  bool is_warmed = false;  ///< by an untimed call before each sample
};

Schedule schedule_of(const Contender& contender, double seconds, double fastest, const Rounds& rounds) {
  Schedule schedule;
  schedule.rounds = rounds.repetitions;
  const double three_rounds_from =
      contender.takes_all_rounds ? rounds.three_rounds_from_of_all : rounds.three_rounds_from;
  if (seconds > fastest * three_rounds_from) schedule.rounds = std::min(3, rounds.repetitions);
  if (!contender.takes_all_rounds && seconds > fastest * rounds.estimate_only_from) schedule.rounds = 0;
  if (contender.call.before) return schedule;
  schedule.is_warmed = seconds < rounds.warmed_below;
  schedule.calls_of_a_sample =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::ceil(rounds.seconds_of_a_sample / seconds)));
  return schedule;
}

}  // namespace

double Timing::median() const {
  std::vector<double> sorted = seconds;
  std::sort(sorted.begin(), sorted.end());
  const std::size_t middle = sorted.size() / 2;
  return sorted.size() % 2 == 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}

double Timing::fastest() const {
  return *std::min_element(seconds.begin(), seconds.end());
}

std::vector<Timing> time_in_rounds(std::span<Contender> contenders, const Rounds& rounds) {
  std::vector<Timing> timings;
  std::vector<Schedule> schedules;
  std::vector<double> estimates;
  for (const Contender& contender : contenders) {
    timings.push_back({contender.name, {}});
    estimates.push_back(std::max(estimate(contender, rounds), 1e-9));
  }
  const double fastest = *std::min_element(estimates.begin(), estimates.end());
  for (std::size_t i = 0; i < contenders.size(); ++i) {
    schedules.push_back(schedule_of(contenders[i], estimates[i], fastest, rounds));
    if (schedules[i].rounds == 0) timings[i].seconds.push_back(estimates[i]);
  }
  const std::size_t count = contenders.size();
  for (int round = 0; round < rounds.repetitions; ++round) {
    for (std::size_t k = 0; k < count; ++k) {
      const std::size_t who = (k + static_cast<std::size_t>(round)) % count;
      const Schedule& schedule = schedules[who];
      if (round >= schedule.rounds) continue;
      const Call& call = contenders[who].call;
      if (rounds.pause > 0) std::this_thread::sleep_for(std::chrono::duration<double>(rounds.pause));
      if (call.before) call.before();
      if (schedule.is_warmed) time_calls(call, 1);
      timings[who].seconds.push_back(time_calls(call, schedule.calls_of_a_sample) /
                                     static_cast<double>(schedule.calls_of_a_sample));
    }
  }
  return timings;
}

}  // namespace tenstride::bench
