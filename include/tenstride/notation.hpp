// SPDX-License-Identifier: Apache-2.0
// The part notation: PyTorch's notation, explanations, pictures.
#pragma once

#include "tenstride/distributed.hpp"
#include "tenstride/explain/explain.hpp"
#include "tenstride/expression/expression.hpp"
#include "tenstride/numeric.hpp"
#include "tenstride/operations/value.hpp"
#include "tenstride/picture/picture.hpp"
