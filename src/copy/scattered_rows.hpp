// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>

#include "copy/walk.hpp"

namespace tenstride::copy {

/// Rows whose order differs on the two sides, read in the source's order and written past the cache to where
/// they belong: for processors of `Streams::one`. False where the plan is none of these; nothing was done
/// then.
bool run_scattered_rows(const Walk& walk);

/// How it runs the plan, for people; empty where it does not.
std::string scattered_rows_text(const Walk& walk);

}  // namespace tenstride::copy
