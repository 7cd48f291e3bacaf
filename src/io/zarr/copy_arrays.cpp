// SPDX-License-Identifier: Apache-2.0
#include "io/zarr/copy_arrays.hpp"

#include <filesystem>

#include "base/message.hpp"
#include "io/zarr/new_groups.hpp"
#include "io/zarr/outline.hpp"
#include "io/zarr/refuse.hpp"

namespace tenstride::io {
namespace {

namespace fs = std::filesystem;

/// Regular files; links to folders are not followed.
void copy_files(const fs::path& src, const fs::path& dst) {
  fs::create_directories(dst);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(src)) {
    const fs::path target = dst / entry.path().lexically_relative(src);
    if (entry.is_directory() && !entry.is_symlink()) fs::create_directories(target);
    if (entry.is_regular_file()) fs::copy_file(entry.path(), target);
  }
}

}  // namespace

void copy_zarr_arrays(const std::string& folder, const std::vector<FileInfo>& arrays, int format,
                      std::string_view operation) {
  for (const FileInfo& array : arrays) {
    const std::string target = make_zarr_groups(folder, {array.name}, format, {}, operation)[0];
    try {
      fs::remove_all(target);  // of an earlier run that ended here
      copy_files(array.path, target);
    } catch (const fs::filesystem_error& error) {
      refuse_zarr(array.path, "must be a folder that can be copied (", error.code().message(), ")");
    }
  }
}

std::string obstacle_to_copy_of_array(const FileInfo& array, const ChunkOptions& options) {
  const ZarrStore store(array.path);
  if (store.is_archive()) return "be in a folder, not in a zip archive, to be copied as its bytes are stored";
  const int format = read_zarr_outline(store, "").format;
  const int wanted = options.zarr_format == 2 ? 2 : 3;
  if (format == 0) return array.obstacle;
  if (format == wanted) return {};
  return tenstride::detail::message("be of version ", wanted, " of Zarr as the group that is written, not ",
                                    format, " (--zarr-format ", format, " writes that)");
}

}  // namespace tenstride::io
