// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <unistd.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>
#include <span>

#include "io/hdf5/child.hpp"
#include "io/hdf5/copy_objects.hpp"
#include "io/hdf5/libhdf5_dataset.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"
#include "io/hdf5/libhdf5_driver.hpp"
#include "io/hdf5/libhdf5_write.hpp"
#include "io/hdf5/refuse.hpp"

namespace tenstride::io {
namespace {

/// Names of attributes that say which scales a dataset has or is, by references and numbers of its own file.
constexpr std::array scale_attributes{"DIMENSION_LIST", "DIMENSION_LABELS", "REFERENCE_LIST",     "CLASS",
                                      "NAME",           "_Netcdf4Dimid",    "_Netcdf4Coordinates"};

void remove_scale_attributes(hid_t dataset) {
  for (const char* const name : scale_attributes) {
    if (H5Aexists(dataset, name) > 0) H5Adelete(dataset, name);
  }
}

/// What libhdf5 reads into memory, where parts of any length are allocated.
class ReadElements {
 public:
  ReadElements(hid_t type, hid_t space) : type_(type), space_(space) {
    const hssize_t count = H5Sget_simple_extent_npoints(space);
    bytes.resize(static_cast<std::size_t>(std::max<hssize_t>(count, 0)) * H5Tget_size(type));
  }
  ~ReadElements() { H5Dvlen_reclaim(type_, space_, H5P_DEFAULT, bytes.data()); }
  ReadElements(const ReadElements&) = delete;
  ReadElements& operator=(const ReadElements&) = delete;
  std::vector<char> bytes;

