// SPDX-License-Identifier: Apache-2.0
// Chooses among functions of one name, one for each instruction set. Included last, within HWY_ONCE.
#pragma once

#include "copy/kernels/compiled-inl.h"
#include "copy/kernels/kernels.hpp"

/// The function for the instruction set that copies use.
#define TENSTRIDE_CHOSEN(function)                              \
  copy::compiled_for<decltype(&HWY_STATIC_DISPATCH(function))>( \
      copy::kernels().name, {TENSTRIDE_COMPILED(function){"portable", HWY_STATIC_DISPATCH(function)}})
