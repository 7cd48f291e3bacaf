// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "arena.hpp"
#include "check.hpp"
#include "harness.hpp"
#include "options.hpp"
#include "peer.hpp"
#include "plain_copy.hpp"

namespace tenstride::bench {

using Json = nlohmann::ordered_json;

/// What the cases of a run share: memory, peers, yardsticks and the number of wrong results.
class Session {
 public:
  explicit Session(const Options& options);

  [[nodiscard]] const Options& options() const noexcept { return options_; }
  /// The peers that the command line selects.
  [[nodiscard]] const std::vector<Peer*>& peers() const noexcept { return peers_; }
  Arena& source() noexcept { return source_; }
  Arena& destination() noexcept { return destination_; }

  /// Whether this many bytes of memory can be used.
  [[nodiscard]] bool fits(std::size_t bytes) const noexcept { return bytes <= memory_; }
  /// Sets the number of threads of all peers.
  void set_threads(int count);

  /// The yardsticks of a copy of `bytes` from source to destination on `threads` threads, and of a fill.
  std::vector<Contender> plain_copy_contenders(std::size_t bytes, int threads);
  std::vector<Contender> plain_fill_contenders(std::size_t bytes, int threads);
  /// The yardsticks of reading `bytes` of `src` and then filling `written` bytes of the destination.
  std::vector<Contender> plain_read_contenders(const std::byte* src, std::size_t bytes, std::size_t written,
                                               int threads);
  /// A plain copy into new memory: malloc, memcpy, free.
  Contender fresh_plain_copy(std::size_t bytes);

  /// Adds the contender if its result is right, and complains otherwise.
  void admit(std::vector<Contender>& contenders, const std::string& case_name, const Peer& peer, Call call,
             const Expected& expected, std::size_t dst_bytes);
  /// The same for what `offer(peer)` gives of each peer; what it throws is complained about.
  void admit_all(std::vector<Contender>& contenders, const std::string& case_name,
                 const std::function<Call(Peer&)>& offer, const Expected& expected, std::size_t dst_bytes);
  /// Prints what is wrong with a result, and counts it.
  void complain(const std::string& case_name, const Peer& peer, const std::string& what);
  /// The number of wrong results.
  [[nodiscard]] int complaints() const noexcept { return complaints_; }

  /// Times the contenders, of which the first `plain` are yardsticks. Writes the seconds, the samples and the
  /// shares of the fastest yardstick into `record`.
  void time(std::vector<Contender>& contenders, std::size_t plain, std::size_t bytes, Json& record);

 private:
  Team& team(int threads);

  Options options_;
  std::vector<Peer*> peers_;
  Arena source_;
  Arena destination_;
  std::map<int, std::unique_ptr<Team>> teams_;
  std::vector<PlainCopy> copies_ = plain_copies();
  std::vector<PlainFill> fills_ = plain_fills();
  std::vector<PlainRead> reads_ = plain_reads();
  std::size_t memory_ = 0;
  int complaints_ = 0;
};

/// Whether there is memory for a copy; prints a line if there is not.
bool has_memory_for(const Session& session, const CopyCase& what);
/// Times one copy by all peers, and adds a record.
void run_copy(Session& session, const CopyCase& what, const std::string& destination, int threads,
              Json& records);

// The parts of a run. Each returns its records, or passes them to `keep`.

/// Calls `keep` with the records so far after each case.
void run_copies(Session& session, const std::function<void(const Json&)>& keep);
/// Times copies, reductions and arithmetic drawn at random (bench/drawn_cases.hpp, drawn_computations.hpp),
/// and prints their mean share, the worst cases and where another library is faster. Calls `keep` with
/// "drawn", "drawn_reductions" or "drawn_arithmetic" and its records so far.
void run_drawn(Session& session, const std::function<void(const std::string& what, const Json&)>& keep);
std::vector<std::string> drawn_names(const Options& options);
/// Times one reduction, or arithmetic, by all peers, and adds a record.
void run_computation(Session& session, const ComputationCase& what, int threads, Json& records);
Json run_operations(Session& session);
Json run_chains(Session& session);
Json run_arithmetic(Session& session);
std::vector<std::string> arithmetic_names();
Json run_reductions(Session& session);
std::vector<std::string> reduction_names(Scope scope);
Json run_in_place(Session& session);
std::vector<std::string> in_place_names(Scope scope);
Json run_tiny(Session& session);
/// How evenly the imaginary threads of `--simulate-threads` share copies, reductions, arithmetic and other
/// operations: prints the speed-up that balance alone allows, by family, and the least.
Json run_simulated(Session& session);
/// Times every way of copies that are drawn at random, and fits the constants of the ways' costs to them:
/// prints for each class what the chosen ways lose against the best, and the constants that changed.
Json run_fit(Session& session);

/// The value with five significant digits; further digits are noise.
double rounded(double value);

}  // namespace tenstride::bench
