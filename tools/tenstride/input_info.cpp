// SPDX-License-Identifier: Apache-2.0
#include "input_info.hpp"

#include <charconv>

#include "cli.hpp"
#include "convert_large.hpp"
#include "input_path.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::cli {

Dims parse_shape(const std::string& option, const std::string& text) {
  const auto refuse = [&] { throw UsageError(option + " \"" + text + "\" must be sizes, e.g. 480,640"); };
  Dims shape;
  const char* at = text.data();
  const char* const end = text.data() + text.size();
  const auto skip = [&](std::string_view characters) {
    while (at != end && characters.find(*at) != std::string_view::npos) ++at;
  };
  skip(" (");
  while (at != end) {
    Index size = 0;
    const auto [next, error] = std::from_chars(at, end, size);
    if (error != std::errc() || size < 0 || shape.size() == max_rank) refuse();
    shape.push_back(size);
    at = next;
    const char* const before = at;
    skip(" ,)x");
    if (at == before && at != end) refuse();
  }
  return shape;
}

namespace {

io::RawElements raw_elements(const RawOptions& raw, const std::string& command) {
  io::RawElements elements;
  elements.shape = parse_shape("--shape", raw.shape);
  elements.is_column_major = raw.order == "F";
  elements.is_byte_swapped = raw.is_byte_swapped;
  if (!raw.dtype.empty()) {
    const std::optional<DType> dtype = parse_dtype(raw.dtype);
    if (!dtype)
      throw UsageError(command + ": the dtype \"" + raw.dtype + "\" of the input must be one, e.g. float32");
    elements.dtype = *dtype;
  }
  if (!raw.offset.empty() && raw.offset != "0")
    elements.offset = parse_limit(command + ": --offset", raw.offset);
  return elements;
}

/// Only with --shape do the others mean anything.
void check_raw(const RawOptions& raw, const std::string& command) {
  const bool has_more =
      !raw.dtype.empty() || !raw.order.empty() || !raw.offset.empty() || raw.is_byte_swapped;
  if (raw.shape.empty() && has_more)
    throw UsageError(command +
                     ": --input-dtype, --input-order, --offset and --byteswap must go with --shape, "
                     "for a file without a header");
}

}  // namespace

std::vector<io::FileInfo> input_infos(const std::string& given, const RawOptions& raw,
                                      const std::string& command) {
  check_raw(raw, command);
  if (!raw.shape.empty())
    return {io::raw_file_info(seekable_path(given, command, InputContent::any), raw_elements(raw, command),
                              command)};
  const io::TensorAddress address = io::parse_address(given);
  const std::string path = seekable_path(address.file, command);
  std::vector<io::FileInfo> found =
      io::list_tensors(address.names.empty() ? path : path + "::" + address.names, command);
  if (found.empty()) {
    throw FileError(command + ": \"" + address.file + "\" must hold a tensor, it holds none", path);
  }
  return found;
}

io::FileInfo input_info(const std::string& given, const RawOptions& raw, const std::string& command) {
  check_raw(raw, command);
  if (!raw.shape.empty()) return input_infos(given, raw, command)[0];
  const io::TensorAddress address = io::parse_address(given);
  const std::string path = seekable_path(address.file, command);
  return io::read_file_info(address.names.empty() ? path : path + "::" + address.names, command);
}

}  // namespace tenstride::cli
