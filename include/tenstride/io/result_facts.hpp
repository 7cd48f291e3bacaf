// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "tenstride/base/export.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/rescaling.hpp"
#include "tenstride/io/tensor_move.hpp"

namespace tenstride::io {

/// What a file says about a tensor and is not true of a result, so that it is left out.
/// Example: {"", "sform", "axis x is flipped"}.
struct DroppedFact {
  /// The tensor's name in the destination; empty for a single one without a name.
  std::string tensor;
  std::string fact;
  std::string reason;
  friend bool operator==(const DroppedFact&, const DroppedFact&) = default;
};

/// What a file says about a tensor, as it holds for what a chain makes of it.
struct ResultFacts {
  /// One for each axis, "" for an axis that is none of the source's; or none.
  std::vector<std::string> axis_names;
  /// A JSON object, or empty.
  std::string attributes;
  /// What the destination has a place for. Of several tensors all have the same attributes of a group.
  FurtherFacts further{};
  /// What is not true of the result, of all that the destination has a place for.
  std::vector<DroppedFact> dropped{};
  /// What the file says and was not heeded; sentences for the user.
  std::vector<std::string> notes{};
};

/// What is done with the elements beside what the chain does.
struct ElementChanges {
  /// The element type of the result; nothing: as the chain gives.
  std::optional<DType> dtype{};
  /// Whether they are multiplied or shifted by other numbers than the file's.
  bool has_arithmetic = false;
  /// Makes elements what they mean; null where nothing does.
  const Rescaling* rescaling = nullptr;
};

/// Names and attributes go along with their axes. Example: of axes time, lat, lon and `x.permute(1, 2, 0)`
/// the names are lat, lon, time. Attributes that speak of positions are kept where they are still true: of
/// `x.flip(0)` of a NIfTI file the sizes of voxels, but no affine transform. Those that speak of elements
/// (scale_factor, _FillValue, valid_range, …) are those of the result's elements, or left out. Of a chain
/// that fails without elements nothing is kept. Attributes of other kinds of files are left out where those
/// of `destination` are fields of its header (NIfTI).
TENSTRIDE_API ResultFacts facts_of_result(const FileInfo& source, std::string_view chain,
                                          FileKind destination, const ElementChanges& changes = {});

/// A tensor on its way, with what is done with its elements.
struct ResultMove {
  TensorMove move;
  ElementChanges changes{};
};

/// What is said of all tensors of a file that is written. A name that several axes share stands for the same
/// indices of all of them: where the chains of two tensors leave different ones, the axis of one gets a name
/// of its own. Example: `x[2:]` of t2m (time, lat), beside an unchanged time of 10, is (time_8, lat).
TENSTRIDE_API std::vector<ResultFacts> facts_of_results(const std::vector<ResultMove>& results,
                                                        FileKind destination);

/// Tensors on their way, and those that are not written although they were kept.
struct CarriedMoves {
  std::vector<TensorMove> moves;
  std::vector<DroppedFact> dropped{};
};

/// Coordinates among tensors that are kept go through what their axes go through in those that are converted;
/// so do the tensors that these name in their attributes ("coordinates", "bounds", …). Where several tensors
/// have different parts of an axis, the coordinate stays whole if one has all of it, and each other part gets
/// a coordinate of its own beside it. That of an axis that is reduced everywhere is left out.
/// Example: beside t2m (time, lat) with the chain "x.flip(1)[2:]" the kept time gets "x[2:10]", lat
/// "x.flip(0)".
TENSTRIDE_API CarriedMoves carry_labels(const std::vector<TensorMove>& moves);

/// One line for each tensor and reason; empty where nothing was dropped.
/// Example: "dropped  sform, qform: axis x is flipped\n".
TENSTRIDE_API std::string to_string(const std::vector<DroppedFact>& dropped);

}  // namespace tenstride::io
