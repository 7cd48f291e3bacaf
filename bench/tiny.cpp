// SPDX-License-Identifier: Apache-2.0
// Calls that take nanoseconds, timed by Google Benchmark with the repetitions of all contenders in random
// order.
#include <benchmark/benchmark.h>
#include <sys/single_threaded.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <deque>
#include <map>

#include "session.hpp"

namespace tenstride::bench {
namespace {

/// Calls between two readings of the clock.
constexpr std::int64_t batch = 256;

struct Key {
  std::string what;
  std::string contender;
  auto operator<=>(const Key&) const = default;
};
using Samples = std::map<Key, std::vector<double>>;

/// Collects nanoseconds per call instead of printing them.
class Collector : public benchmark::BenchmarkReporter {
 public:
  explicit Collector(Samples& samples, const std::vector<Key>& keys) : samples_(samples), keys_(keys) {}
  bool ReportContext(const Context&) override { return true; }
  void ReportRuns(const std::vector<Run>& runs) override {
    for (const Run& run : runs) {
      if (run.run_type != Run::RT_Iteration || run.error_occurred) continue;
      const auto which = static_cast<std::size_t>(std::stoul(run.run_name.function_name));
      samples_[keys_[which]].push_back(
          rounded(run.real_accumulated_time * 1e9 / static_cast<double>(run.iterations)));
    }
  }

 private:
  Samples& samples_;
  const std::vector<Key>& keys_;
};

void initialize(const Options& options) {
  const bool is_smoke = options.scope == Scope::smoke;
  std::array<std::string, 4> words{"tenstride-bench", "--benchmark_enable_random_interleaving=true",
                                   "--benchmark_repetitions=" + std::to_string(options.rounds.repetitions),
                                   std::string("--benchmark_min_time=") + (is_smoke ? "0.00001" : "0.02")};
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  int argc = static_cast<int>(argv.size());
  benchmark::Initialize(&argc, argv.data());
}

void print(const Key& key, const std::string& process, double median) {
  std::printf("%s, %s: %s %.1f ns\n", key.what.c_str(), process.c_str(), key.contender.c_str(), median);
}

void run_all(Session& session, const std::string& process, Json& records) {
  std::vector<Key> keys;
  std::deque<Tiny> kept;  // a deque, because the registered benchmarks refer to its elements
  benchmark::ClearRegisteredBenchmarks();
  for (Peer* const peer : session.peers()) {
    for (Tiny& tiny : peer->tiny()) {
      if (!session.options().wants("tiny/" + tiny.what)) continue;
      kept.push_back(std::move(tiny));
      benchmark::RegisterBenchmark(std::to_string(keys.size()).c_str(),
                                   [&one = kept.back()](benchmark::State& state) {
                                     while (state.KeepRunningBatch(batch)) one.run(batch);
                                   });
      keys.push_back({kept.back().what, peer->name()});
    }
  }
  if (keys.empty()) return;
  Samples samples;
  Collector collector(samples, keys);
  benchmark::RunSpecifiedBenchmarks(&collector);
  for (const Key& key : keys) {  // in the peers' order
    const std::vector<double>& all = samples[key];
    if (all.empty()) continue;
    const Timing timing{key.contender, all};
    print(key, process, timing.median());
    records.push_back({{"family", "tiny"},
                       {"name", key.what},
                       {"process", process},
                       {"contender", key.contender},
                       {"nanoseconds", rounded(timing.median())},
                       {"samples", all}});
  }
}

}  // namespace

Json run_tiny(Session& session) {
  Json records = Json::array();
  initialize(session.options());
  // Counting references costs less until the process starts a second thread. So no peer's number of threads
  // is set here: setting it makes libtorch start threads.
  if (__libc_single_threaded != 0) run_all(session, "one thread in the process", records);
  {
    const Team another(2);
    session.set_threads(1);
    run_all(session, "threads in the process", records);
  }
  return records;
}

}  // namespace tenstride::bench
