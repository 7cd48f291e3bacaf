// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "tenstride/base/caller.hpp"
#include "tenstride/base/dtype.hpp"
#include "tenstride/base/element.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/base/scalar.hpp"
#include "tenstride/layout/contiguity.hpp"
#include "tenstride/layout/layout.hpp"
#include "tenstride/layout/reshape.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/memory/storage.hpp"
#include "tenstride/memory/to_options.hpp"
#include "tenstride/tensor/accessor.hpp"
#include "tenstride/tensor/elements.hpp"

namespace tenstride {

class Tensor;
class TensorIndex;
namespace detail {
struct TensorAccess;
}

/// A storage seen through a layout as elements of one type. Cheap to copy; copies share the storage, as
/// PyTorch's do. Methods have PyTorch's names, argument order, defaults and refusals. Those that end in `_`
/// write to the elements; they are not offered by a const tensor, and throw StorageError on a read-only
/// storage or a read-only view. Thread-safety: as of a std::shared_ptr to the bytes.
class TENSTRIDE_API Tensor {
 public:
  /// An empty float32 tensor of shape (0) without a storage.
  Tensor() = default;
  Tensor(const Tensor& other) = default;
  Tensor& operator=(const Tensor& other) = default;
  /// Leaves the other without elements and storage, of its dtype.
  Tensor(Tensor&& other) noexcept;
  Tensor& operator=(Tensor&& other) noexcept;
  ~Tensor() = default;
  /// Puts the parts together. Throws StorageError where the layout leaves the storage (negative strides are
  /// welcome).
  Tensor(Storage storage, Layout layout, DType dtype);

  // What it is.
  [[nodiscard]] const Dims& shape() const noexcept { return layout_.shape; }
  [[nodiscard]] const Dims& sizes() const noexcept { return layout_.shape; }
  [[nodiscard]] const Dims& strides() const noexcept { return layout_.strides; }
  [[nodiscard]] const Dims& stride() const noexcept { return layout_.strides; }
  /// The extent of one axis. Throws AxisError.
  [[nodiscard]] Index size(Index axis) const;
  [[nodiscard]] Index stride(Index axis) const;
  [[nodiscard]] Index storage_offset() const noexcept { return layout_.offset; }
  [[nodiscard]] Index dim() const noexcept { return static_cast<Index>(layout_.rank()); }
  [[nodiscard]] Index numel() const noexcept { return tenstride::numel(layout_); }
  [[nodiscard]] DType dtype() const noexcept { return dtype_; }
  /// Bytes of one element.
  [[nodiscard]] std::size_t element_size() const noexcept { return item_size(dtype_); }
  [[nodiscard]] std::size_t itemsize() const noexcept { return item_size(dtype_); }
  /// Bytes of all elements (numel * element_size), not of the storage.
  [[nodiscard]] std::uint64_t nbytes() const noexcept {
    return static_cast<std::uint64_t>(numel()) * item_size(dtype_);
  }
  [[nodiscard]] Device device() const noexcept { return storage_.device(); }
  [[nodiscard]] bool is_meta() const noexcept { return device() == Device::meta; }
  /// Whether there are elements to be read: not on `meta`, and not on a device that is foretold.
  [[nodiscard]] bool has_memory() const noexcept { return storage_.has_memory(); }
  /// Whether the memory is page-locked (`pin_memory`).
  [[nodiscard]] bool is_pinned() const noexcept { return storage_.is_pinned(); }
  [[nodiscard]] const Layout& layout() const noexcept { return layout_; }
  [[nodiscard]] const Storage& storage() const noexcept { return storage_; }
  /// Every element of the storage as a 1-D view: PyTorch's `storage()`, to look at.
  [[nodiscard]] Tensor flat_storage() const;
  [[nodiscard]] bool is_contiguous(MemoryFormat format = MemoryFormat::contiguous) const {
    if (format == MemoryFormat::contiguous) return contiguity_.of(layout_);
    return tenstride::is_contiguous(layout_, format);
  }
  [[nodiscard]] bool is_non_overlapping_and_dense() const {
    return tenstride::is_non_overlapping_and_dense(layout_);
  }
  [[nodiscard]] MemoryFormat suggest_memory_format() const { return suggested_memory_format(layout_); }
  [[nodiscard]] bool is_complex() const noexcept { return tenstride::is_complex(dtype_); }
  [[nodiscard]] bool is_floating_point() const noexcept { return tenstride::is_floating_point(dtype_); }
  /// Whether the elements stand for the conjugates of what the storage holds.
  [[nodiscard]] bool is_conj() const noexcept { return is_conj_; }
  /// Whether the elements stand for the negatives of what the storage holds. With both bits: for the negative
  /// of the conjugate.
  [[nodiscard]] bool is_neg() const noexcept { return is_neg_; }
  /// Whether the elements are what the storage holds: neither the conjugate nor the negative bit is set.
  [[nodiscard]] bool is_resolved() const noexcept { return !is_conj_ && !is_neg_; }
  [[nodiscard]] bool is_read_only() const noexcept { return is_read_only_ || storage_.is_read_only(); }
  /// Whether both see the same storage (of any part of it).
  [[nodiscard]] bool shares_storage(const Tensor& other) const noexcept { return storage_ == other.storage_; }
  /// Whether both are the same view: storage, layout, dtype, conjugate and negative bit. PyTorch's "the
  /// very same tensor".
  [[nodiscard]] bool is_same(const Tensor& other) const noexcept {
    return storage_ == other.storage_ && layout_ == other.layout_ && dtype_ == other.dtype_ &&
           is_conj_ == other.is_conj_ && is_neg_ == other.is_neg_;
  }

