// SPDX-License-Identifier: Apache-2.0
// Reading a file's metadata, as the rest of the library sees it: the work is done in a child process.
#ifdef TENSTRIDE_HAS_HDF5
#include <map>

#include "io/format/file_groups.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

/// The axes of scales of several axes, which netCDF-4 names by the numbers of their dimensions.
void name_axes_by_number(std::vector<Hdf5Dataset>& datasets) {
  std::map<std::int64_t, std::string> names;
  for (const Hdf5Dataset& dataset : datasets) {
    if (dataset.dimension_number) {
      names[*dataset.dimension_number] = dataset.name.substr(dataset.name.rfind('/') + 1);
    }
  }
  for (Hdf5Dataset& dataset : datasets) {
    if (!dataset.axis_names.empty() || dataset.coordinate_numbers.size() != dataset.shape.size()) continue;
    for (const std::int64_t number : dataset.coordinate_numbers) {
      const auto found = names.find(number);
      dataset.axis_names.push_back(found == names.end() ? "" : found->second);
    }
  }
}

}  // namespace

std::vector<Hdf5Dataset> list_hdf5_datasets(const std::string& path, std::string_view operation) {
  const Hdf5Input input = open_hdf5(path, operation);
  const std::string lines =
      run_in_child(path, operation, child_seconds(input.nbytes), [&](ChildOutput& output) {
        visit_hdf5_objects(input, operation, [&](const std::string& line) { output.write(line); });
      });
  std::vector<Hdf5Dataset> datasets;
  FileGroups groups;
  std::string_view rest = lines;
  while (!rest.empty()) {
    const std::size_t length = rest.find('\n');
    const std::string_view line = rest.substr(0, length);
    if (const std::optional<FileGroup> group = parse_group_line(line, path)) {
      groups.emplace(group->name, std::make_shared<const FileGroup>(*group));
    } else {
      datasets.push_back(parse_json_line(line, path));
      datasets.back().further.groups = groups_around(datasets.back().name, groups);
    }
    rest.remove_prefix(std::min(rest.size(), length == std::string_view::npos ? length : length + 1));
  }
  name_axes_by_number(datasets);
  std::erase_if(datasets, [](const Hdf5Dataset& dataset) { return dataset.is_bare_dimension; });
  return datasets;
}

}  // namespace tenstride::io
#endif
