// SPDX-License-Identifier: Apache-2.0
// What files say beside names of axes and attributes of tensors, on the way to a result.
#pragma once

#include <vector>

#include "io/format/format.hpp"
#include "io/format/result_origin.hpp"
#include "tenstride/io/result_facts.hpp"

namespace tenstride::io {

/// A result, and what became of its axes; null where that is not known.
struct FollowedResult {
  const ResultMove* result = nullptr;
  const ResultOrigin* origin = nullptr;
};

/// Sets `further` of a result but for its groups, and tells what the destination has no place for.
void add_further_facts(const FollowedResult& followed, const FileFormat& destination, ResultFacts& facts);

/// Axes of one name and extent are one dimension of the file: where one is unlimited all are.
void share_unlimited_axes(const std::vector<FollowedResult>& followed, std::vector<ResultFacts>& facts);

/// Sets the groups of all results: those that a result stands in as its source did, with the attributes that
/// all sources say alike. Gives those that are not kept. Pre: as many facts as results.
std::vector<DroppedFact> add_groups(const std::vector<FollowedResult>& followed,
                                    const FileFormat& destination, std::vector<ResultFacts>& facts);

}  // namespace tenstride::io
