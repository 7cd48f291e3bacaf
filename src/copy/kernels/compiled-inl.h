// SPDX-License-Identifier: Apache-2.0
// The functions of one name that a source over Highway has, one for each instruction set it was compiled for,
// and the choice among them. Included last, within HWY_ONCE.
#pragma once

#include <initializer_list>
#include <string_view>
#include <type_traits>

#if HWY_TARGETS & HWY_AVX3
#define TENSTRIDE_AVX512(function) {"avx512", N_AVX3::function},
#else
#define TENSTRIDE_AVX512(function)
#endif
#if HWY_TARGETS & HWY_AVX2
#define TENSTRIDE_AVX2(function) {"avx2", N_AVX2::function},
#else
#define TENSTRIDE_AVX2(function)
#endif
#if HWY_ARCH_X86 || HWY_STATIC_TARGET == HWY_SCALAR || HWY_STATIC_TARGET == HWY_EMU128
#define TENSTRIDE_VECTOR(function)
#else
#define TENSTRIDE_VECTOR(function) {"vector", HWY_STATIC_DISPATCH(function)},
#endif

/// `function` of every instruction set, the best first, as items of a list of `Compiled`.
#define TENSTRIDE_COMPILED(function) \
  TENSTRIDE_AVX512(function) TENSTRIDE_AVX2(function) TENSTRIDE_VECTOR(function)

namespace tenstride::copy {

/// A function, and the name of the `Kernels` of the instruction set it was compiled for.
template <class Function>
struct Compiled {
  std::string_view kernels;
  Function function;
};

/// Returns the function that goes with the `Kernels` called `name`: compiled for their instruction set, or
/// for the next lesser one that there is, or `portable`.
template <class Function>
Function compiled_for(std::string_view name, Function portable,
                      std::initializer_list<Compiled<std::type_identity_t<Function>>> best_first) {
  bool is_reached = false;
  for (const std::string_view set : {"avx512", "avx2", "vector"}) {
    is_reached = is_reached || set == name;
    for (const Compiled<Function>& compiled : best_first) {
      if (is_reached && compiled.kernels == set) return compiled.function;
    }
  }
  return portable;
}

}  // namespace tenstride::copy
