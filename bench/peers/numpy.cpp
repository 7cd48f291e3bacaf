// SPDX-License-Identifier: Apache-2.0
// NumPy, in its own process (bench/numpy_peer.py). A sample is one line to the process and one line back;
// Python's clock times the calls between the two.
#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>

#include "../arena.hpp"
#include "../peer.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::bench {
namespace {

using Json = nlohmann::json;

/// A process that answers requests, each a line of JSON.
class Conversation {
 public:
  /// Throws std::runtime_error if the process cannot be started.
  Conversation(const std::string& program, const std::string& script) {
    int to[2];
    int from[2];
    if (pipe(to) != 0 || pipe(from) != 0) throw std::runtime_error("no pipe");
    child_ = fork();
    if (child_ == 0) {
      dup2(to[0], STDIN_FILENO);
      dup2(from[1], STDOUT_FILENO);
      for (const int end : {to[0], to[1], from[0], from[1]}) close(end);
      execlp(program.c_str(), program.c_str(), "-B", script.c_str(), static_cast<char*>(nullptr));
      _exit(127);
    }
    close(to[0]);
    close(from[1]);
    // No other process may hold these pipes open: this one ends when they are closed.
    fcntl(to[1], F_SETFD, FD_CLOEXEC);
    fcntl(from[0], F_SETFD, FD_CLOEXEC);
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation() {
    if (to_ != nullptr) std::fclose(to_);  // the process ends with its input
    if (from_ != nullptr) std::fclose(from_);
    if (child_ > 0) waitpid(child_, nullptr, 0);
  }

  Json hear() {
    char* line = nullptr;
    std::size_t capacity = 0;
    const ssize_t length = getline(&line, &capacity, from_);
    const std::unique_ptr<char, decltype(&std::free)> owner(line, &std::free);
    if (length <= 0) throw std::runtime_error("the process does not answer");
    return Json::parse(line, line + length);
  }
  Json ask(const Json& question) {
    const std::string line = question.dump() + "\n";
    if (std::fputs(line.c_str(), to_) < 0 || std::fflush(to_) != 0) {
      throw std::runtime_error("the process does not listen");
    }
    return hear();
  }

 private:
  pid_t child_ = -1;
  FILE* to_ = nullptr;
  FILE* from_ = nullptr;
};

std::vector<std::byte> from_hex(const std::string& text) {
  std::vector<std::byte> bytes(text.size() / 2);
  for (std::size_t i = 0; i < bytes.size(); ++i) {
    bytes[i] = static_cast<std::byte>(std::stoi(text.substr(2 * i, 2), nullptr, 16));
  }
  return bytes;
}

/// The bit patterns of 0 … mask in a type that NumPy does not know.
std::string table_of_bits(DType type, std::uint32_t mask) {
  static constexpr char digits[] = "0123456789abcdef";
  std::string hex;
  visit(type, [&]<class T>(std::type_identity<T>) {
    for (std::uint32_t value = 0; value <= mask; ++value) {
      unsigned char bytes[sizeof(T)];
      store_element<T>(bytes, convert_element<T>(value));
      for (const unsigned char byte : bytes) {
        hex += digits[byte >> 4U];
        hex += digits[byte & 15U];
      }
    }
  });
  return hex;
}

bool is_unknown_to_numpy(DType type) {
  return type == DType::bfloat16 || type == DType::float8_e4m3fn || type == DType::float8_e5m2;
}

/// A Python process with NumPy and einops.
struct Python {
  std::shared_ptr<Conversation> process;
  std::string numpy = "absent";
  std::string einops = "absent";
};

Python start_python() {
  Python result;
  try {
    result.process = std::make_shared<Conversation>(TENSTRIDE_BENCH_PYTHON, TENSTRIDE_BENCH_NUMPY_PEER);
    const Json versions = result.process->hear();
    result.numpy = versions.at("version");
    result.einops = versions.at("einops");
  } catch (const std::exception& error) {
    result.process = nullptr;
    std::fprintf(stderr, "NumPy takes no part: %s (bench_setup.sh installs it)\n", error.what());
  }
  return result;
}

Call asked(const std::shared_ptr<Conversation>& process, const Json& question) {
  if (!process || !process->ask(question).at("offered").get<bool>()) return {};
  Call call;
  call.run_elsewhere = [process](std::uint64_t calls) {
    return process->ask({{"run", calls}}).at("seconds").get<double>();
  };
  call.read_elsewhere = [process](std::span<const Index> positions) {
    const std::vector<Index> list(positions.begin(), positions.end());
    return from_hex(process->ask({{"read", list}}).at("bytes").get<std::string>());
  };
  return call;
}

Call chain_in_python(const std::shared_ptr<Conversation>& process, const ChainCase& what, bool in_patterns) {
  Json steps = Json::array();
  for (const ChainStep& step : what.steps) {
    const bool permutes = step.kind == ChainStep::Kind::permute;
    steps.push_back({permutes ? "permute" : "reshape", step.dims.to_vector()});
  }
  Json patterns = Json::array();
  for (const ChainPattern& pattern : what.patterns) {
    Json sizes = Json::object();
    for (const AxisSize& size : pattern.sizes) sizes[size.name] = size.size;
    if (in_patterns) patterns.push_back(Json::array({pattern.text, std::move(sizes)}));
  }
  const Json question = {{"type", tenstride::name(what.type)},
                         {"shape", what.shape.to_vector()},
                         {"mask", operation_mask},
                         {"steps", std::move(steps)},
                         {"patterns", std::move(patterns)}};
  return asked(process, {{"chain", question}});
}

class Numpy : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "NumPy"; }
  [[nodiscard]] std::string version() const override { return version_; }

