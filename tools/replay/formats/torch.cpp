// SPDX-License-Identifier: Apache-2.0
#include "replay/chain.hpp"
#include "replay/elements.hpp"
#include "replay/formats/torch_operations.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/tensor/factory.hpp"

/// Chains recorded from PyTorch: META is shape, strides and offset (elements), dtype, contig (row-major,
/// channels_last, channels_last_3d), dense, alias (shares storage with the step's input), self (the very same
/// tensor came back), root (shares storage with the first tensor), nbytes (of the storage), crc.
namespace replay {
namespace {

using namespace tenstride;

class TorchFormat : public ChainFormat {
 public:
  [[nodiscard]] std::string_view name() const override { return "torch"; }
  [[nodiscard]] bool recognises(const Json& line) const override {
    return line.contains("init_meta") && line.at("init_meta").contains("contig");
  }

 protected:
  [[nodiscard]] const Operations& operations() const override { return torch_operations(); }

  [[nodiscard]] Tensor start(const Json& init) const override {
    if (init.at("fill") != "arange113") throw std::invalid_argument("unknown fill " + init.at("fill").dump());
    Tensor tensor = empty(to_dims(init.at("shape")), {.dtype = to_dtype(init.at("dtype"))});
    fill_counting(tensor, Imaginary::counted_mod_7);
    return tensor;
  }

  void compare(const Json& meta, const Checked& checked, Comparison& comparison) const override {
    const Tensor& tensor = checked.tensor;
    comparison.expect("shape", to_dims(meta.at("shape")), tensor.shape());
    comparison.expect("strides", to_dims(meta.at("strides")), tensor.strides());
    comparison.expect("offset", meta.at("offset").get<Index>(), tensor.storage_offset());
    comparison.expect("dtype", meta.at("dtype").get<std::string>(),
                      std::string(tenstride::name(tensor.dtype())));
    const Json contiguity = {tensor.is_contiguous(), tensor.is_contiguous(MemoryFormat::channels_last),
                             tensor.is_contiguous(MemoryFormat::channels_last_3d)};
    comparison.expect("contig", meta.at("contig"), contiguity);
    comparison.expect("dense", meta.at("dense").get<bool>(), tensor.is_non_overlapping_and_dense());
    const bool shares_input = checked.input != nullptr && tensor.shares_storage(*checked.input);
    comparison.expect("alias", meta.at("alias").get<bool>(), shares_input);
    const bool is_self = meta.value("self", false);
    const bool came_back = checked.input != nullptr && tensor.is_same(*checked.input);
    if (is_self || checked.tells_self) comparison.expect("self", is_self, came_back);
    comparison.expect("root", meta.at("root").get<bool>(), tensor.shares_storage(checked.first));
    comparison.expect("nbytes", meta.at("nbytes").get<std::size_t>(), tensor.storage().nbytes());
    if (!meta.at("crc").is_null())
      comparison.expect("crc", meta.at("crc").get<std::uint32_t>(), crc_of_elements(tensor));
  }

  [[nodiscard]] std::string error_name(const Error& error) const override {
    return std::string(tenstride::name(error.kind()));
  }
};

}  // namespace

const Format& torch_format() {
  static const TorchFormat format;
  return format;
}

}  // namespace replay
