// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_datatype.hpp"

#include <array>
#include <bit>

#include "base/message.hpp"

namespace tenstride::io {
namespace {

/// The fields of a floating-point number: where the sign is, then exponent and mantissa, and the bias.
struct FloatFields {
  std::size_t sign = 0;
  std::size_t exponent_begin = 0;
  std::size_t exponent_size = 0;
  std::size_t mantissa_begin = 0;
  std::size_t mantissa_size = 0;
  std::size_t bias = 0;
  friend bool operator==(const FloatFields&, const FloatFields&) = default;
};
struct FloatType {
  DType dtype;
  std::size_t nbytes;
  FloatFields fields;
};
constexpr std::array float_types{FloatType{DType::float16, 2, {15, 10, 5, 0, 10, 15}},
                                 FloatType{DType::bfloat16, 2, {15, 7, 8, 0, 7, 127}},
                                 FloatType{DType::float32, 4, {31, 23, 8, 0, 23, 127}},
                                 FloatType{DType::float64, 8, {63, 52, 11, 0, 52, 1023}}};

std::optional<ByteOrder> byte_order_of(hid_t type) {
  const H5T_order_t order = H5Tget_order(type);
  if (H5Tget_size(type) == 1) return ByteOrder::native;
  if (order != H5T_ORDER_LE && order != H5T_ORDER_BE) return std::nullopt;
  return (order == H5T_ORDER_LE) == (std::endian::native == std::endian::little) ? ByteOrder::native
                                                                                 : ByteOrder::swapped;
}

std::optional<DType> unsigned_type(std::size_t nbytes) {
  constexpr std::array types{DType::uint8, DType::uint16, DType::uint32, DType::uint64};
  if (!std::has_single_bit(nbytes) || nbytes > 8) return std::nullopt;
  return types[static_cast<std::size_t>(std::countr_zero(nbytes))];
}

std::optional<Hdf5Datatype> read_integer(hid_t type) {
  const std::size_t nbytes = H5Tget_size(type);
  const std::optional<ByteOrder> order = byte_order_of(type);
  const std::optional<DType> unsigned_dtype = unsigned_type(nbytes);
  if (!order || !unsigned_dtype) return std::nullopt;
  constexpr std::array signed_types{DType::int8, DType::int16, DType::int32, DType::int64};
  const DType signed_dtype = signed_types[static_cast<std::size_t>(std::countr_zero(nbytes))];
  const H5T_sign_t sign = H5Tget_sign(type);
  if (sign != H5T_SGN_NONE && sign != H5T_SGN_2) return std::nullopt;
  const bool is_plain = H5Tget_precision(type) == nbytes * 8 && H5Tget_offset(type) == 0;
  return Hdf5Datatype{sign == H5T_SGN_2 ? signed_dtype : *unsigned_dtype, *order, is_plain};
}

std::optional<Hdf5Datatype> read_float(hid_t type) {
  const std::optional<ByteOrder> order = byte_order_of(type);
  FloatFields fields;
  if (!order || H5Tget_fields(type, &fields.sign, &fields.exponent_begin, &fields.exponent_size,
                              &fields.mantissa_begin, &fields.mantissa_size) < 0) {
    return std::nullopt;
  }
  fields.bias = H5Tget_ebias(type);
  const std::size_t nbytes = H5Tget_size(type);
  if (H5Tget_precision(type) != nbytes * 8 || H5Tget_offset(type) != 0 ||
      H5Tget_norm(type) != H5T_NORM_IMPLIED) {
    return std::nullopt;
  }
  for (const FloatType& known : float_types) {
    if (known.nbytes == nbytes && known.fields == fields) return Hdf5Datatype{known.dtype, *order, true};
  }
  return std::nullopt;
}

std::optional<Hdf5Datatype> read_bool(hid_t type) {
  if (H5Tget_size(type) != 1 || H5Tget_nmembers(type) != 2) return std::nullopt;
  for (unsigned number = 0; number < 2; ++number) {
    signed char value = -1;
    if (H5Tget_member_value(type, number, &value) < 0 || value != static_cast<signed char>(number)) {
      return std::nullopt;
    }
    if (hdf5_member_name(type, number) != (number == 0 ? "FALSE" : "TRUE")) return std::nullopt;
  }
  return Hdf5Datatype{DType::bool_, ByteOrder::native, true};
}

std::optional<Hdf5Datatype> read_enumeration(hid_t type) {
  if (const std::optional<Hdf5Datatype> known = read_bool(type)) return known;
  const Hdf5Id number(H5Tget_super(type), H5Tclose);
  return number.is_open() && H5Tget_class(number.get()) == H5T_INTEGER ? read_integer(number.get())
                                                                       : std::nullopt;
}

/// Those that fill their bytes.
std::optional<Hdf5Datatype> read_bit_field(hid_t type) {
  const std::size_t nbytes = H5Tget_size(type);
  const std::optional<ByteOrder> order = byte_order_of(type);
  if (!order || H5Tget_precision(type) != nbytes * 8) return std::nullopt;
  const std::optional<DType> dtype = unsigned_type(nbytes);
  return dtype ? std::optional(Hdf5Datatype{*dtype, *order, true}) : std::nullopt;
}

/// h5py's {r, i}; netCDF4-python's and others' names of the parts are taken, too.
std::optional<Hdf5Datatype> read_complex(hid_t type) {
  if (H5Tget_nmembers(type) != 2) return std::nullopt;
  const std::string real = hdf5_member_name(type, 0);
  const std::string imaginary = hdf5_member_name(type, 1);
  const bool is_known = (real == "r" && imaginary == "i") || (real == "re" && imaginary == "im") ||
                        (real == "real" && (imaginary == "imag" || imaginary == "imaginary"));
  const Hdf5Id first(H5Tget_member_type(type, 0), H5Tclose);
  const Hdf5Id second(H5Tget_member_type(type, 1), H5Tclose);
  if (!is_known || !first.is_open() || !second.is_open()) return std::nullopt;
  if (H5Tget_class(first.get()) != H5T_FLOAT || H5Tequal(first.get(), second.get()) <= 0) return std::nullopt;
  std::optional<Hdf5Datatype> part = read_float(first.get());
  if (!part || part->dtype == DType::bfloat16) return std::nullopt;
  const std::size_t nbytes = item_size(part->dtype);
  if (H5Tget_size(type) != 2 * nbytes || H5Tget_member_offset(type, 0) != 0 ||
      H5Tget_member_offset(type, 1) != nbytes) {
    return std::nullopt;
  }
  part->dtype = *complex_type(part->dtype);
  return part;
}

}  // namespace

std::optional<Hdf5Datatype> read_hdf5_datatype(hid_t type) {
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return read_integer(type);
    case H5T_FLOAT:
      return read_float(type);
    case H5T_ENUM:
      return read_enumeration(type);
    case H5T_BITFIELD:
      return read_bit_field(type);
    case H5T_COMPOUND:
      return read_complex(type);
    default:
      return std::nullopt;
  }
}

