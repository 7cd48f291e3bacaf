// SPDX-License-Identifier: Apache-2.0
#include "tenstride/distributed/transport.hpp"

#include <algorithm>
#include <cstdint>

#include "tenstride/tensor/factory.hpp"

namespace tenstride::distributed {

Transport::~Transport() = default;

Tensor Transport::empty_shared(const Dims& shape, DType dtype) {
  const auto nbytes =
      static_cast<std::size_t>(empty(shape, {.dtype = dtype, .device = Device::meta}).nbytes());
  release_unused();
  Piece piece{next_number_++, nbytes, allocate_shared(nbytes), std::make_shared<std::atomic<bool>>(false)};
  std::byte* const own = piece.memory->of(rank());
  const auto is_unused = piece.is_unused;
  pieces_.push_back(std::move(piece));
  return from_blob(own, shape, dtype, [is_unused](void*) { is_unused->store(true); });
}

std::optional<SharedPlace> Transport::place_of(const void* address) const {
  const auto* const byte = static_cast<const std::byte*>(address);
  for (const Piece& piece : pieces_) {
    const std::byte* const own = piece.memory->of(rank());
    if (std::less_equal<>()(own, byte) && std::less<>()(byte, own + piece.nbytes))
      return SharedPlace{piece.number, byte - own};
  }
  return std::nullopt;
}

std::byte* Transport::address_of(Index rank, const SharedPlace& place) const {
  const auto piece =
      std::find_if(pieces_.begin(), pieces_.end(), [&](const Piece& p) { return p.number == place.memory; });
  return piece->memory->of(rank) + place.offset;
}

void Transport::release_shared() {
  pieces_.clear();
}

/// Ranks drop tensors at different times, and memory is given back by all at once: by those 64 pieces that
/// are the oldest.
void Transport::release_unused() {
  if (pieces_.empty()) return;
  const std::size_t count = std::min<std::size_t>(pieces_.size(), 64);
  std::uint64_t unused = 0;
  for (std::size_t i = 0; i < count; ++i) {
    if (pieces_[i].is_unused->load()) unused |= std::uint64_t{1} << i;
  }
  std::vector<std::uint64_t> all(static_cast<std::size_t>(size()));
  all_gather(std::as_bytes(std::span(&unused, 1)), std::as_writable_bytes(std::span(all)));
  for (const std::uint64_t of_rank : all) unused &= of_rank;
  for (std::size_t i = count; i-- > 0;) {
    if ((unused >> i & 1) != 0) pieces_.erase(pieces_.begin() + static_cast<std::ptrdiff_t>(i));
  }
}

}  // namespace tenstride::distributed
