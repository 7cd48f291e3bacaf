// SPDX-License-Identifier: Apache-2.0
// Conversions of the element type: in order, and while transposing a matrix.
#include <array>
#include <utility>

#include "case.hpp"

namespace tenstride::bench {
namespace {

using enum DType;

struct Pair {
  DType from;
  DType to;
  bool is_quick = false;
};

constexpr std::array pairs{
    Pair{float32, float16, true}, Pair{float16, float32, true}, Pair{float32, bfloat16, true},
    Pair{bfloat16, float32},      Pair{uint8, float32, true},   Pair{float32, uint8},
    Pair{int8, float32},          Pair{float32, int8},          Pair{int16, float32},
    Pair{uint16, float32},        Pair{int32, float32},         Pair{float32, int32},
    Pair{int64, float32},         Pair{float32, int64},         Pair{float64, float32, true},
    Pair{float32, float64},       Pair{float64, float16},       Pair{float16, bfloat16},
    Pair{bfloat16, float16},      Pair{uint8, float16},         Pair{uint8, bfloat16},
    Pair{uint8, int32},           Pair{uint8, int64},           Pair{int32, uint8},
    Pair{int32, int64},           Pair{int64, int32, true},     Pair{int32, float64},
    Pair{float64, int64},         Pair{bool_, float32},         Pair{float32, bool_},
    Pair{uint8, bool_},           Pair{int64, bool_},           Pair{float32, complex64},
    Pair{complex64, complex128},  Pair{complex128, complex64},  Pair{float32, float8_e4m3fn},
    Pair{float8_e4m3fn, float32}, Pair{float16, float8_e5m2},   Pair{float8_e5m2, bfloat16},
};

constexpr std::array transposed_pairs{
    Pair{float32, float16}, Pair{float32, bfloat16, true}, Pair{float16, float32},
    Pair{uint8, float32},   Pair{float64, float32},        Pair{int64, int32},
};

std::string arrow(const Pair& pair) {
  return std::string(name(pair.from)) + " -> " + std::string(name(pair.to));
}

}  // namespace

void add_type_cases(std::vector<CopySpec>& specs) {
  const auto add = [&](const std::string& family, const std::string& what, const Pair& pair,
                       const Dims& source, std::function<Layout(const Layout&)> view) {
    CopySpec spec;
    spec.family = family;
    spec.name = what + arrow(pair);
    spec.src_type = pair.from;
    spec.dst_type = pair.to;
    spec.source = source;
    spec.view = std::move(view);
    spec.is_quick = pair.is_quick;
    specs.push_back(std::move(spec));
  };
  for (const Pair& pair : pairs) {
    add("conversions", "16 Mi ", pair, {16 * 1024 * 1024}, [](const Layout& x) { return x; });
  }
  for (const Pair& pair : transposed_pairs) {
    add("conversions of a transpose", "4096x4096 ", pair, {4096, 4096}, permuted({1, 0}));
  }
}

}  // namespace tenstride::bench
