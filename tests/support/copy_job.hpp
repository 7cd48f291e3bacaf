// SPDX-License-Identifier: Apache-2.0
// Copies for the tests of the engine's ways besides its kernels.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "copy/kernels.hpp"
#include "copy/walk.hpp"
#include "copy_oracle.hpp"

namespace tenstride::testing {

/// A copy to a destination that begins anywhere, with room before and behind it.
struct CopyJob {
  Layout dst;
  DType dst_type = DType::float32;
  Index dst_elements = 0;
  Layout src;
  DType src_type = DType::float32;
  Index src_elements = 0;
  PlanOptions options;
};

/// A way of the engine, and what it says of itself.
struct Way {
  bool (*run)(const copy::Walk& walk);
  std::string (*text)(const copy::Walk& walk);
};

inline PlanOptions streaming(bool is_streaming) {
  PlanOptions options;
  options.machine.stores = SequentialStores::streaming;
  options.machine.streams = MemoryStreams::one;
  options.streaming_above = is_streaming ? Index{0} : Index{1} << 40;
  return options;
}

/// The axes of a dense source in another order, past the cache.
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

/// Whether the way had it, at a skew of so many bytes; the result and every byte around it are as the
/// definition has them.
inline bool has_it(const Way& way, oracle::Random& random, const CopyJob& job, Index skew,
                   const copy::Kernels& kernels = copy::kernels()) {
  constexpr Index guard = 256;
  const auto in =
      random.bytes(static_cast<std::size_t>(oracle::bytes_of(job.src_type, job.src_elements) + skew));
  const Index bytes = oracle::bytes_of(job.dst_type, job.dst_elements);
  oracle::Bytes expected = random.bytes(static_cast<std::size_t>(bytes + 2 * guard + skew));
  oracle::Bytes given = expected;
  oracle::copy(job.dst, job.dst_type, expected.data() + guard + skew, job.src, job.src_type, in.data() + skew,
               job.options);
  const CopyPlan made = plan(job.dst, job.dst_type, job.src, job.src_type, job.options);
  const copy::Walk walk(made, kernels, given.data() + guard + skew, in.data() + skew);
  const bool is_told = !way.text(walk).empty();
  const bool is_run = way.run(walk);
  EXPECT_EQ(is_told, is_run) << made.to_string();
  if (!is_run) return false;
  EXPECT_TRUE(given == expected) << kernels.name << '\n' << made.to_string();
  return true;
}

inline bool has_it(const Way& way, oracle::Random& random, const CopyJob& job) {
  return has_it(way, random, job, random.between(0, 70));
}

}  // namespace tenstride::testing
