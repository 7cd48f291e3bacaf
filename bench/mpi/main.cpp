// SPDX-License-Identifier: Apache-2.0
#include <mpi.h>

#include <cstdio>
#include <exception>
#include <string>

#include "contender.hpp"
#include "options.hpp"
#include "report.hpp"
#include "rounds.hpp"

namespace tenstride::bench {
namespace {

/// Sends a page between each two ranks, so that no contender's first call connects them.
void connect_all(int ranks) {
  constexpr int count = 4096;
  std::vector<char> sent(static_cast<std::size_t>(ranks) * count);
  std::vector<char> received(sent.size());
  MPI_Alltoall(sent.data(), count, MPI_CHAR, received.data(), count, MPI_CHAR, MPI_COMM_WORLD);
}

/// Example: "4 ranks of Open MPI v4.1.4".
std::string environment(int ranks) {
  char version[MPI_MAX_LIBRARY_VERSION_STRING];
  int length = 0;
  MPI_Get_library_version(version, &length);
  const std::string text = version;
  return std::to_string(ranks) + " ranks of " + text.substr(0, text.find_first_of(",\n")) + "\n";
}

int run(int argc, char** argv, int rank) {
  int exit_code = 0;
  const auto options = read_options(argc, argv, rank, exit_code);
  if (!options) return exit_code;
  int ranks = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  connect_all(ranks);
  std::vector<Contender*> chosen;
  for (Contender* contender : contenders()) {
    if (contender->is_reference() || options->wants_contender(contender->name())) chosen.push_back(contender);
  }
  const std::vector<RedistributionCase> cases = redistribution_cases(options->sizes, ranks);
  std::vector<CaseReport> reports;
  for (const RedistributionCase& what : cases) {
    if (!options->wants_case(what.name)) continue;
    reports.push_back({what, ranks, run_case(what, chosen, options->repeats, MPI_COMM_WORLD)});
    if (rank != 0) continue;
    std::fputs(json_lines(reports.back()).c_str(), stdout);
    std::fflush(stdout);
  }
  if (rank == 0) std::fputs(("\n" + environment(ranks) + table(reports)).c_str(), stdout);
  return 0;
}

}  // namespace
}  // namespace tenstride::bench

int main(int argc, char** argv) {
  MPI_Init(&argc, &argv);
  int rank = 0;
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int exit_code = 1;
  try {
    exit_code = tenstride::bench::run(argc, argv, rank);
  } catch (const std::exception& error) {
    std::fprintf(stderr, "tenstride-mpi-bench: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return exit_code;
}
