// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include "tenstride/base/dtype.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::bench {

/// Bytes of the cache lines that hold a view's elements; an element that is repeated counts once.
std::size_t bytes_of_lines(const Layout& view, DType type);

/// How large the cases are, and how many of them there are.
enum class Scope : unsigned char {
  full,   ///< every case
  quick,  ///< a selection at full size, in minutes
  smoke,  ///< every case, tiny, to check that all contenders compute the same
};

/// A copy to be timed: a view of a row-major source is written into a row-major destination.
struct CopyCase {
  std::string family;
  std::string name;
  DType src_type = DType::float32;
  DType dst_type = DType::float32;
  Dims source;     ///< shape of the row-major source
  Layout view;     ///< the elements to copy, as a view of the source
  Dims flipped{};  ///< axes of the view with a negative stride
  /// value * scale + shift, one number for each index of axis `scale_axis` of the view; empty for none.
  std::vector<double> scale{};
  std::vector<double> shift{};
  std::size_t scale_axis = 0;

  [[nodiscard]] std::string full_name() const { return family + "/" + name; }
  [[nodiscard]] bool scales() const { return !scale.empty(); }
  [[nodiscard]] Index elements() const { return numel(view); }
  /// Bytes of the whole source and of the whole destination.
  [[nodiscard]] std::size_t source_bytes() const;
  [[nodiscard]] std::size_t destination_bytes() const;
  /// Bytes of the elements that are read; an element that is repeated counts once.
  [[nodiscard]] std::size_t bytes_read() const;
  /// Bytes of the source's cache lines that hold these elements.
  [[nodiscard]] std::size_t bytes_of_lines_read() const { return bytes_of_lines(view, src_type); }
};

/// The definition of a case: the shape of the source, and the view that is copied.
struct CopySpec {
  std::string family;
  std::string name;
  DType src_type = DType::float32;
  DType dst_type = DType::float32;
  Dims source;
  std::function<Layout(const Layout&)> view;
  bool is_quick = false;
  Dims flipped{};
  /// Whether elements are scaled and shifted, by a pair of numbers for each index along `scale_axis`.
  bool scales = false;
  std::size_t scale_axis = 0;
  /// Whether it keeps its size in a smoke run, too.
  bool is_small = false;
};

/// The cases of a scope, in the order in which they run.
std::vector<CopyCase> copy_cases(Scope scope);

// Each family is in its own file.
void add_table_cases(std::vector<CopySpec>& specs);
void add_permutation_cases(std::vector<CopySpec>& specs);
void add_type_cases(std::vector<CopySpec>& specs);
void add_program_cases(std::vector<CopySpec>& specs);
void add_size_cases(std::vector<CopySpec>& specs);

/// `x.permute(order)` as a CopySpec's view.
std::function<Layout(const Layout&)> permuted(const Dims& order);
/// "permute(1,0)"
std::string permutation_name(const Dims& order);
/// "4096x4096 float32"
std::string shape_name(const Dims& shape, DType type);

}  // namespace tenstride::bench
