// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <optional>
#include <vector>

#include "io/ends/moved_bytes.hpp"
#include "io/ends/parts.hpp"
#include "io/ends/source.hpp"
#include "tenstride/layout/index_map.hpp"

namespace tenstride::io {

/// Boxes of the source that any threads read, as chunks are.
class PartSource final : public Source {
 public:
  /// `map`: from the axes of the pass to those of the source. `order`: the axes of the pass, slowest first,
  /// in the order of which parts are read; empty: as they stand in the source. All must stay until the end.
  PartSource(const PartReader& reader, const IndexMap& map, const Dims& order, MovedBytes& moved)
      : reader_(reader), map_(map), order_(order), moved_(moved) {}

  [[nodiscard]] DType dtype() const noexcept override { return reader_.dtype(); }
  [[nodiscard]] std::vector<SourcePart> parts(const Box& tile) const override;
  LoadedPart read(const SourcePart& part, std::vector<std::byte>& buffer) override;

 private:
  [[nodiscard]] Box needed_by(const Box& box) const;
  [[nodiscard]] std::optional<Box> fed_by(const Box& part, const Box& box) const;
  [[nodiscard]] bool is_read_before(const Box& a, const Box& b) const;
  [[nodiscard]] Layout layout_of(const SourcePart& part, const Layout& stored) const;

  const PartReader& reader_;
  const IndexMap& map_;
  const Dims& order_;
  MovedBytes& moved_;
};

}  // namespace tenstride::io
