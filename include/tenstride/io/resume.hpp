// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenstride::io {

/// What is done with what an earlier, interrupted run has left.
enum class Resume : unsigned char {
  no,        ///< begin anew; it is removed
  if_there,  ///< go on where there is something to go on with
  required,  ///< refuse where there is nothing
};

}  // namespace tenstride::io
