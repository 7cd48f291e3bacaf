// SPDX-License-Identifier: Apache-2.0
// A stream whose elements need not be moved is unpacked to where they belong, not into a file of its own
// first.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "io/job/job_plan.hpp"
#include "tenstride/checksum/checksum.hpp"

namespace tenstride::io {

/// Whether all elements come from a stream and stand in the destination as they do there. `plan`: of
/// the tensor.
bool unpacks_straight(const TensorJob& tensor, const TensorPlan& plan);

/// Unpacks the elements into the file `destination` and gives their checksum. `tell` gets the bytes written,
/// after each MiB. Throws FileError. Pre: unpacks_straight().
Checksum unpack_straight(const TensorJob& tensor, const std::string& destination,
                         const std::function<void(std::uint64_t)>& tell);

}  // namespace tenstride::io
