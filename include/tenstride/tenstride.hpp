// SPDX-License-Identifier: Apache-2.0
// The whole library. Each part has a header of its own, which is faster to compile.
#pragma once

#include "tenstride/core.hpp"
#include "tenstride/distributed.hpp"
#include "tenstride/io.hpp"
#include "tenstride/notation.hpp"
#include "tenstride/numeric.hpp"
