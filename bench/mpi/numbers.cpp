// SPDX-License-Identifier: Apache-2.0
#include "numbers.hpp"

#include <cmath>

#include "tenstride/layout/layout.hpp"

namespace tenstride::bench {
namespace {

using distributed::Distribution;

/// By axis, what each index that a rank holds adds to an element's number in the source.
using Addends = std::vector<std::vector<Index>>;

Addends addends_of(const Distribution& held, int rank, const Dims& strides) {
  const distributed::Holding holding = held.held_by(rank);
  Addends addends(holding.ranges.size());
  for (std::size_t axis = 0; axis < addends.size(); ++axis) {
    for (const distributed::IndexRange& range : holding.ranges[axis]) {
      for (Index i = range.begin; i < range.end; ++i) addends[axis].push_back(i * strides[axis]);
    }
  }
  return addends;
}

Addends of_source(const RedistributionCase& what, int rank) {
  return addends_of(what.from, rank, row_major_strides(what.from.shape));
}

Addends of_destination(const RedistributionCase& what, int rank) {
  const Dims strides = row_major_strides(what.from.shape);
  Dims ordered;
  for (const Index axis : what.order) ordered.push_back(strides[static_cast<std::size_t>(axis)]);
  return addends_of(what.to, rank, ordered);
}

/// Calls `visit(number)` for each element, row by row.
template <class Visit>
void visit_numbers(const Addends& addends, Visit& visit, std::size_t axis = 0, Index number = 0) {
  if (axis + 1 == addends.size()) {
    for (const Index addend : addends[axis]) visit(number + addend);
  } else {
    for (const Index addend : addends[axis]) visit_numbers(addends, visit, axis + 1, number + addend);
  }
}

template <class T>
T value_of(Index number) {
  return static_cast<T>(sizeof(T) == 4 ? number % 16777213 : number);
}

template <class T>
void write(const Addends& addends, std::byte* bytes) {
  T* next = reinterpret_cast<T*>(bytes);
  const auto visit = [&](Index number) { *next++ = value_of<T>(number); };
  visit_numbers(addends, visit);
}

template <class T>
std::string wrong(const Addends& addends, const std::byte* bytes) {
  const T* const first = reinterpret_cast<const T*>(bytes);
  const T* next = first;
  const T* found = nullptr;
  T wanted = 0;
  const auto visit = [&](Index number) {
    if (*next != value_of<T>(number) && found == nullptr) {
      found = next;
      wanted = value_of<T>(number);
    }
    ++next;
  };
  visit_numbers(addends, visit);
  if (found == nullptr) return {};
  return "element " + std::to_string(found - first) + " is " + std::to_string(*found) + ", must be " +
         std::to_string(wanted);
}

std::string wrong(DType type, const Addends& addends, const std::byte* bytes) {
  return type == DType::float32 ? wrong<float>(addends, bytes) : wrong<double>(addends, bytes);
}

template <class T>
std::string unwritten(const std::byte* bytes, Index size) {
  const T* const values = reinterpret_cast<const T*>(bytes);
  for (Index i = 0; i < size / static_cast<Index>(sizeof(T)); ++i) {
    if (std::isnan(values[i])) return "element " + std::to_string(i) + " was not written";
  }
  return {};
}

}  // namespace

void write_numbers(const RedistributionCase& what, int rank, std::byte* src) {
  const Addends addends = of_source(what, rank);
  if (what.type == DType::float32) {
    write<float>(addends, src);
  } else {
    write<double>(addends, src);
  }
}

std::string wrong_source(const RedistributionCase& what, int rank, const std::byte* src) {
  return wrong(what.type, of_source(what, rank), src);
}

std::string wrong_destination(const RedistributionCase& what, int rank, const std::byte* dst) {
  return wrong(what.type, of_destination(what, rank), dst);
}

std::string unwritten_element(const RedistributionCase& what, int rank, const std::byte* dst) {
  const Index size = what.bytes_held(what.to, rank);
  return what.type == DType::float32 ? unwritten<float>(dst, size) : unwritten<double>(dst, size);
}

}  // namespace tenstride::bench
