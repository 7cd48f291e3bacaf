// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/attributes.hpp"

#include <algorithm>
#include <cmath>

#include "base/message.hpp"
#include "io/format/python_json.hpp"

namespace tenstride::io {
namespace {

using NiftiJson = nlohmann::ordered_json;
using tenstride::detail::message;

NiftiJson json_field(const NiftiBytes& bytes, const NiftiField& field) {
  const NiftiFieldType type = field.place(bytes.version()).type;
  if (type == NiftiFieldType::text) return std::string(bytes.text(field));
  if (is_integer(type)) return bytes.integer(field);
  if (field.count == 1) return bytes.number(field);
  NiftiJson values = NiftiJson::array();
  for (std::size_t i = 0; i < field.count; ++i) values.push_back(bytes.number(field, i));
  return values;
}

/// Puts one value after the other, each checked for its field.
class AttributeWriter {
 public:
  AttributeWriter(NiftiOutput& header, std::string_view operation) : header_(header), operation_(operation) {}

  void put(const NiftiField& field, const NiftiJson& value) const {
    if (type(field) == NiftiFieldType::text) return put_text(field, value);
    if (is_integer(type(field))) return put_integer(field, value);
    if (field.count == 1) return put_float(field, value, field.name, 0);
    put_list(field, value, 0, field.count);
  }
  /// `value` has at most `count` numbers; they go to those from `first` on.
  void put_list(const NiftiField& field, const NiftiJson& value, std::size_t first, std::size_t count) const {
    if (!value.is_array() || value.size() > count) {
      refuse(field.name, value, message("a list of at most ", count, " numbers"));
    }
    for (std::size_t i = 0; i < value.size(); ++i) put_float(field, value[i], field.name, first + i);
  }
  void put_float(const NiftiField& field, const NiftiJson& value, std::string_view key, std::size_t i) const {
    if (!value.is_number() && !value.is_null()) refuse(key, value, "a number or null");
    header_.put_number(field, value.is_null() ? std::nan("") : value.get<double>(), i);
  }

 private:
  [[nodiscard]] NiftiFieldType type(const NiftiField& field) const {
    return field.place(header_.version()).type;
  }
  [[noreturn]] void refuse(std::string_view key, const NiftiJson& value, std::string_view must) const {
    const std::string text = python_json_text(value);
    throw ValueError(message(operation_, ": attribute \"", key, "\" is ", text.substr(0, 60),
                             text.size() > 60 ? "…" : "", " and must be ", must, " (NIfTI-",
                             static_cast<int>(header_.version()), ")"));
  }
  void put_text(const NiftiField& field, const NiftiJson& value) const {
    if (!value.is_string()) refuse(field.name, value, "a text");
    header_.put_text(field, value.get_ref<const std::string&>());
  }
  void put_integer(const NiftiField& field, const NiftiJson& value) const {
    const bool is_too_large = value.is_number_unsigned() && value.get<std::uint64_t>() > INT64_MAX;
    if (!value.is_number_integer() || is_too_large || !header_.holds(field, value.get<std::int64_t>())) {
      const auto bits = width(type(field)) * 8;
      refuse(field.name, value,
             message(type(field) == NiftiFieldType::uint8 ? "an unsigned" : "a signed", " integer of ", bits,
                     " bits"));
    }
    header_.put(field, value.get<std::int64_t>());
  }

  NiftiOutput& header_;
  std::string_view operation_;
};

NiftiJson parse_object(std::string_view attributes, std::string_view operation) {
  if (attributes.empty()) return NiftiJson::object();
  NiftiJson json = parse_attributes(attributes);
  if (!json.is_object()) {
    throw ValueError(message(operation, ": the attributes must be a JSON object, they begin with '",
                             attributes.substr(0, 20), "'"));
  }
  return json;
}

}  // namespace

std::string nifti_attributes(const NiftiBytes& bytes, const NiftiElement& element, std::size_t rank) {
  std::vector<NiftiField> fields(nifti_field::kept.begin(), nifti_field::kept.end());
  const double slope = bytes.number(nifti_field::scl_slope);
  if (element.colors > 0 || slope == 0 || !std::isfinite(slope)) fields.resize(fields.size() - 2);
  return attributes_of_fields(bytes, fields, element, rank);
}

std::string attributes_of_fields(const NiftiBytes& bytes, std::span<const NiftiField> fields,
                                 const NiftiElement& element, std::size_t rank) {
  NiftiJson json = NiftiJson::object();
  if (element.colors > 0) json["datatype"] = element.colors == 3 ? "RGB24" : "RGBA32";
  for (const NiftiField& field : fields) json[std::string(field.name)] = json_field(bytes, field);
  if (json.contains("qform_code")) json["qfac"] = bytes.number(nifti_field::pixdim);
  NiftiJson sizes = NiftiJson::array();
  // A plane has a thickness, too.
  for (std::size_t i = 1; i <= std::max<std::size_t>(rank, 3); ++i)
    sizes.push_back(bytes.number(nifti_field::pixdim, i));
  json["pixdim"] = std::move(sizes);
  return python_json_text(json);
}

void put_nifti_attributes(NiftiOutput& header, std::string_view attributes, std::string_view operation) {
  const NiftiJson json = parse_object(attributes, operation);
  const AttributeWriter writer(header, operation);
  for (const NiftiField& field : nifti_field::kept) {
    const auto found = json.find(std::string(field.name));
    if (found != json.end()) writer.put(field, *found);
  }
  if (const auto qfac = json.find("qfac"); qfac != json.end()) {
    writer.put_float(nifti_field::pixdim, *qfac, "qfac", 0);
  }
  if (const auto sizes = json.find("pixdim"); sizes != json.end()) {
    writer.put_list(nifti_field::pixdim, *sizes, 1, 7);
  }
}

Index nifti_colors(std::string_view attributes, std::string_view operation) {
  return nifti_colors(parse_object(attributes, operation));
}

Index nifti_colors(const nlohmann::ordered_json& attributes) {
  const auto found = attributes.find("datatype");
  const auto* const text = found == attributes.end() ? nullptr : found->get_ptr<const std::string*>();
  if (text == nullptr) return 0;
  return *text == "RGB24" ? 3 : *text == "RGBA32" ? 4 : 0;
}

}  // namespace tenstride::io
