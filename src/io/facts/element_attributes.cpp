// SPDX-License-Identifier: Apache-2.0
#include "io/facts/element_attributes.hpp"

#include <array>
#include <cmath>
#include <cstddef>
#include <optional>
#include <string_view>

#include "base/message.hpp"
#include "io/format/numpy_dtype.hpp"
#include "io/format/python_json.hpp"
#include "io/format/scaling.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;
using ElementJson = nlohmann::ordered_json;

constexpr std::array<const char*, 5> names_of_scaling{"scl_slope", "scl_inter", "scale_factor", "add_offset",
                                                      "_Unsigned"};
/// Numbers as they are stored.
constexpr std::array<const char*, 5> names_of_marks{"_FillValue", "missing_value", "valid_range", "valid_min",
                                                    "valid_max"};
/// What the elements count, as numbers of the type that they have.
constexpr std::array<const char*, 1> names_of_times{numpy_dtype_key};

/// "valid_range [0,250]".
std::string said(const ElementJson& json, const char* name) {
  return message(name, ' ', python_json_text(json.at(name)));
}

template <std::size_t Count>
std::vector<std::string> erase_all(ElementJson& json, const std::array<const char*, Count>& names) {
  std::vector<std::string> erased;
  for (const char* const name : names) {
    if (!json.contains(name)) continue;
    erased.push_back(said(json, name));
    json.erase(name);
  }
  return erased;
}

/// What of the elements the file says is missing, as far as that can be said.
std::string missing_of(const FileInfo& source) {
  FileInfo info = source;
  info.default_fill.reset();
  try {
    return missing_text(rescaling_of(info, DType::float64, "info"));
  } catch (const Error&) {
    return {};
  }
}

/// Whether "an element means scale * x + shift" is true of reduced elements: where scaling before and behind
/// is the same.
bool keeps_scaling(const FileInfo& source, Reduction reduction) {
  if (!source.is_scaled()) return true;
  if (reduction == Reduction::sum) return source.shift == 0;
  if (reduction == Reduction::min || reduction == Reduction::max) return source.scale > 0;
  return reduction == Reduction::mean;
}

/// An element after a conversion; nothing where others become the same, or it is no number of the type.
std::optional<Scalar> converted(const Scalar& element, DType type) {
  const std::optional<Scalar> result = as_element(element, type);
  if (!result || !is_floating_point(type)) return result;
  const bool overflows = std::isfinite(element.to<double>()) && !std::isfinite(result->to<double>());
  return overflows ? std::nullopt : result;
}

ElementJson json_of(const Scalar& number) {
  if (number.is_floating_point()) return number.to<double>();
  if (number == Scalar(number.to<std::int64_t>())) return number.to<std::int64_t>();
  return number.to<std::uint64_t>();
}

class Changed {
 public:
  Changed(const ResultOrigin& result, const ElementChanges& changes)
      : source_(result.source),
        result_(result),
        changes_(changes),
        json_(parse_attributes(source_.attributes)) {
    if (!json_.is_object()) json_ = ElementJson::object();
    stored_ = stored_type(source_, json_);
  }

  ElementAttributes run() {
    if (changes_.rescaling != nullptr) {
      rescale();
    } else if (changes_.has_arithmetic || (result_.is_computed && !result_.reduction)) {
      compute();
    } else {
      if (result_.reduction) reduce(*result_.reduction);
      convert();
    }
    if (!is_changed_) return {source_.attributes, dropped_, notes_};
    return {json_.empty() ? std::string() : python_json_text(json_), dropped_, notes_};
  }

 private:
  void note(const std::string& text) { notes_.push_back(text); }

  /// Leaves out what speaks of stored elements; without a reason where it is true no longer by intent.
  template <std::size_t Count>
  void leave_out(const std::array<const char*, Count>& names, std::string_view reason) {
    const std::vector<std::string> erased = erase_all(json_, names);
    if (erased.empty()) return;
    is_changed_ = true;
    if (reason.empty()) return;
    for (const std::string& fact : erased) dropped_.push_back({{}, fact, std::string(reason)});
  }

