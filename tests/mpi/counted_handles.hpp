// SPDX-License-Identifier: Apache-2.0
// Counts MPI's communicators, windows and infos, by the profiling interface: each that is made must be freed.
#pragma once

namespace tenstride::oracle {

/// Says which kinds are still open; 1 where any is, else 0.
int report_open_handles();

}  // namespace tenstride::oracle
