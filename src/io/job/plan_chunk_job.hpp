// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/facts/file_chain.hpp"
#include "io/format/format.hpp"
#include "io/plan/chunk_plan.hpp"
#include "tenstride/io/permute_file.hpp"

namespace tenstride::io {

/// Whether a tensor of that file to a file of that format is copied in chunks.
bool is_chunk_job(const FileInfo& source, const FileFormat& destination, const ChunkOptions& options);

/// Plans one tensor of a job in parts. `chain` was followed on the row-major layout of the source. Throws
/// ValueError for chains whose axes are not those of the source, MemoryLimitError.
TilePlan plan_chunk_job(const FileJob& job, const BlockLimits& limits, const TensorJob& tensor,
                        const FileChain& chain, const FileFormat& destination);

}  // namespace tenstride::io
