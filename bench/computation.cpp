// SPDX-License-Identifier: Apache-2.0
#include "computation.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <stdexcept>

#include "tenstride/base/element.hpp"

namespace tenstride::bench {
namespace {

constexpr std::size_t line = 64;

/// The pattern's numbers are integers, so that their sums and products are exact.
double reduced(Reduction reduction, double a, double b) {
  switch (reduction) {
    case Reduction::sum:
    case Reduction::mean:
      return a + b;
    case Reduction::prod:
      return a * b;
    case Reduction::min:
      return std::min(a, b);
    case Reduction::max:
      return std::max(a, b);
    case Reduction::any:
      return a != 0 || b != 0 ? 1 : 0;
    case Reduction::all:
      return a != 0 && b != 0 ? 1 : 0;
  }
  throw std::logic_error("a reduction without a definition");
}

double combined(ComputationKind kind, double a, double b) {
  switch (kind) {
    case ComputationKind::add:
      return a + b;
    case ComputationKind::multiply:
      return a * b;
    case ComputationKind::maximum:
      return std::max(a, b);
    case ComputationKind::less:
      return a < b ? 1 : 0;
    case ComputationKind::reduction:
      break;
  }
  throw std::logic_error("arithmetic without a definition");
}

template <class T>
double number(const ComputationJob& job, std::size_t input, Index at) {
  const std::byte* const element = job.source(input) + static_cast<std::size_t>(at) * sizeof(T);
  return convert_element<double>(load_element<T>(element));
}

template <class T>
double reduction_at(const ComputationJob& job, Index position) {
  const ComputationCase& what = job.what;
  const Layout& view = what.inputs[0].view;
  Layout kept{{}, {}, view.offset}, gone{{}, {}, 0};
  for (std::size_t d = 0; d < view.rank(); ++d) {
    const bool is_reduced =
        std::find(what.axes.begin(), what.axes.end(), static_cast<Index>(d)) != what.axes.end();
    Layout& side = is_reduced ? gone : kept;
    side.shape.push_back(view.shape[d]);
    side.strides.push_back(view.strides[d]);
  }
  const Index first = tenstride::position(kept, unravel(position, kept.shape));
  const Index count = numel(gone);
  Dims index = Dims::filled(gone.shape.size(), 0);
  double result = 0;
  for (Index i = 0; i < count; ++i) {
    const double value = number<T>(job, 0, first + tenstride::position(gone, index));
    result = i == 0 && what.reduction != Reduction::any ? value : reduced(what.reduction, result, value);
    std::size_t d = index.size();
    while (d > 0 && ++index[d - 1] == gone.shape[d - 1]) index[--d] = 0;
  }
  return what.reduction == Reduction::mean ? result / static_cast<double>(count) : result;
}

template <class T>
double value_at(const ComputationJob& job, Index position) {
  const ComputationCase& what = job.what;
  if (what.kind == ComputationKind::reduction) return reduction_at<T>(job, position);
  const Dims index = unravel(position, what.inputs[0].view.shape);
  return combined(what.kind, number<T>(job, 0, tenstride::position(what.inputs[0].view, index)),
                  number<T>(job, 1, tenstride::position(what.inputs[1].view, index)));
}

}  // namespace

std::string computation_name(const ComputationCase& what) {
  switch (what.kind) {
    case ComputationKind::reduction:
      return std::string(name(what.reduction));
    case ComputationKind::add:
      return "add";
    case ComputationKind::multiply:
      return "multiply";
    case ComputationKind::maximum:
      return "maximum";
    case ComputationKind::less:
      return "less";
  }
  throw std::logic_error("a computation without a name");
}

DType ComputationCase::result_type() const {
  if (kind == ComputationKind::less) return DType::bool_;
  return kind == ComputationKind::reduction ? reduced_dtype(reduction, type) : type;
}

Dims ComputationCase::result_shape() const {
  const Dims& shape = inputs[0].view.shape;
  Dims result;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (std::find(axes.begin(), axes.end(), static_cast<Index>(d)) == axes.end()) result.push_back(shape[d]);
  }
  return result;
}

std::size_t ComputationCase::begin(std::size_t input) const {
  std::size_t bytes = 0;
  for (std::size_t i = 0; i < input; ++i) {
    bytes += static_cast<std::size_t>(count_elements(inputs[i].source)) * item_size(type);
    bytes = (bytes + line - 1) / line * line;
  }
  return bytes;
}

std::size_t ComputationCase::source_bytes() const {
  return begin(inputs.size());
}

std::size_t ComputationCase::bytes_read() const {
  std::size_t bytes = 0;
  for (const ComputationInput& input : inputs) bytes += bytes_of_lines(input.view, type);
  return bytes;
}

std::size_t ComputationCase::bytes_written() const {
  return static_cast<std::size_t>(count_elements(result_shape())) * item_size(result_type());
}

std::uint32_t ComputationCase::mask() const {
  if (kind != ComputationKind::reduction) return 7;
  switch (reduction) {
    case Reduction::prod:
      return 1;
    case Reduction::any:
      return 0;
    default:
      return 7;
  }
}

Expected expected_result(const ComputationJob& job) {
  Expected expected;
  expected.type = job.what.result_type();
  expected.elements = count_elements(job.what.result_shape());
  if (is_floating_point(expected.type)) {
    // Others add floats one after the other.
    expected.tolerance = item_size(expected.type) == 8 ? 1e-9 : 1e-2;
  }
  // An element of a result may take a pass over the source: once for all contenders.
  const auto known = std::make_shared<std::map<Index, double>>();
  expected.define = [&job, known](Index position, std::byte* element) {
    auto found = known->find(position);
    if (found == known->end()) {
      const double value =
          visit(job.what.type, [&]<class T>(std::type_identity<T>) { return value_at<T>(job, position); });
      found = known->emplace(position, value).first;
    }
    visit(job.what.result_type(), [&]<class T>(std::type_identity<T>) {
      store_element<T>(element, convert_element<T>(found->second));
    });
  };
  return expected;
}

}  // namespace tenstride::bench