 private:
  hid_t type_;
  hid_t space_;
};

bool copy_attribute(hid_t src, hid_t dst, const char* name) {
  const Hdf5Id from(H5Aopen(src, name, H5P_DEFAULT), H5Aclose);
  const Hdf5Id type(H5Aget_type(from.get()), H5Tclose);
  const Hdf5Id space(H5Aget_space(from.get()), H5Sclose);
  const Hdf5Id to(H5Acreate2(dst, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  ReadElements elements(type.get(), space.get());
  return H5Aread(from.get(), type.get(), elements.bytes.data()) >= 0 &&
         H5Awrite(to.get(), type.get(), elements.bytes.data()) >= 0;
}

herr_t visit_attribute(hid_t src, const char* name, const H5A_info_t* /*info*/, void* dst) {
  const bool is_of_scale =
      std::any_of(scale_attributes.begin(), scale_attributes.end(),
                  [&](const char* const other) { return std::string_view(other) == name; });
  return is_of_scale || copy_attribute(src, *static_cast<hid_t*>(dst), name) ? 0 : -1;
}

/// H5Ocopy copies a fill value of any length without what it points to: then nothing can open the copy.
bool needs_new_fill(hid_t type, hid_t properties) {
  H5D_fill_value_t state = H5D_FILL_VALUE_UNDEFINED;
  return has_variable_parts(type) && H5Pfill_value_defined(properties, &state) >= 0 &&
         state == H5D_FILL_VALUE_USER_DEFINED;
}

/// Copies the dataset without a fill value, by way of memory.
bool copy_without_fill(hid_t dataset, hid_t file, const char* name, hid_t links) {
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  const Hdf5Id space(H5Dget_space(dataset), H5Sclose);
  const Hdf5Id properties(H5Dget_create_plist(dataset), H5Pclose);
  H5Pset_fill_value(properties.get(), type.get(), nullptr);
  const Hdf5Id copy(H5Dcreate2(file, name, type.get(), space.get(), links, properties.get(), H5P_DEFAULT),
                    H5Dclose);
  ReadElements elements(type.get(), space.get());
  char* const bytes = elements.bytes.data();
  hid_t dst = copy.get();
  return copy.is_open() && H5Dread(dataset, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0 &&
         H5Dwrite(dst, type.get(), H5S_ALL, H5S_ALL, H5P_DEFAULT, bytes) >= 0 &&
         H5Aiterate2(dataset, H5_INDEX_NAME, H5_ITER_INC, nullptr, visit_attribute, &dst) >= 0;
}

/// The file that gets the objects.
class ObjectCopier {
 public:
  ObjectCopier(const Hdf5Input& written, const std::vector<Hdf5Dataset>& datasets, std::string_view operation)
      : operation_(operation), path_(written.path) {
    const Hdf5Id access(H5Pcreate(H5P_FILE_ACCESS), H5Pclose);
    file_ = Hdf5Id(H5Fopen(path_.c_str(), hdf5_read_write, access.get()), H5Fclose);
    if (!file_.is_open())
      refuse_hdf5(operation_, path_, "must be a file that can be written", libhdf5_reason());
    for (const Hdf5Dataset& dataset : datasets) {
      if (dataset.is_bare_dimension) {
        H5Ldelete(file_.get(), dataset.name.c_str(), H5P_DEFAULT);
      } else {
        add({.name = dataset.name,
             .shape = dataset.shape,
             .axis_names = dataset.axis_names,
             .further = dataset.further});
      }
    }
  }

  /// A compound is copied with the first of its fields.
  void copy(hid_t src, const Hdf5Input& input, const FileInfo& object) {
    const Hdf5Dataset found = find_hdf5_dataset(src, object.name, input);
    const std::string& path = hdf5_path_of(found);
    if (!copied_.emplace(object.path, path).second) return;
    const char* const name = path.c_str();
    const Hdf5Id dataset(H5Dopen2(src, name, H5P_DEFAULT), H5Dclose);
    const Hdf5Id type(H5Dget_type(dataset.get()), H5Tclose);
    const Hdf5Id properties(H5Dget_create_plist(dataset.get()), H5Pclose);
    if (H5Tdetect_class(type.get(), H5T_REFERENCE) > 0) {
      refuse_hdf5(operation_, object.path, "must have no references to its own objects in \"", name,
                  "\" to be copied");
    }
    const Hdf5Id links(H5Pcreate(H5P_LINK_CREATE), H5Pclose);
    H5Pset_create_intermediate_group(links.get(), 1);
    H5Pset_char_encoding(links.get(), H5T_CSET_UTF8);
    const bool is_copied = needs_new_fill(type.get(), properties.get())
                               ? copy_without_fill(dataset.get(), file_.get(), name, links.get())
                               : H5Ocopy(src, name, file_.get(), name, H5P_DEFAULT, links.get()) >= 0;
    if (!is_copied) {
      refuse_hdf5(operation_, object.path, "must have an object \"", name, "\" that libhdf5 can copy",
                  libhdf5_reason());
    }
    const std::size_t rank = found.shape.size() - found.array_rank;
    std::vector<std::string> axis_names = object.axis_names;
    axis_names.resize(std::min(axis_names.size(), rank));
    add({.name = path,
         .shape = Dims(std::span(found.shape.begin(), rank)),
         .axis_names = axis_names,
         .further = object.further});
  }

  void finish() {
    write_hdf5_axis_names(file_.get(), tensors_, datasets_, operation_);
    datasets_.clear();
    if (file_.reset() < 0) refuse_hdf5(operation_, path_, "must be writable to its end", libhdf5_reason());
  }

 private:
  void add(NewTensor tensor) {
    datasets_.emplace_back(H5Dopen2(file_.get(), tensor.name.c_str(), H5P_DEFAULT), H5Dclose);
    if (!datasets_.back().is_open())
      refuse_hdf5(operation_, path_, "must have the dataset \"", tensor.name, "\"", libhdf5_reason());
    remove_scale_attributes(datasets_.back().get());
    tensors_.push_back(std::move(tensor));
  }

  std::string_view operation_;
  std::string path_;
  Hdf5Id file_;
  std::vector<NewTensor> tensors_;
  std::vector<Hdf5Id> datasets_;
  /// Files, and the objects in them.
  std::set<std::pair<std::string, std::string>> copied_;
};

void copy_all(const Hdf5Input& written, const std::map<std::string, Hdf5Input>& sources,
              const std::vector<FileInfo>& objects, unsigned seconds, std::string_view operation) {
  std::vector<Hdf5Dataset> datasets;
  visit_hdf5_objects(written, operation, [&](const std::string& line) {
    if (!parse_group_line(line, written.path)) datasets.push_back(parse_json_line(line, written.path));
  });
  extend_child(seconds);
  alarm(max_child_wait + 4 * seconds);  // disks are slower than processors
  ObjectCopier copier(written, datasets, operation);
  for (const auto& [path, input] : sources) {
    Hdf5ReadFile driven{&input};
    const Hdf5Id src = open_hdf5_file(driven);
    if (!src.is_open())
      refuse_hdf5(operation, path, "must be an HDF5 file that libhdf5 can read", driven.reason);
    for (const FileInfo& object : objects) {
      if (object.path == path) copier.copy(src.get(), input, object);
    }
  }
  copier.finish();
}

}  // namespace

void copy_hdf5_objects(const std::string& path, const std::vector<FileInfo>& objects,
                       std::string_view operation) {
  if (objects.empty()) return;
  const Hdf5Input written = open_hdf5(path, operation);
  std::map<std::string, Hdf5Input> sources;
  std::uint64_t nbytes = written.nbytes;
  for (const FileInfo& object : objects) {
    if (sources.contains(object.path)) continue;
    sources.emplace(object.path, open_hdf5(object.path, operation));
    nbytes += sources.at(object.path).nbytes;
  }
  // Most of the time goes into copying elements: a second for 64 MiB is more than any disk takes.
  const auto seconds = child_seconds(nbytes) + static_cast<unsigned>(nbytes >> 26);
  run_in_child(path, operation, seconds, [&](ChildOutput&) {
    try {
      copy_all(written, sources, objects, seconds, operation);
    } catch (const FileError&) {
      throw;
    } catch (const Error& error) {
      throw FileError(error.what(), path);
    }
  });
}

std::string obstacle_to_copy_of_object(const FileInfo& object) {
  const auto begins = [&](std::string_view start) { return object.obstacle.starts_with(start); };
  const bool is_elsewhere = begins("have its elements in the file, not in other files") ||
                            begins("have all sources of its elements") || begins("lead to an object");
  const bool is_reference = object.obstacle == "have a type that tenstride has, not references";
  return begins("have metadata that libhdf5 can read") || is_elsewhere || is_reference ? object.obstacle : "";
}

}  // namespace tenstride::io
#endif
