// SPDX-License-Identifier: Apache-2.0
#include <iostream>

#include "cli.hpp"
#include "info.hpp"
#include "json.hpp"
#include "tenstride/checksum/checksum.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/layout/text.hpp"
#include "terminal_text.hpp"

namespace tenstride::cli {
namespace {

std::string order_name(const Layout& layout) {
  if (is_contiguous(layout)) return "C";
  return layout.strides == column_major_strides(layout.shape) ? "F" : "strided";
}

std::string order_text(const Layout& layout) {
  const std::string order = order_name(layout);
  if (order == "C") return "C (row-major: the last axis is the fastest)";
  return order == "F" ? "F (column-major: the first axis is the fastest)" : order;
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + word;
  return text;
}

/// Long texts are cut between characters of UTF-8, and say so.
std::string shortened(const std::string& text) {
  constexpr std::size_t most = 4096;
  if (text.size() <= most) return text;
  std::size_t end = most;
  while ((static_cast<unsigned char>(text[end]) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end) + "… (" + bytes_to_text(static_cast<Index>(text.size())) + "; --json has all)";
}

std::string mapped_text(const io::FileInfo& info) {
  if (!info.obstacle.empty()) return "no: it must " + info.obstacle;
  std::string text = info.is_mapped ? "yes: nothing is read before it is used" : "no: read into memory";
  if (!info.codec.empty()) text += ", compressed by " + info.codec;
  if (info.is_byte_swapped) text += ", its bytes swapped";
  return text;
}

std::string to_text(const io::FileInfo& info, const std::string& given, bool shows_checksum) {
  std::vector<std::vector<std::string>> rows{{"file", given}};
  if (!info.name.empty()) rows.push_back({"tensor", info.name});
  rows.insert(rows.end(), {{"format", info.format},
                           {"dtype", dtype_text(info)},
                           {"shape", to_string(info.layout.shape)},
                           {"strides", to_string(info.layout.strides)},
                           {"order", order_text(info.layout)},
                           {"elements", std::to_string(numel(info.layout)) + ", " + size_text(info)},
                           {"size", bytes_to_text(static_cast<Index>(info.file_nbytes))},
                           {"mapped", mapped_text(info)}});
  if (!info.axis_names.empty()) rows.push_back({"axes", joined(info.axis_names)});
  if (!info.chunk.empty()) rows.push_back({"chunk", to_string(info.chunk)});
  if (!info.shard.empty()) rows.push_back({"shard", to_string(info.shard)});
  if (info.is_scaled()) {
    rows.push_back({"scaling", "an element x means " + decimal(info.scale, "%.9g") + " * x + " +
                                   decimal(info.shift, "%.9g") + "; convert --rescale applies it"});
  }
  if (info.orientation != io::Orientation::upright) {
    rows.push_back({"orientation", std::to_string(static_cast<int>(info.orientation)) +
                                       (info.kind == io::FileKind::tiff ? ": stored " : " by EXIF: stored ") +
                                       std::string(io::description(info.orientation)) +
                                       "; convert --upright turns it"});
  }
  if (!info.attributes.empty()) rows.push_back({"attributes", shortened(info.attributes)});
  if (shows_checksum) rows.push_back({"checksum", to_string(io::checksum_file(info))});
  return lay_out(rows);
}

/// One line for each tensor of a file, and their bytes.
std::string list_text(const std::vector<io::FileInfo>& tensors, const InfoCommand& command) {
  std::vector<std::vector<std::string>> rows;
  Index nbytes = 0;
  for (const io::FileInfo& info : tensors) {
    nbytes += nbytes_of(info);
    std::vector<std::string> row{info.name, dtype_text(info), to_string(info.layout.shape), size_text(info)};
    if (order_name(info.layout) != "C") row.push_back("order " + order_name(info.layout));
    if (!info.codec.empty()) row.push_back(info.codec);
    if (!info.obstacle.empty()) row.push_back("must " + info.obstacle);
    if (command.shows_checksum && info.obstacle.empty()) row.push_back(to_string(io::checksum_file(info)));
    rows.push_back(std::move(row));
  }
  return lay_out(rows) + std::to_string(tensors.size()) + " tensors, " + bytes_to_text(nbytes) + ", " +
         tensors[0].format + '\n';
}

}  // namespace

Index nbytes_of(const io::FileInfo& info) {
  if (!info.obstacle.empty()) return 0;
  return numel(info.layout) * static_cast<Index>(item_size(info.dtype));
}

std::string dtype_text(const io::FileInfo& info) {
  return info.obstacle.empty() ? std::string(name(info.dtype)) : "-";
}

std::string size_text(const io::FileInfo& info) {
  return info.obstacle.empty() ? bytes_to_text(nbytes_of(info)) : "-";
}

Json to_json(const io::FileInfo& info, const std::string& given, bool shows_checksum) {
  Json json{{"path", given},
            {"name", info.name.empty() ? Json(nullptr) : Json(info.name)},
            {"format", info.format},
            {"dtype", info.obstacle.empty() ? Json(name(info.dtype)) : Json(nullptr)},
            {"shape", info.layout.shape.to_vector()},
            {"strides", info.layout.strides.to_vector()},
            {"order", order_name(info.layout)},
            {"elements", numel(info.layout)},
            {"nbytes", nbytes_of(info)},
            {"file_nbytes", info.file_nbytes},
            {"data_begin", info.data_begin},
            {"mapped", info.is_mapped},
            {"byte_swapped", info.is_byte_swapped}};
  const bool is_picture = info.storage == io::ElementStorage::encoded || info.kind == io::FileKind::tiff;
  json["orientation"] = is_picture ? Json(static_cast<int>(info.orientation)) : Json(nullptr);
  json["axes"] = info.axis_names;
  json["chunk"] = info.chunk.empty() ? Json(nullptr) : Json(info.chunk.to_vector());
  json["shard"] = info.shard.empty() ? Json(nullptr) : Json(info.shard.to_vector());
  json["codec"] = info.codec.empty() ? Json(nullptr) : Json(info.codec);
  json["scale"] = info.scale;
  json["shift"] = info.shift;
  json["attributes"] =
      info.attributes.empty() ? Json::object() : Json::parse(io::strict_json(info.attributes));
  if (!info.obstacle.empty()) json["obstacle"] = info.obstacle;
  if (shows_checksum)
    json["checksum"] = info.obstacle.empty() ? Json(to_string(io::checksum_file(info))) : Json(nullptr);
  return json;
}

std::vector<io::FileInfo> all_tensors(const std::string& given, const InfoCommand& command) {
  const bool is_whole_file = command.raw.shape.empty() && io::parse_address(given).names.empty();
  return input_infos(is_whole_file ? given + "::*" : given, command.raw, "info");
}

int run(const InfoCommand& command) {
  if (means_several_files(command)) return run_on_files(command);
  const std::string& path = command.paths.front();
  const std::vector<io::FileInfo> tensors = all_tensors(path, command);
  if (command.format == Format::json) {
    Json json;
    if (tensors.size() == 1) {
      json = to_json(tensors[0], path, command.shows_checksum);
    } else {
      json = {{"path", path}, {"tensors", Json::array()}};
      for (const io::FileInfo& info : tensors) {
        json["tensors"].push_back(to_json(info, info.path, command.shows_checksum));
      }
    }
    std::cout << to_line(json) << '\n';
    return done;
  }
  std::cout << (tensors.size() == 1 ? to_text(tensors[0], path, command.shows_checksum)
                                    : list_text(tensors, command));
  return done;
}

}  // namespace tenstride::cli
