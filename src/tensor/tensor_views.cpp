// SPDX-License-Identifier: Apache-2.0
#include <cstdint>
#include <new>

#include "base/message.hpp"
#include "memory/watch.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/tensor/tensor.hpp"

/// The view methods: each forwards to its function on layouts.
namespace tenstride {
namespace {

[[noreturn]] void throw_not_complex(std::string_view operation, DType dtype) {
  throw RuntimeError(detail::message(operation, ": the dtype ", name(dtype), " must be complex"));
}

[[noreturn, gnu::noinline, gnu::cold]] void throw_no_view(const Layout& from, const Dims& shape,
                                                          DType dtype) {
  throw ViewError(*why_not_view(from, shape), item_size(dtype));
}

/// The layout of `view`; the refusal knows what the elements weigh.
Layout view_or_throw(const Layout& from, const Dims& sizes, DType dtype) {
  Layout layout = detail::blank(sizes.size(), from.offset);
  if (!detail::view_into(from, sizes, "view", layout)) throw_no_view(from, layout.shape, dtype);
  return layout;
}

/// Refuses at once more pieces of size `size` than 64 GiB hold the layouts of; what is wrong with the axis or
/// the size is said by the function on layouts.
void require_room(const Layout& layout, Index dim, Index size) {
  constexpr auto limit = static_cast<Index>((std::uint64_t{64} << 30) / sizeof(Layout));
  const auto rank = static_cast<Index>(layout.rank());
  if (dim < -rank || dim >= rank || size < 1) return;
  const Index extent = layout.shape[static_cast<std::size_t>(dim < 0 ? dim + rank : dim)];
  if (extent / size > limit) throw std::bad_alloc();
}

std::vector<Tensor> with_layouts(const Tensor& x, const std::vector<Layout>& layouts) {
  std::vector<Tensor> result;
  result.reserve(layouts.size());
  for (const Layout& layout : layouts) result.push_back(with_layout(x, layout));
  return result;
}

}  // namespace

Tensor Tensor::permute(const Dims& dims) const {
  return viewed([&] { return tenstride::permute(layout_, dims); });
}
Tensor Tensor::transpose(Index dim0, Index dim1) const {
  return viewed([&] { return tenstride::transpose(layout_, dim0, dim1); });
}
Tensor Tensor::movedim(const Dims& source, const Dims& destination) const {
  return viewed([&] { return tenstride::movedim(layout_, source, destination); });
}
Tensor Tensor::moveaxis(const Dims& source, const Dims& destination) const {
  return viewed([&] { return tenstride::moveaxis(layout_, source, destination); });
}
Tensor Tensor::t() const {
  return viewed([&] { return tenstride::t(layout_); });
}
Tensor Tensor::T() const {
  return viewed([&] { return tenstride::reverse_axes(layout_); });
}
Tensor Tensor::mT() const {
  return viewed([&] { return tenstride::matrix_transpose(layout_); });
}
Tensor Tensor::squeeze() const {
  return viewed([&] { return tenstride::squeeze(layout_); });
}
Tensor Tensor::squeeze(Index dim) const {
  return viewed([&] { return tenstride::squeeze(layout_, dim); });
}
Tensor Tensor::squeeze(const Dims& dims) const {
  return viewed([&] { return tenstride::squeeze(layout_, dims); });
}
Tensor Tensor::unsqueeze(Index dim) const {
  return viewed([&] { return tenstride::unsqueeze(layout_, dim); });
}
Tensor Tensor::unflatten(Index dim, const Dims& sizes) const {
  return viewed([&] { return tenstride::unflatten(layout_, dim, sizes); });
}
Tensor Tensor::expand(const Dims& sizes) const {
  return viewed([&] { return tenstride::expand(layout_, sizes); });
}
Tensor Tensor::broadcast_to(const Dims& sizes) const {
  return viewed([&] { return tenstride::expand(layout_, sizes, "broadcast_to"); });
}
Tensor Tensor::select(Index dim, Index index) const {
  return viewed([&] { return tenstride::select(layout_, dim, index); });
}
Tensor Tensor::narrow(Index dim, Index start, Index length) const {
  return viewed([&] { return tenstride::narrow(layout_, dim, start, length); });
}
Tensor Tensor::slice(Index dim, const std::optional<Index>& start, const std::optional<Index>& end,
                     Index step) const {
  return viewed([&] { return tenstride::slice(layout_, dim, start, end, step); });
}
Tensor Tensor::diagonal(Index offset, Index dim1, Index dim2) const {
  return viewed([&] { return tenstride::diagonal(layout_, offset, dim1, dim2); });
}
Tensor Tensor::unfold(Index dimension, Index size, Index step) const {
  return viewed([&] { return tenstride::unfold(layout_, dimension, size, step); });
}
Tensor Tensor::atleast_1d() const {
  return viewed([&] { return tenstride::at_least(layout_, 1); });
}
Tensor Tensor::atleast_2d() const {
  return viewed([&] { return tenstride::at_least(layout_, 2); });
}
Tensor Tensor::atleast_3d() const {
  return viewed([&] { return tenstride::at_least(layout_, 3); });
}

/// The layout of `view` where somebody watches: he is told of it.
Layout Tensor::viewed_as(const Dims& sizes, const Caller& caller) const {
  Layout layout = view_or_throw(layout_, sizes, dtype_);
  detail::watch->reshaped(shape(), layout.shape, "view", caller);
  return layout;
}
Tensor Tensor::view(const Dims& sizes, Caller caller) const {
  if (detail::watch != nullptr) [[unlikely]] {
    return with_layout(*this, viewed_as(sizes, caller));
  }
  return viewed([&] { return view_or_throw(layout_, sizes, dtype_); });
}

Tensor Tensor::view(DType dtype) const {
  require_stored("view");
  return with_layout(*this, view_dtype(layout_, item_size(dtype_), item_size(dtype)), dtype);
}

Tensor Tensor::as_strided(const Dims& size, const Dims& stride,
                          const std::optional<Index>& storage_offset) const {
  const auto count = static_cast<Index>(storage_.nbytes() >> item_size_log2(dtype_));
  return viewed(
      [&] { return tenstride::as_strided(size, stride, storage_offset.value_or(layout_.offset), count); });
}

Tensor Tensor::conj() const {
  Tensor result = *this;
  if (is_complex()) result.is_conj_ = !is_conj_;
  return result;
}

Tensor Tensor::neg_view() const {
  if (dtype_ == DType::bool_) {
    throw RuntimeError("_neg_view: a bool has no negative; to invert a mask use ~ or logical_not");
  }
  Tensor result = *this;
  result.is_neg_ = !is_neg_;
  return result;
}

Tensor Tensor::H() const {
  if (dim() != 0 && dim() != 2) detail::throw_rank("H", shape(), "must have 0 or 2 axes");
  return (dim() == 0 ? *this : transpose(0, 1)).conj();
}

Tensor Tensor::mH() const {
  return with_layout(*this, matrix_transpose(layout_, "mH")).conj();
}
Tensor Tensor::adjoint() const {
  return with_layout(*this, matrix_transpose(layout_, "adjoint")).conj();
}

Tensor Tensor::real() const {
  if (!is_complex()) return *this;
  Tensor result = with_layout(*this, complex_component(layout_, 0), component_type(dtype_));
  result.is_neg_ = is_neg_;
  return result;
}

Tensor Tensor::imag() const {
  if (!is_complex()) throw_not_complex("imag", dtype_);
  Tensor result = with_layout(*this, complex_component(layout_, 1), component_type(dtype_));
  result.is_neg_ = is_neg_ != is_conj_;
  return result;
}

std::vector<Tensor> Tensor::unbind(Index dim) const {
  require_room(layout_, dim, 1);
  return with_layouts(*this, tenstride::unbind(layout_, dim));
}
std::vector<Tensor> Tensor::split(Index split_size, Index dim) const {
  require_room(layout_, dim, split_size);
  return with_layouts(*this, tenstride::split(layout_, split_size, dim));
}
std::vector<Tensor> Tensor::split(const Dims& split_sizes, Index dim) const {
  return with_layouts(*this, tenstride::split_with_sizes(layout_, split_sizes, dim));
}
std::vector<Tensor> Tensor::split_with_sizes(const Dims& split_sizes, Index dim) const {
  return with_layouts(*this, tenstride::split_with_sizes(layout_, split_sizes, dim));
}
std::vector<Tensor> Tensor::chunk(Index chunks, Index dim) const {
  return with_layouts(*this, tenstride::chunk(layout_, chunks, dim));
}
std::vector<Tensor> Tensor::tensor_split(Index sections, Index dim) const {
  return with_layouts(*this, tenstride::tensor_split(layout_, sections, dim));
}
std::vector<Tensor> Tensor::tensor_split(const Dims& indices, Index dim) const {
  return with_layouts(*this, tenstride::tensor_split(layout_, indices, dim));
}
std::vector<Tensor> Tensor::hsplit(Index sections) const {
  return with_layouts(*this, tenstride::hsplit(layout_, sections));
}
std::vector<Tensor> Tensor::hsplit(const Dims& indices) const {
  return with_layouts(*this, tenstride::hsplit(layout_, indices));
}
std::vector<Tensor> Tensor::vsplit(Index sections) const {
  return with_layouts(*this, tenstride::vsplit(layout_, sections));
}
std::vector<Tensor> Tensor::vsplit(const Dims& indices) const {
  return with_layouts(*this, tenstride::vsplit(layout_, indices));
}
std::vector<Tensor> Tensor::dsplit(Index sections) const {
  return with_layouts(*this, tenstride::dsplit(layout_, sections));
}
std::vector<Tensor> Tensor::dsplit(const Dims& indices) const {
  return with_layouts(*this, tenstride::dsplit(layout_, indices));
}

}  // namespace tenstride
