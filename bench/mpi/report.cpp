// SPDX-License-Identifier: Apache-2.0
#include "report.hpp"

#include <algorithm>
#include <cstdio>

namespace tenstride::bench {
namespace {

template <class... Values>
std::string formatted(const char* format, Values... values) {
  char line[512];
  std::snprintf(line, sizeof line, format, values...);
  return line;
}

/// How often the repeated call of a contender takes as long as that of a reference.
double ratio_to(const char* reference, const CaseReport& report, const ContenderTimes& times) {
  const auto found =
      std::find_if(report.times.begin(), report.times.end(),
                   [&](const ContenderTimes& candidate) { return candidate.contender == reference; });
  return times.repeated_ms / found->repeated_ms;
}

std::string extra_mb(const ContenderTimes& times, const char* unknown) {
  return times.extra_mb ? formatted("%.1f", *times.extra_mb) : unknown;
}

/// "transpose, float64, order (1,0)", and a line for each of both distributions.
std::string heading(const RedistributionCase& what) {
  std::string order;
  for (const Index axis : what.order) {
    order += order.empty() ? "" : ",";
    order += std::to_string(axis);
  }
  std::string text = what.name;
  text += ", ";
  text += name(what.type);
  text += ", order (" + order + ")\n  " + what.from.to_string() + "\n  " + what.to.to_string() + "\n";
  return text;
}

}  // namespace

std::string json_lines(const CaseReport& report) {
  std::string text;
  for (const ContenderTimes& times : report.times) {
    text += formatted(
        R"({"case": "%s", "ranks": %d, "size": %lld, "dtype": "%s", "contender": "%s", "first_ms": %.3f, )",
        report.what.name.c_str(), report.ranks, static_cast<long long>(report.what.from.shape[0]),
        std::string(name(report.what.type)).c_str(), times.contender.c_str(), times.first_ms);
    text += formatted(
        R"("repeated_ms": %.3f, "ratio_to_memcpy": %.3f, "ratio_to_alltoallv": %.3f, "extra_mb": %s})",
        times.repeated_ms, ratio_to("memcpy", report, times), ratio_to("alltoallv", report, times),
        extra_mb(times, "null").c_str());
    text += "\n";
  }
  return text;
}

std::string table(const std::vector<CaseReport>& reports) {
  std::string text;
  for (const CaseReport& report : reports) {
    text += "\n" + heading(report.what);
    text += formatted("  %-16s %12s %12s %12s %14s %10s\n", "", "first ms", "repeated ms", "to memcpy",
                      "to alltoallv", "extra MB");
    for (const ContenderTimes& times : report.times) {
      text += formatted("  %-16s %12.3f %12.3f %12.2f %14.2f %10s\n", times.contender.c_str(), times.first_ms,
                        times.repeated_ms, ratio_to("memcpy", report, times),
                        ratio_to("alltoallv", report, times), extra_mb(times, "?").c_str());
    }
  }
  return text;
}

}  // namespace tenstride::bench