  // The memory.
  /// The address of the first element (index 0,0,…). Null on meta.
  [[nodiscard]] const void* data_ptr() const noexcept;
  [[nodiscard]] void* mutable_data_ptr();
  /// The address of the first element, typed. Throws TypeError where T is not the dtype.
  template <Element T>
  [[nodiscard]] const T* data() const {
    require_dtype(dtype_of<T>);
    return static_cast<const T*>(data_ptr());
  }
  template <Element T>
  [[nodiscard]] T* mutable_data() {
    require_dtype(dtype_of<T>);
    return static_cast<T*>(mutable_data_ptr());
  }
  /// The element at these indices, one for each axis; negative ones count from the end. Throws TypeError
  /// where T is not the dtype, IndexError for another number of indices and one out of range, RuntimeError
  /// where there are no elements. Example: `x.at<float>(1, -1)`.
  template <Element T>
  [[nodiscard]] T at(std::convertible_to<Index> auto... indices) const {
    const std::array<Index, sizeof...(indices)> index{static_cast<Index>(indices)...};
    const Index position = position_of(dtype_of<T>, index);
    if (!is_resolved()) [[unlikely]] {
      return as_strided({}, {}, position).item<T>();
    }
    return reinterpret_cast<const T*>(storage_.data())[position];
  }
  /// The element at these indices, to be written. Throws as `at`, and StorageError where it is read-only,
  /// and RuntimeError where a conjugation or negation is pending. Example: `x.mutable_at<float>(0, 0) = 1`.
  template <Element T>
  [[nodiscard]] T& mutable_at(std::convertible_to<Index> auto... indices) {
    const std::array<Index, sizeof...(indices)> index{static_cast<Index>(indices)...};
    const Index position = position_of(dtype_of<T>, index);
    require_stored("mutable_at");
    return reinterpret_cast<T*>(mutable_storage_data())[position];
  }
  /// All elements by N indices, without a check for each: `a[i][j]` or `a(i, j)`. Throws as `at` and
  /// `mutable_at` do. Example: `x.accessor<const float, 2>()`, and of a tensor that is written to
  /// `x.accessor<float, 2>()`.
  template <class T, std::size_t N>
  requires Element<std::remove_const_t<T>> && std::is_const_v<T>
  [[nodiscard]] TensorAccessor<T, N> accessor() const {
    require_typed("accessor", dtype_of<std::remove_const_t<T>>, N);
    return {static_cast<T*>(data_ptr()), shape().data(), strides().data()};
  }
  template <class T, std::size_t N>
  requires Element<T> &&(!std::is_const_v<T>) [[nodiscard]] TensorAccessor<T, N> accessor() {
    require_typed("accessor", dtype_of<T>, N);
    return {static_cast<T*>(mutable_data_ptr()), shape().data(), strides().data()};
  }
  /// All elements in row-major order as a range. Throws as `at` and `mutable_at` do.
  /// Example: `std::ranges::max(x.elements<float>())`.
  template <Element T>
  [[nodiscard]] Elements<const T> elements() const {
    require_typed("elements", dtype_of<T>, layout_.rank());
    return {reinterpret_cast<const T*>(storage_.data()), storage_, layout_};
  }
  template <Element T>
  [[nodiscard]] Elements<T> mutable_elements() {
    require_typed("mutable_elements", dtype_of<T>, layout_.rank());
    return {reinterpret_cast<T*>(mutable_storage_data()), storage_, layout_};
  }
  /// The address of storage element 0; layout positions count from it.
  [[nodiscard]] const std::byte* storage_data() const noexcept { return storage_.data(); }
  [[nodiscard]] std::byte* mutable_storage_data();
  /// A view that nobody can write through, nor any view of it.
  [[nodiscard]] Tensor read_only() const;

