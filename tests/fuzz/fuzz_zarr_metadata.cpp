// SPDX-License-Identifier: Apache-2.0
// Metadata of a Zarr array, of version 2 (`.zarray` and `.zattrs`) and 3 (`zarr.json`): parsed, written,
// parsed again.
#include "fuzz/support.hpp"
#include "io/zarr/metadata.hpp"

namespace tenstride::fuzz {
namespace {

io::ZarrArray parse(const std::vector<InputPart>& parts) {
  std::string zarray, zattrs, zarr_json;
  for (const InputPart& part : parts) {
    (part.name == ".zarray" ? zarray : part.name == ".zattrs" ? zattrs : zarr_json) = part.bytes;
  }
  return zarray.empty() ? io::parse_zarr_v3(zarr_json, "x") : io::parse_zarr_v2(zarray, zattrs, "x");
}

std::vector<InputPart> write(const io::ZarrArray& array) {
  std::vector<InputPart> written;
  for (const io::ZarrText& text : io::zarr_metadata_texts(array)) written.push_back({text.name, text.text});
  return written;
}

void check(const std::string& input) {
  const auto array = accepted([&] { return parse(split_input(input)); });
  if (!array) return;
  const std::vector<InputPart> written = write(*array);
  io::ZarrArray again = parse(written);
  require(write(again) == written, "metadata that were read are written as before");
  // Attributes lose numbers that JSON does not have: NaN is written as a word.
  again.attributes = array->attributes;
  require(*array == again, "metadata are read as they were written");
  require(numel(io::zarr_chunk_layout(*array)) == count_elements(array->chunk),
          "a chunk's layout has its elements");
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
