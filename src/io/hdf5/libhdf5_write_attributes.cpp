// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include <algorithm>
#include <optional>
#include <set>
#include <span>

#include "io/format/file_groups.hpp"
#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/format/scaling.hpp"
#include "io/hdf5/libhdf5_attribute_type.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"
#include "io/hdf5/libhdf5_enumeration.hpp"
#include "io/hdf5/libhdf5_write.hpp"

namespace tenstride::io {
namespace {

using attribute_json = nlohmann::ordered_json;

/// What an attribute gets: numbers, or texts.
struct AttributeContent {
  std::vector<std::byte> bytes;
  std::vector<std::string> texts;
};

/// Appends the values of nested lists, the last axis fastest; false where these have another shape.
bool take_values(const attribute_json& value, std::span<const hsize_t> shape,
                 std::vector<attribute_json>& values) {
  if (shape.empty()) {
    values.push_back(value);
    return true;
  }
  if (!value.is_array() || value.size() != shape[0]) return false;
  return std::all_of(value.begin(), value.end(),
                     [&](const attribute_json& part) { return take_values(part, shape.subspan(1), values); });
}

std::optional<std::vector<attribute_json>> values_of(const attribute_json& value,
                                                     const Hdf5AttributeType& type) {
  std::vector<attribute_json> values;
  const bool is_empty_text = value.is_string() && value.get_ref<const std::string&>().empty();
  if (type.is_null) return value.empty() || is_empty_text ? std::optional(values) : std::nullopt;
  const auto is_one = [](hsize_t extent) { return extent == 1; };
  const bool is_single = std::all_of(type.shape.begin(), type.shape.end(), is_one);
  const bool is_empty = std::find(type.shape.begin(), type.shape.end(), hsize_t{0}) != type.shape.end();
  if (is_empty) return value.is_array() && value.empty() ? std::optional(values) : std::nullopt;
  const bool is_listed = value.is_array() && value.size() == 1;
  if (is_single) return std::vector{is_listed ? value.front() : value};
  return take_values(value, type.shape, values) ? std::optional(values) : std::nullopt;
}

/// Nothing where the value is not of the type. A text that is longer than `type` says makes it longer.
std::optional<AttributeContent> content_of(const attribute_json& value, Hdf5AttributeType& type) {
  const std::optional<std::vector<attribute_json>> values = values_of(value, type);
  if (!values) return std::nullopt;
  AttributeContent content;
  for (const attribute_json& one : *values) {
    if (type.is_text) {
      if (!one.is_string()) return std::nullopt;
      content.texts.push_back(one.get<std::string>());
      if (type.text_nbytes != 0) type.text_nbytes = std::max(type.text_nbytes, content.texts.back().size());
      continue;
    }
    const bool is_truth = one.is_boolean() && type.dtype != DType::bool_;
    const auto element =
        element_of_json(is_truth ? attribute_json(one.get<bool>() ? 1 : 0) : one, type.dtype);
    if (!element) return std::nullopt;
    content.bytes.insert(content.bytes.end(), element->begin(), element->end());
  }
  return content;
}

bool write_content(hid_t object, const char* name, const AttributeContent& content,
                   const Hdf5AttributeType& type) {
  const Hdf5Id space = make_hdf5_attribute_space(type);
  const Hdf5Id stored = make_hdf5_attribute_type(type);
  const Hdf5Id attribute(H5Acreate2(object, name, stored.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  const bool has_values = !content.bytes.empty() || !content.texts.empty();
  if (!attribute.is_open() || !has_values) return attribute.is_open();
  if (!type.is_text) {
    const Hdf5Id memory = make_hdf5_datatype(type.dtype);
    return H5Awrite(attribute.get(), memory.get(), content.bytes.data()) >= 0;
  }
  std::vector<const char*> pointers;
  std::string bytes;
  for (std::string text : content.texts) {
    text.resize(type.text_nbytes, type.padding == H5T_STR_SPACEPAD ? ' ' : '\0');
    bytes += text;
  }
  for (const std::string& text : content.texts) pointers.push_back(text.c_str());
  const void* const data = type.text_nbytes == 0 ? static_cast<const void*>(pointers.data()) : bytes.data();
  return H5Awrite(attribute.get(), stored.get(), data) >= 0;
}

/// Writes a value with the first of the types that it is of; one without a type as the text of its JSON.
bool write_value(hid_t object, const char* name, const attribute_json& value,
                 const std::vector<std::optional<Hdf5AttributeType>>& types) {
  for (std::optional<Hdf5AttributeType> type : types) {
    const std::optional<AttributeContent> content = type ? content_of(value, *type) : std::nullopt;
    if (content) return write_content(object, name, *content, *type);
  }
  if (value.is_null() || (value.is_array() && value.empty())) return true;
  const Hdf5Id scalar(H5Screate(H5S_SCALAR), H5Sclose);
  return write_texts(object, name, {strict_json(python_json_text(value))}, scalar.get());
}

/// Whether netCDF takes no such attribute of elements of the type.
bool is_left_out(const std::string& name, const std::optional<Hdf5AttributeType>& type, DType elements) {
  if (!has_type_of_elements(name)) return false;
  // netCDF has no fill value of complex types: xarray opens no compound, and takes a list for several of
  // them.
  if (is_complex(elements)) return true;
  // netCDF-4 takes a fill value of no other type; one that no element can have marks nothing.
  const bool is_one_element = type && type->is_of_elements && type->shape == std::vector<hsize_t>{1};
  return name == "_FillValue" && !is_one_element;
}

/// Writes attributes but for some names. `elements`: the type of a dataset's.
void write_all(hid_t object, const std::string& attributes, const std::string& types,
               std::optional<DType> elements, const std::set<std::string>& others,
               std::string_view operation) {
  const attribute_json values = parse_attributes(attributes);
  if (!values.is_object()) return;
  const attribute_json said = types.empty() ? attribute_json::object() : parse_attributes(types);
  for (const auto& [name, value] : values.items()) {
    if (name.empty() || name.find('\0') != std::string::npos || is_hdf5_bookkeeping(name)) continue;
    if (others.contains(name)) continue;
    std::optional<Hdf5AttributeType> type;
    if (said.contains(name)) type = parse_hdf5_attribute_type(said[name], elements);
    if (type && !content_of(value, *type)) type.reset();
    const std::optional<Hdf5AttributeType> usual = usual_hdf5_type(name, value, elements);
    if (elements && !type && is_left_out(name, usual, *elements)) continue;
    if (!write_value(object, name.c_str(), value, {type, usual}))
      refuse_creation(operation, "the attribute", name);
  }
}

}  // namespace

bool write_fixed_text(hid_t object, const char* name, const std::string& text) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), text.size() + 1);
  const Hdf5Id space(H5Screate(H5S_SCALAR), H5Sclose);
  const Hdf5Id attribute(H5Acreate2(object, name, type.get(), space.get(), H5P_DEFAULT, H5P_DEFAULT),
                         H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), text.c_str()) >= 0;
}

