// SPDX-License-Identifier: Apache-2.0
#include "tenstride/print/format.hpp"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <ostream>

#include "base/message.hpp"
#include "tenstride/base/default_dtype.hpp"

namespace tenstride {
namespace {

constexpr Index max_precision = 1100;  // no double has more digits after the point

void require_valid(const PrintOptions& options) {
  if (options.precision < 0 || options.precision > max_precision) {
    throw ValueError(
        detail::message("to_string: precision ", options.precision, " must lie in 0..", max_precision));
  }
  if (options.edgeitems < 0) {
    throw ValueError(detail::message("to_string: edgeitems ", options.edgeitems, " must not be negative"));
  }
}

/// Which entries of an axis are shown: all, or the first and the last few.
struct Shown {
  Index extent;
  bool is_cut;
  Index edge;
};

Shown shown(const Tensor& tensor, std::size_t axis, bool summarise, const PrintOptions& options) {
  const Index extent = tensor.shape()[axis];
  // Written so that it cannot overflow: extent > 2 * edgeitems.
  return {extent, summarise && options.edgeitems < extent - options.edgeitems, options.edgeitems};
}

/// Calls `visit_position(position)` for every shown element, in row-major order.
template <typename Visit>
void for_each_shown(const Tensor& tensor, bool summarise, const PrintOptions& options, const Visit& visit_one,
                    std::size_t axis, Index position) {
  if (axis == tensor.layout().rank()) return visit_one(position);
  const auto [extent, is_cut, edge] = shown(tensor, axis, summarise, options);
  const Index stride = tensor.strides()[axis];
  for (Index i = 0; i < extent; ++i) {
    if (is_cut && i == edge) i = extent - edge;
    if (i < extent) for_each_shown(tensor, summarise, options, visit_one, axis + 1, position + i * stride);
  }
}

/// Numbers of one column: all are printed in the same notation and to at least the same width.
enum class Notation : unsigned char { whole, fixed, scientific };
struct Column {
  Notation notation = Notation::whole;
  Index precision = 4;
  std::size_t width = 1;
};

std::string digits(double value, Notation notation, Index precision) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value < 0 ? "-inf" : "inf";
  // The largest double has 309 digits before the point.
  std::string text(static_cast<std::size_t>(precision) + 320, '\0');
  const auto format =
      notation == Notation::scientific ? std::chars_format::scientific : std::chars_format::fixed;
  const int count = notation == Notation::whole ? 0 : static_cast<int>(precision);
  const auto result = std::to_chars(text.data(), text.data() + text.size(), value, format, count);
  text.resize(static_cast<std::size_t>(result.ptr - text.data()));
  if (notation == Notation::whole) text += '.';
  return text;
}

/// The rule of PyTorch's printer (torch/_tensor_str.py): only finite numbers other than 0 have a say.
Column column_for(const std::vector<double>& values, const PrintOptions& options) {
  double lowest = HUGE_VAL;
  double highest = 0;
  bool is_whole = true;
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    lowest = std::min(lowest, std::abs(value));
    highest = std::max(highest, std::abs(value));
    is_whole = is_whole && value == std::ceil(value);
  }
  Column column{.precision = options.precision};
  if (highest == 0) return column;
  const bool is_wide = highest / lowest > 1000.0 || highest > 1.0e8 || lowest < 1.0e-4;
  if (options.sci_mode.value_or(is_wide)) {
    column.notation = Notation::scientific;
  } else if (!is_whole) {
    column.notation = Notation::fixed;
  }
  for (const double value : values) {
    if (!std::isfinite(value) || value == 0) continue;
    column.width = std::max(column.width, digits(value, column.notation, column.precision).size());
  }
  return column;
}

std::string padded(std::string text, std::size_t width) {
  if (text.size() < width) text.insert(0, width - text.size(), ' ');
  return text;
}
std::string padded(double value, const Column& column) {
  return padded(digits(value, column.notation, column.precision), column.width);
}

/// The texts of the shown elements in row-major order, and the width a row reckons with for each.
struct Cells {
  std::vector<std::string> texts;
  std::size_t width = 1;
};

Cells complex_cells(const std::vector<double>& real, const std::vector<double>& imaginary,
                    const PrintOptions& options) {
  const Column left = column_for(real, options);
  const Column right = column_for(imaginary, options);
  Cells cells{{}, left.width + right.width + 1};
  for (std::size_t i = 0; i < real.size(); ++i) {
    std::string text = digits(imaginary[i], right.notation, right.precision) + "j";
    if (text.front() != '-') text.insert(0, "+");
    cells.texts.push_back(padded(real[i], left) + text);
  }
  return cells;
}

Cells floating_cells(const std::vector<double>& values, const PrintOptions& options) {
  const Column column = column_for(values, options);
  Cells cells{{}, column.width};
  for (const double value : values) cells.texts.push_back(padded(value, column));
  return cells;
}

Cells whole_cells(std::vector<std::string> texts) {
  Cells cells{std::move(texts), 1};
  for (const std::string& text : cells.texts) cells.width = std::max(cells.width, text.size());
  for (std::string& text : cells.texts) text = padded(std::move(text), cells.width);
  return cells;
}

