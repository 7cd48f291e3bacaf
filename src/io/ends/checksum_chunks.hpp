// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/ends/chunk_store.hpp"
#include "tenstride/checksum/checksum.hpp"

namespace tenstride::io {

/// The checksum of all elements, chunk by chunk on all threads.
Checksum checksum_chunks(const ChunkSource& source);
/// The checksum of elements whose places are those of a tensor with these strides. Example: of shape (2,3)
/// and strides (1,2) what checksum_chunks gives of the transposed elements.
Checksum checksum_chunks(const ChunkSource& source, const Dims& strides);

}  // namespace tenstride::io
