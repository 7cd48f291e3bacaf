// SPDX-License-Identifier: Apache-2.0
#include "replay/arguments.hpp"
#include "replay/chain.hpp"
#include "replay/elements.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/einops/rearrange.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "tenstride/tensor/factory.hpp"

/// Patterns recorded from einops on PyTorch, one a line: {"id", "op", "pattern", "axes", "in": {"shape",
/// "strides"}, "ok": true, "out": META} or {…, "ok": false, "err": {"type"}}. The input is int32, element n
/// of its storage is n % 113; META is as PyTorch's. "sum" is a reduction, the other operations are the verbs.
namespace replay {
namespace {

using namespace tenstride;

constexpr auto gained_view = "a view where einops copies";

Tensor start(const Json& in) {
  const Layout layout{to_dims(in.at("shape")), to_dims(in.at("strides")), 0};
  const Reach touched = reach(layout).value_or(Reach{0, -1});
  Tensor storage = empty({touched.highest + 1}, {.dtype = DType::int32});
  auto* const elements = storage.mutable_data<std::int32_t>();
  for (Index n = 0; n < storage.numel(); ++n) elements[n] = static_cast<std::int32_t>(n);
  return storage.as_strided(layout.shape, layout.strides, 0);
}

Tensor carry_out(const std::string& operation, const Tensor& x, const std::string& pattern,
                 const AxisSizes& sizes) {
  if (operation == "rearrange") return rearrange(x, pattern, sizes);
  if (operation == "repeat") return repeat(x, pattern, sizes);
  return reduce(x, pattern, parse_reduction(operation), sizes);
}

bool is_known(const std::string& operation) {
  if (operation == "rearrange" || operation == "repeat") return true;
  try {
    parse_reduction(operation);
  } catch (const ValueError&) {
    return false;
  }
  return true;
}

/// What einops calls the error. It takes a pattern apart at "->" before it looks at it: Python's own
/// ValueError.
std::string error_name(const Error& error) {
  if (dynamic_cast<const PatternError*>(&error) != nullptr) return "EinopsError";
  return std::string(tenstride::name(error.kind()));
}

/// The message without the picture of the pattern.
std::string first_line(const Error& error) {
  const std::string text = error.what();
  return text.substr(0, text.find('\n'));
}

class EinopsFormat : public Format {
 public:
  [[nodiscard]] std::string_view name() const override { return "einops"; }
  [[nodiscard]] bool recognises(const Json& line) const override { return line.contains("pattern"); }

  void replay(const Json& line, Report& report) const override {
    const auto operation = line.at("op").get<std::string>();
    const auto pattern = line.at("pattern").get<std::string>();
    const Place place{line.at("id").dump(), "start", operation,
                      "\"" + pattern + "\" " + line.at("axes").dump() + " on " + line.at("in").dump()};
    if (!is_known(operation)) {
      report.leave_out(place, "no such operation here");
      return;
    }
    std::vector<AxisSize> sizes;
    for (const auto& [axis, size] : line.at("axes").items()) sizes.push_back({axis, size.get<Index>()});
    const Tensor x = start(line.at("in"));
    const bool is_allowed = line.at("ok").get<bool>();
    const std::string wanted = is_allowed ? "a result" : line.at("err").at("type").get<std::string>();
    try {
      const Tensor result = carry_out(operation, x, pattern, sizes);
      if (is_allowed) {
        compare(line.at("out"), x, result, place, report);
      } else {
        report.disagree(place, {{"result", wanted, "a result"}});
      }
    } catch (const Error& error) {
      if (error_name(error) == wanted) {
        report.agree(operation);
      } else {
        report.disagree(place, {{"result", wanted, error_name(error) + " (" + first_line(error) + ")"}});
      }
    }
  }

 private:
  static void compare(const Json& meta, const Tensor& x, const Tensor& result, const Place& place,
                      Report& report) {
    Comparison comparison;
    const bool is_view = result.shares_storage(x);
    const bool was_view = meta.at("alias").get<bool>();
    const bool is_gain = is_view && !was_view;
    comparison.expect("shape", to_dims(meta.at("shape")), result.shape());
    comparison.expect("dtype", meta.at("dtype").get<std::string>(),
                      std::string(tenstride::name(result.dtype())));
    if (!is_gain) {
      comparison.expect("alias", was_view, is_view);
      comparison.expect("strides", to_dims(meta.at("strides")), result.strides());
      comparison.expect("offset", meta.at("offset").get<Index>(), result.storage_offset());
      comparison.expect("nbytes", meta.at("nbytes").get<std::size_t>(), result.storage().nbytes());
    }
    if (meta.value("self", false)) comparison.expect("self", true, result.is_same(x));
    comparison.expect("crc", meta.at("crc").get<std::uint32_t>(), crc_of_elements(result));
    if (!comparison.differences.empty()) {
      report.disagree(place, comparison.differences);
    } else if (is_gain) {
      report.agree_with_deviation(place.operation, gained_view);
    } else {
      report.agree(place.operation);
    }
  }
};

}  // namespace

const Format& einops_format() {
  static const EinopsFormat format;
  return format;
}

}  // namespace replay
