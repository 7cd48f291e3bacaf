// SPDX-License-Identifier: Apache-2.0
// The part numeric: element-wise arithmetic, reductions, random numbers, operations on them.
#pragma once

#include "tenstride/core.hpp"
#include "tenstride/elementwise/arithmetic.hpp"
#include "tenstride/elementwise/compare.hpp"
#include "tenstride/elementwise/elementwise.hpp"
#include "tenstride/elementwise/operand.hpp"
#include "tenstride/ops/diagonals.hpp"
#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/numpy.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/ops/reduce_pattern.hpp"
#include "tenstride/ops/scatter.hpp"
#include "tenstride/ops/selection.hpp"
#include "tenstride/random/random.hpp"
#include "tenstride/reduce/reduce.hpp"
#include "tenstride/reduce/reduce_plan.hpp"
