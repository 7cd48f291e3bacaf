// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "io/ends/chunk_store.hpp"
#include "tenstride/tensor/tensor.hpp"

namespace tenstride::io {

/// Writes all units of a tensor, on all threads. Pre: shape and type are the sink's.
void write_tensor(ChunkSink& sink, const Tensor& tensor);

}  // namespace tenstride::io
