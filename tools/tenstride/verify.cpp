// SPDX-License-Identifier: Apache-2.0
#include "verify.hpp"

#include <cstring>
#include <vector>

#include "tenstride/layout/text.hpp"

namespace tenstride::cli {
namespace {

/// One element, held without loss.
Scalar read(const Tensor& tensor, Index position) {
  const std::byte* address = tensor.storage_data() + position * static_cast<Index>(tensor.element_size());
  return visit(tensor.dtype(), [&]<class T>(std::type_identity<T>) -> Scalar {
    T value = load_element<T>(address);
    if (tensor.is_neg()) value = negate(value);
    if constexpr (is_small_float<T>) {
      return Scalar(static_cast<double>(static_cast<float>(value)));
    } else if constexpr (is_complex_element<T>) {
      return Scalar(convert_element<std::complex<double>>(tensor.is_conj() ? conjugate(value) : value));
    } else {
      return Scalar(value);
    }
  });
}

/// Whether scale and shift are carried out in float; else in double.
bool is_narrow(DType type) {
  return item_size(type) <= 2 || type == DType::float32 || type == DType::complex64 ||
         type == DType::complex32;
}

template <typename Real>
Scalar scaled(const Scalar& value, double scale, double shift) {
  if (value.is_complex()) {
    const auto number = value.to<std::complex<double>>();
    const Real real = static_cast<Real>(number.real()) * static_cast<Real>(scale);
    const Real imaginary = static_cast<Real>(number.imag()) * static_cast<Real>(scale);
    return Scalar(std::complex<double>(real + static_cast<Real>(shift), imaginary));
  }
  const Real product = value.to<Real>() * static_cast<Real>(scale);
  return Scalar(static_cast<double>(product + static_cast<Real>(shift)));
}

/// The same bits, any NaN being as good as another.
bool same(const Scalar& a, const Scalar& b) {
  const auto alike = [](double x, double y) {
    return (x != x && y != y) || std::memcmp(&x, &y, sizeof x) == 0;
  };
  if (a.is_floating_point() && b.is_floating_point()) return alike(a.to<double>(), b.to<double>());
  if (a.is_complex() && b.is_complex()) {
    const auto x = a.to<std::complex<double>>(), y = b.to<std::complex<double>>();
    return alike(x.real(), y.real()) && alike(x.imag(), y.imag());
  }
  return a == b;
}

class Comparison {
 public:
  Comparison(const Tensor& found, const Expected& expected) : found_(found), expected_(expected) {
    const io::Rescaling* const meant = expected.rescaling;
    if (meant != nullptr && meant->stored != expected_.source.dtype())
      expected_.source = expected_.source.view(meant->stored);
  }

  std::optional<std::string> run() {
    const Index count = expected_.source.numel();
    if (found_.numel() != count) {
      return "the file has " + std::to_string(found_.numel()) + " elements and must have " +
             std::to_string(count);
    }
    if (found_.dtype() != (expected_.is_bool_image ? DType::uint8 : expected_.dtype)) {
      return "the file is of " + std::string(name(found_.dtype())) + " and must be of " +
             std::string(name(expected_.dtype));
    }
    Cursor from(expected_.source.layout()), to(found_.layout());
    std::string first;
    Index wrong = 0;
    for (Index n = 0; n < count; ++n, from.next(), to.next()) {
      const Scalar wanted = converted(wanted_of(from));
      const Scalar given = read(found_, to.position);
      if (same(given, wanted)) continue;
      if (wrong++ > 0) continue;
      first = "element " + to_string(to.index) + " is " + given.to_string() + " and must be " +
              wanted.to_string();
    }
    if (wrong == 0) return std::nullopt;
    return first + "; " + std::to_string(wrong) + " of " + std::to_string(count) + " elements differ";
  }

 private:
  /// An index of a layout with its position; `next` goes on in row-major order.
  struct Cursor {
    explicit Cursor(const Layout& visited)
        : layout(visited), index(Dims::filled(visited.rank(), 0)), position(visited.offset) {}
    void next() {
      for (std::size_t d = layout.rank(); d-- > 0;) {
        if (++index[d] < layout.shape[d]) break;
        index[d] = 0;
      }
      position = layout.offset;
      for (std::size_t d = 0; d < layout.rank(); ++d) position += index[d] * layout.strides[d];
    }
    const Layout& layout;
    Dims index;
    Index position;
  };

  [[nodiscard]] double entry(std::span<const double> numbers, const Cursor& at, double otherwise) const {
    if (numbers.empty()) return otherwise;
    if (numbers.size() == 1) return numbers[0];
    const Index axis = expected_.arithmetic.axis;
    const Index rank = static_cast<Index>(at.index.size());
    return numbers[static_cast<std::size_t>(
        at.index[static_cast<std::size_t>(axis < 0 ? axis + rank : axis)])];
  }

  [[nodiscard]] Scalar wanted_of(const Cursor& at) const {
    const Scalar value = read(expected_.source, at.position);
    const ScaleShift& arithmetic = expected_.arithmetic;
    const io::Rescaling* const meant = expected_.rescaling;
    const bool is_float = is_narrow(expected_.source.dtype()) && is_narrow(expected_.dtype);
    if (meant != nullptr) {
      if (meant->is_missing(value)) return meant->fill;
      if (!meant->is_scaled()) return value;
      return is_float ? scaled<float>(value, meant->scale, meant->shift)
                      : scaled<double>(value, meant->scale, meant->shift);
    }
    if (arithmetic.scale.empty() && arithmetic.shift.empty()) return value;
    const double scale = entry(arithmetic.scale, at, 1), shift = entry(arithmetic.shift, at, 0);
    return is_float ? scaled<float>(value, scale, shift) : scaled<double>(value, scale, shift);
  }

  [[nodiscard]] Scalar converted(const Scalar& value) const {
    if (expected_.is_bool_image) return Scalar(static_cast<std::uint8_t>(value.to<bool>() ? 255 : 0));
    return visit(expected_.dtype, [&]<class T>(std::type_identity<T>) -> Scalar {
      const T result = value.to<T>();
      if constexpr (is_small_float<T>) {
        return Scalar(static_cast<double>(static_cast<float>(result)));
      } else if constexpr (is_complex_element<T>) {
        return Scalar(convert_element<std::complex<double>>(result));
      } else {
        return Scalar(result);
      }
    });
  }

  const Tensor& found_;
  Expected expected_;
};

}  // namespace

std::optional<std::string> difference(const Tensor& found, const Expected& expected) {
  return Comparison(found, expected).run();
}

}  // namespace tenstride::cli
