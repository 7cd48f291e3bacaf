// SPDX-License-Identifier: Apache-2.0
// Copies for the tests of single ways.
#pragma once

#include <gtest/gtest.h>

#include <vector>

#include "copy/bound.hpp"
#include "copy/kernels/kernels.hpp"
#include "copy/ways/ways.hpp"
#include "support/copy_oracle.hpp"
#include "tenstride/copy/run_plan.hpp"

namespace tenstride::testing {

/// A copy to a destination at any address, with room before and behind it.
struct CopyJob {
  Layout dst;
  DType dst_type = DType::float32;
  Index dst_elements = 0;
  Layout src;
  DType src_type = DType::float32;
  Index src_elements = 0;
  PlanOptions options;
};

inline PlanOptions streaming(bool is_streaming) {
  PlanOptions options;
  options.may_be_small = false;
  options.machine.stores = SequentialStores::streaming;
  options.machine.streams = MemoryStreams::one;
  options.streaming_above = is_streaming ? Index{0} : Index{1} << 40;
  return options;
}

/// A permutation of the axes of a dense source, by streaming stores.
inline CopyJob permuted(const Dims& shape, const std::vector<std::size_t>& order, DType type) {
  const Layout dense = row_major(shape);
  CopyJob job;
  job.dst_type = job.src_type = type;
  job.src_elements = job.dst_elements = numel(dense);
  for (const std::size_t axis : order) {
    job.src.shape.push_back(dense.shape[axis]);
    job.src.strides.push_back(dense.strides[axis]);
  }
  job.dst = row_major(job.src.shape);
  job.options = streaming(true);
  return job;
}

/// Runs the copy at an address offset of `skew` bytes and compares the result, and every byte around it, with
/// the definition; also for a plan made for another offset. Returns whether the way was used.
template <class Way>
bool has_it(oracle::Random& random, const CopyJob& job, Index skew,
            const copy::Kernels& kernels = copy::kernels()) {
  constexpr Index guard = 256;
  const auto in =
      random.bytes(static_cast<std::size_t>(oracle::bytes_of(job.src_type, job.src_elements) + skew));
  const Index bytes = oracle::bytes_of(job.dst_type, job.dst_elements);
  const oracle::Bytes before = random.bytes(static_cast<std::size_t>(bytes + 2 * guard + skew));
  oracle::Bytes expected = before;
  oracle::copy(job.dst, job.dst_type, expected.data() + guard + skew, job.src, job.src_type, in.data() + skew,
               job.options);
  oracle::Bytes given = before;
  bool is_carried_out = false;
  for (const bool is_placed : {true, false}) {
    given = before;
    std::byte* const dst = given.data() + guard + skew;
    PlanOptions options = job.options;
    options.placement = is_placed ? placement_of(dst, job.dst, job.dst_type) : Placement{};
    const CopyPlan made = plan_copy(job.dst, job.dst_type, job.src, job.src_type, options);
    const auto* const way = std::get_if<Way>(&made.way);
    if (way == nullptr) continue;
    is_carried_out = is_carried_out || is_placed;
    copy::run(*way, copy::Bound(made, kernels, dst, in.data() + skew));
    EXPECT_TRUE(given == expected) << kernels.name << '\n' << made.to_string() << "\nplaced: " << is_placed;
  }
  return is_carried_out;
}

template <class Way>
bool has_it(oracle::Random& random, const CopyJob& job) {
  return has_it<Way>(random, job, random.between(0, 70));
}

}  // namespace tenstride::testing
