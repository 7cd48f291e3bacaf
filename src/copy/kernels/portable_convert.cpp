// SPDX-License-Identifier: Apache-2.0
// The conversions by their definition, which all others are tested against.
#include <cstddef>

#include "copy/kernels/kernels.hpp"
#include "tenstride/base/element.hpp"

namespace tenstride::copy {
namespace {

template <class To, class From>
void convert_row(std::byte* out, const std::byte* in, std::size_t count, Stores /*stores*/) {
  for (std::size_t i = 0; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

}  // namespace

ConvertRow portable_convert(DType to, DType from) {
  return visit(to, [from]<class To>(std::type_identity<To>) {
    return visit(from,
                 []<class From>(std::type_identity<From>) -> ConvertRow { return convert_row<To, From>; });
  });
}

}  // namespace tenstride::copy
