// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_attributes.hpp"

#include <cmath>
#include <cstring>
#include <set>

#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/hdf5/dataset.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"

namespace tenstride::io {
namespace {

using ordered_json = nlohmann::ordered_json;

/// An attribute that is short enough to be read.
struct OpenAttribute {
  Hdf5Id id;
  Hdf5Id type;
  H5T_class_t type_class = H5T_NO_CLASS;
  std::size_t count = 0;
  bool is_scalar = false;
};

std::optional<OpenAttribute> open_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  OpenAttribute attribute;
  attribute.id = Hdf5Id(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.id.is_open()) return std::nullopt;
  attribute.type = Hdf5Id(H5Aget_type(attribute.id.get()), H5Tclose);
  const Hdf5Id space(H5Aget_space(attribute.id.get()), H5Sclose);
  if (!attribute.type.is_open() || !space.is_open()) return std::nullopt;
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  const std::size_t item = H5Tget_size(attribute.type.get());
  if (count < 1 || static_cast<std::uint64_t>(count) > max_attribute_elements || item == 0 ||
      item > max_attribute_nbytes / static_cast<std::size_t>(count)) {
    return std::nullopt;
  }
  attribute.type_class = H5Tget_class(attribute.type.get());
  attribute.count = static_cast<std::size_t>(count);
  attribute.is_scalar = H5Sget_simple_extent_type(space.get()) == H5S_SCALAR;
  return attribute;
}

/// Texts that libhdf5 allocates are freed with the scope.
class VariableTexts {
 public:
  VariableTexts(const OpenAttribute& attribute, hid_t memory_type)
      : texts_(attribute.count), type_(memory_type), space_(H5Aget_space(attribute.id.get()), H5Sclose) {
    is_read_ = H5Aread(attribute.id.get(), memory_type, texts_.data()) >= 0;
  }
  ~VariableTexts() {
    if (is_read_) H5Dvlen_reclaim(type_, space_.get(), H5P_DEFAULT, texts_.data());
  }
  VariableTexts(const VariableTexts&) = delete;
  VariableTexts& operator=(const VariableTexts&) = delete;
  [[nodiscard]] bool is_read() const { return is_read_; }
  [[nodiscard]] const std::vector<char*>& texts() const { return texts_; }

 private:
  std::vector<char*> texts_;
  hid_t type_;
  Hdf5Id space_;
  bool is_read_ = false;
};

std::optional<std::vector<std::string>> read_texts(const OpenAttribute& attribute) {
  std::vector<std::string> result;
  if (H5Tis_variable_str(attribute.type.get()) > 0) {
    const Hdf5Id memory(H5Tcopy(attribute.type.get()), H5Tclose);
    const VariableTexts texts(attribute, memory.get());
    if (!texts.is_read()) return std::nullopt;
    for (const char* text : texts.texts()) {
      const std::size_t length = text == nullptr ? 0 : strnlen(text, max_attribute_nbytes + 1);
      if (length > max_attribute_nbytes) return std::nullopt;
      result.push_back(valid_utf8({text == nullptr ? "" : text, length}));
    }
    return result;
  }
  const std::size_t item = H5Tget_size(attribute.type.get());
  const bool is_padded_by_spaces = H5Tget_strpad(attribute.type.get()) == H5T_STR_SPACEPAD;
  std::string bytes(attribute.count * item, '\0');
  if (H5Aread(attribute.id.get(), attribute.type.get(), bytes.data()) < 0) return std::nullopt;
  for (std::size_t i = 0; i < attribute.count; ++i) {
    std::string text = bytes.substr(i * item, item);
    text.resize(std::min(text.size(), text.find('\0')));
    if (is_padded_by_spaces) text.resize(text.find_last_not_of(' ') + 1);
    result.push_back(valid_utf8(text));
  }
  return result;
}

template <class T, class Make>
std::optional<ordered_json> read_numbers(const OpenAttribute& attribute, hid_t memory_type,
                                         const Make& make) {
  std::vector<T> numbers(attribute.count);
  if (H5Aread(attribute.id.get(), memory_type, numbers.data()) < 0) return std::nullopt;
  ordered_json list = ordered_json::array();
  for (const T number : numbers) list.push_back(make(number));
  return list;
}

/// As an array; nothing where the attribute is of another kind.
std::optional<ordered_json> read_values(const OpenAttribute& attribute) {
  const auto itself = [](auto number) { return number; };
  switch (attribute.type_class) {
    case H5T_INTEGER:
      return H5Tget_sign(attribute.type.get()) == H5T_SGN_NONE
                 ? read_numbers<std::uint64_t>(attribute, H5T_NATIVE_UINT64, itself)
                 : read_numbers<std::int64_t>(attribute, H5T_NATIVE_INT64, itself);
    case H5T_FLOAT:
      return H5Tget_size(attribute.type.get()) == 4
                 ? read_numbers<float>(attribute, H5T_NATIVE_FLOAT,
                                       [](float number) { return shortest_double(number); })
                 : read_numbers<double>(attribute, H5T_NATIVE_DOUBLE, itself);
    case H5T_ENUM: {
      const std::optional<Hdf5Datatype> type = read_hdf5_datatype(attribute.type.get());
      if (!type) return std::nullopt;
      return read_numbers<signed char>(attribute, attribute.type.get(),
                                       [](signed char value) { return value != 0; });
    }
    case H5T_STRING: {
      const std::optional<std::vector<std::string>> texts = read_texts(attribute);
      if (!texts) return std::nullopt;
      return ordered_json(*texts);
    }
    default:
      return std::nullopt;
  }
}

herr_t take_attribute_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) try {
  auto& list = *static_cast<std::vector<std::string>*>(names);
  list.emplace_back(name);
  return list.size() >= max_attributes ? 1 : 0;
} catch (...) {
  return -1;
}

}  // namespace

