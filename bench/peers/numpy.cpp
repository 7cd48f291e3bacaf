// SPDX-License-Identifier: Apache-2.0
// NumPy, in a process of its own (bench/numpy_peer.py): each turn is a line there and a line back, and
// NumPy's own clock times what lies between.
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
#include "tenstride/element.hpp"

namespace tenstride::bench {
namespace {

using Json = nlohmann::json;

/// What a process is asked and answers, a line each.
class Conversation {
 public:
  /// Throws std::runtime_error where the process cannot be started.
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
    to_ = fdopen(to[1], "w");
    from_ = fdopen(from[0], "r");
  }
  Conversation(const Conversation&) = delete;
  Conversation& operator=(const Conversation&) = delete;
  ~Conversation() {
    if (to_ != nullptr) std::fclose(to_);  // the end of its input is the end of the process
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

/// The bits of 0 … mask in a type that NumPy does not know.
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

class Numpy : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "NumPy"; }
  [[nodiscard]] std::string version() const override { return version_; }

  void start() override {
    try {
      process_ = std::make_shared<Conversation>(TENSTRIDE_BENCH_PYTHON, TENSTRIDE_BENCH_NUMPY_PEER);
      version_ = process_->hear().at("version");
    } catch (const std::exception& error) {
      process_ = nullptr;
      std::fprintf(stderr, "NumPy takes no part: %s (bench_setup.sh installs it)\n", error.what());
    }
  }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    if (!process_ || what.source_bytes() + what.destination_bytes() > most_bytes) return {};
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
    if (!process_->ask({{"case", question}}).at("offered").get<bool>()) return {};
    Call call;
    call.run_elsewhere = [process = process_](std::uint64_t calls) {
      return process->ask({{"run", calls}}).at("seconds").get<double>();
    };
    call.read_elsewhere = [process = process_](std::span<const Index> positions) {
      const std::vector<Index> list(positions.begin(), positions.end());
      return from_hex(process->ask({{"read", list}}).at("bytes").get<std::string>());
    };
    return call;
  }

 private:
  /// It has memory of its own beside ours.
  static constexpr std::size_t most_bytes = std::size_t{2} << 30;

  std::string version_ = "absent";
  std::shared_ptr<Conversation> process_;
};

const bool added = add_peer(std::make_unique<Numpy>());

}  // namespace
}  // namespace tenstride::bench
