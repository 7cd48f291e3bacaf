// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_object_names.hpp"

#include <string_view>
#include <utility>

#include "io/format/attribute_limits.hpp"
#include "io/format/python_json.hpp"

namespace tenstride::io {
namespace {

/// Without what takes reading an index of chunks.
herr_t read_place(hid_t object, H5O_info_t& info) {
#if H5_VERSION_GE(1, 10, 3)
  return H5Oget_info2(object, &info, H5O_INFO_BASIC);
#else
  return H5Oget_info(object, &info);
#endif
}

herr_t take_link(hid_t /*group*/, const char* path, const H5L_info_t* link, void* names) try {
  if (link->type != H5L_TYPE_HARD) return 0;
  const std::string_view text(path);
  if (text.size() > max_attribute_nbytes) return 0;
  auto& known = *static_cast<std::unordered_map<haddr_t, std::string>*>(names);
  known.try_emplace(link->u.address, valid_utf8(text.substr(text.rfind('/') + 1)));
  return 0;
} catch (...) {
  return -1;  // no exception passes through C
}

}  // namespace

const std::string& Hdf5ObjectNames::last_name(hid_t object) {
  static const std::string none;
  H5O_info_t info{};
  if (read_place(object, info) < 0) return none;
  const auto [file, is_new] = files_.try_emplace(info.fileno);
  // Where that fails, the names before hold.
  if (is_new) {
    H5Lvisit_by_name(object, "/", H5_INDEX_NAME, H5_ITER_NATIVE, take_link, &file->second, H5P_DEFAULT);
  }
  const auto found = file->second.find(info.addr);
  return found == file->second.end() ? none : found->second;
}

}  // namespace tenstride::io
#endif