bool is_hdf5_bookkeeping(std::string_view name) {
  static const std::set<std::string_view> names{
      "REFERENCE_LIST", "DIMENSION_LIST",      "DIMENSION_LABELS", "CLASS",       "NAME",
      "_Netcdf4Dimid",  "_Netcdf4Coordinates", "_NCProperties",    "_nc3_strict", "_NCCOPY"};
  return names.contains(name);
}

std::string valid_utf8(std::string_view text) {
  const std::string dumped =
      nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  return nlohmann::json::parse(dumped).get<std::string>();
}

std::optional<std::string> read_text_attribute(hid_t object, const char* name) {
  const std::optional<OpenAttribute> attribute = open_attribute(object, name);
  if (!attribute || attribute->type_class != H5T_STRING) return std::nullopt;
  const std::optional<std::vector<std::string>> texts = read_texts(*attribute);
  if (!texts || texts->empty()) return std::nullopt;
  return texts->front();
}

void read_text_list_attribute(hid_t object, const char* name, std::vector<std::string>& texts) {
  const std::optional<OpenAttribute> attribute = open_attribute(object, name);
  if (!attribute || attribute->type_class != H5T_STRING || attribute->count != texts.size()) return;
  if (std::optional<std::vector<std::string>> found = read_texts(*attribute)) texts = *std::move(found);
}

std::vector<std::int64_t> read_integer_attribute(hid_t object, const char* name) {
  const std::optional<OpenAttribute> attribute = open_attribute(object, name);
  if (!attribute || attribute->type_class != H5T_INTEGER) return {};
  std::vector<std::int64_t> numbers(attribute->count);
  if (H5Aread(attribute->id.get(), H5T_NATIVE_INT64, numbers.data()) < 0) return {};
  return numbers;
}

void read_attributes(hid_t object, Hdf5Dataset& dataset) {
  std::vector<std::string> names;
  // As they were written, where the file knows that.
  if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, take_attribute_name, &names) < 0) {
    names.clear();
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, take_attribute_name, &names);
  }
  ordered_json attributes = ordered_json::object();
  for (const std::string& name : names) {
    if (is_hdf5_bookkeeping(name)) continue;
    const std::optional<OpenAttribute> attribute = open_attribute(object, name.c_str());
    const std::optional<ordered_json> values = attribute ? read_values(*attribute) : std::nullopt;
    if (!values || values->empty()) continue;
    // netCDF-4 writes a single number as an array of one.
    attributes[valid_utf8(name)] = values->size() == 1 ? values->front() : *values;
  }
  if (!attributes.empty()) dataset.attributes = python_json_text(attributes);
}

}  // namespace tenstride::io
#endif
