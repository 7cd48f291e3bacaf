// SPDX-License-Identifier: Apache-2.0
// All datasets of a file, and of those that its links lead to. Runs in the child process.
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <exception>
#include <functional>
#include <set>
#include <vector>

#include "base/message.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What H5Literate passes on, as it knows no closures.
struct LinkVisitor {
  std::function<void(const char* name, const H5L_info_t& link)> visit;
  std::exception_ptr error;
};

herr_t visit_link(hid_t /*group*/, const char* name, const H5L_info_t* link, void* data) {
  auto& visitor = *static_cast<LinkVisitor*>(data);
  try {
    visitor.visit(name, *link);
  } catch (...) {
    visitor.error = std::current_exception();
    return -1;  // no exception passes through C
  }
  return 0;
}

/// The file and the object within it.
using ObjectPlace = std::pair<unsigned long, haddr_t>;

/// Where a link that leads nowhere should lead: "a soft link to "/b"".
std::string link_text(hid_t group, const char* name, const H5L_info_t& link) {
  std::vector<char> value(std::min<std::size_t>(link.u.val_size, max_attribute_nbytes) + 1);
  if (H5Lget_val(group, name, value.data(), value.size() - 1, H5P_DEFAULT) < 0) return "a link";
  if (link.type == H5L_TYPE_SOFT) return message("a soft link to \"", valid_utf8(value.data()), "\"");
  const char* file = nullptr;
  const char* path = nullptr;
  if (link.type != H5L_TYPE_EXTERNAL ||
      H5Lunpack_elink_val(value.data(), link.u.val_size, nullptr, &file, &path) < 0) {
    return "a link of a kind of its own";
  }
  return message("a link to \"", valid_utf8(path), "\" in the file \"", valid_utf8(file), "\"");
}

/// So many objects are listed in less than `child_seconds` of any file: 5000 take a second.
constexpr std::size_t objects_per_extension = 1000;

/// Beyond so many bytes datasets are listed without attributes: what a child process may give is limited.
constexpr std::uint64_t max_lines_nbytes = max_child_result / 4;

class DatasetLister {
 public:
  DatasetLister(Hdf5ReadFile& driven, std::string_view operation,
                const std::function<void(const std::string&)>& take)
      : driven_(driven), input_(*driven.input), operation_(operation), take_(take) {}

  void visit_root(hid_t root) {
    H5O_info_t info{};
    if (H5Oget_info(root, &info) >= 0) enter(place_of(info));
    visit_group(root, "");
  }

 private:
  static ObjectPlace place_of(const H5O_info_t& info) { return {info.fileno, info.addr}; }

  /// Whether the group is to be visited. One within itself is not; one that has a further name is, as long as
  /// there are not too many of those.
  bool enter(ObjectPlace group) {
    if (std::find(groups_around_.begin(), groups_around_.end(), group) != groups_around_.end()) return false;
    const bool is_known = !groups_.insert(group).second;
    if (is_known && further_count_ > max_hdf5_further_names) return false;
    further_depth_ += is_known || further_depth_ > 0 ? 1 : 0;
    groups_around_.push_back(group);
    return true;
  }

  void leave() {
    groups_around_.pop_back();
    if (further_depth_ > 0) --further_depth_;
  }

