// SPDX-License-Identifier: Apache-2.0
// What is drawn at random. The geometric mean of the shares of a plain copy, or a plain read, is the engine's
// figure of merit.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "drawn_cases.hpp"
#include "drawn_computations.hpp"
#include "session.hpp"

namespace tenstride::bench {
namespace {

constexpr const char* ours = "tenstride";
/// Ratios up to this are noise: two contenders of the same speed differ by less.
constexpr double noise = 1.05;
constexpr std::size_t worst_count = 10;

double share(const Json& record, const std::string& contender) {
  return record["contenders"][contender]["share"].get<double>();
}

/// The share of a plain copy of the cache lines that have to be touched: a step of 2 reads twice the lines.
double share_of_lines(const Json& record, const std::string& contender) {
  const double of_elements = share(record, contender);
  if (!record.contains("bytes_of_lines_read")) return of_elements;  // reductions and arithmetic read all
  const auto bytes = [&](const char* key) { return record[key].get<double>(); };
  return of_elements * (bytes("bytes_of_lines_read") + bytes("bytes_written")) / bytes("bytes");
}

std::string text(const Json& record, const std::string& key) {
  return record[key].get<std::string>();
}

/// Statistics of shares of the best yardstick.
struct Summary {
  std::size_t cases = 0;
  double geometric_mean = 0;
  /// That of the shares of touched lines.
  double of_lines = 0;
  double tenth_percentile = 0;
  double least = 0;
};

double geometric_mean(const std::vector<double>& shares) {
  double logarithms = 0;
  for (const double one : shares) logarithms += std::log(one);
  return shares.empty() ? 0 : std::exp(logarithms / static_cast<double>(shares.size()));
}

/// The shares of some cases: of the elements, and of the lines that hold them.
struct Shares {
  std::vector<double> elements;
  std::vector<double> lines;

