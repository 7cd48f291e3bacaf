// SPDX-License-Identifier: Apache-2.0
// Numbers among attributes that are elements of the tensor, above all its fill value: of its type, bit for
// bit.
#pragma once

#include <cstddef>
#include <nlohmann/json.hpp>
#include <optional>
#include <span>
#include <vector>

#include "tenstride/base/dtype.hpp"

namespace tenstride::io {

/// The element that a value is, in this machine's byte order: of an integer type that number alone, of a
/// floating type the nearest one, of bool true, false, 0 or 1, of a complex type two numbers or a real one.
/// "NaN", "Infinity" and "-Infinity" are numbers, a list of one element is that element. Nothing where the
/// type has no such element. Example: of -999 and int16 the bytes of -999; of 1e20, NaN or "x" nothing.
std::optional<std::vector<std::byte>> element_of_json(const nlohmann::ordered_json& value, DType dtype);

/// The reverse: a number, of float32 with the fewest digits, true or false, of a complex type a list of two.
/// Pre: `element` has item_size(dtype) bytes.
nlohmann::ordered_json json_of_element(std::span<const std::byte> element, DType dtype);

/// The double with the shortest text of the float32: 0.1, not 0.10000000149011612.
double shortest_double(float number);

}  // namespace tenstride::io
