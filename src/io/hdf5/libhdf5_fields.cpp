// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_fields.hpp"

#include <algorithm>
#include <array>
#include <span>

#include "base/message.hpp"
#include "io/hdf5/libhdf5_attributes.hpp"
#include "io/hdf5/libhdf5_enumeration.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// Types within one another; a file may have been made to nest them without end.
constexpr std::size_t max_type_depth = 32;

std::vector<hsize_t> array_extents(hid_t type) {
  std::array<hsize_t, H5S_MAX_RANK> extents{};
  const int rank = H5Tget_array_ndims(type);
  if (rank < 1 || rank > H5S_MAX_RANK || H5Tget_array_dims2(type, extents.data()) < 0) return {};
  return {extents.begin(), extents.begin() + rank};
}

constexpr std::string_view outside_obstacle = "have fields within its elements";

class FieldFinder {
 public:
  std::vector<Hdf5Field> fields;

  void visit(hid_t type, const Hdf5Field& field) {
    const H5T_class_t kind = H5Tget_class(type);
    if (const std::optional<Hdf5Datatype> known = read_hdf5_datatype(type)) {
      Hdf5Field found = field;
      found.type = known;
      if (kind == H5T_ENUM && known->dtype != DType::bool_)
        found.enumeration = hdf5_enumeration_text(type, *known);
      fields.push_back(std::move(found));
      return;
    }
    if (++depth_ <= max_type_depth && kind == H5T_ARRAY) {
      visit_array(type, field);
    } else if (depth_ <= max_type_depth && kind == H5T_COMPOUND) {
      visit_members(type, field);
    } else {
      Hdf5Field found = field;
      found.obstacle = "have a type that tenstride has, not " + hdf5_datatype_text(type);
      fields.push_back(std::move(found));
    }
    --depth_;
  }

 private:
  void visit_array(hid_t type, const Hdf5Field& field) {
    const Hdf5Id part(H5Tget_super(type), H5Tclose);
    const std::vector<hsize_t> extents = array_extents(type);
    Hdf5Field inner = field;
    const std::size_t nbytes = H5Tget_size(type);
    std::size_t stride = nbytes;
    for (const hsize_t extent : extents) {
      stride = extent == 0 || stride % extent != 0 ? 0 : stride / extent;
      inner.axes.push_back(static_cast<Index>(extent));
      inner.strides.push_back(static_cast<Index>(stride));
    }
    if (part.is_open() && stride != 0 && stride == H5Tget_size(part.get())) return visit(part.get(), inner);
    Hdf5Field refused = field;
    refused.obstacle = message("have array types of the size of their elements, not of ", nbytes, " bytes");
    fields.push_back(std::move(refused));
  }

  void visit_members(hid_t type, const Hdf5Field& field) {
    const int count = H5Tget_nmembers(type);
    for (int i = 0; i < count; ++i) {
      const auto number = static_cast<unsigned>(i);
      const Hdf5Id member(H5Tget_member_type(type, number), H5Tclose);
      Hdf5Field inner = field;
      inner.name += (field.name.empty() ? "" : ".") + valid_utf8(hdf5_member_name(type, number));
      inner.members.push_back(number);
      inner.begin += H5Tget_member_offset(type, number);
      const std::size_t begin = H5Tget_member_offset(type, number);
      const std::size_t nbytes = H5Tget_size(type);
      const bool is_inside =
          member.is_open() && begin <= nbytes && H5Tget_size(member.get()) <= nbytes - begin;
      if (is_inside) {
        visit(member.get(), inner);
      } else {
        inner.obstacle = outside_obstacle;
        fields.push_back(std::move(inner));
      }
    }
  }

  std::size_t depth_ = 0;
};

Hdf5Id make_field_type(hid_t type, std::span<const unsigned> members, const Hdf5Datatype& known) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_ARRAY) {
    const Hdf5Id part(H5Tget_super(type), H5Tclose);
    const std::vector<hsize_t> extents = array_extents(type);
    const Hdf5Id made = make_field_type(part.get(), members, known);
    return {H5Tarray_create2(made.get(), static_cast<unsigned>(extents.size()), extents.data()), H5Tclose};
  }
  if (members.empty())
    return known.is_plain ? Hdf5Id(H5Tcopy(type), H5Tclose) : make_hdf5_memory_type(type, known);
  const Hdf5Id member(H5Tget_member_type(type, members[0]), H5Tclose);
  const Hdf5Id made = make_field_type(member.get(), members.subspan(1), known);
  Hdf5Id result(H5Tcreate(H5T_COMPOUND, std::max<std::size_t>(H5Tget_size(made.get()), 1)), H5Tclose);
  H5Tinsert(result.get(), hdf5_member_name(type, members[0]).c_str(), 0, made.get());
  return result;
}

}  // namespace

std::vector<Hdf5Field> fields_of_hdf5_type(hid_t type) {
  FieldFinder finder;
  finder.visit(type, {});
  const bool is_readable = std::any_of(finder.fields.begin(), finder.fields.end(),
                                       [](const Hdf5Field& field) { return field.type.has_value(); });
  if (is_readable) return std::move(finder.fields);
  Hdf5Field whole;
  // Of another obstacle than a type without numbers one field tells.
  const auto told = std::find_if(finder.fields.begin(), finder.fields.end(), [](const Hdf5Field& field) {
    return !field.obstacle.starts_with("have a type that tenstride has");
  });
  whole.obstacle = told != finder.fields.end()
                       ? told->obstacle
                       : "have a type that tenstride has, not " + hdf5_datatype_text(type);
  return {whole};
}

Hdf5Id make_hdf5_field_type(hid_t type, const Hdf5Field& field) {
  return make_field_type(type, field.members, *field.type);
}

}  // namespace tenstride::io
#endif