  void add(const Json& record, const std::string& contender) {
    elements.push_back(share(record, contender));
    lines.push_back(share_of_lines(record, contender));
  }
};

Summary summarize(const Shares& of) {
  Summary summary;
  std::vector<double> shares = of.elements;
  summary.cases = shares.size();
  if (shares.empty()) return summary;
  std::sort(shares.begin(), shares.end());
  summary.geometric_mean = geometric_mean(shares);
  summary.of_lines = geometric_mean(of.lines);
  summary.tenth_percentile = shares[shares.size() / 10];
  summary.least = shares.front();
  return summary;
}

Json print(const std::string& title, const Summary& summary) {
  std::printf("  %-22s %4zu cases  mean %.3f  tenth percentile %.3f  least %.3f  of touched lines %.3f\n",
              title.c_str(), summary.cases, summary.geometric_mean, summary.tenth_percentile, summary.least,
              summary.of_lines);
  return {{"cases", summary.cases},
          {"geometric_mean", rounded(summary.geometric_mean)},
          {"of_lines", rounded(summary.of_lines)},
          {"tenth_percentile", rounded(summary.tenth_percentile)},
          {"least", rounded(summary.least)}};
}

/// The shares of one contender in all cases; for tenstride in each family, too.
Json summarize(const std::vector<const Json*>& records, const std::string& contender) {
  Shares all;
  std::map<std::string, Shares> families;
  for (const Json* const record : records) {
    if (!(*record)["contenders"].contains(contender)) continue;
    all.add(*record, contender);
    families[text(*record, "family")].add(*record, contender);
  }
  Json result;
  result["all"] = print(contender, summarize(all));
  if (contender != ours) return result;
  for (const auto& [family, shares] : families) result[family] = print("  " + family, summarize(shares));
  return result;
}

/// Prints the mean share of each contender, the cases where one is faster than tenstride, and tenstride's
/// worst cases with their plans.
Json summarize_threads(const Json& records, int threads) {
  std::vector<const Json*> chosen;
  for (const Json& record : records) {
    if (record["threads"] == threads && record["contenders"].contains(ours)) chosen.push_back(&record);
  }
  Json result = {{"threads", threads}};
  if (chosen.empty()) return result;  // of --peers without tenstride
  std::printf("\n%d thread%s, shares of the best yardstick:\n", threads, threads == 1 ? "" : "s");
  result["contenders"][ours] = summarize(chosen, ours);
  std::set<std::string> others;
  for (const Json* const record : chosen) {
    for (const auto& [name, entry] : (*record)["contenders"].items()) others.insert(name);
  }
  others.erase(ours);
  for (const std::string& other : others) {
    result["contenders"][other] = summarize(chosen, other);
    Json ahead = Json::array();
    for (const Json* const record : chosen) {
      if (!(*record)["contenders"].contains(other)) continue;
      const double ratio = share(*record, other) / share(*record, ours);
      if (ratio <= noise) continue;
      ahead.push_back((*record)["name"]);
      std::printf("    %s is ahead %.2f times: %s\n", other.c_str(), ratio, text(*record, "name").c_str());
    }
    result["ahead"][other] = std::move(ahead);
  }
  std::sort(chosen.begin(), chosen.end(),
            [](const Json* a, const Json* b) { return share(*a, ours) < share(*b, ours); });
  std::printf("\nthe least:\n");
  for (std::size_t i = 0; i < std::min(worst_count, chosen.size()); ++i) {
    const Json& record = *chosen[i];
    std::printf("  %.3f  %s/%s\n%s\n", share(record, ours), text(record, "family").c_str(),
                text(record, "name").c_str(), record.value("plan", std::string()).c_str());
  }
  return result;
}

/// Whether there is memory for what is read and a result of each contender at a time.
bool has_memory_for_computation(const Session& session, const ComputationCase& what) {
  if (session.fits(2 * what.source_bytes() + 3 * what.bytes_written())) return true;
  std::printf("%s: too large for this machine\n", what.full_name().c_str());
  return false;
}

/// Runs cases one after the other. `run_one(what, threads, records)` times one of them.
template <class Case, class Fits, class RunOne>
void run_all(Session& session, const std::string& title, const std::vector<Case>& cases, const Fits& fits,
             const RunOne& run_one, const std::function<void(const Json&)>& keep) {
  if (cases.empty()) return;
  const Options& options = session.options();
  Json result = {{"seed", options.seed}, {"records", Json::array()}};
  std::printf("%zu %s drawn with --seed %llu\n", cases.size(), title.c_str(),
              static_cast<unsigned long long>(options.seed));
  for (const Case& what : cases) {
    if (!options.wants(what.full_name()) || !fits(what)) continue;
    for (const int threads : options.threads) run_one(what, threads, result["records"]);
    keep(result);
  }
  for (const int threads : options.threads) {
    result["summaries"].push_back(summarize_threads(result["records"], threads));
  }
  keep(result);
}

}  // namespace

std::vector<std::string> drawn_names(const Options& options) {
  std::vector<std::string> names;
  const auto add = [&](const auto& cases) {
    for (const auto& what : cases) names.push_back(what.full_name());
  };
  add(drawn_cases(options.random, options.seed, options.scope));
  add(drawn_reductions(options.random_reductions, options.seed, options.scope));
  add(drawn_arithmetic(options.random_arithmetic, options.seed, options.scope));
  return names;
}

void run_drawn(Session& session, const std::function<void(const std::string& what, const Json&)>& keep) {
  const Options& options = session.options();
  const auto kept_as = [&](const std::string& what) {
    return [&keep, what](const Json& records) { keep(what, records); };
  };
  run_all(
      session, "copies", drawn_cases(options.random, options.seed, options.scope),
      [&](const CopyCase& what) { return has_memory_for(session, what); },
      [&](const CopyCase& what, int threads, Json& records) {
        run_copy(session, what, "warm", threads, records);
      },
      kept_as("drawn"));
  const auto fits = [&](const ComputationCase& what) { return has_memory_for_computation(session, what); };
  const auto run_one = [&](const ComputationCase& what, int threads, Json& records) {
    run_computation(session, what, threads, records);
  };
  run_all(session, "reductions", drawn_reductions(options.random_reductions, options.seed, options.scope),
          fits, run_one, kept_as("drawn_reductions"));
  run_all(session, "arithmetic operations",
          drawn_arithmetic(options.random_arithmetic, options.seed, options.scope), fits, run_one,
          kept_as("drawn_arithmetic"));
}

}  // namespace tenstride::bench
