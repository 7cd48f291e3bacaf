// SPDX-License-Identifier: Apache-2.0
#include "tenstride/explain/explain.hpp"

#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>

#include "cli.hpp"
#include "explain_file.hpp"
#include "input_path.hpp"
#include "line_reader.hpp"
#include "show.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/picture/picture.hpp"
#include "tenstride/plan/machine.hpp"
#include "terminal_text.hpp"

namespace tenstride::cli {

std::map<std::string, Tensor> open_inputs(const std::vector<std::string>& inputs, const RawOptions& raw,
                                          const std::string& command) {
  std::map<std::string, Tensor> opened;
  for (const std::string& input : inputs) {
    const std::size_t equals = input.find('=');
    const std::string name = equals == std::string::npos ? "x" : input.substr(0, equals);
    const std::string path = equals == std::string::npos ? input : input.substr(equals + 1);
    if (command == "repl" && is_standard_input(path))
      throw UsageError("repl: --input must be a file, standard input has the statements");
    if (!opened.emplace(name, io::open_tensor_file(input_info(path, raw, command))).second) {
      throw UsageError(command + ": the name " + name + " is given to two files; write --input NAME=FILE");
    }
  }
  return opened;
}

namespace {

Machine machine_of(const std::string& name) {
  if (name.empty()) return Machine::here();
  if (const std::optional<Machine> profile = machine_named(name)) return *profile;
  std::ifstream file(name, std::ios::binary);
  const std::string text(std::istreambuf_iterator<char>(file), {});
  if (const std::optional<Machine> read = machine_from_text(text)) return *read;
  std::string known = "here";
  for (const std::string_view profile : machine_names()) known.append(", ").append(profile);
  throw UsageError("explain --machine: " + name +
                   (file.is_open() ? " is no file of a machine" : " is no machine and no file") +
                   "; known are " + known + ", and files that tenstride bench --calibrate wrote");
}

}  // namespace

int run(const ExplainCommand& command) {
  const MachineScope scope(machine_of(command.machine));
  ExplainOptions options;
  options.inputs = open_inputs(command.inputs, command.raw, "explain");
  options.scrambles = command.scrambles;
  options.open_file = io::open_for_notation;
  std::string expression = command.expression;
  if (expression == "-") expression = read_standard_input("explain");
  if (expression.starts_with(byte_order_mark)) expression.erase(0, byte_order_mark.size());
  const std::optional<FilePlan> file_plan = plan_of_file(command, expression);
  const Explanation explanation = tenstride::explain(expression, options);
  if (command.format == Format::json) {
    std::string json = to_json(explanation, command.plans);
    if (file_plan) json.replace(json.rfind('}'), 1, ",\"file_plan\":" + to_json(*file_plan) + '}');
    std::cout << json << '\n';
  } else {
    std::cout << fold_for_output(to_text(explanation, output_style(), command.plans));
    if (file_plan) std::cout << '\n' << fold_for_output(to_text(*file_plan));
  }
  if (command.shows_picture && command.format == Format::text && !explanation.evaluation.steps.empty()) {
    PictureOptions how;
    how.style = output_style();
    how.width = output_width();
    std::cout << '\n' << to_text(picture_of(expression, options), how);
  }
  if (!explanation.evaluation.failure) return done;
  return explanation.evaluation.failure->cause == Failure::Cause::notation ? wrong_call : failed;
}

}  // namespace tenstride::cli
