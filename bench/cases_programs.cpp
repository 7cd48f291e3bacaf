// SPDX-License-Identifier: Apache-2.0
// Shapes of real programs that are neither square nor powers of two: what models, pictures, volumes and
// recordings have.
#include <string>
#include <utility>

#include "case.hpp"

namespace tenstride::bench {
namespace {

using enum DType;

struct Shape {
  const char* what;
  Dims source;
  Dims order;
  DType from;
  DType to;
  bool is_quick = false;
};

std::vector<Shape> shapes() {
  return {
      {"patches of 16", {32, 3, 14, 16, 14, 16}, {0, 2, 4, 1, 3, 5}, float32, float32, true},
      {"patches of 14", {32, 3, 16, 14, 16, 14}, {0, 2, 4, 3, 5, 1}, float16, float16},
      {"windows of 7", {32, 8, 7, 8, 7, 96}, {0, 1, 3, 2, 4, 5}, float16, float16, true},
      {"space to depth", {8, 64, 128, 2, 128, 2}, {0, 3, 5, 1, 2, 4}, float32, float32},
      {"attention heads", {8, 1023, 16, 64}, {0, 2, 1, 3}, float16, float16},
      {"keys of heads", {64, 197, 12, 64}, {0, 2, 3, 1}, float32, float32},
      {"video to channels first", {2, 31, 240, 427, 3}, {0, 4, 1, 2, 3}, uint8, uint8, true},
      {"small batches", {180001, 9, 7}, {0, 2, 1}, float64, float64, true},
      {"small batches", {700001, 6, 13}, {0, 2, 1}, uint8, uint8},
      {"small batches", {40009, 31, 17}, {0, 2, 1}, complex64, complex64},
      {"volume of primes", {211, 223, 227}, {2, 1, 0}, float32, float32, true},
      {"volume of primes", {101, 307, 503}, {1, 2, 0}, float64, float64},
      {"16-bit stack", {61, 1013, 1019}, {1, 2, 0}, int16, int16, true},
      {"16-bit stack", {401, 257, 509}, {2, 0, 1}, uint16, uint16},
      {"antennas first", {127, 16, 12, 601}, {3, 1, 2, 0}, complex64, complex64},
      {"narrowing transpose", {4096, 4099}, {1, 0}, float64, float32, true},
      {"narrowing transpose", {3001, 8191}, {1, 0}, float32, float16},
      {"narrowing to channels last", {16, 3, 509, 521}, {0, 2, 3, 1}, float32, uint8, true},
  };
}

}  // namespace

void add_program_cases(std::vector<CopySpec>& specs) {
  for (const Shape& shape : shapes()) {
    CopySpec spec;
    spec.family = "shapes of real programs";
    spec.name = std::string(shape.what) + " " + shape_name(shape.source, shape.from) + " " +
                (shape.from == shape.to ? "" : "-> " + std::string(name(shape.to)) + " ") +
                permutation_name(shape.order);
    spec.src_type = shape.from;
    spec.dst_type = shape.to;
    spec.source = shape.source;
    spec.view = permuted(shape.order);
    spec.is_quick = shape.is_quick;
    specs.push_back(std::move(spec));
  }
}

}  // namespace tenstride::bench
