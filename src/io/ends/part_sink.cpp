// SPDX-License-Identifier: Apache-2.0
#include "io/ends/part_sink.hpp"

#include <memory>

#include "io/disk/disk.hpp"
#include "io/ends/fill_elements.hpp"

namespace tenstride::io {
namespace {

/// Large memory comes from the system page by page. `Storage::allocate` rounds it up by as much as an eighth,
/// and keeps what is released for the next of the same size: then two passes take more than the limit.
Storage unit_memory(std::size_t nbytes) {
  constexpr std::size_t large = 1 << 20;
  if (nbytes < large) return Storage::allocate(nbytes);
  const auto buffer = std::make_shared<DiskBuffer>(nbytes, 1);
  return Storage::adopt(buffer->data(), nbytes, [buffer](void*) {});
}

}  // namespace

std::vector<Unit> PartSink::units(const Box& tile, Index /*number*/) {
  std::vector<Unit> units;
  bool has_any = false;
  for (Box& part : writer_.parts(tile)) {
    Unit unit;
    unit.box = *intersection(part, tile);
    unit.nbytes = static_cast<std::size_t>(numel(writer_.layout(part))) * item_size(writer_.dtype());
    unit.is_left_out = notes_.is_left && !notes_.is_left(part);
    unit.stored = std::move(part);
    has_any |= !unit.is_left_out;
    units.push_back(std::move(unit));
  }
  return has_any ? units : std::vector<Unit>{};
}

Tensor PartSink::open(Unit& unit) {
  {
    const std::lock_guard lock(mutex_);
    if (!spare_.empty() && spare_.back().nbytes() == unit.nbytes) {
      unit.memory = std::move(spare_.back());
      spare_.pop_back();
    } else {
      spare_.clear();
    }
  }
  if (unit.memory.nbytes() == 0) unit.memory = unit_memory(unit.nbytes);
  // What lies beyond the tensor is the fill value.
  if (unit.box.extents != unit.stored.extents)
    fill_elements({unit.memory.mutable_data(), unit.nbytes}, writer_.fill_value());
  return part_of(Tensor(unit.memory, writer_.layout(unit.stored), writer_.dtype()),
                 relative_to(unit.stored.first, unit.box.first), unit.box.extents);
}

void PartSink::write(Unit& unit, const PartSum& sum) {
  const std::uint64_t written = writer_.write(unit.stored, {unit.memory.data(), unit.nbytes});
  moved_.add_written(written, unit.nbytes);
  if (notes_.finish) notes_.finish(unit.stored, sum);
  const std::lock_guard lock(mutex_);
  spare_.push_back(std::move(unit.memory));
}

}  // namespace tenstride::io
