// SPDX-License-Identifier: Apache-2.0
#include "convert_task.hpp"

#include <array>
#include <charconv>
#include <cstdlib>
#include <iostream>
#include <string_view>
#include <utility>

#include "json.hpp"

namespace tenstride::cli {
namespace {

/// -1 for what is none.
std::int64_t whole_number(std::string_view text) {
  std::int64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  return error == std::errc() && end == text.data() + text.size() ? number : -1;
}

/// Nothing where there is no such task.
std::optional<io::FileTask> task_of(std::int64_t number, std::int64_t count) {
  if (number < 1 || number > count || count > static_cast<std::int64_t>(io::max_file_tasks))
    return std::nullopt;
  return io::FileTask{static_cast<std::uint64_t>(number), static_cast<std::uint64_t>(count)};
}

}  // namespace

io::FileTask parse_task(const std::string& text) {
  const std::size_t slash = text.find('/');
  const std::string number = text.substr(0, slash);
  const std::string count = slash == std::string::npos ? std::string() : text.substr(slash + 1);
  const std::optional<io::FileTask> task = task_of(whole_number(number), whole_number(count));
  if (!task)
    throw UsageError("convert: --task \"" + text +
                     "\" must be K/N, the K-th of N tasks, with K from 1 to N " + "and N of at most " +
                     std::to_string(io::max_file_tasks) + ", e.g. 3/8");
  return *task;
}

std::optional<io::FileTask> task_of_environment() {
  constexpr std::array<std::pair<const char*, const char*>, 2> variables{
      {{"OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_SIZE"}, {"PMI_RANK", "PMI_SIZE"}}};
  for (const auto& [rank_name, size_name] : variables) {
    const char* const rank = std::getenv(rank_name);
    const char* const size = std::getenv(size_name);
    if (rank == nullptr || size == nullptr) continue;
    const std::int64_t number = whole_number(rank);
    const std::optional<io::FileTask> task = task_of(number < 0 ? 0 : number + 1, whole_number(size));
    if (!task)
      throw UsageError(
          std::string("convert: the environment variables ") + rank_name + "=\"" + rank + "\" and " +
          size_name + "=\"" + size +
          "\" must be a rank from 0 on and the number of ranks, as mpirun sets them (unset them, "
          "or give --task)");
    if (task->count > 1) return task;
  }
  return std::nullopt;
}

std::string option_of_task(const ConvertCommand& command) {
  if (command.is_rank) return "mpirun";
  return command.plan_only.empty() ? "--task" : "--plan-only";
}

std::string name_of_task(const io::FileTask& task) {
  return "task " + std::to_string(task.number) + " of " + std::to_string(task.count);
}

int leave_to_first_task(const ConvertCommand& command, const std::string& reason) {
  const io::FileTask& task = *command.task;
  if (command.format == Format::json) {
    std::cout << to_line({{"task", {{"number", task.number}, {"count", task.count}}},
                          {"left_to_first_task", reason}})
              << '\n';
  } else {
    std::cout << name_of_task(task) << ": nothing to do, task 1 does all, because " << reason << '\n';
  }
  return done;
}

}  // namespace tenstride::cli
