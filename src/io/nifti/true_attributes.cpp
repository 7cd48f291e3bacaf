// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/true_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::ordered_json;
using tenstride::detail::message;

/// Axes x, y, z; the fourth is time; the others have no unit.
constexpr std::size_t space_rank = 3, time_axis = 3, vector_axis = 4;

constexpr std::array<const char*, 3> affine_rows{"srow_x", "srow_y", "srow_z"};

std::int64_t integer_or_zero(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

bool is_set(const Json& json, const char* key) {
  const auto found = json.find(key);
  if (found == json.end()) return false;
  return found->is_string() ? !found->get_ref<const std::string&>().empty() : *found != 0;
}

class NiftiResult {
 public:
  NiftiResult(ResultAttributes& attributes, const ResultOrigin& result)
      : attributes_(attributes), json_(attributes.json), result_(result) {
    const Json datatype = json_.value("datatype", Json());
    const bool has_colors = datatype == "RGB24" || datatype == "RGBA32";
    source_begin_ = has_colors ? 1 : 0;
    source_rank_ = json_["pixdim"].size();
    const bool keeps_colors = has_colors && result.dtype == DType::uint8 && !result.axes.empty() &&
                              result.axes[0] && result.axes[0]->axis == 0 && result.axes[0]->is_whole();
    begin_ = keeps_colors ? 1 : 0;
    if (!has_colors || keeps_colors) return;
    const std::string change = change_of_axis(result, 0);
    attributes_.drop("datatype", change.empty() ? "elements are no colours" : change);
  }

  void keep_true() {
    if (begin_ == source_begin_ && result_.has_same_axes()) return keep_true_of_elements();
    keep_sizes();
    keep_affine();
    keep_directions();
    keep_time();
    keep_true_of_elements();
  }

 private:
  /// Axes of voxels, without one of colours.
  [[nodiscard]] std::size_t rank() const {
    return result_.axes.size() - std::min(begin_, result_.axes.size());
  }
  [[nodiscard]] Index extent(std::size_t place) const { return result_.shape[place + begin_]; }

  /// The source's axis of voxels that stands at a place of the result.
  [[nodiscard]] const SourceAxis* at(std::size_t place) const {
    if (place >= rank() || !result_.axes[place + begin_]) return nullptr;
    const SourceAxis& found = *result_.axes[place + begin_];
    return found.axis >= source_begin_ && found.axis - source_begin_ < source_rank_ ? &found : nullptr;
  }
  [[nodiscard]] std::size_t number(const SourceAxis& axis) const { return axis.axis - source_begin_; }

  [[nodiscard]] std::optional<std::size_t> place_of(std::size_t axis) const {
    for (std::size_t place = 0; place < rank(); ++place) {
      if (at(place) != nullptr && number(*at(place)) == axis) return place;
    }
    return std::nullopt;
  }

  /// What became of an axis of voxels; where it stands now, if it is whole.
  [[nodiscard]] std::string change(std::size_t axis) const {
    if (!result_.obstacle.empty()) return change_of_elements(result_);
    std::string text = change_of_axis(result_, axis + source_begin_);
    if (!text.empty()) return text;
    const std::optional<std::size_t> place = place_of(axis);
    return message(axis_text(result_.source, axis + source_begin_), " is axis ", place.value_or(0) + begin_,
                   " of the result");
  }

  /// A size keeps its meaning at the places that have its unit.
  [[nodiscard]] static bool has_unit_of(std::size_t place, std::size_t axis) {
    if (place < space_rank) return axis < space_rank;
    return place == time_axis ? axis == time_axis : axis > time_axis;
  }

  void keep_sizes() {
    const Json before = json_["pixdim"];
    Json sizes = Json::array();
    bool has_space = true;
    for (std::size_t place = 0; place < rank(); ++place) {
      const SourceAxis* const axis = at(place);
      const bool is_kept =
          axis != nullptr && has_unit_of(place, number(*axis)) && before[number(*axis)].is_number();
      if (!is_kept && place < space_rank) has_space = false;
      if (!is_kept) {
        sizes.push_back(1.0);
      } else if (std::abs(axis->step) == 1) {
        sizes.push_back(before[number(*axis)]);
      } else {
        sizes.push_back(before[number(*axis)].get<double>() * static_cast<double>(std::abs(axis->step)));
      }
    }
    if (!result_.obstacle.empty()) attributes_.tell("pixdim", change_of_elements(result_));
    for (std::size_t axis = 0; axis < before.size(); ++axis) {
      const std::optional<std::size_t> place = place_of(axis);
      if (place && !has_unit_of(*place, axis)) attributes_.tell("pixdim", change(axis));
    }
    json_["pixdim"] = sizes;
    keep_units(has_space);
  }

  /// Without a size there is no unit: the 1 that stands for it would be one of a millimetre.
  void keep_units(bool has_space) {
    const std::int64_t units = integer_or_zero(json_, "xyzt_units");
    constexpr std::int64_t of_space = 0x07, of_time = 0x38;
    const bool has_time =
        rank() <= time_axis || (at(time_axis) != nullptr && number(*at(time_axis)) == time_axis);
    const std::int64_t kept = (has_space ? units & of_space : 0) | (has_time ? units & of_time : 0);
    if (kept == units) return;
    json_["xyzt_units"] = kept;
    attributes_.tell("xyzt_units", "not all axes have sizes of these units");
  }

  /// The column of the affine transform that belongs to each of the first three axes of the result: an axis
  /// of space, or, of a single index, one that the source does not have. Nothing where that is not so.
  [[nodiscard]] std::optional<std::array<std::size_t, 3>> columns() const {
    const std::size_t known = std::min(space_rank, source_rank_);
    std::array<std::size_t, 3> result{};
    std::size_t found = 0, next = known;
    for (std::size_t place = 0; place < space_rank; ++place) {
      const SourceAxis* const axis = at(place);
      if (axis != nullptr && number(*axis) < known && axis->is_whole()) {
        result[place] = number(*axis);
        ++found;
      } else if (next < space_rank && (place >= rank() || extent(place) == 1)) {
        result[place] = next++;
      } else {
        return std::nullopt;
      }
    }
    return found == known ? std::optional(result) : std::nullopt;
  }

  /// Why the transform does not hold.
  [[nodiscard]] std::string change_of_space() const {
    for (std::size_t axis = 0; axis < std::min(space_rank, source_rank_); ++axis) {
      const std::optional<std::size_t> place = place_of(axis);
      if (!place || *place >= space_rank || !at(*place)->is_whole()) return change(axis);
    }
    return "there are new axes among the first three";
  }

  void drop_transform(const char* name, const char* code, std::initializer_list<const char*> fields,
                      const std::string& reason) {
    if (is_set(json_, code)) attributes_.tell(name, reason);
    json_.erase(code);
    for (const char* const field : fields) json_.erase(field);
  }
  void drop_quaternion(const std::string& reason) {
    drop_transform("qform", "qform_code",
                   {"quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y", "qoffset_z", "qfac"},
                   reason);
  }

  void keep_affine() {
    const std::optional<std::array<std::size_t, 3>> order = columns();
    const bool has_rows = std::all_of(affine_rows.begin(), affine_rows.end(), [this](const char* key) {
      return json_.value(key, Json()).size() == 4;
    });
    if (!order || !has_rows) {
      const std::string reason = order ? "it has not three rows of four numbers" : change_of_space();
      drop_transform("sform", "sform_code", {"srow_x", "srow_y", "srow_z"}, reason);
      if (!order) drop_quaternion(reason);
      return;
    }
    if (*order == std::array<std::size_t, 3>{0, 1, 2}) return;
    // A quaternion rotates unpermuted axes; the affine transform says the same.
    drop_quaternion("axes of space are permuted");
    for (const char* const key : affine_rows) {
      const Json row = json_[key];
      for (std::size_t d = 0; d < space_rank; ++d) json_[key][d] = row[(*order)[d]];
    }
  }

  /// In which directions slices were acquired, and when.
  void keep_directions() {
    const std::int64_t info = integer_or_zero(json_, "dim_info");
    std::int64_t moved = 0;
    bool is_lost = false;
    for (const int shift : {0, 2, 4}) {
      const std::int64_t axis = info >> shift & 3;
      if (axis == 0) continue;
      const std::optional<std::size_t> place = place_of(static_cast<std::size_t>(axis - 1));
      const bool is_kept = place && *place < space_rank;
      if (is_kept) moved |= static_cast<std::int64_t>(*place + 1) << shift;
      is_lost = is_lost || !is_kept;
    }
    if (moved != info) json_["dim_info"] = moved;
    if (is_lost) attributes_.tell("dim_info", change_of_space());
    const std::int64_t told = info >> 4 & 3;
    const std::size_t slices = told == 0 ? space_rank - 1 : static_cast<std::size_t>(told - 1);
    const std::optional<std::size_t> place = place_of(slices);
    const bool is_known = place && *place < space_rank && (told != 0 || *place == slices);
    if (is_known && at(*place)->is_whole()) return;
    for (const char* const key : {"slice_start", "slice_end", "slice_code", "slice_duration"}) {
      if (is_set(json_, key))
        attributes_.tell(key, slices < source_rank_ ? change(slices) : change_of_space());
      json_.erase(key);
    }
  }

  void keep_time() {
    const bool has_time = source_rank_ > time_axis;
    const bool is_whole =
        at(time_axis) != nullptr && number(*at(time_axis)) == time_axis && at(time_axis)->is_whole();
    if (!has_time || is_whole || !is_set(json_, "toffset")) return;
    attributes_.drop("toffset", change(time_axis));
  }

  /// What elements mean: of a statistic, with its parameters along the fifth axis.
  void keep_true_of_elements() {
    const bool has_vectors = source_rank_ > vector_axis;
    const SourceAxis* const vectors = at(vector_axis);
    const bool has_same_vectors =
        !has_vectors || (vectors != nullptr && number(*vectors) == vector_axis && vectors->is_whole());
    const std::string numbers = change_of_elements(result_);
    if (!numbers.empty() || !has_same_vectors) {
      const std::string reason = numbers.empty() ? change(vector_axis) : numbers;
      for (const char* const key : {"intent_code", "intent_name", "intent_p1", "intent_p2", "intent_p3"}) {
        if (is_set(json_, key)) attributes_.tell(key, reason);
        json_.erase(key);
      }
    }
    const std::optional<Reduction>& reduction = result_.reduction;
    const bool keeps_range = result_.obstacle.empty() && !result_.is_scaled &&
                             (!reduction || *reduction == Reduction::mean || *reduction == Reduction::min ||
                              *reduction == Reduction::max);
    if (keeps_range) return;
    for (const char* const key : {"cal_max", "cal_min"}) {
      if (is_set(json_, key)) attributes_.tell(key, numbers);
      json_.erase(key);
    }
  }

  ResultAttributes& attributes_;
  Json& json_;
  const ResultOrigin& result_;
  /// The first axis of voxels of the source and of the result: 1 behind one of colours.
  std::size_t source_begin_ = 0;
  std::size_t source_rank_ = 0;
  std::size_t begin_ = 0;
};

}  // namespace

void keep_true_nifti(ResultAttributes& attributes, const ResultOrigin& result) {
  const auto sizes = attributes.json.find("pixdim");
  if (sizes == attributes.json.end() || !sizes->is_array()) return;
  NiftiResult(attributes, result).keep_true();
}

}  // namespace tenstride::io