std::string hdf5_member_name(hid_t type, unsigned number) {
  char* const name = H5Tget_member_name(type, number);
  const std::string text = name == nullptr ? "" : name;
  H5free_memory(name);
  return text;
}

bool has_variable_parts(hid_t type) {
  const H5T_class_t kind = H5Tget_class(type);
  if (kind == H5T_VLEN || H5Tis_variable_str(type) > 0) return true;
  const int members = kind == H5T_COMPOUND ? H5Tget_nmembers(type) : 0;
  for (int number = 0; number < members; ++number) {
    const Hdf5Id member(H5Tget_member_type(type, static_cast<unsigned>(number)), H5Tclose);
    if (has_variable_parts(member.get())) return true;
  }
  if (kind != H5T_ARRAY) return false;
  const Hdf5Id part(H5Tget_super(type), H5Tclose);
  return has_variable_parts(part.get());
}

std::string hdf5_datatype_text(hid_t type) {
  using tenstride::detail::message;
  const std::size_t nbytes = H5Tget_size(type);
  switch (H5Tget_class(type)) {
    case H5T_INTEGER:
      return message("an integer of ", nbytes, " bytes");
    case H5T_FLOAT:
      return message("a floating-point number of ", nbytes, " bytes with fields of its own");
    case H5T_STRING:
      return "strings";
    case H5T_BITFIELD:
      return message("bit fields of ", H5Tget_precision(type), " bits in ", nbytes, " bytes");
    case H5T_OPAQUE:
      return "opaque bytes";
    case H5T_REFERENCE:
      return "references";
    case H5T_ENUM:
      return "an enumeration";
    case H5T_VLEN:
      return "lists of any length";
    case H5T_ARRAY:
      return "arrays";
    case H5T_TIME:
      return "times";
    case H5T_COMPOUND: {
      std::string text = "a compound {";
      const int count = H5Tget_nmembers(type);
      for (int number = 0; number < std::min(count, 4); ++number) {
        text += (number == 0 ? "" : ", ") + hdf5_member_name(type, static_cast<unsigned>(number));
      }
      return text + (count > 4 ? ", …}" : "}");
    }
    default:
      return "one that this libhdf5 does not know";
  }
}

