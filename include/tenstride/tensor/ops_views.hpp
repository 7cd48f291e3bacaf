// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <initializer_list>
#include <optional>
#include <span>
#include <vector>

#include "tenstride/tensor/tensor.hpp"

/// The view operations as functions, with PyTorch's names, argument order and defaults, and their `*_copy`
/// forms. Each gives what the method of its name gives, and refuses what that refuses.
namespace tenstride {

/// A list of tensors as an argument: a vector, a span, or braces.
class TensorList {
 public:
  TensorList(std::initializer_list<Tensor> tensors) : tensors_(tensors.begin(), tensors.size()) {}
  TensorList(const std::vector<Tensor>& tensors) : tensors_(tensors) {}
  TensorList(std::span<const Tensor> tensors) : tensors_(tensors) {}

  [[nodiscard]] std::size_t size() const noexcept { return tensors_.size(); }
  [[nodiscard]] bool empty() const noexcept { return tensors_.empty(); }
  [[nodiscard]] const Tensor& operator[](std::size_t i) const noexcept { return tensors_[i]; }
  [[nodiscard]] auto begin() const noexcept { return tensors_.begin(); }
  [[nodiscard]] auto end() const noexcept { return tensors_.end(); }

 private:
  std::span<const Tensor> tensors_;
};

// Views (reshape, flatten and ravel: where one is possible; clone never is).

inline Tensor alias(const Tensor& x) {
  return x.alias();
}
inline Tensor detach(const Tensor& x) {
  return x.detach();
}
inline Tensor permute(const Tensor& x, const Dims& dims) {
  return x.permute(dims);
}
inline Tensor transpose(const Tensor& x, Index dim0, Index dim1) {
  return x.transpose(dim0, dim1);
}
inline Tensor swapaxes(const Tensor& x, Index axis0, Index axis1) {
  return x.swapaxes(axis0, axis1);
}
inline Tensor swapdims(const Tensor& x, Index dim0, Index dim1) {
  return x.swapdims(dim0, dim1);
}
inline Tensor movedim(const Tensor& x, const Dims& source, const Dims& destination) {
  return x.movedim(source, destination);
}
inline Tensor movedim(const Tensor& x, Index source, Index destination) {
  return x.movedim(source, destination);
}
inline Tensor moveaxis(const Tensor& x, const Dims& source, const Dims& destination) {
  return x.moveaxis(source, destination);
}
inline Tensor moveaxis(const Tensor& x, Index source, Index destination) {
  return x.moveaxis(source, destination);
}
inline Tensor t(const Tensor& x) {
  return x.t();
}
inline Tensor adjoint(const Tensor& x) {
  return x.adjoint();
}
inline Tensor squeeze(const Tensor& x) {
  return x.squeeze();
}
inline Tensor squeeze(const Tensor& x, Index dim) {
  return x.squeeze(dim);
}
inline Tensor squeeze(const Tensor& x, const Dims& dims) {
  return x.squeeze(dims);
}
inline Tensor unsqueeze(const Tensor& x, Index dim) {
  return x.unsqueeze(dim);
}
inline Tensor unflatten(const Tensor& x, Index dim, const Dims& sizes) {
  return x.unflatten(dim, sizes);
}
inline Tensor broadcast_to(const Tensor& x, const Dims& size) {
  return x.broadcast_to(size);
}
inline Tensor as_strided(const Tensor& x, const Dims& size, const Dims& stride,
                         std::optional<Index> storage_offset = {}) {
  return x.as_strided(size, stride, storage_offset);
}
inline Tensor select(const Tensor& x, Index dim, Index index) {
  return x.select(dim, index);
}
inline Tensor narrow(const Tensor& x, Index dim, Index start, Index length) {
  return x.narrow(dim, start, length);
}
inline Tensor slice(const Tensor& x, Index dim = 0, std::optional<Index> start = {},
                    std::optional<Index> end = {}, Index step = 1) {
  return x.slice(dim, start, end, step);
}
inline Tensor diagonal(const Tensor& x, Index offset = 0, Index dim1 = 0, Index dim2 = 1) {
  return x.diagonal(offset, dim1, dim2);
}
inline Tensor unfold(const Tensor& x, Index dimension, Index size, Index step) {
  return x.unfold(dimension, size, step);
}
inline Tensor real(const Tensor& x) {
  return x.real();
}
inline Tensor imag(const Tensor& x) {
  return x.imag();
}
inline Tensor conj(const Tensor& x) {
  return x.conj();
}
inline Tensor resolve_neg(const Tensor& x, Caller caller = Caller::current()) {
  return x.resolve_neg(caller);
}
inline Tensor resolve_conj(const Tensor& x, Caller caller = Caller::current()) {
  return x.resolve_conj(caller);
}
inline Tensor atleast_1d(const Tensor& x) {
  return x.atleast_1d();
}
inline Tensor atleast_2d(const Tensor& x) {
  return x.atleast_2d();
}
inline Tensor atleast_3d(const Tensor& x) {
  return x.atleast_3d();
}
inline Tensor reshape(const Tensor& x, const Dims& shape, CopyRule copy = CopyRule::if_needed,
                      Caller caller = Caller::current()) {
  return x.reshape(shape, copy, caller);
}
inline Tensor flatten(const Tensor& x, Index start_dim = 0, Index end_dim = -1,
                      CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current()) {
  return x.flatten(start_dim, end_dim, copy, caller);
}
inline Tensor ravel(const Tensor& x, CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current()) {
  return x.ravel(copy, caller);
}
inline Tensor clone(const Tensor& x, MemoryFormat format = MemoryFormat::preserve,
                    Caller caller = Caller::current()) {
  return x.clone(format, caller);
}
/// The diagonals of the last two axes unless told. Example: of shape (5,2,3) the shape (5,2).
inline Tensor linalg_diagonal(const Tensor& x, Index offset = 0, Index dim1 = -2, Index dim2 = -1) {
  return x.diagonal(offset, dim1, dim2);
}
/// A complex tensor as pairs of real numbers: a view with a last axis of size 2. Refuses real types and
/// pending conjugation. Example: `(3):(1)` of complex64 as `(3,2):(2,1)` of float32.
TENSTRIDE_API Tensor view_as_real(const Tensor& x);
/// The inverse: a last axis of size 2 and stride 1, other strides and the offset even; of float32 or float64.
TENSTRIDE_API Tensor view_as_complex(const Tensor& x);
/// All tensors expanded to the shape they broadcast to. Throws ShapeError where they do not.
TENSTRIDE_API std::vector<Tensor> broadcast_tensors(TensorList tensors);

inline std::vector<Tensor> unbind(const Tensor& x, Index dim = 0) {
  return x.unbind(dim);
}
inline std::vector<Tensor> split(const Tensor& x, Index split_size, Index dim = 0) {
  return x.split(split_size, dim);
}
inline std::vector<Tensor> split(const Tensor& x, const Dims& split_sizes, Index dim = 0) {
  return x.split(split_sizes, dim);
}
inline std::vector<Tensor> split_with_sizes(const Tensor& x, const Dims& split_sizes, Index dim = 0) {
  return x.split_with_sizes(split_sizes, dim);
}
inline std::vector<Tensor> chunk(const Tensor& x, Index chunks, Index dim = 0) {
  return x.chunk(chunks, dim);
}
inline std::vector<Tensor> tensor_split(const Tensor& x, Index sections, Index dim = 0) {
  return x.tensor_split(sections, dim);
}
inline std::vector<Tensor> tensor_split(const Tensor& x, const Dims& indices, Index dim = 0) {
  return x.tensor_split(indices, dim);
}
inline std::vector<Tensor> hsplit(const Tensor& x, Index sections) {
  return x.hsplit(sections);
}
inline std::vector<Tensor> hsplit(const Tensor& x, const Dims& indices) {
  return x.hsplit(indices);
}
inline std::vector<Tensor> vsplit(const Tensor& x, Index sections) {
  return x.vsplit(sections);
}
inline std::vector<Tensor> vsplit(const Tensor& x, const Dims& indices) {
  return x.vsplit(indices);
}
inline std::vector<Tensor> dsplit(const Tensor& x, Index sections) {
  return x.dsplit(sections);
}
inline std::vector<Tensor> dsplit(const Tensor& x, const Dims& indices) {
  return x.dsplit(indices);
}

// Copies of views: the result is contiguous and shares nothing.

namespace detail {
/// What the operation of the name gives: dense copies of the views.
TENSTRIDE_API Tensor contiguous_copy(const Tensor& view, std::string_view operation, const Caller& caller);
TENSTRIDE_API std::vector<Tensor> contiguous_copies(std::vector<Tensor> views, std::string_view operation,
                                                    const Caller& caller);
}  // namespace detail

inline Tensor alias_copy(const Tensor& x, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.alias(), "alias_copy", caller);
}
inline Tensor as_strided_copy(const Tensor& x, const Dims& size, const Dims& stride,
                              std::optional<Index> storage_offset = {}, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.as_strided(size, stride, storage_offset), "as_strided_copy", caller);
}
inline Tensor detach_copy(const Tensor& x, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.detach(), "detach_copy", caller);
}
inline Tensor diagonal_copy(const Tensor& x, Index offset = 0, Index dim1 = 0, Index dim2 = 1,
                            Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.diagonal(offset, dim1, dim2), "diagonal_copy", caller);
}
inline Tensor expand_copy(const Tensor& x, const Dims& size, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.expand(size), "expand_copy", caller);
}
inline Tensor permute_copy(const Tensor& x, const Dims& dims, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.permute(dims), "permute_copy", caller);
}
inline Tensor select_copy(const Tensor& x, Index dim, Index index, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.select(dim, index), "select_copy", caller);
}
inline Tensor slice_copy(const Tensor& x, Index dim = 0, std::optional<Index> start = {},
                         std::optional<Index> end = {}, Index step = 1, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.slice(dim, start, end, step), "slice_copy", caller);
}
inline Tensor squeeze_copy(const Tensor& x, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.squeeze(), "squeeze_copy", caller);
}
inline Tensor squeeze_copy(const Tensor& x, Index dim, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.squeeze(dim), "squeeze_copy", caller);
}
inline Tensor squeeze_copy(const Tensor& x, const Dims& dims, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.squeeze(dims), "squeeze_copy", caller);
}
inline Tensor t_copy(const Tensor& x, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.t(), "t_copy", caller);
}
inline Tensor transpose_copy(const Tensor& x, Index dim0, Index dim1, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.transpose(dim0, dim1), "transpose_copy", caller);
}
inline Tensor unfold_copy(const Tensor& x, Index dimension, Index size, Index step,
                          Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.unfold(dimension, size, step), "unfold_copy", caller);
}
inline Tensor unsqueeze_copy(const Tensor& x, Index dim, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.unsqueeze(dim), "unsqueeze_copy", caller);
}
/// Refuses an axis above the last with RuntimeError, as PyTorch does here alone.
TENSTRIDE_API Tensor narrow_copy(const Tensor& x, Index dim, Index start, Index length,
                                 Caller caller = Caller::current());
