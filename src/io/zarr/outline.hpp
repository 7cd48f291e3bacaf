// SPDX-License-Identifier: Apache-2.0
// What can be told of a Zarr array whose elements cannot be read.
#pragma once

#include <string>
#include <vector>

#include "io/zarr/store.hpp"
#include "tenstride/base/dims.hpp"

namespace tenstride::io {

/// What is not understood stays empty.
struct ZarrOutline {
  /// 2 or 3; 0 where nothing is understood.
  int format = 0;
  Dims shape;
  std::vector<std::string> axis_names;
  /// The type of the elements as it is written there, where tenstride has none such: "string", "|O".
  std::string unknown_type;
};

/// Reads the metadata in a folder of a store. Throws nothing for what is wrong with them.
ZarrOutline read_zarr_outline(const ZarrStore& store, const std::string& name);

}  // namespace tenstride::io
