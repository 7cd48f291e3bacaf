// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "tenstride/base/export.hpp"
#include "tenstride/layout/chain.hpp"
#include "tenstride/tensor/tensor.hpp"

/// The reasons for copies, each in one clause, as ledgers and refusals print them.
namespace tenstride::detail {

/// Why a reshape copies. Example: "no view: axes 1 and 2 would merge, axis 1 has stride 1 and must have 6".
TENSTRIDE_API std::string reshape_reason(const Layout& from, const Dims& shape);
/// Why a change of memory format copies. Example: "strides (1,3) are not the row-major (2,1)".
std::string format_reason(const Layout& from, MemoryFormat format, CopyRule copy);
/// Why a chain with a cut copies. Example: "reshape: (6,4) to (8,3) cuts across axes 0..1; atoms …".
TENSTRIDE_API std::string cut_reason(const ChainCut& cut);
/// Why a chain without a cut copies. Example: "no view: axis 1 consists of (2,3):(1,12), which do not nest".
TENSTRIDE_API std::string chain_reason(const Chain& chain);

}  // namespace tenstride::detail
