// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/job/job_plan.hpp"
#include "support/copy_oracle.hpp"
#include "support/scratch.hpp"
#include "tenstride/copy/copy.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/io/npy.hpp"
#include "tenstride/tensor/factory.hpp"

/// Small files in another order, and the same in memory.
namespace tenstride::testing {

/// Requests so dear that few, long runs and two passes are worth their bytes.
inline DiskRates dear_requests(Index page) {
  DiskRates rates;
  rates.seconds_per_request = 0.1;
  rates.page = page;
  return rates;
}

/// A tensor of random bytes; numbers that are no numbers only where the type has no others.
inline Tensor random_tensor(oracle::Random& random, const Dims& shape, DType dtype) {
  Tensor values = empty(shape, {.dtype = DType::int16});
  auto* const data = values.mutable_data<std::int16_t>();
  for (Index n = 0; n < values.numel(); ++n) data[n] = static_cast<std::int16_t>(random.between(-99, 99));
  return values.to(dtype);
}

/// What the chain gives in memory.
inline Tensor in_memory(const std::string& source, std::string_view chain) {
  const Evaluation evaluation = evaluate(Program::parse(chain), {.inputs = {{"x", io::load_npy(source)}}});
  if (evaluation.failure) {
    ADD_FAILURE() << chain << ": " << evaluation.failure->message;
    return io::load_npy(source);
  }
  return *evaluation.value.tensor();
}

/// The same with the numbers and the type of the options, to be written by save_npy.
inline Tensor expected_result(const std::string& source, std::string_view chain,
                              const io::FileOptions& options) {
  const Tensor moved = in_memory(source, chain);
  const DType dtype = options.dtype.value_or(moved.dtype());
  if (options.scale.empty() && options.shift.empty()) return moved.to(dtype);
  Tensor result = empty(moved.shape(), {.dtype = dtype});
  copy_elements(result, moved, ScaleShift{options.scale, options.shift, options.axis});
  return result;
}

/// Permutes the file "x.npy" of the folder into "y.npy" and compares all that is known of it: the file with
/// that of save_npy, the checksum, and the bytes that the plan counted. Gives the job.
inline io::FileJob expect_permuted(const Scratch& scratch, std::string_view chain,
                                   const io::FileOptions& options) {
  const std::string source = scratch.path("x.npy"), destination = scratch.path("y.npy"),
                    wanted = scratch.path("wanted.npy");
  const Tensor expected = expected_result(source, chain, options);
  io::save_npy(wanted, expected, {options.order, io::Overwrite::replace});
  io::FileJob job = io::plan_permute_file(source, chain, destination, options);
  SCOPED_TRACE(std::string(chain) + "\n" + io::to_string(job));
  const io::FileResult result = io::run(job);
  EXPECT_TRUE(read_bytes(destination) == read_bytes(wanted)) << "the files differ";
  EXPECT_EQ(result.checksum, checksum(expected.contiguous()));
  EXPECT_EQ(result.bytes_read, job.bytes_read);
  EXPECT_EQ(result.bytes_written, job.bytes_written);
  EXPECT_FALSE(result.is_resumed);
  EXPECT_EQ(result.is_checked, options.check == io::FileCheck::checksum);
  EXPECT_LE(job.memory, static_cast<std::uint64_t>(io::plan_of(job).limits.memory));
  EXPECT_EQ(scratch.names(), (std::vector<std::string>{"wanted.npy", "x.npy", "y.npy"}));
  return job;
}

/// Options with a limit and rates that no measurement changes.
inline io::FileOptions file_options(std::uint64_t memory, const DiskRates& rates = {}) {
  io::FileOptions options;
  options.memory = memory;
  options.disk = rates;
  options.overwrite = io::Overwrite::replace;
  return options;
}

/// The least memory that the plan needs.
inline std::uint64_t min_memory(const Scratch& scratch, std::string_view chain, io::FileOptions options) {
  options.memory = 1;
  try {
    static_cast<void>(io::plan_permute_file(scratch.path("x.npy"), chain, scratch.path("y.npy"), options));
  } catch (const io::MemoryLimitError& error) {
    return error.least();
  }
  return 1;
}

}  // namespace tenstride::testing
