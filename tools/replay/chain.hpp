// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "replay/arguments.hpp"
#include "replay/format.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace replay {

/// What an operation gave: one tensor, or a list of them.
struct Outcome {
  Outcome(tenstride::Tensor tensor) : tensors{std::move(tensor)} {}
  Outcome(std::vector<tenstride::Tensor> list) : tensors(std::move(list)), is_list(true) {}
  std::vector<tenstride::Tensor> tensors;
  bool is_list = false;
};

using Operation = std::function<Outcome(const tenstride::Tensor& input, Arguments& arguments)>;

/// An operation, and whether a result that equals its input in all parts must be the recorded "self".
struct Entry {
  Operation run;
  bool tells_self = false;
};
using Operations = std::map<std::string, Entry>;

/// A tensor beside what it is compared with.
struct Checked {
  const tenstride::Tensor& tensor;
  const tenstride::Tensor* input;  ///< null for the first tensor of a chain
  const tenstride::Tensor& first;
  bool tells_self;
};

/// The facts that differ, one by one, and the deviation met on the way.
class Comparison {
 public:
  template <typename T>
  void expect(const std::string& fact, const T& wanted, const T& came) {
    if (!(wanted == came)) differences.push_back({fact, to_text(wanted), to_text(came)});
  }

  std::vector<Difference> differences;
  std::optional<std::string> deviation;

 private:
  static std::string to_text(bool value) { return value ? "true" : "false"; }
  static std::string to_text(const std::string& value) { return value; }
  static std::string to_text(const Json& value) { return value.dump(); }
  static std::string to_text(const tenstride::Dims& value);
  template <std::integral T>
  static std::string to_text(T value) {
    return std::to_string(value);
  }
};

/// A recording of chains: a first tensor, then steps that each apply one operation to the tensor before:
/// {"id", "init", "init_meta": META, "steps": [{"op", "args", "ok": true, "outs": META | [META…], "pick"?} |
/// {"op", "args", "ok": false, "err": {"type"}}]}. A refused step leaves the tensor as it was.
class ChainFormat : public Format {
 public:
  void replay(const Json& line, Report& report) const override;

 protected:
  [[nodiscard]] virtual const Operations& operations() const = 0;
  /// The first tensor, from "init".
  [[nodiscard]] virtual tenstride::Tensor start(const Json& init) const = 0;
  /// Compares a tensor with its META.
  virtual void compare(const Json& meta, const Checked& checked, Comparison& comparison) const = 0;
  /// What the recording calls the error: "RuntimeError", "AxisError" …
  [[nodiscard]] virtual std::string error_name(const tenstride::Error& error) const = 0;

 private:
  struct Run;
  /// False where the chain cannot go on.
  bool step(const Json& recorded, Run& run) const;
  void check(const Json& meta, const Checked& checked, const std::string& prefix,
             Comparison& comparison) const;
};

}  // namespace replay
