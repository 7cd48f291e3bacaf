// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_attributes.hpp"

#include <algorithm>
#include <array>
#include <cstring>
#include <set>
#include <span>

#include "io/format/json_element.hpp"
#include "io/format/python_json.hpp"
#include "io/format/scaling.hpp"
#include "io/hdf5/libhdf5_attribute_type.hpp"
#include "io/hdf5/libhdf5_datatype.hpp"

namespace tenstride::io {
namespace {

using ordered_json = nlohmann::ordered_json;

struct OpenAttribute {
  Hdf5Id id;
  Hdf5Id type;
  H5T_class_t type_class = H5T_NO_CLASS;
  std::size_t count = 0;
  /// The shape; nothing without a dataspace.
  std::optional<std::vector<hsize_t>> shape;
  /// Why it cannot be read; empty where it can.
  std::string obstacle;
};

/// Sets `count` and `shape`.
void read_extents(OpenAttribute& attribute) {
  const Hdf5Id space(H5Aget_space(attribute.id.get()), H5Sclose);
  const H5S_class_t kind = space.is_open() ? H5Sget_simple_extent_type(space.get()) : H5S_NO_CLASS;
  if (kind == H5S_NO_CLASS) attribute.obstacle = "libhdf5 cannot read its shape";
  if (kind != H5S_SIMPLE && kind != H5S_SCALAR) return;
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Sget_simple_extent_dims(space.get(), extents.data(), nullptr);
  const hssize_t count = H5Sget_simple_extent_npoints(space.get());
  const std::size_t item = std::max<std::size_t>(H5Tget_size(attribute.type.get()), 1);
  if (rank < 0 || count < 0 || static_cast<std::uint64_t>(count) > max_attribute_elements ||
      (count > 0 && item > max_attribute_nbytes / static_cast<std::size_t>(count))) {
    attribute.obstacle = attribute_too_long();
    return;
  }
  attribute.count = static_cast<std::size_t>(count);
  attribute.shape.emplace(extents.begin(), extents.begin() + rank);
}

std::optional<OpenAttribute> open_attribute(hid_t object, const char* name) {
  if (H5Aexists(object, name) <= 0) return std::nullopt;
  OpenAttribute attribute;
  attribute.id = Hdf5Id(H5Aopen(object, name, H5P_DEFAULT), H5Aclose);
  if (!attribute.id.is_open()) return std::nullopt;
  attribute.type = Hdf5Id(H5Aget_type(attribute.id.get()), H5Tclose);
  if (!attribute.type.is_open() || H5Tget_size(attribute.type.get()) == 0) return std::nullopt;
  attribute.type_class = H5Tget_class(attribute.type.get());
  read_extents(attribute);
  return attribute;
}

/// One that has values.
std::optional<OpenAttribute> open_filled_attribute(hid_t object, const char* name) {
  std::optional<OpenAttribute> attribute = open_attribute(object, name);
  return attribute && attribute->obstacle.empty() && attribute->count > 0 ? std::move(attribute)
                                                                          : std::nullopt;
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

template <class T>
std::optional<ordered_json> read_numbers(const OpenAttribute& attribute, hid_t memory_type) {
  std::vector<T> numbers(attribute.count);
  if (H5Aread(attribute.id.get(), memory_type, numbers.data()) < 0) return std::nullopt;
  return ordered_json(numbers);
}

/// Numbers of a type that tenstride has.
std::optional<ordered_json> read_elements(const OpenAttribute& attribute, const Hdf5Datatype& known) {
  const DType dtype = known.dtype;
  const std::size_t item = item_size(dtype);
  std::vector<std::byte> bytes(attribute.count * item);
  const Hdf5Id memory = make_hdf5_memory_type(attribute.type.get(), known);
  if (H5Aread(attribute.id.get(), memory.get(), bytes.data()) < 0) return std::nullopt;
  ordered_json list = ordered_json::array();
  for (std::size_t i = 0; i < attribute.count; ++i) {
    list.push_back(json_of_element(std::span(bytes).subspan(i * item, item), dtype));
  }
  return list;
}

/// The values of an attribute, one after the other, and its type.
struct ReadAttribute {
  ordered_json values = ordered_json::array();
  /// Nothing where it is one that cannot be written.
  std::optional<Hdf5AttributeType> type;
};

Hdf5AttributeType text_type(hid_t type) {
  Hdf5AttributeType result;
  result.is_text = true;
  result.text_nbytes = H5Tis_variable_str(type) > 0 ? 0 : H5Tget_size(type);
  result.is_ascii = H5Tget_cset(type) == H5T_CSET_ASCII;
  result.padding = H5Tget_strpad(type);
  return result;
}

/// Nothing where the attribute is of another kind.
std::optional<ReadAttribute> read_values(const OpenAttribute& attribute) {
  ReadAttribute read;
  std::optional<ordered_json> values;
  const hid_t type = attribute.type.get();
  const std::optional<Hdf5Datatype> known = read_hdf5_datatype(type);
  if (attribute.count == 0) values = ordered_json::array();  // libhdf5 reads nothing of it
  if (attribute.type_class == H5T_STRING) {
    const std::optional<std::vector<std::string>> texts =
        values ? std::vector<std::string>() : read_texts(attribute);
    if (texts) values = ordered_json(*texts);
    read.type = text_type(type);
  } else if (known) {
    if (!values) values = read_elements(attribute, *known);
    read.type.emplace();
    read.type->dtype = known->dtype;
    read.type->is_byte_swapped = known->byte_order == ByteOrder::swapped;
  } else if (attribute.count == 0) {
    return std::nullopt;
  } else if (attribute.type_class == H5T_INTEGER) {
    values = H5Tget_sign(type) == H5T_SGN_NONE ? read_numbers<std::uint64_t>(attribute, H5T_NATIVE_UINT64)
                                               : read_numbers<std::int64_t>(attribute, H5T_NATIVE_INT64);
  } else if (attribute.type_class == H5T_FLOAT) {
    values = read_numbers<double>(attribute, H5T_NATIVE_DOUBLE);
  }
  if (!values) return std::nullopt;
  read.values = *std::move(values);
  if (!read.type) return read;
  read.type->is_null = !attribute.shape;
  if (attribute.shape) read.type->shape = *attribute.shape;
  return read;
}

/// Values as nested lists of a shape, from the first on.
ordered_json nested(const ordered_json& values, std::span<const hsize_t> shape, std::size_t& first) {
  if (shape.empty()) return values.at(first++);
  ordered_json list = ordered_json::array();
  for (hsize_t i = 0; i < shape[0]; ++i) list.push_back(nested(values, shape.subspan(1), first));
  return list;
}

/// The attribute as `FileInfo` has it.
ordered_json value_of(const OpenAttribute& attribute, const ReadAttribute& read) {
  if (!attribute.shape) return read.type && read.type->is_text ? ordered_json("") : ordered_json::array();
  // netCDF-4 writes a single number as an array of one.
  if (attribute.count == 1) return read.values.front();
  // An extent of 0 would let those before it be any.
  if (attribute.count == 0) return ordered_json::array();
  std::size_t first = 0;
  return nested(read.values, *attribute.shape, first);
}

herr_t take_attribute_name(hid_t /*object*/, const char* name, const H5A_info_t* /*info*/, void* names) try {
  auto& list = *static_cast<std::vector<std::string>*>(names);
  if (!is_hdf5_bookkeeping(name)) list.emplace_back(name);
  return list.size() > max_attributes ? 1 : 0;
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

std::optional<std::string> read_text_attribute(hid_t object, const char* name) {
  const std::optional<OpenAttribute> attribute = open_filled_attribute(object, name);
  if (!attribute || attribute->type_class != H5T_STRING) return std::nullopt;
  const std::optional<std::vector<std::string>> texts = read_texts(*attribute);
  if (!texts || texts->empty()) return std::nullopt;
  return texts->front();
}

void read_text_list_attribute(hid_t object, const char* name, std::vector<std::string>& texts) {
  const std::optional<OpenAttribute> attribute = open_filled_attribute(object, name);
  if (!attribute || attribute->type_class != H5T_STRING || attribute->count != texts.size()) return;
  if (std::optional<std::vector<std::string>> found = read_texts(*attribute)) texts = *std::move(found);
}

std::vector<std::int64_t> read_integer_attribute(hid_t object, const char* name) {
  const std::optional<OpenAttribute> attribute = open_filled_attribute(object, name);
  if (!attribute || attribute->type_class != H5T_INTEGER) return {};
  std::vector<std::int64_t> numbers(attribute->count);
  if (H5Aread(attribute->id.get(), H5T_NATIVE_INT64, numbers.data()) < 0) return {};
  return numbers;
}

Hdf5Attributes read_attributes(hid_t object, std::optional<DType> elements) {
  std::vector<std::string> names;
  // As they were written, where the file knows that.
  if (H5Aiterate2(object, H5_INDEX_CRT_ORDER, H5_ITER_INC, nullptr, take_attribute_name, &names) < 0) {
    names.clear();
    H5Aiterate2(object, H5_INDEX_NAME, H5_ITER_NATIVE, nullptr, take_attribute_name, &names);
  }
  if (names.size() > max_attributes) return {"", "", too_many_attributes()};
  ordered_json values = ordered_json::object();
  ordered_json types = ordered_json::object();
  ordered_json unread = ordered_json::object();
  for (const std::string& name : names) {
    const std::string key = valid_utf8(name);
    const std::optional<OpenAttribute> attribute = open_attribute(object, name.c_str());
    const bool is_readable = attribute && attribute->obstacle.empty();
    std::optional<ReadAttribute> read = is_readable ? read_values(*attribute) : std::nullopt;
    if (!read) {
      unread[key] =
          !attribute || !attribute->obstacle.empty()
              ? (attribute ? attribute->obstacle : "libhdf5 cannot read it")
              : "attributes must be numbers or texts, not " + hdf5_datatype_text(attribute->type.get());
      continue;
    }
    values[key] = value_of(*attribute, *read);
    if (!read->type) continue;
    read->type->is_of_elements = elements && has_type_of_elements(key) && read->type->dtype == *elements;
    if (usual_hdf5_type(key, values[key], elements) != read->type) types[key] = to_json(*read->type);
  }
  const auto text = [](const ordered_json& json) { return json.empty() ? "" : python_json_text(json); };
  return {text(values), text(types), text(unread)};
}

}  // namespace tenstride::io
#endif
