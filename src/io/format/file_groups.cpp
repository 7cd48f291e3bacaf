// SPDX-License-Identifier: Apache-2.0
#include "io/format/file_groups.hpp"

namespace tenstride::io {

std::vector<std::string> group_names_around(const std::string& name) {
  std::vector<std::string> names{""};
  for (std::size_t at = name.find('/'); at != std::string::npos; at = name.find('/', at + 1)) {
    names.push_back(name.substr(0, at));
  }
  return names;
}

std::vector<std::shared_ptr<const FileGroup>> groups_around(const std::string& name,
                                                            const FileGroups& groups) {
  std::vector<std::shared_ptr<const FileGroup>> around;
  for (const std::string& group : group_names_around(name)) {
    if (const auto found = groups.find(group); found != groups.end()) around.push_back(found->second);
  }
  return around;
}

FileGroups groups_of(const std::vector<NewTensor>& tensors) {
  FileGroups groups;
  for (const NewTensor& tensor : tensors) {
    for (const auto& group : tensor.further.groups) groups.emplace(group->name, group);
  }
  return groups;
}

}  // namespace tenstride::io
