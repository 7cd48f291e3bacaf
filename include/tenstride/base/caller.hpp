// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <source_location>

namespace tenstride {

/// The place of a call: what ledgers and refusals tell (see ledger.hpp). Public operations take it as a last
/// argument, by default the place that calls them; whoever wraps one hands his own caller's on.
using Caller = std::source_location;

}  // namespace tenstride
