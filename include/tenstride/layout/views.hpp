// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "tenstride/layout/views_axes.hpp"
#include "tenstride/layout/views_dtype.hpp"
#include "tenstride/layout/views_parts.hpp"
#include "tenstride/layout/views_slices.hpp"

/// Every view operation as a pure function Layout -> Layout, with PyTorch's names, argument order and
/// defaults. All are constexpr; none allocates for ranks up to 8. Axes may be negative. Refusals are
/// exceptions of the kind PyTorch raises; what each function refuses is PyTorch's rule unless said otherwise.
/// Views that need the theory of merging axes (view, flatten, unflatten) are in reshape.hpp.
namespace tenstride {}
