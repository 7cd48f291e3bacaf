// SPDX-License-Identifier: Apache-2.0
#include "plan_only.hpp"

#include <filesystem>
#include <iostream>
#include <span>

#include "json.hpp"
#include "tenstride/files/atomic_file.hpp"

namespace tenstride::cli {
namespace {

/// The arguments of a task: those of this command, without what only planning needs.
std::vector<std::string> arguments_of(const ConvertCommand& command, const io::FileTask& task,
                                      std::uint64_t limit) {
  const auto is_of_planning = [](const std::string& argument) {
    return argument == "--plan-only" || argument == "--tasks";
  };
  std::vector<std::string> result;
  for (auto given = command.arguments.begin(); given != command.arguments.end(); ++given) {
    if (is_of_planning(*given)) {
      ++given;  // and its value
    } else if (!is_of_planning(given->substr(0, given->find('=')))) {
      result.push_back(*given);
    }
  }
  result.insert(result.end(), {"--task", std::to_string(task.number) + '/' + std::to_string(task.count)});
  // A task may run where another amount of memory is free.
  if (command.max_mem.empty()) result.insert(result.end(), {"--max-mem", std::to_string(limit)});
  return result;
}

}  // namespace

int write_tasks(const io::FileJob& job, const ConvertCommand& command, std::uint64_t limit) {
  Json json;
  json["input"] = command.input;
  json["spec"] = command.spec;
  json["output"] = command.output;
  json["folder"] = std::filesystem::current_path().string();
  json["plan_hash"] = io::plan_hash_text(job);
  const std::string obstacle = io::obstacle_to_tasks(job);
  json["obstacle"] = obstacle.empty() ? Json(nullptr) : Json(obstacle);
  json["tasks"] = Json::array();
  for (const io::FileShare& share : io::shares_of(job, command.task->count)) {
    json["tasks"].push_back({{"argv", arguments_of(command, share.task, limit)},
                             {"parts", share.parts},
                             {"bytes_read", share.bytes_read},
                             {"bytes_written", share.bytes_written},
                             {"memory", limit}});
  }
  const std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace) + '\n';
  io::AtomicFile file(command.plan_only, command.force ? io::Overwrite::replace : io::Overwrite::refuse,
                      "convert");
  file.write(std::as_bytes(std::span(text)));
  file.commit();
  const std::size_t count = json["tasks"].size();
  if (command.format == Format::json) {
    std::cout << to_line({{"plan", command.plan_only}, {"tasks", count}}) << '\n';
  } else {
    std::cout << "wrote " << command.plan_only << ": " << count << " tasks\n";
  }
  return done;
}

}  // namespace tenstride::cli
