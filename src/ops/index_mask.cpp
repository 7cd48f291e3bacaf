// SPDX-License-Identifier: Apache-2.0
#include "ops/index_mask.hpp"

#include <algorithm>
#include <bit>
#include <cstring>

#include "elementwise/dense_runs.hpp"
#include "elementwise/kernels/compare.hpp"
#include "ledger/watch.hpp"
#include "tensor/factory_fused.hpp"
#include "tensor/tensor_overlap.hpp"
#include "tensor/unchecked.hpp"
#include "tenstride/layout/overlap.hpp"
#include "tenstride/parallel/parallel.hpp"

namespace tenstride::detail {
namespace {

/// Elements of a mask that one thread takes at a time.
constexpr Index block = Index{1} << 15;
/// The most elements of one short run, which stays in the L1 cache.
constexpr Index longest = 512;

using Bytes = const unsigned char*;

/// Elements by their bits.
struct Pair {
  std::uint64_t first;
  std::uint64_t second;
};

template <class F>
void visit_bits(std::size_t item, const F& f) {
  switch (item) {
    case 1:
      return f(std::uint8_t{});
    case 2:
      return f(std::uint16_t{});
    case 4:
      return f(std::uint32_t{});
    case 8:
      return f(std::uint64_t{});
    default:
      return f(Pair{});
  }
}

template <class T>
T load(const std::byte* at) {
  T value;
  std::memcpy(&value, at, sizeof value);
  return value;
}
template <class T>
void store(std::byte* at, const T& value) {
  std::memcpy(at, &value, sizeof value);
}

Index count_set(Bytes mask, Index count) {
  Index found = 0;
  const auto add = [ mask, &found ](Index from, Index to) __attribute__((always_inline)) {
    constexpr Index max_count = 128;  // a byte holds the count
    Index i = from;
    for (; i + max_count <= to; i += max_count) {
      std::uint8_t set = 0;
      for (Index k = 0; k < max_count; ++k) set = static_cast<std::uint8_t>(set + (mask[i + k] != 0 ? 1 : 0));
      found += set;
    }
    for (; i < to; ++i) found += mask[i] != 0 ? 1 : 0;
  };
  run_fused(add, 0, count);
  return found;
}

/// The set elements of a run one after the other, without a branch on the mask. `out` has room for `count`
/// and one more.
template <class T>
Index pack(T* out, const std::byte* in, Index stride, Bytes mask, Index count) {
  Index found = 0;
  for (Index i = 0; i < count; ++i) {
    out[found] = load<T>(in + i * stride);
    found += mask[i] != 0 ? 1 : 0;
  }
  return found;
}

/// The other way: `values` has one element more than are set, of any value.
template <class T>
void unpack(std::byte* out, Index stride, Bytes mask, Index count, const T* values) {
  Index found = 0;
  for (Index i = 0; i < count; ++i) {
    const T old = load<T>(out + i * stride);
    const T chosen[2] = {old, values[found]};
    const bool is_set = mask[i] != 0;
    store<T>(out + i * stride, chosen[is_set ? 1 : 0]);
    found += is_set ? 1 : 0;
  }
}

/// One value for all that are set.
template <class T>
void fill_set(std::byte* out, Index stride, Bytes mask, Index count, const std::byte* value) {
  constexpr std::size_t log2 = std::countr_zero(sizeof(T));
  if (stride == static_cast<Index>(sizeof(T))) {
    elementwise::compare_kernels().fill_set[log2](out, reinterpret_cast<const std::byte*>(mask), count,
                                                  value);
    return;
  }
  for (Index i = 0; i < count; ++i) {
    if (mask[i] != 0) std::memcpy(out + i * stride, value, sizeof(T));
  }
}

/// Carries out what is pending of `src`, in place.
void resolve_run(const Tensor& src, std::byte* run, Index count) {
  visit(src.dtype(), [&]<class T>(std::type_identity<T>) {
    for (Index i = 0; i < count; ++i) {
      std::byte* const at = run + i * static_cast<Index>(sizeof(T));
      T value = load_element<T>(at);
      if (src.is_conj()) value = tenstride::conjugate(value);
      if (src.is_neg()) value = tenstride::negate(value);
      store_element<T>(at, value);
    }
  });
}

}  // namespace

template <class F>
void SetElements::each_block(const F& f, int threads) const {
  const Index count = mask_.numel();
  parallel_for(
      0, ceil_divide(count, block), 1,
      [&](Index from, Index to) {
        for (Index b = from; b < to; ++b) {
          f(b * block, std::min((b + 1) * block, count), before_[static_cast<std::size_t>(b)]);
        }
      },
      threads);
}

SetElements::SetElements(const Tensor& mask) : mask_(mask.to(DType::bool_).contiguous()) {
  before_.assign(static_cast<std::size_t>(ceil_divide(mask_.numel(), block)) + 1, 0);
  const auto bytes = static_cast<Bytes>(mask_.data_ptr());
  each_block([&](Index from, Index to, Index) {
    before_[static_cast<std::size_t>(from / block) + 1] = count_set(bytes + from, to - from);
  });
  for (std::size_t b = 1; b < before_.size(); ++b) before_[b] += before_[b - 1];
}

void SetElements::list(Index* distances, const Layout& where) const {
  const JointLoops<2> loops({row_major(mask_.shape()), {where.shape, where.strides, 0}});
  const auto bytes = static_cast<Bytes>(mask_.data_ptr());
  each_block([&](Index from, Index to, Index before) {
    Index* out = distances + before;
    loops(from, to, longest, [&](const auto& at, const auto& steps, Index count) {
      std::array<Index, static_cast<std::size_t>(longest) + 1> found;
      Index n = 0;
      for (Index i = 0; i < count; ++i) {
        found[static_cast<std::size_t>(n)] = at[1] + i * steps[1];
        n += bytes[at[0] + i] != 0 ? 1 : 0;
      }
      std::memcpy(out, found.data(), static_cast<std::size_t>(n) * sizeof(Index));
      out += n;
      return true;
    });
  });
}

void SetElements::read(std::byte* out, const Tensor& src, const Layout& where) const {
  const JointLoops<2> loops({row_major(mask_.shape()), where});
  const auto bytes = static_cast<Bytes>(mask_.data_ptr());
  visit_bits(src.element_size(), [&]<class T>(T) {
    constexpr auto item = static_cast<Index>(sizeof(T));
    each_block([&](Index from, Index to, Index before) {
      std::byte* at_out = out + before * item;
      std::array<T, static_cast<std::size_t>(longest) + 1> found;
      auto* const run = reinterpret_cast<std::byte*>(found.data());
      loops(from, to, longest, [&](const auto& at, const auto& steps, Index count) {
        const Index n =
            pack<T>(found.data(), src.storage_data() + at[1] * item, steps[1] * item, bytes + at[0], count);
        if (!src.is_resolved()) resolve_run(src, run, n);
        std::memcpy(at_out, run, static_cast<std::size_t>(n * item));
        at_out += n * item;
        return true;
      });
    });
  });
}

void SetElements::write(Tensor& dst, const Layout& where, const Tensor& values,
                        const Layout& value_layout) const {
  if (overlap_in_memory(with_layout(dst, where), mask_) == Overlap::possible) {
    const MutedScope muted;
    SetElements apart = *this;
    apart.mask_ = mask_.clone();
    return apart.write(dst, where, values, value_layout);
  }
  const JointLoops<2> loops({row_major(mask_.shape()), where});
  const auto bytes = static_cast<Bytes>(mask_.data_ptr());
  std::byte* const out = dst.mutable_storage_data();
  const std::byte* const first =
      values.storage_data() + value_layout.offset * static_cast<Index>(values.element_size());
  // Elements in one place are written in the mask's order.
  const int threads = is_provably_unique(where) ? 0 : 1;
  visit_bits(dst.element_size(), [&]<class T>(T) {
    constexpr auto item = static_cast<Index>(sizeof(T));
    const Index step = value_layout.strides[0] * item;
    const bool is_one = value_layout.shape[0] > 0 && step == 0;
    each_block(
        [&](Index from, Index to, Index before) {
          std::array<T, static_cast<std::size_t>(longest) + 1> given{};
          loops(from, to, longest, [&](const auto& at, const auto& steps, Index count) {
            std::byte* const run = out + at[1] * item;
            if (is_one) {
              fill_set<T>(run, steps[1] * item, bytes + at[0], count, first);
              return true;
            }
            const Index n = count_set(bytes + at[0], count);
            for (Index i = 0; i < n; ++i) {
              given[static_cast<std::size_t>(i)] = load<T>(first + (before + i) * step);
            }
            before += n;
            unpack<T>(run, steps[1] * item, bytes + at[0], count, given.data());
            return true;
          });
        },
        threads);
  });
}

}  // namespace tenstride::detail
