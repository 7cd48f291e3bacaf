// SPDX-License-Identifier: Apache-2.0
// All datasets of a file. Runs in the child process.
#ifdef TENSTRIDE_HAS_HDF5
#include <array>
#include <exception>
#include <functional>
#include <set>

#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

/// What H5Literate passes on, as it knows no closures.
struct LinkVisitor {
  std::function<void(const char* name)> visit;
  std::exception_ptr error;
};

herr_t visit_link(hid_t /*group*/, const char* name, const H5L_info_t* link, void* data) {
  auto& visitor = *static_cast<LinkVisitor*>(data);
  if (link->type != H5L_TYPE_HARD) return 0;  // soft and external links lead anywhere
  try {
    visitor.visit(name);
  } catch (...) {
    visitor.error = std::current_exception();
    return -1;  // no exception passes through C
  }
  return 0;
}

/// Beyond so many bytes datasets are listed without attributes: what a child process may give is limited.
constexpr std::uint64_t max_lines_nbytes = max_child_result / 4;

class DatasetLister {
 public:
  DatasetLister(const Hdf5Input& input, std::string_view operation,
                const std::function<void(const std::string&)>& take)
      : input_(input), operation_(operation), take_(take) {}

  void visit_group(hid_t group, const std::string& prefix, std::size_t depth) {
    if (depth > max_hdf5_depth) {
      refuse_hdf5(operation_, input_.path, "must have groups at most ", max_hdf5_depth, " deep (\"", prefix,
                  "\")");
    }
    take_attributes(group, prefix.substr(0, prefix.rfind('/')));
    LinkVisitor visitor{[&](const char* name) { visit_object(group, name, prefix + name, depth); }, nullptr};
    hsize_t position = 0;
    const herr_t state = H5Literate(group, H5_INDEX_NAME, H5_ITER_INC, &position, visit_link, &visitor);
    if (visitor.error) std::rethrow_exception(visitor.error);
    if (state < 0) {
      refuse_hdf5(operation_, input_.path, "must have groups that can be read, \"/", prefix, "\" cannot",
                  libhdf5_reason());
    }
  }

 private:
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

  void visit_object(hid_t group, const char* link, const std::string& name, std::size_t depth) {
    if (++count_ > max_hdf5_objects) {
      refuse_hdf5(operation_, input_.path, "must have at most ", max_hdf5_objects, " objects");
    }
    H5O_info_t info{};
    if (H5Oget_info_by_name(group, link, &info, H5P_DEFAULT) < 0) {
      Hdf5Dataset unknown;
      unknown.name = name;
      unknown.obstacle = "have metadata that libhdf5 can read" + libhdf5_reason();
      return take_(to_json_line(unknown));
    }
    if (info.type == H5O_TYPE_GROUP) {
      if (!groups_.insert(info.addr).second) return;  // seen under another name, or within itself
      const Hdf5Id inner(H5Gopen2(group, link, H5P_DEFAULT), H5Gclose);
      if (inner.is_open()) visit_group(inner.get(), name + "/", depth + 1);
    } else if (info.type == H5O_TYPE_DATASET) {
      take_dataset(read_hdf5_dataset(group, link, name, input_));
    }
  }

  const Hdf5Input& input_;
  std::string_view operation_;
  const std::function<void(const std::string&)>& take_;
  std::set<haddr_t> groups_;
  std::size_t count_ = 0;
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

Hdf5Dataset find_hdf5_dataset(const Hdf5Input& input, const std::string& name, std::string_view operation) {
  Hdf5ReadFile driven{&input};
  const OpenRoot open = open_root(driven, operation);
  return read_hdf5_dataset(open.root.get(), name.c_str(), name, input);
}

void visit_hdf5_objects(const Hdf5Input& input, std::string_view operation,
                        const std::function<void(const std::string&)>& take) {
  Hdf5ReadFile driven{&input};
  const OpenRoot open = open_root(driven, operation);
  DatasetLister(input, operation, take).visit_group(open.root.get(), "", 0);
}

}  // namespace tenstride::io
#endif
