// SPDX-License-Identifier: Apache-2.0
#include <iostream>
#include <nlohmann/json.hpp>

#include "cli.hpp"
#include "input_path.hpp"
#include "tenstride/checksum.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/text.hpp"

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

/// Of the elements of the file in row-major order; a .npy file may be larger than memory.
std::string checksum_digits(const std::string& path, io::FileKind kind) {
  if (kind == io::FileKind::npy) return to_string(io::checksum_file(path));
  return to_string(checksum(io::open_tensor_file(path)));
}

}  // namespace

int run(const InfoCommand& command) {
  const std::string path = seekable_path(command.path, "info");
  const io::FileInfo info = io::read_file_info(path);
  const bool is_picture = info.kind != io::FileKind::npy;
  const auto orientation = static_cast<int>(info.orientation);
  const Index elements = numel(info.layout);
  const Index nbytes = elements * static_cast<Index>(item_size(info.dtype));
  if (command.format == Format::json) {
    nlohmann::ordered_json json{{"path", command.path},
                                {"format", info.format},
                                {"dtype", name(info.dtype)},
                                {"shape", info.layout.shape.to_vector()},
                                {"strides", info.layout.strides.to_vector()},
                                {"order", order_name(info.layout)},
                                {"elements", elements},
                                {"nbytes", nbytes},
                                {"file_nbytes", info.file_nbytes},
                                {"data_begin", info.data_begin},
                                {"mapped", info.is_mapped},
                                {"byte_swapped", info.is_byte_swapped}};
    json["orientation"] = is_picture ? nlohmann::ordered_json(orientation) : nlohmann::ordered_json(nullptr);
    if (command.shows_checksum) json["checksum"] = checksum_digits(path, info.kind);
    std::cout << json.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    return done;
  }
  std::string mapped = "no: read into memory";
  if (info.is_mapped) mapped = "yes: nothing is read before it is used";
  if (info.is_byte_swapped) mapped += ", its bytes swapped";
  std::vector<std::vector<std::string>> rows{
      {"file", command.path},
      {"format", info.format},
      {"dtype", std::string(name(info.dtype))},
      {"shape", to_string(info.layout.shape)},
      {"strides", to_string(info.layout.strides)},
      {"order", order_text(info.layout)},
      {"elements", std::to_string(elements) + ", " + bytes_to_text(nbytes)},
      {"size", bytes_to_text(static_cast<Index>(info.file_nbytes))},
      {"mapped", mapped},
  };
  if (info.orientation != io::Orientation::upright) {
    rows.push_back({"orientation", std::to_string(orientation) + " by EXIF: stored " +
                                       std::string(io::description(info.orientation)) +
                                       "; convert --upright turns it"});
  }
  if (command.shows_checksum) rows.push_back({"checksum", checksum_digits(path, info.kind)});
  std::cout << lay_out(rows);
  return done;
}

}  // namespace tenstride::cli
