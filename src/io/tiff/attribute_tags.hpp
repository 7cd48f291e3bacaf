// SPDX-License-Identifier: Apache-2.0
// Tags that are attributes: resolution, orientation, GeoTIFF (https://docs.ogc.org/is/19-008r4/19-008r4.html)
// and GDAL's.
#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <nlohmann/json.hpp>

#include "io/tiff/directory.hpp"

namespace tenstride::io {

/// The type of the values of a tag that is written, as TIFF numbers them.
enum class TiffValueType : std::uint16_t { text = 2, int16 = 3, rational = 5, float64 = 12 };

/// A tag of a file that is written.
struct TiffValue {
  std::uint16_t tag = 0;
  TiffValueType type = TiffValueType::text;
  std::vector<double> numbers{};
  std::string text{};

  /// Whether other pages than the first do not have it.
  [[nodiscard]] bool is_of_first_page() const;
};

/// A tag whose values are an attribute as they are.
struct TiffAttributeTag {
  std::uint16_t tag;
  TiffValueType type;
  const char* name;
};
/// The tags that are read and written, in ascending order.
inline constexpr std::array<TiffAttributeTag, 8> tiff_attribute_tags{
    {{33550, TiffValueType::float64, "ModelPixelScale"},
     {33922, TiffValueType::float64, "ModelTiepoint"},
     {34264, TiffValueType::float64, "ModelTransformation"},
     {34735, TiffValueType::int16, "GeoKeyDirectory"},
     {34736, TiffValueType::float64, "GeoDoubleParams"},
     {34737, TiffValueType::text, "GeoAsciiParams"},
     {42112, TiffValueType::text, "GDAL_METADATA"},
     {42113, TiffValueType::text, "GDAL_NODATA"}}};

/// Adds the attributes of a page that are kept as they are, and the reasons of those that cannot be read.
void read_attribute_tags(TiffReader& reader, const TiffDirectory& page, nlohmann::ordered_json& attributes,
                         nlohmann::ordered_json& unread);

/// Whether an attribute has a place in a file that is written, beside the description.
bool has_tiff_tag(std::string_view attribute);

/// The tags of attributes, in ascending order; those without a place are left out. Throws ValueError for a
/// value that no tag can have. Example: `{"resolution":[300,300],"resolution_unit":"inch"}` gives three.
std::vector<TiffValue> tiff_values(std::string_view attributes, std::string_view operation);

/// The description among attributes; "" for none.
std::string tiff_description(std::string_view attributes);

}  // namespace tenstride::io
