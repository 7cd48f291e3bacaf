// SPDX-License-Identifier: Apache-2.0
#include "options.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <sstream>

#include "contender.hpp"

namespace tenstride::bench {
namespace {

bool is_wanted(const std::vector<std::string>& list, const std::string& name) {
  return list.empty() || std::find(list.begin(), list.end(), name) != list.end();
}

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const RedistributionCase& what : redistribution_cases({}, 1)) names.push_back(what.name);
  return names;
}

std::vector<std::string> contender_names() {
  std::vector<std::string> names;
  for (const Contender* contender : contenders()) names.push_back(contender->name());
  return names;
}

}  // namespace

bool MpiBenchOptions::wants_case(const std::string& name) const {
  return is_wanted(cases, name);
}

bool MpiBenchOptions::wants_contender(const std::string& name) const {
  return is_wanted(contenders, name);
}

std::optional<MpiBenchOptions> read_options(int argc, char** argv, int rank, int& exit_code) {
  MpiBenchOptions options;
  bool is_smoke = false;
  CLI::App app(
      "Times redistributions over MPI by tenstride and other libraries: mpirun -n 4 tenstride-mpi-bench\n"
      "Each result is compared with the definition; a wrong element ends with an exit code other than 0.");
  auto* const size = app.add_option("--size", options.sizes.size, "rows and columns of the matrices (6144)")
                         ->check(CLI::Range(1, 1 << 20));
  app.add_option("--repeats", options.repeats, "rounds after the first call (7)")->check(CLI::Range(1, 1000));
  app.add_option("--cases", options.cases, "only these, separated by commas")
      ->delimiter(',')
      ->check(CLI::IsMember(case_names()));
  app.add_option("--contenders", options.contenders, "only these besides memcpy and alltoallv")
      ->delimiter(',')
      ->check(CLI::IsMember(contender_names()));
  app.add_flag("--smoke", is_smoke, "tiny sizes that divide unevenly: whether all contenders are right")
      ->excludes(size);
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::ostringstream unused;
    exit_code = rank == 0 ? app.exit(error) : app.exit(error, unused, unused);
    return std::nullopt;
  }
  if (is_smoke) {
    options.sizes = {.size = 53, .small_block = 4, .large_block = 16};
    options.repeats = 2;
  }
  return options;
}

}  // namespace tenstride::bench
