// SPDX-License-Identifier: Apache-2.0
#include "tenstride/base/dtype.hpp"

#include <gtest/gtest.h>

#include <array>
#include <set>
#include <string>

namespace tenstride {
namespace {

std::vector<DType> every_dtype() {
  std::vector<DType> types;
  for (std::size_t i = 0; i < dtype_count; ++i) types.push_back(static_cast<DType>(i));
  return types;
}

static_assert(dtype_count == 18);
static_assert(item_size(DType::complex64) == 8 && item_size(DType::float8_e5m2) == 1);
static_assert(name(DType::bool_) == "bool");
static_assert(component_type(DType::complex64) == DType::float32);
static_assert(component_type(DType::complex128) == DType::float64);
static_assert(component_type(DType::complex32) == DType::float16);
static_assert(complex_type(DType::float16) == DType::complex32 && !complex_type(DType::bfloat16));
static_assert(component_type(DType::int8) == DType::int8);
static_assert(is_integer(DType::uint16) && !is_integer(DType::bool_) && !is_integer(DType::float16));
static_assert(is_floating_point(DType::bfloat16) && !is_floating_point(DType::complex64));

TEST(DType, NamesAreReadBackWithAndWithoutPrefix) {
  std::set<std::string_view> names;
  for (const DType type : every_dtype()) {
    EXPECT_TRUE(names.insert(name(type)).second) << name(type);
    EXPECT_EQ(parse_dtype(name(type)), type);
    EXPECT_EQ(parse_dtype("torch." + std::string(name(type))), type);
  }
}

TEST(DType, SizesStandInTheNames) {
  for (const DType type : every_dtype()) {
    if (type == DType::bool_) continue;
    std::string_view digits = name(type);
    digits.remove_prefix(digits.find_first_of("0123456789"));
    EXPECT_EQ(item_size(type) * 8, std::stoul(std::string(digits))) << name(type);
    EXPECT_EQ(is_complex(type) ? item_size(component_type(type)) * 2 : item_size(component_type(type)),
              item_size(type));
  }
}

TEST(DType, HasPyTorchsAliases) {
  const std::array<std::pair<std::string_view, DType>, 11> aliases{{{"float", DType::float32},
                                                                    {"double", DType::float64},
                                                                    {"half", DType::float16},
                                                                    {"long", DType::int64},
                                                                    {"int", DType::int32},
                                                                    {"short", DType::int16},
                                                                    {"torch.float", DType::float32},
                                                                    {"torch.long", DType::int64},
                                                                    {"torch.cfloat", DType::complex64},
                                                                    {"chalf", DType::complex32},
                                                                    {"cdouble", DType::complex128}}};
  for (const auto& [alias, type] : aliases) EXPECT_EQ(parse_dtype(alias), type) << alias;
  for (const std::string_view no_type :
       {"", "torch.", "float33", "Float32", "np.float32", "float32 ", "torch"}) {
    EXPECT_EQ(parse_dtype(no_type), std::nullopt) << no_type;
  }
}

// PyTorch's `promote_types`, recorded row by row. x: refused.
constexpr std::array<std::string_view, 18> table_names{"b1", "u1", "i1", "u2", "i2", "u4",  "i4", "u8", "i8",
                                                       "f2", "bf", "f4", "f8", "c8", "c16", "e4", "e5", "c4"};
constexpr std::array<std::array<std::string_view, 18>, 18> promotions{{
    // b1    u1    i1    u2    i2    u4    i4    u8    i8    f2    bf    f4    f8    c8     c16    e4    e5 c4
    {"b1", "u1", "i1", "x", "i2", "x", "i4", "x", "i8", "f2", "bf", "f4", "f8", "c8", "c16", "x", "x", "c4"},
    {"u1", "u1", "i2", "x", "i2", "x", "i4", "x", "i8", "f2", "bf", "f4", "f8", "c8", "c16", "x", "x", "c4"},
    {"i1", "i2", "i1", "x", "i2", "x", "i4", "x", "i8", "f2", "bf", "f4", "f8", "c8", "c16", "x", "x", "c4"},
    {"x", "x", "x", "u2", "x", "x", "x", "x", "x", "f2", "bf", "f4", "f8", "x", "x", "x", "x", "x"},
    {"i2", "i2", "i2", "x", "i2", "x", "i4", "x", "i8", "f2", "bf", "f4", "f8", "c8", "c16", "x", "x", "c4"},
    {"x", "x", "x", "x", "x", "u4", "x", "x", "x", "f2", "bf", "f4", "f8", "x", "x", "x", "x", "x"},
    {"i4", "i4", "i4", "x", "i4", "x", "i4", "x", "i8", "f2", "bf", "f4", "f8", "c8", "c16", "x", "x", "c4"},
    {"x", "x", "x", "x", "x", "x", "x", "u8", "x", "f2", "bf", "f4", "f8", "x", "x", "x", "x", "x"},
    {"i8", "i8", "i8", "x", "i8", "x", "i8", "x", "i8", "f2", "bf", "f4", "f8", "c8", "c16", "x", "x", "c4"},
    {"f2", "f2", "f2", "f2", "f2", "f2", "f2", "f2", "f2", "f2", "f4", "f4", "f8", "c8", "c16", "x", "x",
     "c4"},
    {"bf", "bf", "bf", "bf", "bf", "bf", "bf", "bf", "bf", "f4", "bf", "f4", "f8", "c8", "c16", "x", "x",
     "c8"},
    {"f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f4", "f8", "c8", "c16", "x", "x",
     "c8"},
    {"f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8", "c16", "c16", "x", "x",
     "c16"},
    {"c8", "c8", "c8", "x", "c8", "x", "c8", "x", "c8", "c8", "c8", "c8", "c16", "c8", "c16", "x", "x", "c8"},
    {"c16", "c16", "c16", "x", "c16", "x", "c16", "x", "c16", "c16", "c16", "c16", "c16", "c16", "c16", "x",
     "x", "c16"},
    {"x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "e4", "x", "x"},
    {"x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "x", "e5", "x"},
    {"c4", "c4", "c4", "x", "c4", "x", "c4", "x", "c4", "c4", "c8", "c8", "c16", "c8", "c16", "x", "x", "c4"},
}};

TEST(DType, PromotesAsPyTorchsTable) {
  for (std::size_t a = 0; a < dtype_count; ++a) {
    for (std::size_t b = 0; b < dtype_count; ++b) {
      const std::optional<DType> found = promote_types(static_cast<DType>(a), static_cast<DType>(b));
      const std::string_view word = found ? table_names[static_cast<std::size_t>(*found)] : "x";
      EXPECT_EQ(word, promotions[a][b]) << table_names[a] << " with " << table_names[b];
    }
  }
}

TEST(DType, CastsLoseNoKind) {
  EXPECT_TRUE(can_cast(DType::int64, DType::uint8));
  EXPECT_TRUE(can_cast(DType::float64, DType::complex32));
  EXPECT_FALSE(can_cast(DType::float16, DType::int64));
  EXPECT_FALSE(can_cast(DType::complex32, DType::float64));
  EXPECT_FALSE(can_cast(DType::uint8, DType::bool_));
  for (const DType type : every_dtype()) EXPECT_TRUE(can_cast(DType::bool_, type) && can_cast(type, type));
}

TEST(DType, PromotionIsSymmetricAndKeepsEqualTypes) {
  for (const DType a : every_dtype()) {
    EXPECT_EQ(promote_types(a, a), a);
    for (const DType b : every_dtype()) EXPECT_EQ(promote_types(a, b), promote_types(b, a));
  }
  EXPECT_EQ(promote_types(DType::uint8, DType::int8), DType::int16);
}

}  // namespace
}  // namespace tenstride
