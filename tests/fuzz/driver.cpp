// SPDX-License-Identifier: Apache-2.0
// Runs a fuzz target where the compiler has no libFuzzer: all files of the corpus, then mutations of them
// until the time is over. It takes these of libFuzzer's flags: -max_total_time=SECONDS, -runs=N, -seed=N,
// -timeout=SECONDS (of one input), -rss_limit_mb=N, -artifact_prefix=PATH. Others are passed over. An input
// that ends the process is kept in a file.
#include <sys/resource.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

#include "fuzz/mutate.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);
extern "C" void __sanitizer_set_death_callback(void (*callback)()) __attribute__((weak));

namespace tenstride::fuzz {
namespace {

struct Flags {
  std::map<std::string, std::string> values;
  std::vector<std::filesystem::path> corpus;

  [[nodiscard]] std::uint64_t number(const std::string& name, std::uint64_t otherwise) const {
    const auto found = values.find(name);
    return found == values.end() ? otherwise : std::strtoull(found->second.c_str(), nullptr, 10);
  }
};

Flags parse(int count, char** arguments) {
  Flags flags;
  for (int i = 1; i < count; ++i) {
    const std::string argument = arguments[i];
    const std::size_t sign = std::min(argument.find('='), argument.size());
    if (!argument.starts_with('-')) {
      flags.corpus.emplace_back(argument);
    } else {
      flags.values[argument.substr(1, sign - 1)] = argument.substr(std::min(sign + 1, argument.size()));
    }
  }
  return flags;
}

// What the handlers of a death know.
std::string current_input;
std::string artifact_prefix;
bool is_kept = false;

/// Writes the input that runs. Allocates nothing, as the heap may be what is broken.
void keep_input(const char* kind) {
  if (is_kept) return;
  is_kept = true;
  static char path[4096];
  std::snprintf(path, sizeof path, "%s%s-%d", artifact_prefix.c_str(), kind, static_cast<int>(getpid()));
  std::FILE* const file = std::fopen(path, "wb");
  if (file == nullptr) return;
  std::fwrite(current_input.data(), 1, current_input.size(), file);
  std::fclose(file);
  std::fprintf(stderr, "the input that did it is in %s\n", path);
}

void on_death() {
  keep_input("crash");
}

void on_signal(int number) {
  keep_input(number == SIGALRM ? "timeout" : "crash");
  std::signal(number, SIG_DFL);
  std::raise(number == SIGALRM ? SIGABRT : number);
}

void watch_for_death() {
  if (__sanitizer_set_death_callback != nullptr) __sanitizer_set_death_callback(on_death);
  std::signal(SIGABRT, on_signal);
  std::signal(SIGALRM, on_signal);
  if (__sanitizer_set_death_callback != nullptr) return;
  for (const int number : {SIGSEGV, SIGBUS, SIGFPE, SIGILL}) std::signal(number, on_signal);
}

void read_seeds(const std::filesystem::path& path, std::vector<std::string>& seeds) {
  if (std::filesystem::is_directory(path)) {
    std::vector<std::filesystem::path> entries;
    for (const auto& entry : std::filesystem::directory_iterator(path)) entries.push_back(entry.path());
    std::sort(entries.begin(), entries.end());
    for (const std::filesystem::path& entry : entries) read_seeds(entry, seeds);
    return;
  }
  std::ifstream file(path, std::ios::binary);
  seeds.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
}

class Runner {
 public:
  explicit Runner(const Flags& flags)
      : timeout_(static_cast<unsigned>(flags.number("timeout", 120))),
        max_mb_(flags.number("rss_limit_mb", 2048)) {}

  void run(std::string input) {
    current_input = std::move(input);
    // A copy of exactly its size, so that a read beyond its end is found.
    const std::vector<std::uint8_t> bytes(current_input.begin(), current_input.end());
    alarm(timeout_);
    LLVMFuzzerTestOneInput(bytes.data(), bytes.size());
    alarm(0);
    ++runs_;
    rusage usage{};
    getrusage(RUSAGE_SELF, &usage);
    if (static_cast<std::uint64_t>(usage.ru_maxrss) / 1024 > max_mb_) {
      std::fprintf(stderr, "more than %llu MiB of memory\n", static_cast<unsigned long long>(max_mb_));
      keep_input("oom");
      std::abort();
    }
  }
  [[nodiscard]] std::uint64_t runs() const { return runs_; }

 private:
  unsigned timeout_;
  std::uint64_t max_mb_;
  std::uint64_t runs_ = 0;
};

int fuzz(const Flags& flags) {
  using Clock = std::chrono::steady_clock;
  artifact_prefix = flags.values.contains("artifact_prefix") ? flags.values.at("artifact_prefix") : "";
  watch_for_death();
  std::vector<std::string> seeds;
  for (const std::filesystem::path& path : flags.corpus) {
    if (!std::filesystem::exists(path)) {
      std::fprintf(stderr, "there is no %s\n", path.c_str());
      return 1;
    }
    read_seeds(path, seeds);
  }
  const Clock::time_point begin = Clock::now();
  Runner runner(flags);
  for (const std::string& seed : seeds) runner.run(seed);
  const std::size_t corpus = seeds.size();
  if (seeds.empty()) seeds.emplace_back();
  // Without a limit only the corpus is run, as libFuzzer does with files.
  const std::uint64_t max_runs =
      flags.number("runs", flags.values.contains("max_total_time") ? UINT64_MAX : 0);
  const Clock::time_point end = begin + std::chrono::seconds(flags.number("max_total_time", 1U << 30));
  Mutator mutator(flags.number("seed", 1));
  while (runner.runs() < max_runs && Clock::now() < end) runner.run(mutator.mutate(seeds));
  const std::chrono::duration<double> seconds = Clock::now() - begin;
  std::fprintf(stderr, "%zu files and %llu mutations in %.1f s\n", corpus,
               static_cast<unsigned long long>(runner.runs() - corpus), seconds.count());
  return 0;
}

}  // namespace
}  // namespace tenstride::fuzz

int main(int count, char** arguments) {
  return tenstride::fuzz::fuzz(tenstride::fuzz::parse(count, arguments));
}
