// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/analyze.hpp"

#include "io/nifti/attributes.hpp"

namespace tenstride::io {
namespace {

namespace analyze {

using enum NiftiFieldType;

constexpr NiftiField field(std::string_view name, NiftiFieldType type, std::uint16_t begin,
                           std::uint16_t count = 1) {
  return {name, {type, begin}, {type, begin}, count};
}

/// Those that are where NIfTI has them, under the same names.
constexpr std::array shared_fields{field("descrip", text, 148, 80), field("aux_file", text, 228, 24),
                                   field("cal_max", float32, 124), field("cal_min", float32, 128)};

constexpr std::array own_fields{
    field("data_type", text, 4, 10),    field("db_name", text, 14, 18),    field("extents", int32, 32),
    field("session_error", int16, 36),  field("regular", text, 38, 1),     field("vox_units", text, 56, 4),
    field("cal_units", text, 60, 8),    field("funused1", float32, 112),   field("funused2", float32, 116),
    field("funused3", float32, 120),    field("compressed", float32, 132), field("verified", float32, 136),
    field("glmax", int32, 140),         field("glmin", int32, 144),        field("orient", uint8, 252),
    field("originator", text, 253, 10), field("generated", text, 263, 10), field("scannum", text, 273, 10),
    field("patient_id", text, 283, 10), field("exp_date", text, 293, 10),  field("exp_time", text, 303, 10),
    field("views", int32, 316),         field("vols_added", int32, 320),   field("start_field", int32, 324),
    field("field_skip", int32, 328),    field("omax", int32, 332),         field("omin", int32, 336),
    field("smax", int32, 340),          field("smin", int32, 344)};

}  // namespace analyze

}  // namespace

std::string analyze_attributes(const NiftiBytes& bytes, const NiftiElement& element, std::size_t rank) {
  std::vector<NiftiField> fields(analyze::shared_fields.begin(), analyze::shared_fields.end());
  fields.insert(fields.end(), analyze::own_fields.begin(), analyze::own_fields.end());
  return attributes_of_fields(bytes, fields, element, rank);
}

void keep_fields_of_nifti(ResultAttributes& attributes, const ResultOrigin& /*result*/) {
  for (const NiftiField& field : analyze::own_fields) {
    const std::string name(field.name);
    if (attributes.has(name.c_str())) attributes.drop(name, "NIfTI has no such field");
  }
}

}  // namespace tenstride::io