  void start() override {
    Python python = start_python();
    process_ = std::move(python.process);
    version_ = std::move(python.numpy);
  }
  Call chain(const ChainJob& job) override { return chain_in_python(process_, job.what, false); }

  Call compute(const ComputationJob& job) override {
    const ComputationCase& what = job.what;
    Json views = Json::array();
    for (std::size_t i = 0; i < what.inputs.size(); ++i) {
      const Layout& view = what.inputs[i].view;
      views.push_back({{"shape", view.shape.to_vector()},
                       {"strides", view.strides.to_vector()},
                       {"offset", view.offset + static_cast<Index>(what.begin(i) / item_size(what.type))}});
    }
    const Json question = {{"type", tenstride::name(what.type)},
                           {"elements", what.source_bytes() / item_size(what.type)},
                           {"mask", what.mask()},
                           {"views", std::move(views)},
                           {"operation", computation_name(what)},
                           {"axes", what.axes.to_vector()}};
    return asked(process_, {{"compute", question}});
  }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    if (!process_ || what.source_bytes() + what.destination_bytes() > max_bytes) return {};
    const std::uint32_t mask = exact_mask(what.src_type, what.dst_type);
    Json question = {{"src_type", tenstride::name(what.src_type)},
                     {"dst_type", tenstride::name(what.dst_type)},
                     {"source_elements", count_elements(what.source)},
                     {"mask", mask},
                     {"shape", what.view.shape.to_vector()},
                     {"strides", what.view.strides.to_vector()},
                     {"offset", what.view.offset},
                     {"scale", what.scale},
                     {"shift", what.shift},
                     {"scale_axis", what.scale_axis}};
    if (what.src_type == what.dst_type && is_unknown_to_numpy(what.src_type)) {
      question["bits"] = table_of_bits(what.src_type, mask);
    }
    return asked(process_, {{"case", question}});
  }

 private:
  /// Larger cases are left out: the process has its own source and destination.
  static constexpr std::size_t max_bytes = std::size_t{2} << 30;

  std::string version_ = "absent";
  std::shared_ptr<Conversation> process_;
};

class Einops : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "einops on NumPy"; }
  [[nodiscard]] std::string version() const override { return version_; }

  void start() override {
    Python python = start_python();
    process_ = std::move(python.process);
    version_ = std::move(python.einops);
  }
  Call chain(const ChainJob& job) override { return chain_in_python(process_, job.what, true); }

 private:
  std::string version_ = "absent";
  std::shared_ptr<Conversation> process_;  ///< not shared: a process holds one case
};

const bool added = add_peer(std::make_unique<Numpy>()) && add_peer(std::make_unique<Einops>());

}  // namespace
}  // namespace tenstride::bench