  // Views: a new layout on the same storage.
  [[nodiscard]] Tensor alias() const { return *this; }
  [[nodiscard]] Tensor detach() const { return *this; }
  [[nodiscard]] Tensor view(const Dims& sizes, Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor view(DType dtype) const;
  [[nodiscard]] Tensor view_as(const Tensor& other, Caller caller = Caller::current()) const {
    return view(other.shape(), caller);
  }
  [[nodiscard]] Tensor permute(const Dims& dims) const;
  [[nodiscard]] Tensor transpose(Index dim0, Index dim1) const;
  [[nodiscard]] Tensor swapaxes(Index axis0, Index axis1) const { return transpose(axis0, axis1); }
  [[nodiscard]] Tensor swapdims(Index dim0, Index dim1) const { return transpose(dim0, dim1); }
  [[nodiscard]] Tensor movedim(const Dims& source, const Dims& destination) const;
  [[nodiscard]] Tensor movedim(Index source, Index destination) const {
    return movedim(Dims{source}, Dims{destination});
  }
  [[nodiscard]] Tensor moveaxis(const Dims& source, const Dims& destination) const;
  [[nodiscard]] Tensor moveaxis(Index source, Index destination) const {
    return moveaxis(Dims{source}, Dims{destination});
  }
  [[nodiscard]] Tensor t() const;
  /// The attributes T, mT, H and mH. H and mH conjugate (see conj).
  [[nodiscard]] Tensor T() const;
  [[nodiscard]] Tensor mT() const;
  [[nodiscard]] Tensor H() const;
  [[nodiscard]] Tensor mH() const;
  [[nodiscard]] Tensor adjoint() const;
  /// A view with the conjugate bit flipped; a real tensor gives itself.
  [[nodiscard]] Tensor conj() const;
  /// A view with the negative bit flipped: PyTorch's `_neg_view`. Throws RuntimeError for bool.
  [[nodiscard]] Tensor neg_view() const;
  [[nodiscard]] Tensor squeeze() const;
  [[nodiscard]] Tensor squeeze(Index dim) const;
  [[nodiscard]] Tensor squeeze(const Dims& dims) const;
  [[nodiscard]] Tensor unsqueeze(Index dim) const;
  [[nodiscard]] Tensor unflatten(Index dim, const Dims& sizes) const;
  [[nodiscard]] Tensor expand(const Dims& sizes) const;
  [[nodiscard]] Tensor expand_as(const Tensor& other) const { return expand(other.shape()); }
  [[nodiscard]] Tensor broadcast_to(const Dims& sizes) const;
  // Options stand in memory anyway: by value they were written in parts and read whole, which waits.
  [[nodiscard]] Tensor as_strided(const Dims& size, const Dims& stride,
                                  const std::optional<Index>& storage_offset = {}) const;
  [[nodiscard]] Tensor select(Index dim, Index index) const;
  [[nodiscard]] Tensor narrow(Index dim, Index start, Index length) const;
  [[nodiscard]] Tensor slice(Index dim = 0, const std::optional<Index>& start = {},
                             const std::optional<Index>& end = {}, Index step = 1) const;
  [[nodiscard]] Tensor diagonal(Index offset = 0, Index dim1 = 0, Index dim2 = 1) const;
  [[nodiscard]] Tensor unfold(Index dimension, Index size, Index step) const;
  [[nodiscard]] Tensor real() const;
  /// The imaginary parts as a view. Of conjugates it has the negative bit: `z.conj().imag().is_neg()`.
  [[nodiscard]] Tensor imag() const;
  [[nodiscard]] Tensor atleast_1d() const;
  [[nodiscard]] Tensor atleast_2d() const;
  [[nodiscard]] Tensor atleast_3d() const;
  [[nodiscard]] std::vector<Tensor> unbind(Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> split(Index split_size, Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> split(const Dims& split_sizes, Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> split_with_sizes(const Dims& split_sizes, Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> chunk(Index chunks, Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> tensor_split(Index sections, Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> tensor_split(const Dims& indices, Index dim = 0) const;
  [[nodiscard]] std::vector<Tensor> hsplit(Index sections) const;
  [[nodiscard]] std::vector<Tensor> hsplit(const Dims& indices) const;
  [[nodiscard]] std::vector<Tensor> vsplit(Index sections) const;
  [[nodiscard]] std::vector<Tensor> vsplit(const Dims& indices) const;
  [[nodiscard]] std::vector<Tensor> dsplit(Index sections) const;
  [[nodiscard]] std::vector<Tensor> dsplit(const Dims& indices) const;
  /// Basic indices give a view, integer tensors and masks a copy. A negative step gives NumPy's view.
  /// Example: `x.index({0, Slice{1, {}}, NewAxis{}, Ellipsis{}})` is Python's `x[0, 1:, None, ...]`.
  [[nodiscard]] Tensor index(std::initializer_list<TensorIndex> indices,
                             Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor index(std::span<const TensorIndex> indices, Caller caller = Caller::current()) const;
  /// Python's `x[i]`.
  [[nodiscard]] Tensor operator[](Index index) const { return select(0, index); }

  // What may copy takes the place of the call as its last argument: what ledgers and NoCopy tell (see
  // ledger.hpp).

  // A view if possible, else a contiguous copy.
  [[nodiscard]] Tensor reshape(const Dims& shape, CopyRule copy = CopyRule::if_needed,
                               Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor reshape_as(const Tensor& other, CopyRule copy = CopyRule::if_needed,
                                  Caller caller = Caller::current()) const {
    return reshape(other.shape(), copy, caller);
  }
  [[nodiscard]] Tensor flatten(Index start_dim = 0, Index end_dim = -1, CopyRule copy = CopyRule::if_needed,
                               Caller caller = Caller::current()) const;
  /// One axis: of a contiguous tensor a view, of any other a copy, also where a view were possible.
  [[nodiscard]] Tensor ravel(CopyRule copy = CopyRule::if_needed, Caller caller = Caller::current()) const;

  // Itself or a copy.
  [[nodiscard]] Tensor contiguous(MemoryFormat format = MemoryFormat::contiguous,
                                  CopyRule copy = CopyRule::if_needed,
                                  Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor to(DType dtype, Caller caller = Caller::current()) const {
    return to(ToOptions{.dtype = dtype}, caller);
  }
  [[nodiscard]] Tensor to(Device device, Caller caller = Caller::current()) const {
    return to(ToOptions{.device = device}, caller);
  }
  /// From one device to another it is a transfer (transfer.hpp), which is foretold: the result has no memory.
  [[nodiscard]] Tensor to(const ToOptions& options, Caller caller = Caller::current()) const;
  /// Itself where it is pinned, else a copy in page-locked memory. Throws RuntimeError for a tensor with
  /// elements, unless that is foretold: there is no device here to lock pages for.
  [[nodiscard]] Tensor pin_memory(AbsentDevice absent = AbsentDevice::refuse,
                                  Caller caller = Caller::current()) const;
  /// Itself, or where the conjugate bit is set a copy without it, nor the negative one.
  [[nodiscard]] Tensor resolve_conj(Caller caller = Caller::current()) const;
  /// Itself, or where the negative bit is set a copy without it, nor the conjugate one.
  [[nodiscard]] Tensor resolve_neg(Caller caller = Caller::current()) const;

  // Always a copy.
  [[nodiscard]] Tensor clone(MemoryFormat format = MemoryFormat::preserve,
                             Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor flip(const Dims& dims, Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor fliplr(Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor flipud(Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor rot90(Index k = 1, const Dims& dims = {0, 1}, Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor roll(const Dims& shifts, const Dims& dims = {},
                            Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor repeat(const Dims& repeats, Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor tile(const Dims& dims, Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor repeat_interleave(Index repeats, std::optional<Index> dim = {},
                                         Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor repeat_interleave(const Tensor& repeats, std::optional<Index> dim = {},
                                         Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor tril(Index diagonal = 0, Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor triu(Index diagonal = 0, Caller caller = Caller::current()) const;

  // Writing. All give the tensor back.
  /// Broadcasts and converts; refuses what PyTorch sees to overlap (numpy::copyto takes it).
  Tensor& copy_(const Tensor& src, Caller caller = Caller::current()) {
    return copy_(src, Blocking::blocking, caller);
  }
  /// Between two devices a transfer, which is foretold.
  Tensor& copy_(const Tensor& src, Blocking blocking, Caller caller = Caller::current());
  Tensor& fill_(const Scalar& value, Caller caller = Caller::current());
  Tensor& zero_(Caller caller = Caller::current()) { return fill_(0, caller); }
  Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Tensor& value,
                     Caller caller = Caller::current());
  Tensor& index_put_(std::initializer_list<TensorIndex> indices, const Scalar& value,
                     Caller caller = Caller::current());
  Tensor& index_put_(std::span<const TensorIndex> indices, const Tensor& value,
                     Caller caller = Caller::current());
  /// Changes what the tensor sees, not the elements; a storage that is too short for the sizes grows.
  Tensor& set_(const Tensor& source);
  Tensor& set_(const Storage& source, Index storage_offset, const Dims& size, const Dims& stride = {});
  /// A new shape, row-major from the same offset; the storage grows where needed (new bytes not initialised).
  Tensor& resize_(const Dims& size, MemoryFormat format = MemoryFormat::contiguous,
                  Caller caller = Caller::current());
  Tensor& transpose_(Index dim0, Index dim1);
  Tensor& t_();
  Tensor& squeeze_();
  Tensor& squeeze_(Index dim);
  Tensor& unsqueeze_(Index dim);
  Tensor& as_strided_(const Dims& size, const Dims& stride, const std::optional<Index>& storage_offset = {});

  // Reading.
  /// The one element. Throws RuntimeError where there is not exactly one.
  [[nodiscard]] Scalar item() const;
  template <typename T>
  [[nodiscard]] T item() const {
    return item().to<T>();
  }
  [[nodiscard]] Nested tolist(Caller caller = Caller::current()) const;
  /// All elements in row-major order, converted to T.
  template <Element T>
  [[nodiscard]] std::vector<T> to_vector(Caller caller = Caller::current()) const;
  /// Same shape and elements, as `eq` compares them (NaN is not equal to itself): PyTorch's `equal`.
  [[nodiscard]] bool equal(const Tensor& other) const;
  /// |a-b| <= atol + rtol*|b| everywhere.
  [[nodiscard]] bool allclose(const Tensor& other, double rtol = 1e-5, double atol = 1e-8) const;
  /// Whether all (any) elements are non-zero; a 0-d bool tensor.
  [[nodiscard]] Tensor all(Caller caller = Caller::current()) const;
  [[nodiscard]] Tensor any(Caller caller = Caller::current()) const;
  /// As PyTorch prints it: "tensor([[0, 1],\n        [2, 3]])".
  [[nodiscard]] std::string to_string() const;

 private:
  friend struct detail::TensorAccess;
  /// `make` builds the layout where it stays.
  template <std::invocable Make>
  Tensor(const Tensor& base, const Make& make)
      : storage_(base.storage_),
        layout_(make()),
        dtype_(base.dtype_),
        is_conj_(base.is_conj_),
        is_neg_(base.is_neg_),
        is_read_only_(base.is_read_only_) {}
  template <std::invocable Make>
  [[nodiscard]] Tensor viewed(const Make& make) const {
    return Tensor(*this, make);
  }
  /// What has lost its storage has no element either.
  void become_empty() noexcept {
    layout_.shape.become_one(0);
    layout_.strides.become_one(1);
    layout_.offset = 0;
    contiguity_.forget();
  }
  [[nodiscard]] Layout viewed_as(const Dims& sizes, const Caller& caller) const;
  [[nodiscard]] bool fits_view(const Dims& wanted, CopyRule copy, Layout& layout, const Caller& caller) const;
  [[nodiscard]] Tensor reshaped_copy(const Dims& target, const Caller& caller) const;
  void require_dtype(DType wanted, std::string_view operation = "data") const;
  /// Throws where a conjugation or negation is pending.
  void require_stored(std::string_view operation) const;
  /// What typed access needs: the type, so many axes, elements as they are stored.
  void require_typed(std::string_view operation, DType wanted, std::size_t rank) const;
  /// The position in the storage of the element at these indices, of the type.
  [[nodiscard]] Index position_of(DType wanted, std::span<const Index> index) const;

  Storage storage_;
  Layout layout_{{0}, {1}, 0};
  DType dtype_ = DType::float32;
  bool is_conj_ = false;
  bool is_neg_ = false;
  bool is_read_only_ = false;
  detail::Contiguity contiguity_;
};

inline Tensor::Tensor(Tensor&& other) noexcept
    : storage_(std::move(other.storage_)),
      layout_(std::move(other.layout_)),
      dtype_(other.dtype_),
      is_conj_(other.is_conj_),
      is_neg_(other.is_neg_),
      is_read_only_(other.is_read_only_),
      contiguity_(other.contiguity_) {
  other.become_empty();
}

inline Tensor& Tensor::operator=(Tensor&& other) noexcept {
  if (this == &other) return *this;
  storage_ = Storage(std::move(other.storage_));
  layout_ = std::move(other.layout_);
  dtype_ = other.dtype_;
  is_conj_ = other.is_conj_;
  is_neg_ = other.is_neg_;
  is_read_only_ = other.is_read_only_;
  contiguity_ = other.contiguity_;
  other.become_empty();
  return *this;
}

/// Writes `x.to_string()`.
TENSTRIDE_API std::ostream& operator<<(std::ostream& stream, const Tensor& x);

}  // namespace tenstride
