// SPDX-License-Identifier: Apache-2.0
#include "tenstride/print/format.hpp"

#include <gtest/gtest.h>

#include <cstring>
#include <sstream>

#include "support/recorded.hpp"
#include "support/refusal.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride {
namespace {

using nlohmann::json;

/// Element i is (i % modulus) * scale as a double, converted.
Tensor ramp(std::int64_t modulus, double scale, const Dims& shape, DType dtype) {
  Tensor tensor = empty(shape, {.dtype = dtype});
  std::byte* const data = tensor.mutable_storage_data();
  visit(dtype, [&](auto type) {
    using T = typename decltype(type)::type;
    for (Index i = 0; i < tensor.numel(); ++i) {
      const double value = static_cast<double>(i % modulus) * scale;
      store_element(data + i * static_cast<Index>(sizeof(T)), convert_element<T>(value));
    }
  });
  return tensor;
}

PrintOptions print_options(const json& given) {
  PrintOptions options;
  options.precision = given.value("precision", options.precision);
  options.threshold = given.value("threshold", options.threshold);
  options.edgeitems = given.value("edgeitems", options.edgeitems);
  options.linewidth = given.value("linewidth", options.linewidth);
  return options;
}

// data/print.jsonl: recorded from a real PyTorch by tools/record_print.py.
TEST(Format, PrintsWhatPyTorchPrints) {
  int lines = 0;
  for (const json& record : testing::recorded("print.jsonl")) {
    ++lines;
    const DType dtype = parse_dtype(record["dtype"].get<std::string>()).value();
    const Dims shape = testing::recorded_dims(record["shape"]);
    Tensor tensor = record.contains("bytes") ? testing::from_hexadecimal(record["bytes"], shape, dtype)
                                             : ramp(record["ramp"][0].get<std::int64_t>(),
                                                    record["ramp"][1].get<double>(), shape, dtype);
    if (record.contains("permute")) tensor = tensor.permute(testing::recorded_dims(record["permute"]));
    if (record.value("conj", false)) tensor = tensor.conj();
    const PrintOptions options =
        record.contains("options") ? print_options(record["options"]) : PrintOptions{};
    EXPECT_EQ(to_string(tensor, options), record["text"].get<std::string>()) << "line " << lines;
  }
  EXPECT_GT(lines, 600);
}

Tensor bits(std::vector<std::int32_t> values, const Dims& shape) {
  Tensor tensor = empty(shape, {.dtype = DType::int32});
  std::memcpy(tensor.mutable_storage_data(), values.data(), values.size() * sizeof(std::int32_t));
  return tensor;
}

// From PyTorch's documentation of Tensor.view(dtype). The documentation indents the dtype by hand; PyTorch
// itself puts it below the first bracket.
TEST(Format, PrintsTheViewsOfPyTorchsDocumentation) {
  Tensor y = bits(
      {1064483442, -1124191867, 1069546515, -1089989247, -1105482831, 1061112040, 1057999968, -1084397505,
       -1071760287, -1123489973, -1097310419, -1084649136, -1101533110, 1073668768, -1082790149, -1088634448},
      {4, 4});
  const Tensor x = y.view(DType::float32);
  EXPECT_EQ(x.to_string(),
            "tensor([[ 0.9482, -0.0310,  1.4999, -0.5316],\n"
            "        [-0.1520,  0.7472,  0.5617, -0.8649],\n"
            "        [-2.4724, -0.0334, -0.2976, -0.8499],\n"
            "        [-0.2109,  1.9913, -0.9607, -0.6123]])");
  EXPECT_EQ(y.to_string(),
            "tensor([[ 1064483442, -1124191867,  1069546515, -1089989247],\n"
            "        [-1105482831,  1061112040,  1057999968, -1084397505],\n"
            "        [-1071760287, -1123489973, -1097310419, -1084649136],\n"
            "        [-1101533110,  1073668768, -1082790149, -1088634448]],\n"
            "       dtype=torch.int32)");
  y[0][0].fill_(1000000000);
  EXPECT_EQ(x.to_string(),
            "tensor([[ 0.0047, -0.0310,  1.4999, -0.5316],\n"
            "        [-0.1520,  0.7472,  0.5617, -0.8649],\n"
            "        [-2.4724, -0.0334, -0.2976, -0.8499],\n"
            "        [-0.2109,  1.9913, -0.9607, -0.6123]])");
  EXPECT_EQ(x.view(DType::complex64).to_string(),
            "tensor([[ 0.0047-0.0310j,  1.4999-0.5316j],\n"
            "        [-0.1520+0.7472j,  0.5617-0.8649j],\n"
            "        [-2.4724-0.0334j, -0.2976-0.8499j],\n"
            "        [-0.2109+1.9913j, -0.9607-0.6123j]])");
}

// The same documentation's bytes belong to another run: they agree with the numbers above to the digits
// shown.
TEST(Format, PrintsTheBytesOfPyTorchsDocumentation) {
  const Tensor z = testing::from_hexadecimal(
      "00ca9a3bb6f3fdbcb9fcbf3ff01608bf"
      "e3a51bbe80483f3f92cb0f3f166a5dbf"
      "cd3b1ec070ce08bd075f98be0c9359bf"
      "2bf657beebe2fe3f6ff075bfb1bf1cbf",
      {4, 16}, DType::uint8);
  EXPECT_EQ(z.to_string(),
            "tensor([[  0, 202, 154,  59, 182, 243, 253, 188, 185, 252, 191,  63, 240,  22,\n"
            "           8, 191],\n"
            "        [227, 165,  27, 190, 128,  72,  63,  63, 146, 203,  15,  63,  22, 106,\n"
            "          93, 191],\n"
            "        [205,  59,  30, 192, 112, 206,   8, 189,   7,  95, 152, 190,  12, 147,\n"
            "          89, 191],\n"
            "        [ 43, 246,  87, 190, 235, 226, 254,  63, 111, 240, 117, 191, 177, 191,\n"
            "          28, 191]], dtype=torch.uint8)");
  EXPECT_EQ(z.view(DType::float32).to_string(),
            "tensor([[ 0.0047, -0.0310,  1.4999, -0.5316],\n"
            "        [-0.1520,  0.7472,  0.5617, -0.8649],\n"
            "        [-2.4724, -0.0334, -0.2976, -0.8499],\n"
            "        [-0.2109,  1.9913, -0.9607, -0.6123]])");
}

TEST(Format, PrintsMetaTensorsWithoutElements) {
  EXPECT_EQ(empty({2, 3}, {.device = Device::meta}).to_string(), "tensor(..., device='meta', size=(2, 3))");
  EXPECT_EQ(empty({2}, {.dtype = DType::int64, .device = Device::meta}).to_string(),
            "tensor(..., device='meta', size=(2,), dtype=torch.int64)");
  EXPECT_EQ(empty({}, {.dtype = DType::bool_, .device = Device::meta}).to_string(),
            "tensor(..., device='meta', size=(), dtype=torch.bool)");
  EXPECT_EQ(empty({0}, {.device = Device::meta}).to_string(), "tensor(..., device='meta', size=(0,))");
}

// The types PyTorch has had since 2.1 and 2.3: the small floats print as float16 does, the integers as all
// do.
TEST(Format, PrintsTheNewerTypesAsTheirKin) {
  for (const DType dtype : {DType::float8_e4m3fn, DType::float8_e5m2}) {
    const std::string suffix = ", dtype=torch." + std::string(name(dtype)) + ")";
    EXPECT_EQ(ramp(5, 0.5, {5}, dtype).to_string(),
              "tensor([0.0000, 0.5000, 1.0000, 1.5000, 2.0000]" + suffix);
    EXPECT_EQ(ramp(3, 1.0, {3}, dtype).to_string(), "tensor([0., 1., 2.]" + suffix);
    EXPECT_EQ(ramp(2, 0x1p-9, {2}, dtype).to_string(), "tensor([0.0000, 0.0020]" + suffix);
  }
  EXPECT_EQ(full({}, 448, {.dtype = DType::float8_e4m3fn}).to_string(),
            "tensor(448., dtype=torch.float8_e4m3fn)");
  EXPECT_EQ(ramp(113, 1.0, {2, 3}, DType::uint16).to_string(),
            "tensor([[0, 1, 2],\n        [3, 4, 5]], dtype=torch.uint16)");
  EXPECT_EQ(full({2}, std::uint64_t{18446744073709551615U}, {.dtype = DType::uint64}).to_string(),
            "tensor([18446744073709551615, 18446744073709551615], dtype=torch.uint64)");
  EXPECT_EQ(ramp(9, 500.0, {4}, DType::uint32).to_string(),
            "tensor([   0,  500, 1000, 1500], dtype=torch.uint32)");
}

// PyTorch chooses the widths by the notation that was asked for (since the 2.x series).
TEST(Format, ObeysTheNotationAskedFor) {
  const Tensor x = ramp(3, 0.5, {3}, DType::float32);
  EXPECT_EQ(to_string(x, {.sci_mode = true}), "tensor([0.0000e+00, 5.0000e-01, 1.0000e+00])");
  const Tensor small = ramp(3, 1e-7, {3}, DType::float32);
  EXPECT_EQ(to_string(small, {.sci_mode = false}), "tensor([0.0000, 0.0000, 0.0000])");
  EXPECT_EQ(to_string(small, {.precision = 8, .sci_mode = false}),
            "tensor([0.00000000, 0.00000010, 0.00000020])");
  EXPECT_EQ(to_string(ramp(3, 1e6, {3}, DType::float32), {.sci_mode = true}),
            "tensor([0.0000e+00, 1.0000e+06, 2.0000e+06])");
  EXPECT_EQ(to_string(zeros({2}), {.sci_mode = true}), "tensor([0., 0.])");
}

TEST(Format, SummarisesWithoutAnyEdge) {
  EXPECT_EQ(to_string(ramp(9, 1.0, {5}, DType::int64), {.threshold = 2, .edgeitems = 0}), "tensor([...])");
  EXPECT_EQ(to_string(ramp(9, 1.0, {2, 3}, DType::int64), {.threshold = 2, .edgeitems = 0}), "tensor([...])");
}

TEST(Format, ReadsOnlyWhatItShows) {
  // 2^50 elements that share one byte: printing must not walk them.
  const Tensor x = zeros({1}, {.dtype = DType::uint8}).expand({Index{1} << 50});
  EXPECT_EQ(x.to_string(), "tensor([0, 0, 0,  ..., 0, 0, 0], dtype=torch.uint8)");
}

TEST(Format, PrintsViewsInLogicalOrder) {
  const Tensor x = ramp(113, 1.0, {3, 4}, DType::int64);
  EXPECT_EQ(x.slice(0, 1).slice(1, 0, 4, 2).to_string(), "tensor([[ 4,  6],\n        [ 8, 10]])");
  EXPECT_EQ(x.select(0, 1).to_string(), "tensor([4, 5, 6, 7])");
  EXPECT_EQ(zeros({}).to_string(), "tensor(0.)");
}

TEST(Format, WritesToTheCallersStream) {
  std::ostringstream stream;
  stream << zeros({2}) << "; " << ones({1}, {.dtype = DType::int64});
  EXPECT_EQ(stream.str(), "tensor([0., 0.]); tensor([1])");
}

TEST(Format, RefusesOptionsOutOfRange) {
  EXPECT_EQ(testing::refusal<ValueError>([] { return to_string(zeros({1}), {.precision = -1}); }),
            "to_string: precision -1 must lie in 0..1100");
  EXPECT_EQ(testing::refusal<ValueError>([] { return to_string(zeros({1}), {.edgeitems = -2}); }),
            "to_string: edgeitems -2 must not be negative");
}

}  // namespace
}  // namespace tenstride
