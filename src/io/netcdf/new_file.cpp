// SPDX-License-Identifier: Apache-2.0
#include "io/netcdf/new_file.hpp"

#include <algorithm>

#include "base/message.hpp"
#include "io/format/dimension_table.hpp"
#include "io/format/file_groups.hpp"
#include "io/format/python_json.hpp"
#include "io/netcdf/attributes.hpp"
#include "io/netcdf/output.hpp"
#include "io/netcdf/types.hpp"
#include "tenstride/base/error.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// What CDF-2 has room for: extents, and bytes of all variables but the last.
constexpr Index max_cdf2_extent = INT32_MAX;
constexpr std::uint64_t max_cdf2_nbytes = 0xfffffffc;

std::uint64_t filled_up(std::uint64_t nbytes) {
  return (nbytes + 3) / 4 * 4;
}

class NetcdfPlan {
 public:
  NetcdfPlan(const std::vector<NewTensor>& tensors, std::string_view operation)
      : tensors_(tensors), operation_(operation) {
    for (const NewTensor& tensor : tensors) take(tensor);
    choose_version();
  }

  FlatFile file() const {
    // Where the elements begin does not change how long the header is.
    std::vector<std::uint64_t> begins(tensors_.size(), 0);
    std::uint64_t end = header(begins).size();
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      begins[i] = end;
      end += filled_up(nbytes_[i]);
    }
    // Records would follow all else.
    std::uint64_t record = end;
    for (std::size_t i = 0; i < tensors_.size(); ++i) {
      if (nbytes_[i] > 0) continue;
      begins[i] = record;
      record += filled_up(record_nbytes(tensors_[i]));
    }
    FlatFile result;
    result.head = header(begins).bytes();
    result.nbytes = end;
    result.byte_order = is_netcdf_swapped ? ByteOrder::swapped : ByteOrder::native;
    for (std::size_t i = 0; i < tensors_.size(); ++i)
      result.parts.push_back({row_major(tensors_[i].shape), std::min(begins[i], end)});
    return result;
  }

 private:
  void take(const NewTensor& tensor) {
    check_name(tensor);
    check_type(tensor);
    const Index count = count_elements(tensor.shape, operation_);
    nbytes_.push_back(static_cast<std::uint64_t>(
        checked_multiply(count, static_cast<Index>(item_size(tensor.dtype)), operation_)));
    std::vector<std::size_t>& numbers = axes_.emplace_back();
    for (std::size_t d = 0; d < tensor.shape.size(); ++d) {
      const bool has_name = d < tensor.axis_names.size() && !tensor.axis_names[d].empty();
      const std::string name = has_name ? tensor.axis_names[d] : tensor.name + "_axis" + std::to_string(d);
      numbers.push_back(dimensions_.find(name, tensor.shape[d]));
      if (tensor.shape[d] == 0) take_empty_axis(tensor, d, numbers.back());
    }
  }

  /// Bytes of one record of a tensor that has none.
  [[nodiscard]] static std::uint64_t record_nbytes(const NewTensor& tensor) {
    std::uint64_t nbytes = item_size(tensor.dtype);
    for (std::size_t d = 1; d < tensor.shape.size(); ++d)
      nbytes *= static_cast<std::uint64_t>(tensor.shape[d]);
    return nbytes;
  }

  /// Only the axis that counts records may have none, of which there is one in a file.
  void take_empty_axis(const NewTensor& tensor, std::size_t axis, std::size_t number) {
    if (axis == 0 && records_.value_or(number) == number) {
      records_ = number;
      return;
    }
    throw ValueError(message(operation_, ": shape ", tensor.shape, " (\"", tensor.name,
                             "\") must have no axis of size 0 but the first, and that by one name in all "
                             "tensors, in a classic netCDF file; write netCDF-4 (.nc)"));
  }

  void check_name(const NewTensor& tensor) const {
    const std::string& name = tensor.name;
    const bool is_name = !name.empty() && name.find('/') == std::string::npos &&
                         name.find('\0') == std::string::npos && valid_utf8(name) == name;
    if (is_name) return;
    throw ValueError(
        message(operation_, ": the name \"", valid_utf8(name),
                "\" must be UTF-8 without / and zero bytes: a classic netCDF file has no groups; "
                "give another name, or write netCDF-4 (.nc)"));
  }

  void check_type(const NewTensor& tensor) const {
    if (netcdf_type(tensor.dtype)) return;
    const std::string_view fix = tensor.dtype == DType::bool_ ? ".to(int8)"
                                 : is_complex(tensor.dtype)   ? ".view_as_real()"
                                                              : ".to(float32)";
    throw TypeError(message(operation_, ": elements of ", name(tensor.dtype),
                            " must be of a type that classic netCDF has; use ", fix,
                            ", or write netCDF-4 (.nc)"));
  }

  void choose_version() {
    const auto is_wide = [](const NewTensor& tensor) {
      return netcdf_type(tensor.dtype) > last_netcdf_type(2);
    };
    const auto is_long = [](const NamedDimension& dimension) { return dimension.extent > max_cdf2_extent; };
    bool is_large = std::any_of(tensors_.begin(), tensors_.end(), is_wide) ||
                    std::any_of(dimensions_.all().begin(), dimensions_.all().end(), is_long);
    for (std::size_t i = 0; i + 1 < nbytes_.size(); ++i) is_large = is_large || nbytes_[i] > max_cdf2_nbytes;
    if (is_large) version_ = 5;
  }

  [[nodiscard]] NetcdfOutput header(const std::vector<std::uint64_t>& begins) const {
    NetcdfOutput output(version_);
    output.put_count(0);  // records
    output.put_list(netcdf_list::dimensions, dimensions_.all().size());
    for (const NamedDimension& dimension : dimensions_.all()) {
      output.put_name(dimension.name);
      output.put_count(static_cast<std::uint64_t>(dimension.extent));
    }
    const FileGroups groups = groups_of(tensors_);
    const auto root = groups.find("");
    if (root == groups.end()) {
      output.put_list(netcdf_list::attributes, 0);
    } else {
      put_netcdf_attributes(output, parse_attributes(root->second->attributes), root->second->attribute_types,
                            std::nullopt);
    }
    output.put_list(netcdf_list::variables, tensors_.size());
    for (std::size_t i = 0; i < tensors_.size(); ++i) put_variable(output, i, begins[i]);
    return output;
  }

  void put_variable(NetcdfOutput& output, std::size_t number, std::uint64_t begin) const {
    const NewTensor& tensor = tensors_[number];
    output.put_name(tensor.name);
    output.put_count(axes_[number].size());
    for (const std::size_t axis : axes_[number]) output.put_count(axis);
    nlohmann::ordered_json attributes = parse_attributes(tensor.attributes);
    if (!attributes.is_object()) attributes = nlohmann::ordered_json::object();
    if (tensor.scale != 1 || tensor.shift != 0) {
      attributes["scale_factor"] = tensor.scale;
      attributes["add_offset"] = tensor.shift;
    }
    put_netcdf_attributes(output, attributes, tensor.further.attribute_types, tensor.dtype);
    output.put(*netcdf_type(tensor.dtype), 4);
    const std::uint64_t nbytes = filled_up(nbytes_[number] > 0 ? nbytes_[number] : record_nbytes(tensor));
    output.put_count(version_ == 5 || nbytes <= max_cdf2_nbytes ? nbytes : 0xffffffff);
    output.put(begin, 8);
  }

  const std::vector<NewTensor>& tensors_;
  std::string_view operation_;
  DimensionTable dimensions_;
  /// Which dimension counts records, of which there are none.
  std::optional<std::size_t> records_;
  /// The dimensions of each tensor, and its bytes.
  std::vector<std::vector<std::size_t>> axes_;
  std::vector<std::uint64_t> nbytes_;
  int version_ = 2;
};

}  // namespace

FlatFile plan_netcdf(const std::vector<NewTensor>& tensors, std::string_view operation) {
  return NetcdfPlan(tensors, operation).file();
}

}  // namespace tenstride::io
