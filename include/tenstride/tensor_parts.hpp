// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <utility>

#include "tenstride/contiguity.hpp"
#include "tenstride/dtype.hpp"
#include "tenstride/layout.hpp"
#include "tenstride/storage.hpp"

namespace tenstride::detail {

/// What a tensor consists of, and how that changes hands.
class TensorParts {
 protected:
  TensorParts() : layout_{{0}, {1}, 0} {}
  TensorParts(Storage&& storage, const Layout& layout, DType dtype)
      : storage_(std::move(storage)), layout_(layout), dtype_(dtype) {}
  TensorParts(const TensorParts& other) = default;
  TensorParts& operator=(const TensorParts& other) = default;
  TensorParts(TensorParts&& other) noexcept
      : storage_(std::move(other.storage_)),
        layout_(std::move(other.layout_)),
        dtype_(other.dtype_),
        is_conj_(other.is_conj_),
        is_neg_(other.is_neg_),
        is_read_only_(other.is_read_only_),
        contiguity_(other.contiguity_) {
    other.become_empty();
  }
  TensorParts& operator=(TensorParts&& other) noexcept {
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
  ~TensorParts() = default;

  /// The others let `make()` build the layout where it stays: nothing is copied twice.
  struct WithoutStorage {};
  template <typename Make>
  TensorParts(WithoutStorage, DType dtype, const Make& make) : layout_(make()), dtype_(dtype) {}
  template <typename Make>
  TensorParts(WithoutStorage, const TensorParts& base, const Make& make)
      : layout_(make()),
        dtype_(base.dtype_),
        is_conj_(base.is_conj_),
        is_neg_(base.is_neg_),
        is_read_only_(base.is_read_only_) {}
  struct Viewing {};
  template <typename Make>
  TensorParts(Viewing, const TensorParts& base, const Make& make)
      : storage_(base.storage_),
        layout_(make()),
        dtype_(base.dtype_),
        is_conj_(base.is_conj_),
        is_neg_(base.is_neg_),
        is_read_only_(base.is_read_only_) {}
  /// The storage changes hands once the layout stands: where `make()` throws, the base is as it was.
  template <typename Make>
  TensorParts(Viewing, TensorParts&& base, const Make& make) : TensorParts(WithoutStorage{}, base, make) {
    storage_ = std::move(base.storage_);
    base.become_empty();
  }

  /// What has lost its storage has no element either.
  void become_empty() noexcept {
    layout_.shape.become_one(0);
    layout_.strides.become_one(1);
    layout_.offset = 0;
    contiguity_.forget();
  }

  Storage storage_;
  Layout layout_;
  DType dtype_ = DType::float32;
  bool is_conj_ = false;
  bool is_neg_ = false;
  bool is_read_only_ = false;
  Contiguity contiguity_;
};

}  // namespace tenstride::detail
