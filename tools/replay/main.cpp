// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <iostream>

#include "replay/format.hpp"
#include "replay/lines.hpp"

/// tenstride-replay: carries out recorded chains of operations and compares every step.
namespace {

constexpr int exit_disagreement = 1;
constexpr int exit_wrong_call = 2;

const replay::Format& recognise(const nlohmann::json& line, const std::string& path) {
  for (const replay::Format* format : replay::formats()) {
    if (format->recognises(line)) return *format;
  }
  throw replay::UnreadableFile(path + ": no recording of a known format");
}

/// Whether all steps of the file agreed.
bool replay_file(const std::string& path, std::size_t max_shown, const std::optional<std::string>& only) {
  replay::Lines lines(path);
  replay::Report report(max_shown, only);
  const replay::Format* format = nullptr;
  std::size_t count = 0;
  for (std::string text; lines.next(text);) {
    if (text.empty()) continue;
    try {
      const auto line = nlohmann::json::parse(text);
      if (format == nullptr) format = &recognise(line, path);
      format->replay(line, report);
    } catch (const nlohmann::json::exception& problem) {
      throw replay::UnreadableFile(path + ":" + std::to_string(lines.number()) + ": " + problem.what());
    } catch (const std::invalid_argument& problem) {
      throw replay::UnreadableFile(path + ":" + std::to_string(lines.number()) + ": " + problem.what());
    }
    ++count;
  }
  if (format == nullptr) throw replay::UnreadableFile(path + ": holds no line");
  std::cout << path << " (" << format->name() << ", " << count << " chains)\n";
  report.print(std::cout);
  return report.is_clean();
}

}  // namespace

int main(int argc, char** argv) {
  CLI::App app{
      "Replays recorded chains of tensor operations through tenstride and compares every step: shape,\n"
      "strides, offset, dtype, contiguity, sharing, storage size, element bytes, refusals.\n"
      "Exit status: 0 all agreed, 1 a step disagreed or was left out, 2 wrong call or unreadable file.",
      "tenstride-replay"};
  std::vector<std::string> paths;
  std::size_t max_shown = 10;
  std::optional<std::string> only;
  app.add_option("FILE", paths, "recordings, JSON lines, plain or gzip; the format is found by content")
      ->required();
  app.add_option("--max-shown", max_shown, "how many disagreements to show for each file")
      ->capture_default_str();
  app.add_option("--only", only, "count and show this operation alone (all are carried out)");
  app.footer("Example: tenstride-replay --only as_strided torch.jsonl.gz");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : exit_wrong_call;
  }
  bool clean = true;
  try {
    for (const std::string& path : paths) clean = replay_file(path, max_shown, only) && clean;
  } catch (const replay::UnreadableFile& problem) {
    std::cerr << "tenstride-replay: " << problem.what() << "\n";
    return exit_wrong_call;
  }
  return clean ? 0 : exit_disagreement;
}
