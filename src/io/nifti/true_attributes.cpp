// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/true_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstdlib>

#include "base/message.hpp"
#include "io/nifti/attributes.hpp"
#include "io/nifti/space.hpp"

namespace tenstride::io {
namespace {

using Json = nlohmann::ordered_json;
using tenstride::detail::message;

/// Axes x, y, z; the fourth is time; the others have no unit.
constexpr std::size_t space_rank = 3, time_axis = 3, vector_axis = 4;

constexpr std::array<const char*, 3> affine_rows{"srow_x", "srow_y", "srow_z"};
constexpr std::array<const char*, 3> quaternion_keys{"quatern_b", "quatern_c", "quatern_d"};
constexpr std::array<const char*, 3> offset_keys{"qoffset_x", "qoffset_y", "qoffset_z"};

std::int64_t integer_or_zero(const Json& json, const char* key) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number_integer() ? found->get<std::int64_t>() : 0;
}

double number_or(const Json& json, const char* key, double otherwise) {
  const auto found = json.find(key);
  return found != json.end() && found->is_number() ? found->get<double>() : otherwise;
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
    const bool has_colors = nifti_colors(json_) > 0;
    source_begin_ = has_colors ? 1 : 0;
    source_rank_ = std::max(result.source.layout.rank(), source_begin_) - source_begin_;
    const bool keeps_colors = has_colors && result.dtype == DType::uint8 && !result.axes.empty() &&
                              result.axes[0] && result.axes[0]->axis == 0 && result.axes[0]->is_whole();
    begin_ = keeps_colors ? 1 : 0;
    if (!has_colors || keeps_colors) return;
    const std::string change = change_of_axis(result, 0);
    attributes_.drop("datatype", change.empty() ? "elements are no colours" : change);
  }

