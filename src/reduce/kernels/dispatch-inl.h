// SPDX-License-Identifier: Apache-2.0
// Chooses among functions of one name, one for each instruction set. Included last, within HWY_ONCE.
#pragma once

#include <string_view>

#include "copy/kernels/kernels.hpp"

#if HWY_TARGETS & HWY_AVX3
#define TENSTRIDE_AVX512(function) N_AVX3::function
#else
#define TENSTRIDE_AVX512(function) HWY_STATIC_DISPATCH(function)
#endif
#if HWY_TARGETS & HWY_AVX2
#define TENSTRIDE_AVX2(function) N_AVX2::function
#else
#define TENSTRIDE_AVX2(function) HWY_STATIC_DISPATCH(function)
#endif

/// The function for the instruction set that copies use.
#define TENSTRIDE_CHOSEN(function) \
  choose(TENSTRIDE_AVX512(function), TENSTRIDE_AVX2(function), HWY_STATIC_DISPATCH(function))

namespace tenstride::detail {

template <class Function>
Function choose(Function avx512, Function avx2, Function others) {
  const std::string_view name = copy::kernels().name;
  return name == "avx512" ? avx512 : name == "avx2" ? avx2 : others;
}

}  // namespace tenstride::detail
