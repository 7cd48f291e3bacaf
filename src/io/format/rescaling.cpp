// SPDX-License-Identifier: Apache-2.0
#include "tenstride/io/rescaling.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/format/scaling.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/ops/selection.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;
using RescalingJson = nlohmann::ordered_json;

bool is_nan(const Scalar& number) {
  return number.is_floating_point() && std::isnan(number.to<double>());
}

bool is_less(const Scalar& a, const Scalar& b) {
  if (!a.is_integer() || !b.is_integer()) return a.to<double>() < b.to<double>();
  const auto is_negative = [](const Scalar& x) { return x.to<double>() < 0; };
  if (is_negative(a) != is_negative(b)) return is_negative(a);
  return is_negative(a) ? a.to<std::int64_t>() < b.to<std::int64_t>()
                        : a.to<std::uint64_t>() < b.to<std::uint64_t>();
}

/// Reads the attributes of one tensor.
class AttributeReader {
 public:
  AttributeReader(const FileInfo& info, const RescalingJson& json, Rescaling& result,
                  std::string_view operation)
      : info_(info), json_(json), result_(result), operation_(operation) {}

  void read() {
    for (const char* const name : {"scale_factor", "add_offset"}) check_scaling(name);
    for (const char* const name : {"_FillValue", "missing_value"}) {
      for (const Scalar& number : numbers(name)) take_missing(name, number);
    }
    if (info_.default_fill && !json_.contains("_FillValue")) take_missing("_FillValue", *info_.default_fill);
    const std::vector<Scalar> range = numbers("valid_range");
    if (range.size() == 2) {
      result_.lowest = element_of(range[0]);
      result_.highest = element_of(range[1]);
      if (result_.lowest && result_.highest) return;
      result_.lowest.reset();
      result_.highest.reset();
      return note("valid_range");
    }
    if (!range.empty()) note("valid_range");
    take_bound("valid_min", result_.lowest);
    take_bound("valid_max", result_.highest);
  }

 private:
  [[noreturn]] void refuse(const char* name, std::string_view rule) const {
    throw ValueError(message(operation_, ": \"", info_.address(), "\" says ", name, ' ',
                             python_json_text(json_.at(name)), ", which must be ", rule,
                             " (give scale and shift as numbers of your own)"));
  }
  [[nodiscard]] std::vector<Scalar> numbers(const char* name) const {
    const auto found = json_.find(name);
    if (found == json_.end()) return {};
    const std::optional<std::vector<Scalar>> given = numbers_of(*found);
    if (!given) refuse(name, "a number, not text");
    return *given;
  }
  void check_scaling(const char* name) const {
    const std::vector<Scalar> given = numbers(name);
    if (!json_.contains(name)) return;
    if (given.size() != 1 || !std::isfinite(given.front().to<double>())) refuse(name, "one finite number");
  }
  [[nodiscard]] std::optional<Scalar> element_of(const Scalar& number) const {
    return as_reinterpreted(number, info_.dtype, result_.stored);
  }
  void note(const char* name) {
    result_.notes.push_back(message(name, ' ', python_json_text(json_.at(name)),
                                    " is not used: it must be of ", tenstride::name(info_.dtype)));
  }
  void take_missing(const char* name, const Scalar& number) {
    const std::optional<Scalar> element = element_of(number);
    if (!element) return note(name);
    std::vector<Scalar>& all = result_.missing;
    const bool is_known = std::any_of(all.begin(), all.end(), [&](const Scalar& other) {
      return other == *element || (is_nan(other) && is_nan(*element));
    });
    if (!is_known) all.push_back(*element);
  }
  void take_bound(const char* name, std::optional<Scalar>& bound) {
    const std::vector<Scalar> given = numbers(name);
    if (given.size() == 1) bound = element_of(given.front());
    if (!given.empty() && !bound) note(name);
  }

  const FileInfo& info_;
  const RescalingJson& json_;
  Rescaling& result_;
  std::string_view operation_;
};

struct Limits {
  double lowest = 0;
  double highest = 0;
};

/// The least and the greatest value that elements of an integer type may have.
Limits limits_of(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> Limits {
    if constexpr (std::is_integral_v<T>) {
      return {static_cast<double>(std::numeric_limits<T>::min()),
              static_cast<double>(std::numeric_limits<T>::max())};
    } else {
      return {-std::numeric_limits<double>::infinity(), std::numeric_limits<double>::infinity()};
    }
  });
}

/// Whether an element that is not missing may become the number, as far as bounds tell.
bool may_become(const Rescaling& rescaling, const Scalar& number) {
  if (!rescaling.is_scaled() && rescaling.is_missing(number)) return false;
  const Limits stored = limits_of(rescaling.stored);
  const double a = rescaling.lowest ? rescaling.lowest->to<double>() : stored.lowest;
  const double b = rescaling.highest ? rescaling.highest->to<double>() : stored.highest;
  const double first = rescaling.scale * a + rescaling.shift, last = rescaling.scale * b + rescaling.shift;
  const auto value = number.to<double>();
  return value >= std::floor(std::min(first, last)) && value <= std::ceil(std::max(first, last));
}

