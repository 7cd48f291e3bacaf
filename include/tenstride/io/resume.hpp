// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace tenstride::io {

/// What is done with what an earlier, interrupted run has left.
enum class Resume : unsigned char {
  no,        ///< begin anew; it is removed
  if_there,  ///< resume where an earlier run left something whole, else begin anew
  required,  ///< resume, or refuse where nothing is left
};

}  // namespace tenstride::io
