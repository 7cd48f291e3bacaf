// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <nlohmann/json.hpp>
#include <span>
#include <string_view>

#include "replay/report.hpp"

namespace replay {

/// A kind of recording: JSON objects, one a line. To add one, write its class in formats/ and name it in
/// `formats()`.
class Format {
 public:
  virtual ~Format() = default;
  [[nodiscard]] virtual std::string_view name() const = 0;
  /// Whether a line is of this kind, by its content.
  [[nodiscard]] virtual bool recognises(const nlohmann::json& line) const = 0;
  /// Carries out what the line records, and reports each step.
  virtual void replay(const nlohmann::json& line, Report& report) const = 0;
};

const Format& torch_format();
const Format& numpy_format();
const Format& einops_format();

/// All formats there are.
std::span<const Format* const> formats();

}  // namespace replay
