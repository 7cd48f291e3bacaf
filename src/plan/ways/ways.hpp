// SPDX-License-Identifier: Apache-2.0
// What proposes each way: nothing where it cannot make the copy.
#pragma once

#include "plan/choose.hpp"

namespace tenstride::detail {

std::optional<Candidate> propose_contiguous(Problem& problem);
std::optional<Candidate> propose_rows(Problem& problem);
std::optional<Candidate> propose_gather(Problem& problem);
std::optional<Candidate> propose_fill(Problem& problem);
std::optional<Candidate> propose_strided(Problem& problem);

/// Proposes repeated rows for copies by streaming stores whose source repeats rows of 128 bytes to 128 KiB
/// that take longer to make than to copy from a cache: the source has a stride of 0 along a loop just around
/// the row. Example: the rows of pixels of an image enlarged along both axes.
std::optional<Candidate> propose_repeated_rows(Problem& problem);

/// Proposes row scatter for copies by streaming stores of rows of 72 bytes to 16 KiB whose order differs on
/// the two sides. Rows that are not whole lines are proposed only on machines with one memory stream.
std::optional<Candidate> propose_row_scatter(Problem& problem);

std::optional<Candidate> propose_tiles(Problem& problem);
std::optional<Candidate> propose_channels(Problem& problem);
std::optional<Candidate> propose_cached_tiles(Problem& problem);

/// The blocks with the lowest cost; records the lowest cost of each packing. None where a side has no
/// contiguous loop, where there are more than 8 loops, and where another candidate costs so little that
/// blocks cannot be faster.
std::optional<Candidate> propose_blocks(Problem& problem);

}  // namespace tenstride::detail
