// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <optional>

#include <nlohmann/json.hpp>

#include "base/message.hpp"
#include "io/tiff/page_sink.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

/// OME's name of an element type; "" for one that it lacks.
std::string_view ome_type(DType dtype) {
  switch (dtype) {
    case DType::bool_:
      return "bit";
    case DType::float32:
      return "float";
    case DType::float64:
      return "double";
    case DType::complex64:
      return "complex";
    case DType::complex128:
      return "double-complex";
    case DType::uint8:
    case DType::uint16:
    case DType::uint32:
    case DType::int8:
    case DType::int16:
    case DType::int32:
      return name(dtype);
    default:
      return {};
  }
}

/// The names as letters of OME, "TZCYX"; nothing where they are not such, each once.
std::optional<std::string> axis_letters(const std::vector<std::string>& names) {
  std::string letters;
  for (const std::string& one : names) {
    const bool is_known = one.size() == 1 && std::string_view("tzcyxs").find(one) != std::string_view::npos;
    const char letter = is_known ? static_cast<char>(one[0] - 'a' + 'A') : ' ';
    if (!is_known || letters.find(letter) != std::string::npos) return std::nullopt;
    letters += letter;
  }
  return letters;
}

std::string ome_xml(const TiffPages& pages, const std::string& page_letters) {
  // From the fastest axis to the slowest, then those that there are not.
  std::string order(page_letters.rbegin(), page_letters.rend());
  for (const char letter : {'C', 'Z', 'T'}) {
    if (order.find(letter) == std::string::npos) order += letter;
  }
  const auto size = [&](char letter) {
    const std::size_t at = page_letters.find(letter);
    return at == std::string::npos ? 1 : pages.axes[at];
  };
  std::string text = message(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>"
      "<OME xmlns=\"http://www.openmicroscopy.org/Schemas/OME/2016-06\" "
      "xmlns:xsi=\"http://www.w3.org/2001/XMLSchema-instance\" "
      "xsi:schemaLocation=\"http://www.openmicroscopy.org/Schemas/OME/2016-06 "
      "http://www.openmicroscopy.org/Schemas/OME/2016-06/ome.xsd\" Creator=\"",
      tiff_software, "\"><Image ID=\"Image:0\"><Pixels ID=\"Pixels:0\" DimensionOrder=\"XY", order,
      "\" Type=\"", ome_type(pages.dtype), "\" SizeX=\"", pages.width, "\" SizeY=\"", pages.height,
      "\" SizeC=\"", size('C') * pages.samples, "\" SizeZ=\"", size('Z'), "\" SizeT=\"", size('T'), "\"",
      pages.samples > 1 ? " Interleaved=\"true\"" : "", ">");
  for (Index channel = 0; channel < size('C'); ++channel) {
    text += message("<Channel ID=\"Channel:0:", channel, "\" SamplesPerPixel=\"", pages.samples, "\"/>");
  }
  text += message("<TiffData IFD=\"0\" PlaneCount=\"", pages.count, "\"/></Pixels></Image></OME>");
  return text;
}

}  // namespace

std::string tiff_axes_text(const TiffPages& pages, const Dims& shape, const TiffOptions& options) {
  const std::optional<std::string> letters =
      options.axis_names.empty() ? std::nullopt : axis_letters(options.axis_names);
  const std::size_t page_rank = pages.axes.size();
  if (letters) {
    const std::string before = letters->substr(0, page_rank);
    const std::string page = letters->substr(page_rank);
    const bool is_ome = before.find_first_not_of("TZC") == std::string::npos && page.starts_with("YX") &&
                        (page.size() == 2 || page == "YXC" || page == "YXS");
    if (is_ome && !ome_type(pages.dtype).empty()) return ome_xml(pages, before);
  }
  const bool is_plain = page_rank == 0 || (page_rank == 1 && pages.count > 1);
  if (is_plain && !letters) return {};
  nlohmann::ordered_json json{{"shape", shape.to_vector()}};
  if (letters) json["axes"] = *letters;
  return json.dump();
}

}  // namespace tenstride::io
