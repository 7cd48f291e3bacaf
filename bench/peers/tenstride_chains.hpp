// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "../peer.hpp"

namespace tenstride::bench {

/// A lazy chain, whose steps are carried out together at its end.
Call tenstride_chain(const ChainJob& job);

}  // namespace tenstride::bench
