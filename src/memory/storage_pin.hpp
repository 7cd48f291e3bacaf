// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/base/export.hpp"
#include "tenstride/memory/storage.hpp"

namespace tenstride::detail {

/// The bytes stay where they are from now on: `grow` refuses, since somebody outside holds their address and
/// would not learn of a move. Nothing happens to no storage.
TENSTRIDE_API void pin(const Storage& storage) noexcept;

}  // namespace tenstride::detail
