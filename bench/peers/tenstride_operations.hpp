// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../peer.hpp"

namespace tenstride::bench {

/// The operation as a user of tenstride writes it. Index tensors and masks are prepared outside the timed
/// call.
Call tenstride_operation(const OperationJob& job);

}  // namespace tenstride::bench