Cells read_cells(const Tensor& tensor, bool summarise, const PrintOptions& options) {
  const std::byte* const data = tensor.storage_data();
  const auto each = [&](const auto& visit_one) {
    for_each_shown(tensor, summarise, options, visit_one, 0, tensor.storage_offset());
  };
  return visit(tensor.dtype(), [&](auto type) {
    using T = typename decltype(type)::type;
    const auto load = [&](Index position) {
      T value = load_element<T>(data + position * static_cast<Index>(sizeof(T)));
      if (tensor.is_conj()) value = conjugate(value);
      return tensor.is_neg() ? negate(value) : value;
    };
    std::vector<double> values;
    if constexpr (is_complex_element<T>) {
      std::vector<double> imaginary;
      each([&](Index position) {
        const auto value = convert_element<std::complex<double>>(load(position));
        values.push_back(value.real());
        imaginary.push_back(value.imag());
      });
      return complex_cells(values, imaginary, options);
    } else if constexpr (std::is_integral_v<T>) {
      std::vector<std::string> texts;
      each([&](Index position) { texts.push_back(Scalar(load(position)).to_string()); });
      return whole_cells(std::move(texts));
    } else {
      each([&](Index position) { values.push_back(convert_element<double>(load(position))); });
      return floating_cells(values, options);
    }
  });
}

/// Puts the cells between brackets. The cells are used up in order, as the walk above has met them.
class Writer {
 public:
  Writer(const Tensor& tensor, bool summarise, const PrintOptions& options, Cells cells)
      : tensor_(tensor), summarise_(summarise), options_(options), cells_(std::move(cells)) {}

  /// `indent`: the column of the bracket that opens the axis.
  std::string text(std::size_t axis, Index indent) {
    const std::size_t rank = tensor_.layout().rank();
    if (axis == rank) return cells_.texts[next_++];
    const bool is_row = axis + 1 == rank;
    std::vector<std::string> parts;
    const auto [extent, is_cut, edge] = shown(tensor_, axis, summarise_, options_);
    for (Index i = 0; i < extent; ++i) {
      if (is_cut && i == edge) {
        parts.emplace_back(is_row && edge > 0 ? " ..." : "...");
        i = extent - edge;
      }
      if (i < extent) parts.push_back(text(axis + 1, indent + 1));
    }
    std::string result = "[";
    const std::size_t per_line = is_row ? cells_per_line(indent) : 1;
    const std::size_t line_feeds = is_row ? 1 : rank - axis - 1;
    for (std::size_t i = 0; i < parts.size(); ++i) {
      if (i > 0 && i % per_line == 0) {
        result +=
            "," + std::string(line_feeds, '\n') + std::string(static_cast<std::size_t>(indent + 1), ' ');
      } else if (i > 0) {
        result += ", ";
      }
      result += parts[i];
    }
    return result + "]";
  }

 private:
  [[nodiscard]] std::size_t cells_per_line(Index indent) const {
    const Index with_comma = static_cast<Index>(cells_.width) + 2;
    return static_cast<std::size_t>(std::max<Index>(1, (options_.linewidth - indent) / with_comma));
  }

  const Tensor& tensor_;
  bool summarise_;
  const PrintOptions& options_;
  Cells cells_;
  std::size_t next_ = 0;
};

/// As Python prints a tuple: "()", "(2,)", "(2, 3)".
std::string tuple(const Dims& sizes) {
  std::string text = "(";
  for (std::size_t i = 0; i < sizes.size(); ++i) text += (i > 0 ? ", " : "") + std::to_string(sizes[i]);
  return text + (sizes.size() == 1 ? ",)" : ")");
}

std::vector<std::string> suffixes(const Tensor& tensor) {
  const bool shows_elements = tensor.has_memory() && tensor.numel() > 0;
  std::vector<std::string> result;
  if (!tensor.has_memory()) result.push_back("device='" + name(tensor.device()) + "'");
  if (!shows_elements && (!tensor.has_memory() || tensor.dim() != 1)) {
    result.push_back("size=" + tuple(tensor.shape()));
  }
  const DType dtype = tensor.dtype();
  // Where elements are shown, they tell these types apart.
  const DType usual_complex = default_dtype() == DType::float64 ? DType::complex128 : DType::complex64;
  const bool is_plain =
      dtype == default_dtype() ||
      (shows_elements && (dtype == DType::bool_ || dtype == DType::int64 || dtype == usual_complex));
  if (!is_plain) result.push_back("dtype=torch." + std::string(name(dtype)));
  return result;
}

}  // namespace

std::string to_string(const Tensor& tensor, const PrintOptions& options) {
  require_valid(options);
  const std::string prefix = "tensor(";
  const auto indent = static_cast<Index>(prefix.size());
  std::string text = prefix;
  if (!tensor.has_memory()) {
    text += "...";
  } else if (tensor.numel() == 0) {
    text += "[]";
  } else {
    const bool summarise = tensor.numel() > options.threshold;
    text += Writer(tensor, summarise, options, read_cells(tensor, summarise, options)).text(0, indent);
  }
  // Where there is no line feed, npos + 1 is 0. Two more than the line has: PyTorch's count, kept.
  auto column = static_cast<Index>(text.size() - (text.rfind('\n') + 1)) + 2;
  for (const std::string& suffix : suffixes(tensor)) {
    const auto length = static_cast<Index>(suffix.size());
    if (column + length + 2 > options.linewidth) {
      text += ",\n" + std::string(prefix.size(), ' ') + suffix;
      column = indent + length;
    } else {
      text += ", " + suffix;
      column += length + 2;
    }
  }
  return text + ")";
}

std::string Tensor::to_string() const {
  return tenstride::to_string(*this);
}

std::ostream& operator<<(std::ostream& stream, const Tensor& x) {
  return stream << x.to_string();
}

}  // namespace tenstride