/// Needs no view to be possible.
inline Tensor view_copy(const Tensor& x, const Dims& size, Caller caller = Caller::current()) {
  return x.reshape(size, CopyRule::always, caller);
}
inline Tensor view_copy(const Tensor& x, DType dtype, Caller caller = Caller::current()) {
  return detail::contiguous_copy(x.view(dtype), "view_copy", caller);
}
inline Tensor view_as_real_copy(const Tensor& x, Caller caller = Caller::current()) {
  return detail::contiguous_copy(view_as_real(x), "view_as_real_copy", caller);
}
inline Tensor view_as_complex_copy(const Tensor& x, Caller caller = Caller::current()) {
  return detail::contiguous_copy(view_as_complex(x), "view_as_complex_copy", caller);
}
inline std::vector<Tensor> split_copy(const Tensor& x, Index split_size, Index dim = 0,
                                      Caller caller = Caller::current()) {
  return detail::contiguous_copies(x.split(split_size, dim), "split_copy", caller);
}
inline std::vector<Tensor> split_with_sizes_copy(const Tensor& x, const Dims& split_sizes, Index dim = 0,
                                                 Caller caller = Caller::current()) {
  return detail::contiguous_copies(x.split_with_sizes(split_sizes, dim), "split_with_sizes_copy", caller);
}
inline std::vector<Tensor> unbind_copy(const Tensor& x, Index dim = 0, Caller caller = Caller::current()) {
  return detail::contiguous_copies(x.unbind(dim), "unbind_copy", caller);
}

}  // namespace tenstride
