// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <span>
#include <string>
#include <vector>

#include "call.hpp"

namespace tenstride::bench {

/// One who takes part in a case.
struct Contender {
  std::string name;
  Call call;
  /// Gets all its turns, however slow it is.
  bool takes_all_turns = false;
  /// Seconds of the call by which its result was checked; 0 where that was not timed.
  double seconds_when_checked = 0;
};

/// What the clock said about one contender.
struct Timing {
  std::string name;
  std::vector<double> seconds;  ///< of one call each, in the order they were taken

  [[nodiscard]] double median() const;
  [[nodiscard]] double fastest() const;
};

/// How to take turns.
struct Rounds {
  int repetitions = 7;
  /// Short calls are repeated until a turn takes so long.
  double seconds_of_a_turn = 2e-2;
  /// A call shorter than this is made once before each turn, so that the caches hold what its own repetition
  /// leaves in them and not what the contender before it left.
  double warmed_below = 20e-3;
  /// Who is so many times slower than the fastest gets 3 turns only, and one so many times slower just the
  /// call by which that was found out.
  double few_turns_from = 1.25;
  double one_turn_from = 4;
  /// Whose call took so long when its result was checked is not called again to find out how slow it is.
  double known_from = 0.1;
  /// The same for who takes all turns otherwise: the ratio is known well enough then.
  double few_turns_of_all_from = 6;
  /// Between turns: time for the threads of the one before to fall asleep (GNU OpenMP's spin for 4.5 ms).
  double pause = 1e-2;
};

/// All contenders in turn, `repetitions` times, the first of a round another one each time: what drifts,
/// drifts for all.
std::vector<Timing> time_in_turn(std::span<Contender> contenders, const Rounds& rounds);

}  // namespace tenstride::bench