  void visit_group(hid_t group, const std::string& prefix) {
    if (groups_around_.size() > max_hdf5_depth + 1) {
      refuse_hdf5(operation_, input_.path, "must have groups at most ", max_hdf5_depth, " deep (\"", prefix,
                  "\")");
    }
    take_attributes(group, prefix.substr(0, prefix.rfind('/')));
    LinkVisitor visitor{
        [&](const char* name, const H5L_info_t& link) { visit_object(group, name, prefix + name, link); },
        nullptr};
    hsize_t position = 0;
    const herr_t state = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, visit_link, &visitor);
    if (visitor.error) std::rethrow_exception(visitor.error);
    if (state < 0) {
      refuse_hdf5(operation_, input_.path, "must have groups that can be read, \"/", prefix, "\" cannot",
                  libhdf5_reason());
    }
  }

  void take_attributes(hid_t group, const std::string& name) {
    const Hdf5Attributes attributes = read_attributes(group, std::nullopt);
    if (attributes.values.empty() && attributes.unread.empty()) return;
    take_line(to_json_line(FileGroup{name, attributes.values, attributes.types, attributes.unread}));
  }

  void take_dataset(Hdf5Dataset dataset) {
    if (nbytes_ > max_lines_nbytes && !dataset.attributes.empty()) {
      dataset.attributes.clear();
      dataset.further.unread_attributes = R"({"attributes":"the datasets before it have too many"})";
    }
    take_line(to_json_line(dataset));
  }

  void take_line(const std::string& line) {
    nbytes_ += line.size();
    take_(line);
  }

  std::string obstacle_of(hid_t group, const char* name, const H5L_info_t& link) {
    const std::string reason = libhdf5_reason();
    if (link.type == H5L_TYPE_HARD) return "have metadata that libhdf5 can read" + reason;
    const std::string text = "lead to an object that can be opened, it is " + link_text(group, name, link);
    return driven_.refused.empty() ? text + reason : text + " (" + driven_.refused + ")";
  }

  /// Links make more objects, and other files, than the length of the file lets expect.
  void count_object() {
    if ((count_ + further_count_) % objects_per_extension == 0) extend_child(child_seconds(input_.nbytes));
    if (further_depth_ > 0) {
      ++further_count_;
    } else if (++count_ > max_hdf5_objects) {
      refuse_hdf5(operation_, input_.path, "must have at most ", max_hdf5_objects, " objects");
    }
  }

  /// Whether another object has the name of a field. `prefix`: how much of names is that of the group.
  static bool is_hidden(hid_t group, const Hdf5Dataset& dataset, std::size_t prefix) {
    return !dataset.compound.empty() && H5Lexists(group, dataset.name.c_str() + prefix, H5P_DEFAULT) > 0;
  }

  void visit_object(hid_t group, const char* link_name, const std::string& name, const H5L_info_t& link) {
    count_object();
    H5O_info_t info{};
    driven_.refused.clear();
    if (H5Oget_info_by_name(group, link_name, &info, H5P_DEFAULT) < 0) {
      Hdf5Dataset unknown;
      unknown.name = name;
      unknown.obstacle = obstacle_of(group, link_name, link);
      return take_(to_json_line(unknown));
    }
    if (info.type == H5O_TYPE_GROUP) {
      if (!enter(place_of(info))) return;
      const Hdf5Id inner(H5Gopen2(group, link_name, H5P_DEFAULT), H5Gclose);
      if (inner.is_open()) visit_group(inner.get(), name + "/");
      leave();
    } else if (info.type == H5O_TYPE_DATASET) {
      for (Hdf5Dataset& dataset : read_hdf5_dataset(group, link_name, name, input_, &objects_)) {
        if (!is_hidden(group, dataset, name.size() - std::string_view(link_name).size())) {
          take_dataset(std::move(dataset));
        }
      }
    }
  }

  Hdf5ReadFile& driven_;
  const Hdf5Input& input_;
  std::string_view operation_;
  const std::function<void(const std::string&)>& take_;
  Hdf5ObjectNames objects_;
  std::set<ObjectPlace> groups_;
  /// The group that is visited and those that it is in.
  std::vector<ObjectPlace> groups_around_;
  std::size_t count_ = 0;
  /// How many of those groups stand under a further name, or within such a one.
  std::size_t further_depth_ = 0;
  std::size_t further_count_ = 0;
  std::uint64_t nbytes_ = 0;
};

/// A file and its root group.
struct OpenRoot {
  Hdf5Id file;
  Hdf5Id root;
};

OpenRoot open_root(Hdf5ReadFile& driven, std::string_view operation) {
  const std::string& path = driven.input->path;
  OpenRoot open{open_hdf5_file(driven), {}};
  if (!open.file.is_open()) {
    refuse_hdf5(operation, path, "must be an HDF5 file that libhdf5 can read", driven.reason);
  }
  open.root = Hdf5Id(H5Gopen2(open.file.get(), "/", H5P_DEFAULT), H5Gclose);
  if (!open.root.is_open())
    refuse_hdf5(operation, path, "must have a root group that can be read", libhdf5_reason());
  return open;
}

}  // namespace

Hdf5Dataset find_hdf5_dataset(hid_t group, const std::string& name, const Hdf5Input& input) {
  Hdf5Dataset found;
  const auto is_at = [&](const std::string& path) {
    for (Hdf5Dataset& dataset : read_hdf5_dataset(group, path.c_str(), path, input, nullptr)) {
      if (dataset.name != name) continue;
      found = std::move(dataset);
      return true;
    }
    return false;
  };
  const auto exists = [&](const std::string& path) {
    return H5Oexists_by_name(group, path.c_str(), H5P_DEFAULT) > 0;
  };
  if (exists(name) && is_at(name)) return found;
  // A field of a compound stands behind the dataset and a dot, and names of datasets may have dots.
  for (std::size_t dot = name.find('.'); dot != std::string::npos; dot = name.find('.', dot + 1)) {
    const std::string path = name.substr(0, dot);
    // Without a name before it the dot is the group itself.
    if (!path.empty() && !path.ends_with('/') && exists(path) && is_at(path)) return found;
  }
  if (is_at(name)) return found;
  found.name = name;
  found.obstacle = "be named by a field, it is a compound";
  return found;
}

Hdf5Dataset find_hdf5_dataset(const Hdf5Input& input, const std::string& name, std::string_view operation) {
  Hdf5ReadFile driven{&input};
  const OpenRoot open = open_root(driven, operation);
  return find_hdf5_dataset(open.root.get(), name, input);
}

void visit_hdf5_objects(const Hdf5Input& input, std::string_view operation,
                        const std::function<void(const std::string&)>& take) {
  Hdf5ReadFile driven{&input};
  const OpenRoot open = open_root(driven, operation);
  DatasetLister(driven, operation, take).visit_root(open.root.get());
}

}  // namespace tenstride::io
#endif
