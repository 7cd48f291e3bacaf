// SPDX-License-Identifier: Apache-2.0
#include "elementwise/kernels/compare.hpp"

#include <cstdint>
#include <cstring>

#include "elementwise/kernels/rows.hpp"

namespace tenstride::elementwise {
namespace {

template <Comparison comparison, class T>
constexpr bool holds(const T& a, const T& b) {
  if constexpr (comparison == Comparison::eq) return a == b;
  if constexpr (comparison == Comparison::ne) return a != b;
  if constexpr (!is_complex_element<T>) {
    if constexpr (comparison == Comparison::lt) return a < b;
    if constexpr (comparison == Comparison::le) return a <= b;
    if constexpr (comparison == Comparison::gt) return a > b;
    if constexpr (comparison == Comparison::ge) return a >= b;
  }
  return false;
}

template <Comparison comparison, class T>
void portable_row(std::byte* __restrict out, const std::byte* a, const std::byte* b, Index count) {
  constexpr auto item = static_cast<Index>(sizeof(T));
  for (Index i = 0; i < count; ++i) {
    const bool answer = holds<comparison>(load_element<T>(a + i * item), load_element<T>(b + i * item));
    out[i] = static_cast<std::byte>(answer);
  }
}

CompareRow portable_compare(Comparison given, DType type) {
  return find_row<CompareRow, Comparison::ge>(
      given, type, []<Comparison comparison, class T>() -> CompareRow {
        constexpr bool has_row =
            !is_small_float<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, complex32>;
        if constexpr (has_row) return &portable_row<comparison, T>;
        return nullptr;
      });
}

template <class T>
bool is_set(const std::byte* at) {
  return convert_element<bool>(load_element<T>(at));
}

/// Whether all elements are set, or any.
template <class T, bool is_all>
bool portable_truth_row(const std::byte* in, Index count) {
  for (Index i = 0; i < count; ++i) {
    if (is_set<T>(in + i * static_cast<Index>(sizeof(T))) != is_all) return !is_all;
  }
  return is_all;
}

template <bool is_all>
TruthRow portable_truth(DType type) {
  return visit(type,
               []<class T>(std::type_identity<T>) -> TruthRow { return &portable_truth_row<T, is_all>; });
}

template <std::size_t item>
void portable_fill_set(std::byte* out, const std::byte* mask, Index count, const std::byte* value) {
  for (Index i = 0; i < count; ++i) {
    if (mask[i] != std::byte{0}) std::memcpy(out + i * static_cast<Index>(item), value, item);
  }
}

}  // namespace

const CompareKernels& portable_compare_kernels() {
  static constexpr CompareKernels table{"portable",
                                        portable_compare,
                                        portable_truth<true>,
                                        portable_truth<false>,
                                        {portable_fill_set<1>, portable_fill_set<2>, portable_fill_set<4>,
                                         portable_fill_set<8>, portable_fill_set<16>}};
  return table;
}

CompareRow compare_row(Comparison comparison, DType type) {
  return or_else(compare_kernels().compare(comparison, type), portable_compare(comparison, type));
}
TruthRow all_row(DType type) {
  return or_else(compare_kernels().all(type), portable_truth<true>(type));
}
TruthRow any_row(DType type) {
  return or_else(compare_kernels().any(type), portable_truth<false>(type));
}

}  // namespace tenstride::elementwise