  void rescale() {
    const Rescaling& rescaling = *changes_.rescaling;
    leave_out(names_of_scaling, {});
    leave_out(names_of_marks, {});
    leave_out(names_of_times, "the elements are others now");
    for (const std::string& text : rescaling.notes) note(text);
    if (!rescaling.has_missing()) return;
    json_["_FillValue"] = json_of(rescaling.fill);
    is_changed_ = true;
  }

  void compute() {
    const std::string missing = missing_of(source_);
    constexpr std::string_view reason = "the elements are others now";
    leave_out(names_of_scaling, reason);
    leave_out(names_of_marks, reason);
    leave_out(names_of_times, reason);
    if (!missing.empty())
      note(message("elements that x says are missing (", missing,
                   ") were computed with as any others; --rescale alone makes them NaN"));
  }

  void reduce(Reduction reduction) {
    const std::string missing = missing_of(source_);
    if (!missing.empty())
      note(message(name(reduction), " takes elements that x says are missing (", missing,
                   ") as any others; --rescale alone makes them NaN"));
    if (stored_ != source_.dtype || !keeps_scaling(source_, reduction)) {
      leave_out(names_of_scaling, "it is not true of reduced elements");
    }
    const bool is_one_of_them = reduction == Reduction::min || reduction == Reduction::max;
    if (!is_one_of_them || stored_ != source_.dtype)
      leave_out(names_of_marks, "it is not true of reduced elements");
    if (!is_one_of_them) leave_out(names_of_times, "it is not true of reduced elements");
  }

  /// The types that elements go through, without the source's.
  [[nodiscard]] std::vector<DType> types() const {
    std::vector<DType> all =
        result_.obstacle.empty() ? result_.conversions : std::vector<DType>{result_.dtype};
    const DType last = changes_.dtype.value_or(result_.dtype);
    if ((all.empty() ? source_.dtype : all.back()) != last) all.push_back(last);
    std::erase_if(all, [&, before = source_.dtype](DType type) mutable {
      const bool is_same = type == before;
      before = type;
      return is_same;
    });
    return all;
  }

  void convert() {
    std::vector<DType> all = types();
    if (all.empty()) return;
    leave_out(names_of_times, message("elements of ", tenstride::name(all.back()), " are no dates"));
    if (stored_ != source_.dtype) {
      if (all.size() > 1 || all.front() != stored_) {
        const std::string reason = message("elements were converted as ", name(source_.dtype),
                                           "; --rescale converts what they mean");
        leave_out(names_of_scaling, reason);
        leave_out(names_of_marks, reason);
        return;
      }
      json_.erase("_Unsigned");  // they are now what it said
      is_changed_ = true;
    }
    for (const char* const name : names_of_marks) convert_mark(name, all);
  }

  void convert_mark(const char* name, const std::vector<DType>& all) {
    const auto found = json_.find(name);
    if (found == json_.end()) return;
    const std::optional<std::vector<Scalar>> numbers = numbers_of(*found);
    ElementJson list = ElementJson::array();
    for (const Scalar& number : numbers.value_or(std::vector<Scalar>())) {
      std::optional<Scalar> element = as_reinterpreted(number, source_.dtype, stored_);
      for (const DType type : all)
        element = element ? tenstride::io::converted(*element, type) : std::nullopt;
      if (element) list.push_back(json_of(*element));
    }
    if (list.empty() || list.size() != numbers->size()) {
      const std::string text = said(json_, name);
      json_.erase(name);
      dropped_.push_back(
          {{}, text, message("the elements that it speaks of are others in ", tenstride::name(all.back()))});
    } else {
      *found = found->is_array() ? list : ElementJson(list.front());
    }
    is_changed_ = true;
  }

  const FileInfo& source_;
  const ResultOrigin& result_;
  const ElementChanges& changes_;
  ElementJson json_;
  bool is_changed_ = false;
  DType stored_ = DType::float32;
  std::vector<DroppedFact> dropped_;
  std::vector<std::string> notes_;
};

}  // namespace

ElementAttributes attributes_of_elements(const ResultOrigin& result, const ElementChanges& changes) {
  return Changed(result, changes).run();
}

}  // namespace tenstride::io
