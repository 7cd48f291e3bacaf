// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "call.hpp"

namespace tenstride::bench {

/// One library, or one yardstick, that takes part in a case.
struct Contender {
  std::string name;
  Call call;
  /// Takes part in every round, however slow it is.
  bool takes_all_rounds = false;
  /// Seconds of the call whose result was checked; 0 if that call was not timed.
  double seconds_when_checked = 0;
};

/// The times of one contender.
struct Timing {
  std::string name;
  std::vector<double> seconds;  ///< of one call, a sample from each round

  [[nodiscard]] double median() const;
  [[nodiscard]] double fastest() const;
};

/// How often and how long each contender runs.
struct Rounds {
  int repetitions = 7;
  /// A short call is repeated until a sample takes this many seconds.
  double seconds_of_a_sample = 2e-2;
  /// A call shorter than this many seconds is made once, untimed, before each sample: the caches then hold
  /// what the contender's own call leaves there, not what the contender before it left.
  double warmed_below = 20e-3;
  /// A contender slower than the fastest by this factor takes part in 3 rounds only.
  double three_rounds_from = 1.25;
  /// The same for a contender that takes all rounds: the ratio is known well enough then.
  double three_rounds_from_of_all = 6;
  /// A contender slower than the fastest by this factor takes part in no round; its estimate is its time.
  double estimate_only_from = 4;
  /// If checking the result took this many seconds, that time is the estimate; no further call is made for
  /// it.
  double known_from = 0.1;
  /// Seconds between two contenders, so that the threads of the first fall asleep (GNU OpenMP's spin for
  /// 4.5 ms).
  double pause = 1e-2;
};

/// Times the contenders in `repetitions` rounds. Each round takes one sample of each contender and begins
/// with another one, so that a drift of the machine's speed affects all contenders alike.
std::vector<Timing> time_in_rounds(std::span<Contender> contenders, const Rounds& rounds);

}  // namespace tenstride::bench
