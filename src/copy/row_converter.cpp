// SPDX-License-Identifier: Apache-2.0
#include "copy/row_converter.hpp"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "tenstride/base/element.hpp"

namespace tenstride::copy {
namespace {

/// row[i] = row[i] * scale[i * step] + shift[i * step], rounded after each; the real part is shifted.
template <class Real, std::size_t parts>
void scale_row(std::byte* row, std::size_t count, const double* scale, std::size_t step,
               const double* shift) {
  for (std::size_t i = 0; i < count; ++i) {
    std::array<Real, parts> value;
    std::memcpy(&value, row + i * sizeof(value), sizeof(value));
    for (Real& part : value) part *= static_cast<Real>(scale[i * step]);
    value[0] += static_cast<Real>(shift[i * step]);
    std::memcpy(row + i * sizeof(value), &value, sizeof(value));
  }
}

template <class T>
void conjugate_row(std::byte* row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    store_element<T>(row + i * sizeof(T), conjugate(load_element<T>(row + i * sizeof(T))));
  }
}

template <class T>
void negate_row(std::byte* row, std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    store_element<T>(row + i * sizeof(T), negate(load_element<T>(row + i * sizeof(T))));
  }
}

bool within_float(DType type) {
  return item_size(type) <= 2 || type == DType::float32 || type == DType::complex64 ||
         type == DType::complex32;
}

/// The type in which scale and shift are carried out: ScaleType at run time.
DType scale_type(DType to, DType from) {
  const bool single = within_float(to) && within_float(from);
  if (is_complex(from)) return single ? DType::complex64 : DType::complex128;
  return single ? DType::float32 : DType::float64;
}

/// Returns the number for index i: `otherwise` where the list is empty, and its only number where it has one.
double number(const std::vector<double>& numbers, std::size_t i, double otherwise) {
  if (numbers.empty()) return otherwise;
  return numbers.size() == 1 ? numbers[0] : numbers[i];
}

}  // namespace

RowConverter::RowConverter(const Conversion& conversion, const Kernels& kernels, bool reverses_numbers)
    : conversion_(&conversion) {
  if (conversion.kind == CopyConversion::scale) {
    choose_scale(kernels);
    repeat_numbers(reverses_numbers);
  } else if (conversion.kind == CopyConversion::convert) {
    convert_ = kernels.convert(conversion.dst_type, conversion.src_type);
  }
  choose_signs();
}

void RowConverter::choose_signs() {
  const auto negation_of = [](DType type) {
    return visit(type, []<class T>(std::type_identity<T>) -> ChangeSigns { return negate_row<T>; });
  };
  const Negation negation = conversion_->negation;
  if (negation == Negation::source || negation == Negation::both) {
    negate_source_ = negation_of(conversion_->src_type);
  }
  if (conversion_->conjugation == Conjugation::conjugate) {
    conjugate_ = visit(conversion_->dst_type,
                       []<class T>(std::type_identity<T>) -> ChangeSigns { return conjugate_row<T>; });
  }
  if (negation == Negation::destination || negation == Negation::both) {
    negate_ = negation_of(conversion_->dst_type);
  }
}

void RowConverter::choose_scale(const Kernels& kernels) {
  const DType middle = scale_type(conversion_->dst_type, conversion_->src_type);
  middle_size_ = item_size(middle);
  if (middle == DType::float32) {
    scale_by_one_ = kernels.scale(conversion_->dst_type, conversion_->src_type, Numbers::one);
    scale_by_each_ = kernels.scale(conversion_->dst_type, conversion_->src_type, Numbers::each);
    is_one_loop_ = scale_by_one_ != nullptr;
    if (is_one_loop_) return;
    scale_by_one_ = kernels.scale(middle, middle, Numbers::one);
    scale_by_each_ = kernels.scale(middle, middle, Numbers::each);
  }
  if (conversion_->src_type != middle) convert_in_ = kernels.convert(middle, conversion_->src_type);
  if (conversion_->dst_type != middle) convert_out_ = kernels.convert(conversion_->dst_type, middle);
  switch (middle) {
    case DType::float32:
      break;
    case DType::float64:
      scale_in_place_ = scale_row<double, 1>;
      break;
    case DType::complex64:
      scale_in_place_ = scale_row<float, 2>;
      break;
    default:
      scale_in_place_ = scale_row<double, 2>;
      break;
  }
}

void RowConverter::repeat_numbers(bool reverses) {
  period_ = std::max<std::size_t>({conversion_->scale.size(), conversion_->shift.size(), 1});
  const bool is_short = period_ > 1 && period_ < longest;
  const std::size_t count = is_short ? period_ + longest : period_;
  scale_.resize(count);
  shift_.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t at = reverses ? period_ - 1 - i % period_ : i % period_;
    scale_[i] = number(conversion_->scale, at, 1);
    shift_[i] = number(conversion_->shift, at, 0);
  }
  if (scale_by_one_ == nullptr) return;
  float_scale_.reserve(count);
  float_shift_.reserve(count);
  for (const double value : scale_) float_scale_.push_back(static_cast<float>(value));
  for (const double value : shift_) float_shift_.push_back(static_cast<float>(value));
}

bool RowConverter::is_plain() const {
  const auto is_finite = [](float value) { return std::isfinite(value); };
  return streams() && std::all_of(float_scale_.begin(), float_scale_.end(), is_finite) &&
         std::all_of(float_shift_.begin(), float_shift_.end(), is_finite);
}

void RowConverter::scale(std::byte* out, const std::byte* in, std::size_t count, std::size_t first,
                         std::size_t step, Stores stores) const {
  const std::size_t out_size = is_one_loop_ ? item_size(conversion_->dst_type) : middle_size_;
  const std::size_t in_size = is_one_loop_ ? item_size(conversion_->src_type) : middle_size_;
  while (count > 0) {
    const std::size_t at = first % period_;
    const std::size_t part = step == 0 ? count : std::min(count, scale_.size() - at);
    if (scale_in_place_ != nullptr) {
      scale_in_place_(out, part, &scale_[at], step, &shift_[at]);
    } else {
      const bool is_line = reinterpret_cast<std::uintptr_t>(out) % 64 == 0;
      (step == 0 ? scale_by_one_ : scale_by_each_)(out, in, part, &float_scale_[at], &float_shift_[at],
                                                   is_line ? stores : Stores::ordinary);
    }
    out += part * out_size;
    in += part * in_size;
    first += part;
    count -= part;
  }
}

void RowConverter::operator()(std::byte* out, const std::byte* in, std::size_t count, std::size_t first,
                              std::size_t step, Stores stores) {
  if (negate_source_ != nullptr) {
    std::memcpy(negated_.data(), in, count * item_size(conversion_->src_type));
    negate_source_(negated_.data(), count);
    in = negated_.data();
  }
  if (is_one_loop_) {
    scale(out, in, count, first, step, stores);
  } else if (convert_ != nullptr) {
    convert_(out, in, count, stores);
  } else {
    // In place where the arithmetic is done in the destination's type.
    std::byte* const row = convert_out_ == nullptr ? out : scratch_.data();
    if (convert_in_ != nullptr) {
      convert_in_(row, in, count, Stores::ordinary);
    } else {
      std::memcpy(row, in, count * item_size(conversion_->src_type));
    }
    scale(row, row, count, first, step, Stores::ordinary);
    if (convert_out_ != nullptr) convert_out_(out, row, count, Stores::ordinary);
  }
  if (conjugate_ != nullptr) conjugate_(out, count);
  if (negate_ != nullptr) negate_(out, count);
}

}  // namespace tenstride::copy
