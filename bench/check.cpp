// SPDX-License-Identifier: Apache-2.0
#include "check.hpp"

#include <array>
#include <chrono>
#include <cmath>
#include <cstring>
#include <random>

#include "tenstride/base/element.hpp"

namespace tenstride::bench {
namespace {

/// Results of up to this many elements are checked completely.
constexpr Index max_checked_completely = Index{1} << 20;
constexpr Index checked_at_each_end = 4096;
constexpr Index checked_at_random = 100000;
constexpr std::size_t max_item_size = 16;

double as_double(DType type, const std::byte* element) {
  return visit(type, [&]<class T>(std::type_identity<T>) {
    return convert_element<double>(load_element<T>(element));
  });
}

bool agree(const Expected& expected, const std::byte* got, const std::byte* wanted) {
  if (std::memcmp(got, wanted, item_size(expected.type)) == 0) return true;
  if (expected.tolerance == 0) return false;
  const double a = as_double(expected.type, got);
  const double b = as_double(expected.type, wanted);
  return std::abs(a - b) <= expected.tolerance * std::max(1.0, std::abs(b));
}

}  // namespace

Expected expected_copy(const CopyCase& what, const std::byte* src) {
  Expected expected;
  expected.elements = what.elements();
  expected.type = what.dst_type;
  expected.tolerance = what.scales() ? (what.dst_type == DType::float16 ? 2e-3 : 1e-6) : 0;
  expected.define = [&what, src](Index position, std::byte* element) {
    const Dims index = unravel(position, what.view.shape);
    const std::byte* const from =
        src + tenstride::position(what.view, index) * static_cast<Index>(item_size(what.src_type));
    visit(what.src_type, [&]<class From>(std::type_identity<From>) {
      const From value = load_element<From>(from);
      visit(what.dst_type, [&]<class To>(std::type_identity<To>) {
        if (what.scales()) {
          const auto i = static_cast<std::size_t>(index[what.scale_axis]);
          store_element<To>(element, scale_element<To>(value, what.scale[i], what.shift[i]));
        } else {
          store_element<To>(element, convert_element<To>(value));
        }
      });
    });
  };
  return expected;
}

std::vector<Index> positions_to_check(Index elements) {
  std::vector<Index> positions;
  if (elements <= max_checked_completely) {
    for (Index i = 0; i < elements; ++i) positions.push_back(i);
    return positions;
  }
  for (Index i = 0; i < checked_at_each_end; ++i) {
    positions.push_back(i);
    positions.push_back(elements - 1 - i);
  }
  std::mt19937_64 random(1);  // NOLINT: a fixed seed, for the same positions in every run
  std::uniform_int_distribution<Index> any(0, elements - 1);
  for (Index i = 0; i < checked_at_random; ++i) positions.push_back(any(random));
  return positions;
}

Checked check(const Call& call, const Expected& expected, std::byte* dst, std::size_t dst_bytes) {
  const std::vector<Index> positions = positions_to_check(expected.elements);
  const std::size_t item = item_size(expected.type);
  Checked checked;
  const auto compare = [&](std::size_t k, const std::byte* got) {
    std::array<std::byte, max_item_size> wanted{};
    expected.define(positions[k], wanted.data());
    if (checked.complaint || agree(expected, got, wanted.data())) return;
    checked.complaint = "element " + std::to_string(positions[k]) + " of " +
                        std::to_string(expected.elements) + " is " +
                        std::to_string(as_double(expected.type, got)) + ", must be " +
                        std::to_string(as_double(expected.type, wanted.data()));
  };
  if (call.before) call.before();
  if (call.run_elsewhere) {
    checked.seconds = call.run_elsewhere(1);
    const std::vector<std::byte> got = call.read_elsewhere(positions);
    if (got.size() != positions.size() * item) return {"gave no result that can be checked"};
    for (std::size_t k = 0; k < positions.size(); ++k) compare(k, got.data() + k * item);
    return checked;
  }
  const Look look = [&](const std::byte* result) {
    for (std::size_t k = 0; k < positions.size(); ++k) {
      compare(k, result + static_cast<std::size_t>(positions[k]) * item);
    }
  };
  if (call.show) {
    call.show(look);
  } else {
    std::memset(dst, 0xA5, dst_bytes);
    const auto begin = std::chrono::steady_clock::now();
    call.run();
    checked.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    look(dst);
  }
  return checked;
}

}  // namespace tenstride::bench
