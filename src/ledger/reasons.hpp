// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/chain.hpp"
#include "tenstride/tensor.hpp"

/// Why an operation copies, in one clause: what ledgers and refusals tell.
namespace tenstride::detail {

/// "no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 6".
std::string reshape_reason(const Layout& from, const Dims& shape);
/// "strides (1,3) are not the row-major (2,1)".
std::string format_reason(const Layout& from, MemoryFormat format, CopyRule copy);
/// "reshape: (6,4) to (8,3) cuts across axes 0..1; atoms …": of a copy that a cut of the chain takes.
std::string cut_reason(const ChainCut& cut);
/// "no view: axis 1 consists of (2,3):(1,12), which do not nest": of a chain that is no view.
std::string chain_reason(const Chain& chain);

}  // namespace tenstride::detail
