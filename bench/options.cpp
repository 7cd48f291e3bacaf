// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <chrono>

namespace tenstride::bench {
namespace {

bool contains(const std::vector<std::string>& list, const std::string& wanted) {
  return std::find(list.begin(), list.end(), wanted) != list.end();
}

}  // namespace

bool Options::wants_destination(const std::string& destination) const {
  return contains(destinations, destination);
}

bool Options::wants_peer(const std::string& name) const {
  return peers.empty() || contains(peers, name);
}

std::optional<Options> read_options(int argc, char** argv, int& exit_code) {
  Options options;
  CLI::App app(
      "Times copies, views and operations of tenstride beside memcpy and other libraries.\n"
      "Each case: all contenders in 7 rounds, medians, shares of the best plain copy of the same bytes.\n"
      "Each result is compared with a plain loop before it is timed; a wrong one ends with exit code 1.");
  bool is_quick = false;
  bool is_smoke = false;
  app.add_flag("--list", options.only_list, "name the cases and the peers, and end");
  auto* const quick = app.add_flag("--quick", is_quick, "a selection of the cases, in minutes");
  app.add_flag("--smoke", is_smoke, "every case, tiny: whether all contenders compute the same")
      ->excludes(quick);
  app.add_option("--random", options.random, "number of copies drawn at random, in place of the fixed cases");
  app.add_option("--random-reductions", options.random_reductions, "number of reductions drawn at random");
  app.add_option("--random-arithmetic", options.random_arithmetic,
                 "number of additions, products, maxima and comparisons drawn at random");
  app.add_option(
         "--simulate-threads", options.simulated_threads,
         "how evenly so many imaginary threads would share the work, in place of times: of 200 copies, "
         "reductions and arithmetic operations each, or of what --random … ask for")
      ->check(CLI::Range(2, 1024));
  auto* const fit = app.add_flag("--fit", options.fits_costs,
                                 "fit the constants of the ways' costs: every way of 300 drawn copies is "
                                 "timed, or of as many as --random "
                                 "asks for");
  app.add_option("--machine-out", options.machine_file,
                 "with --fit: write the machine with these constants here")
      ->needs(fit);
  app.add_option("--fit-from", options.fit_from,
                 "with --fit: take the times from these files of --out, separated by commas, and run nothing")
      ->delimiter(',')
      ->needs(fit);
  options.seed = static_cast<std::uint64_t>(std::chrono::system_clock::now().time_since_epoch().count());
  app.add_option("--seed", options.seed, "seed of what is drawn; by default from the clock, and printed");
  app.add_option("--filter", options.filter, "only cases whose family/name has a match of this expression");
  app.add_option("--threads", options.threads, "numbers of threads, e.g. 1,2")
      ->delimiter(',')
      ->check(CLI::Range(1, 256));
  app.add_option("--destination", options.destinations, "warm, fresh or warm,fresh")
      ->delimiter(',')
      ->check(CLI::IsMember({"warm", "fresh"}));
  app.add_option("--peers", options.peers, "only these, separated by commas")->delimiter(',');
  app.add_option("--repetitions", options.rounds.repetitions, "rounds, with a sample of each contender (7)")
      ->check(CLI::Range(1, 1000));
  app.add_option("--out", options.out, "write the figures to this JSON file");
  app.add_option("--commit", options.commit, "what the JSON file names as the version measured");
  try {
    app.parse(argc, argv);
    static_cast<void>(std::regex(options.filter));
  } catch (const CLI::ParseError& error) {
    exit_code = app.exit(error);
    return std::nullopt;
  } catch (const std::regex_error&) {
    exit_code = app.exit(CLI::ValidationError("--filter", "'" + options.filter + "' is not an expression"));
    return std::nullopt;
  }
  if (is_quick) {
    options.scope = Scope::quick;
    options.rounds.estimate_only_from = 3;
  }
  if (is_smoke) {
    options.scope = Scope::smoke;
    options.rounds = {.repetitions = 1, .seconds_of_a_sample = 0, .warmed_below = 0, .pause = 0};
  }
  return options;
}

}  // namespace tenstride::bench
