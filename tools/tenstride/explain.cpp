// SPDX-License-Identifier: Apache-2.0
#include "tenstride/explain.hpp"

#include <iostream>
#include <iterator>

#include "cli.hpp"
#include "tenstride/io/file.hpp"

namespace tenstride::cli {

int run(const ExplainCommand& command) {
  ExplainOptions options;
  for (const std::string& input : command.inputs) {
    const std::size_t equals = input.find('=');
    const std::string name = equals == std::string::npos ? "x" : input.substr(0, equals);
    const std::string path = equals == std::string::npos ? input : input.substr(equals + 1);
    if (!options.inputs.emplace(name, io::open_tensor_file(path)).second) {
      throw UsageError("explain: the name " + name + " is given to two files; write --input NAME=FILE");
    }
  }
  std::string expression = command.expression;
  if (expression == "-") expression.assign(std::istreambuf_iterator<char>(std::cin), {});
  const Explanation explanation = tenstride::explain(expression, options);
  if (command.format == Format::json) {
    std::cout << to_json(explanation, command.plans) << '\n';
  } else {
    std::cout << to_text(explanation, output_style(), command.plans);
  }
  if (!explanation.evaluation.failure) return done;
  return explanation.evaluation.failure->cause == Failure::Cause::notation ? wrong_call : failed;
}

}  // namespace tenstride::cli
