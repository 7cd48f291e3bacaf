// SPDX-License-Identifier: Apache-2.0
// The plan of a copy between tensors.
#pragma once

#include <string_view>

#include "tenstride/copy/copy.hpp"
#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::copy {

/// The options of the plan of a copy. Throws ShapeError where scale or shift do not fit the axis.
PlanOptions plan_options(const Tensor& dst, const Tensor& src, const ScaleShift& arithmetic);

/// The source of a plan that is made by itself, broadcast to dst's shape. Throws where no such plan can be
/// made (see `plan_copy` of tensors).
Tensor source_of_plan(std::string_view operation, const Tensor& dst, const Tensor& src);

}  // namespace tenstride::copy
