// SPDX-License-Identifier: Apache-2.0
// tenstride-bench: copies, views and operations beside memcpy and other libraries.
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <fstream>

#include "machine.hpp"
#include "session.hpp"

namespace tenstride::bench {
namespace {

/// Starts the program again with variables that two libraries read before main, when they are loaded. Without
/// them OpenBLAS starts threads at once, and the threads of OpenMP are still awake when the next contender
/// runs.
void restart_with_quiet_threads(char** argv) {
  if (std::getenv("TENSTRIDE_BENCH_RESTARTED") != nullptr) return;
  setenv("TENSTRIDE_BENCH_RESTARTED", "1", 1);
  setenv("OPENBLAS_NUM_THREADS", "1", 0);
  setenv("GOMP_SPINCOUNT", "20000", 0);
  execv("/proc/self/exe", argv);
}

void list(const Options& options) {
  for (const auto& peer : peers()) {
    std::printf("peer %s %s\n", peer->name().c_str(), peer->version().c_str());
  }
  if (options.is_drawn()) {
    for (const std::string& full_name : drawn_names(options)) {
      if (options.wants(full_name)) std::printf("%s\n", full_name.c_str());
    }
    return;
  }
  for (const CopyCase& what : copy_cases(options.scope)) {
    if (options.wants(what.full_name())) std::printf("%s\n", what.full_name().c_str());
  }
  for (const OperationCase& what : operation_cases(options.scope)) {
    if (options.wants(what.full_name())) std::printf("%s\n", what.full_name().c_str());
  }
  for (const ChainCase& what : chain_cases(options.scope)) {
    if (options.wants(what.full_name())) std::printf("%s\n", what.full_name().c_str());
  }
  for (const std::string& full_name : arithmetic_names()) {
    if (options.wants(full_name)) std::printf("%s\n", full_name.c_str());
  }
  for (const std::string& full_name : reduction_names(options.scope)) {
    if (options.wants(full_name)) std::printf("%s\n", full_name.c_str());
  }
  for (const std::string& full_name : in_place_names(options.scope)) {
    if (options.wants(full_name)) std::printf("%s\n", full_name.c_str());
  }
  for (const auto& peer : peers()) {
    for (const Tiny& tiny : peer->tiny()) {
      const std::string full_name = "tiny/" + tiny.what;
      if (options.wants(full_name)) std::printf("%s (%s)\n", full_name.c_str(), peer->name().c_str());
    }
  }
}

/// Writes the results so far. Called after each part and each copy, so that an interrupted run keeps its
/// results.
void write(const Options& options, const Json& result) {
  if (options.out.empty()) return;
  std::ofstream file(options.out);
  file << result.dump(1) << '\n';
  if (!file) throw std::runtime_error("cannot write " + options.out);
}

int exit_code_of(const Session& session) {
  if (session.complaints() == 0) return EXIT_SUCCESS;
  std::fprintf(stderr, "%d results were wrong\n", session.complaints());
  return EXIT_FAILURE;
}

int run(const Options& options) {
  Session session(options);
  Json result = {{"schema", 1},
                 {"scope", options.scope == Scope::full    ? "full"
                           : options.scope == Scope::quick ? "quick"
                                                           : "smoke"},
                 {"commit", options.commit},
                 {"repetitions", options.rounds.repetitions},
                 {"machine", machine()}};
  for (Peer* const peer : session.peers()) {
    peer->start();
    result["peers"][peer->name()] = peer->version();
  }
  if (options.simulated_threads > 0) {
    result["simulated"] = run_simulated(session);
    write(options, result);
    return exit_code_of(session);
  }
  if (options.fits_costs) {
    result["fit"] = run_fit(session);
    write(options, result);
    return exit_code_of(session);
  }
  if (options.is_drawn()) {
    run_drawn(session, [&](const std::string& what, const Json& drawn) {
      result[what] = drawn;
      write(options, result);
    });
    return exit_code_of(session);
  }
  result["tiny"] = run_tiny(session);  // first, while the process has one thread
  write(options, result);
  result["operations"] = run_operations(session);
  write(options, result);
  result["arithmetic"] = run_arithmetic(session);
  write(options, result);
  result["reductions"] = run_reductions(session);
  write(options, result);
  result["in_place"] = run_in_place(session);
  write(options, result);
  result["chains"] = run_chains(session);
  write(options, result);
  result["copies"] = Json::array();
  run_copies(session, [&](const Json& records) {
    result["copies"] = records;
    write(options, result);
  });
  return exit_code_of(session);
}

}  // namespace
}  // namespace tenstride::bench

int main(int argc, char** argv) {
  using namespace tenstride::bench;
  restart_with_quiet_threads(argv);
  int exit_code = EXIT_SUCCESS;
  const std::optional<Options> options = read_options(argc, argv, exit_code);
  if (!options) return exit_code;
  try {
    if (options->only_list) {
      list(*options);
      return EXIT_SUCCESS;
    }
    return run(*options);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenstride-bench: %s\n", error.what());
    return EXIT_FAILURE;
  }
}