/// What stands for a missing element in the result: of integers the file's own fill value, netCDF's, or an
/// end of the type; the first of them that no other element becomes.
Scalar choose_fill(const Rescaling& rescaling) {
  const DType type = rescaling.dtype;
  if (!is_integer(type)) return Scalar(std::numeric_limits<double>::quiet_NaN());
  std::vector<Scalar> candidates;
  const auto propose = [&](const std::optional<Scalar>& number) {
    if (number) candidates.push_back(*number);
  };
  for (const Scalar& number : rescaling.missing) propose(as_element(number, type));
  propose(netcdf_fill(type));
  visit(type, [&]<class T>(std::type_identity<T>) {
    if constexpr (std::is_integral_v<T>) {
      propose(Scalar(std::numeric_limits<T>::min()));
      propose(Scalar(std::numeric_limits<T>::max()));
    }
  });
  const auto found = std::find_if(candidates.begin(), candidates.end(),
                                  [&](const Scalar& number) { return !may_become(rescaling, number); });
  return found == candidates.end() ? candidates.front() : *found;
}

/// Where elements of `stored` are missing.
Tensor mask_of(const Tensor& stored, const Rescaling& rescaling) {
  // There is no comparison of floats of 8 bits.
  const bool is_tiny = is_floating_point(stored.dtype()) && item_size(stored.dtype()) == 1;
  const Tensor x = is_tiny ? stored.to(DType::float32) : stored;
  std::optional<Tensor> mask;
  const auto add = [&](const Tensor& found) {
    if (mask) {
      logical_or_(*mask, found);
    } else {
      mask = found;
    }
  };
  for (const Scalar& number : rescaling.missing) add(is_nan(number) ? ne(x, x) : eq(x, number));
  if (rescaling.lowest) add(lt(x, *rescaling.lowest));
  if (rescaling.highest) add(gt(x, *rescaling.highest));
  return mask.value();
}

Index count_true(const Tensor& mask) {
  return sum(mask).item<Index>();
}

[[noreturn]] void refuse_taken_fill(const Rescaling& rescaling, Index count, std::string_view operation) {
  throw FileError(
      message(operation, ": \"", rescaling.address, "\" must have no element that becomes ",
              rescaling.fill.to_string(), " in ", name(rescaling.dtype),
              ", which stands for missing ones: ", count, " do (take a larger type, or a floating one)"),
      rescaling.address);
}

}  // namespace

bool Rescaling::is_missing(const Scalar& element) const {
  for (const Scalar& number : missing) {
    if (is_nan(number) ? is_nan(element) : element == number) return true;
  }
  return (lowest && is_less(element, *lowest)) || (highest && is_less(*highest, element));
}

Rescaling rescaling_of(const FileInfo& info, DType dtype, std::string_view operation) {
  Rescaling result;
  result.address = info.address();
  result.stored = info.dtype;
  result.scale = info.scale;
  result.shift = info.shift;
  result.dtype = dtype;
  const bool has_conventions =
      info.kind == FileKind::hdf5 || info.kind == FileKind::netcdf || info.kind == FileKind::zarr;
  RescalingJson json = parse_attributes(info.attributes);
  if (!json.is_object()) json = RescalingJson::object();
  if (has_conventions && info.dtype != DType::bool_) {
    result.stored = stored_type(info, json);
    AttributeReader(info, json, result, operation).read();
  }
  if (!result.has_missing()) return result;
  if (dtype == DType::bool_) {
    throw ValueError(message(operation, ": elements of \"", info.address(), "\" may be missing (",
                             missing_text(result), "), so the result must not be bool"));
  }
  result.fill = choose_fill(result);
  return result;
}

Index rescale_elements(Tensor& dst, const Tensor& src, const Rescaling& rescaling,
                       std::string_view operation) {
  const Tensor stored = src.dtype() == rescaling.stored ? src : src.view(rescaling.stored);
  const auto copy = [&](Tensor& to, const Tensor& from) {
    const std::array<double, 1> scale{rescaling.scale}, shift{rescaling.shift};
    copy_elements(to, from, rescaling.is_scaled() ? ScaleShift{scale, shift} : ScaleShift{});
  };
  if (!rescaling.has_missing()) {
    copy(dst, stored);
    return 0;
  }
  constexpr Index part = Index{1} << 18;  // elements whose masks stay in the cache
  Index axis = 0;
  while (axis < stored.dim() && stored.size(axis) == 1) ++axis;
  if (stored.numel() > part && axis < stored.dim()) {
    const Index step = std::max<Index>(1, part / std::max<Index>(1, stored.numel() / stored.size(axis)));
    Index count = 0;
    for (Index first = 0; first < stored.size(axis); first += step) {
      const Index length = std::min(step, stored.size(axis) - first);
      Tensor to = dst.narrow(axis, first, length);
      count += rescale_elements(to, src.narrow(axis, first, length), rescaling, operation);
    }
    return count;
  }
  copy(dst, stored);
  const Tensor mask = mask_of(stored, rescaling);
  const Index count = count_true(mask);
  if (count > 0) masked_fill_(dst, mask, rescaling.fill);
  if (is_integer(rescaling.dtype)) {
    const Index found = count_true(eq(dst, rescaling.fill));
    if (found != count) refuse_taken_fill(rescaling, found - count, operation);
  }
  return count;
}

std::string missing_text(const Rescaling& rescaling) {
  std::string text;
  const auto add = [&](const std::string& words) { text += (text.empty() ? "" : ", ") + words; };
  for (const Scalar& number : rescaling.missing) add(number.to_string());
  if (rescaling.lowest) add("below " + rescaling.lowest->to_string());
  if (rescaling.highest) add("above " + rescaling.highest->to_string());
  return text;
}

}  // namespace tenstride::io
