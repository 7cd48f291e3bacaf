// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <map>
#include <string>
#include <unordered_map>

#include "io/hdf5/libhdf5.hpp"

namespace tenstride::io {

/// The names of objects that references lead to. H5Iget_name looks through a file for each of them: of 2000
/// variables with one scale, 4 million links. This looks through it once.
class Hdf5ObjectNames {
 public:
  /// The name of the first link to an object, without its groups; empty where none leads to it.
  const std::string& last_name(hid_t object);

 private:
  using Names = std::unordered_map<haddr_t, std::string>;
  /// Of each file.
  std::map<unsigned long, Names> files_;
};

}  // namespace tenstride::io
