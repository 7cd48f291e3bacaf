// SPDX-License-Identifier: Apache-2.0
// Attributes, a JSON text, that a tensor is saved with in each format.
#include "fuzz/files.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::fuzz {
namespace {

void check(const std::string& attributes) {
  static const Tensor x = arange(6, {.dtype = DType::float32}).view({2, 3});
  for (const char* suffix : {".nii", ".safetensors", ".tif", ".npz", ".zarr"}) {
    check_saved(suffix, {{"x", x, {}, attributes}});
  }
  const std::string zarr = scratch().path("saved.zarr");
  if (attributes.empty() || !std::filesystem::exists(zarr)) return;
  const std::string kept = io::read_file_info(zarr).attributes;
  const auto given = nlohmann::json::parse(attributes, nullptr, false);
  const auto found = nlohmann::json::parse(kept.empty() ? "{}" : kept);
  require(given == found, "Zarr keeps all attributes");
}

}  // namespace
}  // namespace tenstride::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  tenstride::fuzz::check(tenstride::fuzz::text_of(data, size));
  return 0;
}