bool write_texts(hid_t object, const char* name, const std::vector<std::string>& texts, hid_t space) {
  const Hdf5Id type(H5Tcopy(H5T_C_S1), H5Tclose);
  H5Tset_size(type.get(), H5T_VARIABLE);
  H5Tset_cset(type.get(), H5T_CSET_UTF8);
  std::vector<const char*> pointers;
  for (const std::string& text : texts) pointers.push_back(text.c_str());
  const Hdf5Id attribute(H5Acreate2(object, name, type.get(), space, H5P_DEFAULT, H5P_DEFAULT), H5Aclose);
  return attribute.is_open() && H5Awrite(attribute.get(), type.get(), pointers.data()) >= 0;
}

void write_hdf5_attributes(hid_t dataset, const NewTensor& tensor, std::string_view operation) {
  // Only scale and shift of the tensor itself are true of its elements.
  const bool is_scaled = tensor.scale != 1 || tensor.shift != 0;
  std::set<std::string> others;
  if (is_scaled) others = {"scale_factor", "add_offset"};
  // The type has the names.
  const Hdf5Id type(H5Dget_type(dataset), H5Tclose);
  const bool is_enumeration = H5Tget_class(type.get()) == H5T_ENUM && tensor.dtype != DType::bool_;
  if (is_enumeration) others.insert(hdf5_enumeration_attribute);
  write_all(dataset, tensor.attributes, tensor.further.attribute_types, tensor.dtype, others, operation);
  if (!is_scaled) return;
  const attribute_json scaling{{"scale_factor", tensor.scale}, {"add_offset", tensor.shift}};
  write_all(dataset, scaling.dump(), {}, tensor.dtype, {}, operation);
}

void write_hdf5_groups(hid_t file, const std::vector<NewTensor>& tensors, std::string_view operation) {
  const Hdf5Id links = link_hdf5_properties();
  const Hdf5Id creation(H5Pcreate(H5P_GROUP_CREATE), H5Pclose);
  H5Pset_attr_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  H5Pset_link_creation_order(creation.get(), H5P_CRT_ORDER_TRACKED | H5P_CRT_ORDER_INDEXED);
  for (const auto& [name, group] : groups_of(tensors)) {  // outer ones come first
    const Hdf5Id object =
        name.empty()
            ? Hdf5Id(H5Gopen2(file, "/", H5P_DEFAULT), H5Gclose)
            : Hdf5Id(H5Gcreate2(file, name.c_str(), links.get(), creation.get(), H5P_DEFAULT), H5Gclose);
    if (!object.is_open()) refuse_creation(operation, "the group", name);
    write_all(object.get(), group->attributes, group->attribute_types, std::nullopt, {}, operation);
  }
}

}  // namespace tenstride::io
#endif
