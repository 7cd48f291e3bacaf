// SPDX-License-Identifier: Apache-2.0
// The user's file of plans that were measured, as FFTW's wisdom: a line for each copy and machine.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "tenstride/plan/copy_plan.hpp"

namespace tenstride::copy {

/// How to plan a copy again: the name of its way, and what is planned otherwise than the machine does. Any
/// recipe gives a right copy; of a wrong one the time alone is lost.
struct Recipe {
  std::string way;
  std::string variation;
};

/// What the recipe of a copy is found by: the machine as a number, the conversion, the threads, the
/// destination's place in its line, and the nest, all offsets within a line.
std::string key_of(const CopyPlan& plan, const PlanOptions& options);

/// The recipe in the text of a file; nothing where there is none, where the file is of another version, and
/// where the line is damaged.
std::optional<Recipe> find_recipe(std::string_view text, std::string_view key);

/// The text with a recipe in place of the one that its key had. The oldest lines are left out of a text that
/// would be longer than a cache may be.
std::string with_recipe(std::string_view text, std::string_view key, const Recipe& recipe);

}  // namespace tenstride::copy
