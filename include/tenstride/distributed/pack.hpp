// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/distribution/redistribution.hpp"
#include "tenstride/tensor/tensor.hpp"

/// What a rank does with its own memory in a redistribution: it packs what it sends, unpacks what it
/// receives, and copies what it keeps. How packed bytes get from rank to rank is another's matter.
namespace tenstride::distributed {

/// The tensors of one rank of a plan, before and after.
class RankTensors {
 public:
  /// `source` has what the rank holds of the plan's `from`, `destination` gets what it holds of `to`; each in
  /// any layout. On meta nothing is copied, and ledgers record what would be. Throws ShapeError where a
  /// tensor has another shape than its holding, and RuntimeError where their types differ or are not of the
  /// plan's size, they share memory, or the destination is read-only. Refers to the plan.
  TENSTRIDE_API RankTensors(const RedistributionPlan& plan, Index rank, const Tensor& source,
                            const Tensor& destination);

  /// Copies a part of an exchange that this rank sends, dense, to `buffer` of the shape (part.elements).
  TENSTRIDE_API void pack(const ExchangePart& part, Tensor& buffer) const;
  /// Copies a part of an exchange that this rank receives from where it was packed to the destination.
  TENSTRIDE_API void unpack(const ExchangePart& part, const Tensor& buffer);
  /// Copies what this rank keeps of its own.
  TENSTRIDE_API void keep();
  /// Copies all of an exchange that this rank receives from the sender's own memory. `sender` is what the
  /// sender's `source_in_common` is.
  TENSTRIDE_API void take(const Exchange& exchange, const Tensor& sender);
  /// Copies what was unpacked to the destination where that could not be done at once. Called last.
  TENSTRIDE_API void finish();

  /// What this rank holds, with the sizes of its part of the plan's `common`; a view of the given source
  /// where the plan's `is_source_viewed` and its layout allow it.
  [[nodiscard]] const Tensor& source_in_common() const noexcept { return source_; }

 private:
  const RedistributionPlan& plan_;
  Index rank_;
  Tensor destination_given_;
  /// Both in the common shape.
  Tensor source_;
  Tensor destination_;
};

}  // namespace tenstride::distributed
