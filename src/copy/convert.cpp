// SPDX-License-Identifier: Apache-2.0
#include "copy/convert.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "tenstride/element.hpp"

namespace tenstride::copy {
namespace {

template <class To, class From>
void convert_row(std::byte* out, const std::byte* in, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    store_element<To>(out + i * sizeof(To), convert_element<To>(load_element<From>(in + i * sizeof(From))));
  }
}

/// row[i] = row[i] * scale[i * scale_step] + shift[i * shift_step], rounded after each; the real part is
/// shifted.
template <class Real, std::size_t parts>
void scale_row(std::byte* row, std::size_t count, const double* scale, std::size_t scale_step,
               const double* shift, std::size_t shift_step) {
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Real, parts> value;
    std::memcpy(&value, row + i * sizeof(value), sizeof(value));
    for (Real& part : value) part *= static_cast<Real>(scale[i * scale_step]);
    value[0] += static_cast<Real>(shift[i * shift_step]);
    std::memcpy(row + i * sizeof(value), &value, sizeof(value));
  }
}

template <class T>
void conjugate_row(std::byte* row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    store_element<T>(row + i * sizeof(T), conjugate(load_element<T>(row + i * sizeof(T))));
  }
}

bool within_float(DType type) {
  return item_size(type) <= 2 || type == DType::float32 || type == DType::complex64;
}

/// The type in which scale and shift are carried out: ScaleType at run time.
DType scale_type(DType to, DType from) {
  const bool single = within_float(to) && within_float(from);
  if (is_complex(from)) return single ? DType::complex64 : DType::complex128;
  return single ? DType::float32 : DType::float64;
}

ConvertRow pick(const Kernels& kernels, DType to, DType from) {
  const ConvertRow fast = kernels.convert(to, from, Stores::ordinary);
  return fast != nullptr ? fast : portable_convert(to, from);
}

constexpr double one = 1;
constexpr double zero = 0;

}  // namespace

ConvertRow portable_convert(DType to, DType from) {
  return visit(to, [from]<class To>(std::type_identity<To>) {
    return visit(from,
                 []<class From>(std::type_identity<From>) -> ConvertRow { return convert_row<To, From>; });
  });
}

RowConverter::RowConverter(const CopyPlan& plan, const Kernels& kernels) : plan_(&plan) {
  if (plan.conversion == CopyConversion::scale) {
    const DType middle = scale_type(plan.dst_type, plan.src_type);
    if (plan.src_type != middle) convert_in_ = pick(kernels, middle, plan.src_type);
    if (plan.dst_type != middle) convert_out_ = pick(kernels, plan.dst_type, middle);
    switch (middle) {
      case DType::float32:
        scale_row_ = scale_row<float, 1>;
        scale_floats_ = kernels.scale;
        break;
      case DType::float64:
        scale_row_ = scale_row<double, 1>;
        break;
      case DType::complex64:
        scale_row_ = scale_row<float, 2>;
        break;
      default:
        scale_row_ = scale_row<double, 2>;
        break;
    }
  } else if (plan.conversion == CopyConversion::convert) {
    convert_ = pick(kernels, plan.dst_type, plan.src_type);
    if (plan.conjugation == Conjugation::keep) {
      streaming_ = kernels.convert(plan.dst_type, plan.src_type, Stores::streaming);
    }
  }
  if (plan.conjugation == Conjugation::conjugate) {
    conjugate_ = plan.dst_type == DType::complex64 ? conjugate_row<std::complex<float>>
                                                   : conjugate_row<std::complex<double>>;
  }
}

void RowConverter::operator()(std::byte* out, const std::byte* in, std::size_t count, std::size_t first,
                              std::size_t step) {
  if (convert_ != nullptr) {
    convert_(out, in, count);
  } else {
    const auto at = [first, step](const std::vector<double>& values, const double& otherwise) {
      if (values.empty()) return std::pair{&otherwise, std::size_t{0}};
      if (values.size() == 1) return std::pair{values.data(), std::size_t{0}};
      return std::pair{values.data() + first, step};
    };
    const auto [scale, scale_step] = at(plan_->scale, one);
    const auto [shift, shift_step] = at(plan_->shift, zero);
    // In place where the arithmetic is done in the destination's type.
    std::byte* const row = convert_out_ == nullptr ? out : scratch_.data();
    if (convert_in_ != nullptr) {
      convert_in_(row, in, count);
    } else {
      std::memcpy(row, in, count * item_size(plan_->src_type));
    }
    if (scale_step == 0 && shift_step == 0 && scale_floats_ != nullptr) {
      scale_floats_(row, count, static_cast<float>(*scale), static_cast<float>(*shift));
    } else {
      scale_row_(row, count, scale, scale_step, shift, shift_step);
    }
    if (convert_out_ != nullptr) convert_out_(out, row, count);
  }
  if (conjugate_ != nullptr) conjugate_(out, count);
}

}  // namespace tenstride::copy