Hdf5Id make_hdf5_memory_type(hid_t type, const Hdf5Datatype& known) {
  if (H5Tget_class(type) != H5T_BITFIELD) return make_hdf5_datatype(known.dtype);
  const std::array native{H5T_NATIVE_B8, H5T_NATIVE_B16, H5T_NATIVE_B32, H5T_NATIVE_B64};
  return {H5Tcopy(native[static_cast<std::size_t>(std::countr_zero(item_size(known.dtype)))]), H5Tclose};
}

Hdf5Id make_hdf5_datatype(DType dtype) {
  const auto copy = [](hid_t type) { return Hdf5Id(H5Tcopy(type), H5Tclose); };
  switch (dtype) {
    case DType::uint8:
      return copy(H5T_NATIVE_UINT8);
    case DType::int8:
      return copy(H5T_NATIVE_INT8);
    case DType::uint16:
      return copy(H5T_NATIVE_UINT16);
    case DType::int16:
      return copy(H5T_NATIVE_INT16);
    case DType::uint32:
      return copy(H5T_NATIVE_UINT32);
    case DType::int32:
      return copy(H5T_NATIVE_INT32);
    case DType::uint64:
      return copy(H5T_NATIVE_UINT64);
    case DType::int64:
      return copy(H5T_NATIVE_INT64);
    case DType::float32:
      return copy(H5T_NATIVE_FLOAT);
    case DType::float64:
      return copy(H5T_NATIVE_DOUBLE);
    case DType::bool_: {
      Hdf5Id type(H5Tenum_create(H5T_NATIVE_INT8), H5Tclose);
      constexpr std::array<signed char, 2> values{0, 1};
      H5Tenum_insert(type.get(), "FALSE", &values[0]);
      H5Tenum_insert(type.get(), "TRUE", &values[1]);
      return type;
    }
    case DType::complex32:
    case DType::complex64:
    case DType::complex128: {
      const Hdf5Id part = make_hdf5_datatype(component_type(dtype));
      const std::size_t nbytes = item_size(component_type(dtype));
      Hdf5Id type(H5Tcreate(H5T_COMPOUND, 2 * nbytes), H5Tclose);
      H5Tinsert(type.get(), "r", 0, part.get());
      H5Tinsert(type.get(), "i", nbytes, part.get());
      return type;
    }
    case DType::float16:
    case DType::bfloat16: {
      const FloatFields& fields = float_types[dtype == DType::float16 ? 0 : 1].fields;
      Hdf5Id type = copy(H5T_NATIVE_FLOAT);
      H5Tset_fields(type.get(), fields.sign, fields.exponent_begin, fields.exponent_size,
                    fields.mantissa_begin, fields.mantissa_size);
      H5Tset_size(type.get(), 2);
      H5Tset_ebias(type.get(), fields.bias);
      return type;
    }
    case DType::float8_e4m3fn:
    case DType::float8_e5m2:
      break;
  }
  return {};
}

}  // namespace tenstride::io
#endif