  void keep_true() {
    if (begin_ == source_begin_ && result_.has_same_axes()) return keep_true_of_elements();
    keep_time();  // by the step of time before it is another
    const Json sizes = json_["pixdim"];
    const std::optional<SpaceMove> move = space_move();
    keep_sizes(move);
    if (move) {
      move_affine(*move);
      move_rotation(*move, sizes);
    } else {
      drop_transforms();
    }
    keep_directions();
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

  /// The size of the source's voxels along an axis of theirs, where it is known.
  [[nodiscard]] static std::optional<double> size_of(const Json& sizes, std::size_t axis) {
    if (axis >= sizes.size() || !sizes[axis].is_number()) return std::nullopt;
    return sizes[axis].get<double>();
  }

  void keep_sizes(const std::optional<SpaceMove>& move) {
    const Json before = json_["pixdim"];
    Json sizes = Json::array();
    bool has_space = true;
    const std::size_t count = move ? std::max(rank(), space_rank) : rank();
    for (std::size_t place = 0; place < count; ++place) {
      const SourceAxis* const axis = at(place);
      std::optional<double> size;
      if (move && place < space_rank) {
        size = size_of(before, move->axes[place].source);
        if (size) *size *= std::abs(move->axes[place].step);
      } else if (axis != nullptr && has_unit_of(place, number(*axis))) {
        size = size_of(before, number(*axis));
        if (size) *size *= static_cast<double>(std::abs(axis->step));
      }
      if (!size && place < std::min(rank(), space_rank)) has_space = false;
      sizes.push_back(size.value_or(1));
    }
    if (!result_.obstacle.empty()) attributes_.tell("pixdim", change_of_elements(result_));
    for (std::size_t axis = 0; axis < source_rank_; ++axis) {
      const std::optional<std::size_t> place = place_of(axis);
      if (place && !has_unit_of(*place, axis)) attributes_.tell("pixdim", change(axis));
    }
    json_["pixdim"] = sizes;
    keep_units(has_space);
  }

  /// Keeps the units. Without a size there is none: the 1 that stands for it would be one of a millimetre.
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

  /// What the first three axes of the result are in space: axes of space, or, of a single index, one that is
  /// in the result no more. Nothing where one is something else.
  [[nodiscard]] std::optional<SpaceMove> space_move() const {
    if (!result_.obstacle.empty()) return std::nullopt;
    SpaceMove move;
    std::array<bool, 3> is_taken{}, is_free{};
    for (std::size_t place = 0; place < space_rank; ++place) {
      const SourceAxis* const axis = at(place);
      if (axis != nullptr && number(*axis) < space_rank) {
        move.axes[place] = {number(*axis), static_cast<double>(axis->step)};
        move.first[number(*axis)] = static_cast<double>(axis->first);
        is_taken[number(*axis)] = true;
      } else if (place >= rank() || extent(place) == 1) {
        is_free[place] = true;
      } else {
        return std::nullopt;
      }
    }
    for (std::size_t place = 0; place < space_rank; ++place) {
      if (!is_free[place]) continue;
      const auto axis =
          static_cast<std::size_t>(std::find(is_taken.begin(), is_taken.end(), false) - is_taken.begin());
      is_taken[axis] = true;
      move.axes[place] = {axis, 1};
      if (axis >= source_rank_) continue;
      const std::optional<std::size_t> elsewhere = place_of(axis);
      if (const SourceAxis* const found = result_.reduced_axis(axis + source_begin_)) {
        const auto step = static_cast<double>(found->step), count = static_cast<double>(found->extent);
        move.first[axis] = static_cast<double>(found->first) + step * (count - 1) / 2;
        move.axes[place].step = std::abs(step) * count;
      } else if (result_.first && (!elsewhere || extent(*elsewhere) == 1)) {
        move.first[axis] = static_cast<double>((*result_.first)[axis + source_begin_]);
      } else {
        return std::nullopt;
      }
    }
    return move;
  }

  /// Why the transforms do not hold.
  [[nodiscard]] std::string change_of_space() const {
    for (std::size_t axis = 0; axis < std::min(space_rank, source_rank_); ++axis) {
      const std::optional<std::size_t> place = place_of(axis);
      if (!place || *place >= space_rank) return change(axis);
    }
    return "there are new axes among the first three";
  }

  void drop_transform(const char* name, const char* code, std::initializer_list<const char*> fields,
                      const std::string& reason) {
    if (is_set(json_, code)) attributes_.tell(name, reason);
    json_.erase(code);
    for (const char* const field : fields) json_.erase(field);
  }
  void drop_transforms() {
    const std::string reason = change_of_space();
    drop_transform("sform", "sform_code", {"srow_x", "srow_y", "srow_z"}, reason);
    drop_transform("qform", "qform_code",
                   {"quatern_b", "quatern_c", "quatern_d", "qoffset_x", "qoffset_y", "qoffset_z", "qfac"},
                   reason);
  }

  void move_affine(const SpaceMove& move) {
    AffineRows rows{};
    for (std::size_t row = 0; row < rows.size(); ++row) {
      const Json numbers = json_.value(affine_rows[row], Json());
      const bool is_row =
          numbers.is_array() && numbers.size() == rows[row].size() &&
          std::all_of(numbers.begin(), numbers.end(), [](const Json& number) { return number.is_number(); });
      if (!is_row) {
        return drop_transform("sform", "sform_code", {"srow_x", "srow_y", "srow_z"},
                              "it has not three rows of four numbers");
      }
      for (std::size_t i = 0; i < numbers.size(); ++i) rows[row][i] = numbers[i].get<double>();
    }
    rows = moved(rows, move);
    for (std::size_t row = 0; row < rows.size(); ++row) json_[affine_rows[row]] = rows[row];
  }

  /// `sizes`: of the source's voxels; one that is no size counts as 1, as readers take it.
  void move_rotation(const SpaceMove& move, const Json& sizes) {
    if (!is_set(json_, "qform_code")) return;
    NiftiRotation rotation;
    std::array<double, 3> voxel{};
    for (std::size_t d = 0; d < space_rank; ++d) {
      rotation.quaternion[d] = number_or(json_, quaternion_keys[d], 0);
      rotation.offset[d] = number_or(json_, offset_keys[d], 0);
      const double size = std::abs(size_of(sizes, d).value_or(1));
      voxel[d] = size == 0 ? 1 : size;
    }
    rotation.qfac = number_or(json_, "qfac", 1) < 0 ? -1 : 1;
    rotation = moved(rotation, voxel, move);
    for (std::size_t d = 0; d < space_rank; ++d) {
      json_[quaternion_keys[d]] = rotation.quaternion[d];
      json_[offset_keys[d]] = rotation.offset[d];
    }
    json_["qfac"] = rotation.qfac;
  }

  /// Keeps in which directions slices were acquired, and when.
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

  /// The time of the first index, where time has not become something else.
  void keep_time() {
    if (source_rank_ <= time_axis) return;
    const double step = size_of(json_["pixdim"], time_axis).value_or(0);
    const std::optional<std::size_t> place = place_of(time_axis);
    std::optional<Index> first;
    if (place && (*place != time_axis || at(*place)->step < 0)) {
      first.reset();
    } else if (place) {
      first = at(*place)->first;
    } else if (result_.first && result_.reduced_axis(time_axis + source_begin_) == nullptr) {
      first = (*result_.first)[time_axis + source_begin_];
    }
    if (first == 0) return;
    if (first && step > 0) {
      json_["toffset"] = number_or(json_, "toffset", 0) + static_cast<double>(*first) * step;
    } else if (is_set(json_, "toffset")) {
      attributes_.drop("toffset", change(time_axis));
    }
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
