// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "tenstride/base/dtype.hpp"
#include "tenstride/io/plan/block_plan.hpp"

namespace tenstride::io {

/// How `permute_file` calls itself in errors.
inline constexpr std::string_view this_operation = "permute_file";

/// Reading all elements of a file of this layout once: what `checksum_file` carries out.
BlockProblem reading_problem(const Layout& layout, DType dtype, std::uint64_t data_begin);

/// The limits as a journal keeps them, without loss.
std::string to_text(const BlockLimits& limits);

}  // namespace tenstride::io
