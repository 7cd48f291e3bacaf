// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/page_axes.hpp"

#include <charconv>
#include <optional>

#include <nlohmann/json.hpp>

namespace tenstride::io {
namespace {

/// The number behind `key=` in a text of lines; nothing where there is none from 1 on.
std::optional<Index> imagej_number(std::string_view description, std::string_view key) {
  for (std::size_t begin = 0; begin < description.size();) {
    const std::size_t end = std::min(description.find('\n', begin), description.size());
    const std::string_view line = description.substr(begin, end - begin);
    begin = end + 1;
    if (!line.starts_with(key) || line.size() <= key.size() || line[key.size()] != '=') continue;
    Index value = 0;
    const char* const last = line.data() + line.size();
    if (std::from_chars(line.data() + key.size() + 1, last, value).ec == std::errc() && value >= 1) {
      return value;
    }
  }
  return std::nullopt;
}

/// The page axes among sizes of the whole tensor; nothing where the others are not those of the format.
std::optional<Dims> pages_of(const Dims& shape, const TiffFormat& format) {
  Dims page;
  if (format.planes == TiffPlanes::separate) page.push_back(format.samples);
  if (format.depth > 1) page.push_back(format.depth);
  page.push_back(format.height);
  page.push_back(format.width);
  if (format.samples_together() > 1) page.push_back(format.samples);
  if (shape.size() < page.size()) return std::nullopt;
  const std::size_t pages = shape.size() - page.size();
  for (std::size_t d = 0; d < page.size(); ++d) {
    if (shape[pages + d] != page[d]) return std::nullopt;
  }
  Dims result = shape;
  result.resize(pages);
  return result;
}

std::optional<Index> product_of(const Dims& sizes) {
  std::optional<Index> count = 1;
  for (const Index size : sizes) count = count ? try_multiply(*count, size) : count;
  return count;
}

/// The name that a letter of tifffile's gives an axis; "" where it is none, or another axis has it, too.
std::string name_of_axis(std::string_view letters, std::size_t axis) {
  const char letter = axis < letters.size() ? letters[axis] : 'Q';
  const bool is_known = std::string_view("TZCRIAPEYXS").find(letter) != std::string_view::npos;
  const bool is_alone = letters.find(letter) == axis && letters.rfind(letter) == axis;
  return is_known && is_alone ? std::string(1, static_cast<char>(letter - 'A' + 'a')) : std::string();
}

}  // namespace

namespace detail {

TiffPageAxes read_imagej_axes(std::string_view description) {
  const std::optional<Index> images = imagej_number(description, "images");
  const Dims sizes{imagej_number(description, "frames").value_or(1),
                   imagej_number(description, "slices").value_or(1),
                   imagej_number(description, "channels").value_or(1)};
  TiffPageAxes result;
  if (!images || product_of(sizes) != images) {
    // Of a stack that is none of these only the number of pictures is known.
    if (!images || product_of(sizes) != 1) return {};
    result.count = *images;
    if (*images > 1) {
      result.sizes = {*images};
      result.names = {"page"};
    }
    return result;
  }
  result.count = *images;
  for (std::size_t d = 0; d < 3; ++d) {
    if (sizes[d] == 1) continue;
    result.sizes.push_back(sizes[d]);
    result.names.emplace_back(1, "tzc"[d]);
  }
  return result;
}

TiffPageAxes read_shaped_axes(std::string_view description, const TiffFormat& format) {
  const nlohmann::json json = nlohmann::json::parse(description, nullptr, false);
  const auto found = json.is_object() ? json.find("shape") : json.end();
  if (!json.is_object() || found == json.end() || !found->is_array() || found->size() > max_rank) return {};
  Dims shape;
  for (const auto& size : *found) {
    if (!size.is_number_unsigned() || size.get<std::uint64_t>() > INT64_MAX || size == 0) return {};
    shape.push_back(size.get<Index>());
  }
  // A last size of 1 is not kept as samples.
  std::optional<Dims> pages = pages_of(shape, format);
  if (!pages && format.samples == 1 && shape.size() > 2 && shape.back() == 1) {
    shape.pop_back();
    pages = pages_of(shape, format);
  }
  if (!pages || !product_of(*pages)) return {};
  TiffPageAxes result{*pages, std::vector<std::string>(pages->size()), *product_of(*pages)};
  const std::string letters = json.value("axes", nlohmann::json()).is_string() ? json.value("axes", "") : "";
  for (std::size_t d = 0; d < result.names.size(); ++d) result.names[d] = name_of_axis(letters, d);
  // Of an axis of size 1 that is none of the tensor the letter stays behind.
  if (letters.size() >= shape.size()) {
    for (std::size_t d = pages->size(); d < shape.size(); ++d)
      result.page_names.push_back(name_of_axis(letters, d));
  }
  if (result.names.size() == 1 && result.names[0].empty()) result.names[0] = "page";
  return result;
}

}  // namespace detail

TiffPageAxes read_page_axes(std::string_view description, const TiffFormat& format) {
  if (description.starts_with("ImageJ=")) return detail::read_imagej_axes(description);
  if (description.starts_with("{")) return detail::read_shaped_axes(description, format);
  return {};
}

}  // namespace tenstride::io
