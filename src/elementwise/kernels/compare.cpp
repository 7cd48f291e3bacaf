// SPDX-License-Identifier: Apache-2.0
#include "elementwise/kernels/compare.hpp"

#include <cstdint>
#include <cstring>

#include "tenstride/base/element.hpp"

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

template <Comparison comparison>
CompareRow portable_row_of(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> CompareRow {
    if constexpr (is_small_float<T> || std::is_same_v<T, bool> || std::is_same_v<T, complex32>) {
      return nullptr;
    } else {
      return &portable_row<comparison, T>;
    }
  });
}

CompareRow portable_compare(Comparison comparison, DType type) {
  switch (comparison) {
    case Comparison::eq:
      return portable_row_of<Comparison::eq>(type);
    case Comparison::ne:
      return portable_row_of<Comparison::ne>(type);
    case Comparison::lt:
      return portable_row_of<Comparison::lt>(type);
    case Comparison::le:
      return portable_row_of<Comparison::le>(type);
    case Comparison::gt:
      return portable_row_of<Comparison::gt>(type);
    default:
      return portable_row_of<Comparison::ge>(type);
  }
}

template <class T>
bool is_set(const std::byte* at) {
  return convert_element<bool>(load_element<T>(at));
}

template <class T>
bool portable_all_row(const std::byte* in, Index count) {
  for (Index i = 0; i < count; ++i) {
    if (!is_set<T>(in + i * static_cast<Index>(sizeof(T)))) return false;
  }
  return true;
}

template <class T>
bool portable_any_row(const std::byte* in, Index count) {
  for (Index i = 0; i < count; ++i) {
    if (is_set<T>(in + i * static_cast<Index>(sizeof(T)))) return true;
  }
  return false;
}

TruthRow portable_all(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> TruthRow { return &portable_all_row<T>; });
}

TruthRow portable_any(DType type) {
  return visit(type, []<class T>(std::type_identity<T>) -> TruthRow { return &portable_any_row<T>; });
}

template <std::size_t item>
void portable_fill_set(std::byte* out, const std::byte* mask, Index count, const std::byte* value) {
  for (Index i = 0; i < count; ++i) {
    if (mask[i] != std::byte{0}) std::memcpy(out + i * static_cast<Index>(item), value, item);
  }
}

template <class Row>
Row or_else(Row fast, Row portable) {
  return fast != nullptr ? fast : portable;
}

}  // namespace

const CompareKernels& portable_compare_kernels() {
  static constexpr CompareKernels table{"portable",
                                        portable_compare,
                                        portable_all,
                                        portable_any,
                                        {portable_fill_set<1>, portable_fill_set<2>, portable_fill_set<4>,
                                         portable_fill_set<8>, portable_fill_set<16>}};
  return table;
}

CompareRow compare_row(Comparison comparison, DType type) {
  return or_else(compare_kernels().compare(comparison, type), portable_compare(comparison, type));
}
TruthRow all_row(DType type) {
  return or_else(compare_kernels().all(type), portable_all(type));
}
TruthRow any_row(DType type) {
  return or_else(compare_kernels().any(type), portable_any(type));
}

}  // namespace tenstride::elementwise
