// SPDX-License-Identifier: Apache-2.0
// Copies from practice: matrices, channels, heads, images, slices, flips, expansions.
#include "case.hpp"
#include "tenstride/layout/views.hpp"

namespace tenstride::bench {
namespace {

using View = std::function<Layout(const Layout&)>;

constexpr DType u8 = DType::uint8;
constexpr DType u16 = DType::uint16;
constexpr DType f16 = DType::float16;
constexpr DType bf16 = DType::bfloat16;
constexpr DType f32 = DType::float32;
constexpr DType f64 = DType::float64;
constexpr DType c64 = DType::complex64;
constexpr DType c128 = DType::complex128;

enum class Run : bool { full_only, quick_too };

class Adder {
 public:
  Adder(std::vector<CopySpec>& specs, std::string family) : specs_(specs), family_(std::move(family)) {}

  CopySpec& permutation(const Dims& source, const Dims& order, DType type, Run run = Run::full_only,
                        const std::string& note = {}) {
    return view(shape_name(source, type) + " " + permutation_name(order) + note, source, permuted(order),
                type, run);
  }
  CopySpec& matrix(Index rows, Index columns, DType type, Run run = Run::full_only) {
    return view(shape_name({rows, columns}, type), {rows, columns}, permuted({1, 0}), type, run);
  }
  CopySpec& view(const std::string& name, const Dims& source, View view, DType type,
                 Run run = Run::full_only) {
    CopySpec spec;
    spec.family = family_;
    spec.name = name;
    spec.src_type = spec.dst_type = type;
    spec.source = source;
    spec.view = std::move(view);
    spec.is_quick = run == Run::quick_too;
    specs_.push_back(std::move(spec));
    return specs_.back();
  }

 private:
  std::vector<CopySpec>& specs_;
  std::string family_;
};

void add_matrices(std::vector<CopySpec>& specs) {
  Adder square(specs, "matrix, powers of two");
  square.matrix(4096, 4096, f32, Run::quick_too);
  square.matrix(8192, 8192, f32);
  square.matrix(4096, 4096, f64, Run::quick_too);
  square.matrix(8192, 8192, u8, Run::quick_too);
  square.matrix(4096, 4096, f16);
  square.matrix(8192, 8192, f16, Run::quick_too);
  square.matrix(4096, 4096, c64);
  square.matrix(4096, 2048, c128, Run::quick_too);
  Adder odd(specs, "matrix, other sizes");
  odd.matrix(8000, 8208, f32);
  odd.matrix(4097, 4099, f32, Run::quick_too);
  odd.matrix(4097, 4099, f64);
  odd.matrix(8191, 8193, u8, Run::quick_too);
  odd.matrix(10007, 10009, u8);
  odd.matrix(5003, 5009, f16);
  odd.matrix(10007, 2503, f32);
  odd.matrix(2503, 2521, c128);
}

void add_skinny(std::vector<CopySpec>& specs) {
  constexpr Index million = 1000000;
  constexpr Index million16 = 16 * 1024 * 1024;
  Adder add(specs, "skinny");
  add.matrix(16, million, f32, Run::quick_too);
  add.matrix(million, 16, f32, Run::quick_too);
  add.matrix(million, 3, f32);
  add.matrix(2, million16, f32);
  add.matrix(million16, 2, f32);
  add.matrix(million16, 3, f32);
  add.matrix(3, million16, f32);
  add.matrix(5, 8 * million, f32);
  add.matrix(16, million16 / 2, f32);
  add.matrix(million16 / 2, 7, f32);
  add.matrix(million16, 3, u8, Run::quick_too);
  add.matrix(3, million16, u8, Run::quick_too);
  add.matrix(million16, 4, u8);
  add.matrix(4, million16, u8);
  add.matrix(2, million16, u8);
  add.matrix(million16, 16, u8);
  add.matrix(16, million16, u8);
  add.matrix(million16, 3, u16);
  add.matrix(3, million16, u16);
  add.matrix(million16, 4, u16);
}

void add_channels(std::vector<CopySpec>& specs) {
  Adder add(specs, "channels and images");
  add.permutation({32, 64, 112, 112}, {0, 2, 3, 1}, f32, Run::quick_too, " (nchw -> nhwc)");
  add.permutation({32, 112, 112, 64}, {0, 3, 1, 2}, f32, Run::quick_too, " (nhwc -> nchw)");
  add.permutation({32, 64, 112, 112}, {0, 2, 3, 1}, f16, Run::full_only, " (nchw -> nhwc)");
  add.permutation({32, 112, 112, 64}, {0, 3, 1, 2}, f16, Run::full_only, " (nhwc -> nchw)");
  const Dims hwc{64, 224, 224, 3};
  const Dims chw{64, 3, 224, 224};
  add.permutation(hwc, {0, 3, 1, 2}, u8, Run::quick_too, " (hwc -> chw)");
  add.permutation(chw, {0, 2, 3, 1}, u8, Run::full_only, " (chw -> hwc)");
  add.permutation({64, 224, 224, 4}, {0, 3, 1, 2}, u8, Run::full_only, " (rgba -> planes)");
  add.permutation(hwc, {0, 3, 1, 2}, u8, Run::full_only, " (hwc -> chw) -> float32").dst_type = f32;
  add.permutation(chw, {0, 2, 3, 1}, f32, Run::full_only, " (chw -> hwc) -> uint8").dst_type = u8;
  for (const DType type : {f32, f16}) {
    CopySpec& spec =
        add.permutation(hwc, {0, 3, 1, 2}, u8, type == f32 ? Run::quick_too : Run::full_only,
                        " (hwc -> chw) -> " + std::string(name(type)) + ", scale and shift per channel");
    spec.dst_type = type;
    spec.scales = true;
    spec.scale_axis = 1;
  }
  CopySpec& stays =
      add.view("64x224x224x3 uint8 -> float32, scale and shift per channel", hwc, permuted({0, 1, 2, 3}), u8);
  stays.dst_type = f32;
  stays.scales = true;
  stays.scale_axis = 3;
}

void add_heads(std::vector<CopySpec>& specs) {
  const Dims heads{8, 16, 1024, 64};
  const Dims joined{8, 1024, 16, 64};
  Adder add(specs, "attention heads");
  add.permutation(heads, {0, 2, 1, 3}, f32, Run::quick_too, " (b h t d -> b t (h d))");
  add.permutation(heads, {0, 2, 1, 3}, f16, Run::quick_too, " (b h t d -> b t (h d))");
  add.permutation(heads, {0, 2, 1, 3}, bf16, Run::full_only, " (b h t d -> b t (h d))");
  add.permutation(joined, {0, 2, 1, 3}, f32, Run::full_only, " (b t (h d) -> b h t d)");
  add.permutation(heads, {0, 1, 3, 2}, f32, Run::quick_too, " (d and t swapped)");
  add.permutation(heads, {0, 1, 3, 2}, f16, Run::full_only, " (d and t swapped)");
  add.permutation(joined, {0, 2, 3, 1}, bf16, Run::full_only, " (b t (h d) -> b h d t)");
}

/// Permutations whose axes are short and seldom fill whole cache lines.
void add_many_axes(std::vector<CopySpec>& specs) {
  Adder add(specs, "many axes");
  const auto reversed = [&](const Dims& source, DType type, Run run = Run::full_only) {
    Dims order;
    for (auto axis = static_cast<Index>(source.size()); axis-- > 0;) order.push_back(axis);
    add.permutation(source, order, type, run);
  };
  reversed({90, 90, 90, 90}, f32, Run::quick_too);
  reversed({15, 15, 15, 15, 15, 15}, f32);
  reversed({7, 7, 7, 7, 7, 7, 7, 7, 7}, f32);
  reversed({33, 33, 33, 33, 7}, f64);
  reversed({50, 50, 50, 50, 3}, f32);
  reversed({5000, 300, 45}, f32);
  reversed({100, 100, 100, 100}, f16);
  reversed({33, 33, 33, 33, 33}, u8);
  reversed({64, 64, 64, 64}, u8);
  add.permutation({33, 33, 33, 33, 33}, {3, 4, 1, 0, 2}, f32);
  add.permutation({33, 33, 33, 33, 33}, {2, 4, 0, 3, 1}, f32);
}

/// Batches of matrices, and permutations whose runs are short on both sides: the items of one source line go
/// to many lines of the destination.
void add_short_axes(std::vector<CopySpec>& specs) {
  Adder add(specs, "batches and short axes");
  add.permutation({87381, 50, 3}, {0, 2, 1}, f32, Run::quick_too, " (a batch)");
  add.permutation({349525, 50, 3}, {0, 2, 1}, u8, Run::full_only, " (a batch)");
  add.permutation({1456355, 3, 3}, {0, 2, 1}, f32, Run::full_only, " (a batch)");
  add.permutation({131072, 20, 20}, {0, 2, 1}, u8, Run::full_only, " (a batch)");
  add.permutation({329, 90, 354}, {0, 2, 1}, f32, Run::quick_too, " (a batch)");
  add.permutation({978, 103, 208}, {0, 2, 1}, f16, Run::full_only, " (a batch)");
  add.permutation({3000, 3000, 3}, {1, 0, 2}, u8, Run::full_only, " (an image transposed)");
  add.permutation({10, 44, 3971, 3}, {2, 0, 1, 3}, f64, Run::full_only, " (rows of 24 bytes)");
  add.permutation({36, 388361, 3}, {2, 1, 0}, u8, Run::quick_too);
  add.permutation({42, 47, 7, 620, 3}, {0, 3, 2, 4, 1}, u8);
  add.permutation({243, 16, 558, 2, 4}, {2, 0, 4, 1, 3}, u16, Run::quick_too);
  add.permutation({28, 28, 3, 2, 557, 4}, {4, 0, 3, 5, 1, 2}, f32);
  add.permutation({72817, 12, 4, 3}, {1, 3, 2, 0}, f32);
  add.permutation({37, 15, 286, 11, 6}, {0, 4, 2, 1, 3}, f32);
  add.permutation({4936, 59, 3, 3}, {1, 3, 0, 2}, c128);
}

Layout crop(const Layout& x) {
  return slice(slice(x, 0, x.shape[0] / 8, x.shape[0] * 7 / 8), 1, x.shape[1] / 16 + 1,
               x.shape[1] * 15 / 16 + 1);
}

void add_slices(std::vector<CopySpec>& specs) {
  const Dims square{8192, 8192};
  Adder add(specs, "slices");
  const auto every = [](Index axis, Index step) {
    return [=](const Layout& x) { return slice(x, axis, {}, {}, step); };
  };
  add.view("x[:, ::2] 8192x8192 float32", square, every(1, 2), f32, Run::quick_too);
  add.view("x[::2] 8192x8192 float32", square, every(0, 2), f32);
  add.view(
      "x[::2, ::3] 8192x8192 float32", square,
      [](const Layout& x) { return slice(slice(x, 0, {}, {}, 2), 1, {}, {}, 3); }, f32);
  add.view("a crop of 8192x8192 float32", square, crop, f32, Run::quick_too);
  add.view("a crop of 8192x8192 uint8", square, crop, u8);
  add.view("x[:, ::2] 8192x8192 uint8", square, every(1, 2), u8, Run::quick_too);
  add.view("x[:, ::3] 8192x8192 uint8", square, every(1, 3), u8);
  add.view("x[:, ::2] 8192x8192 float16", square, every(1, 2), f16);
  add.view("x[:, ::4] 8192x8192 float64", square, every(1, 4), f64);
}

void add_flips(std::vector<CopySpec>& specs) {
  Adder add(specs, "flips");
  const auto flip = [&](const std::string& what, const Dims& shape, const Dims& axes, DType type, Run run) {
    add.view(
           "flip of " + what + " " + shape_name(shape, type), shape,
           [axes](const Layout& x) { return flip_view(x, axes); }, type, run)
        .flipped = axes;
  };
  flip("columns", {4096, 4096}, {1}, f32, Run::quick_too);
  flip("rows", {4096, 4096}, {0}, f32, Run::full_only);
  flip("both", {4096, 4096}, {0, 1}, f32, Run::full_only);
  flip("columns", {8192, 8192}, {1}, u8, Run::quick_too);
  flip("columns", {8192, 4096}, {1}, f16, Run::full_only);
  flip("columns of images", {64, 224, 224, 3}, {2}, u8, Run::full_only);
}

void add_repeated(std::vector<CopySpec>& specs) {
  Adder repeated(specs, "expand");
  const auto expanded = [](Index times, std::size_t axis) {
    return [=](const Layout& x) {
      Dims sizes = x.shape;
      sizes[axis] = times;
      return expand(x, sizes);
    };
  };
  repeated.view("a row of 4096 float32 8192 times", {1, 4096}, expanded(8192, 0), f32, Run::quick_too);
  repeated.view("a column of 8192 float32 4096 times", {8192, 1}, expanded(4096, 1), f32);
  repeated.view(
      "a bias of 64 float32 over 32 x 112x112", {1, 64, 1, 1},
      [](const Layout& x) {
        return expand(x, {32, x.shape[1], 112, 112});
      },
      f32);
  repeated.view("a column of 65536 uint8 1024 times", {65536, 1}, expanded(1024, 1), u8);
  repeated.view(
      "pixels of 512x512x3 uint8 4 times along each axis", {512, 1, 512, 1, 3},
      [](const Layout& x) {
        return expand(x, {x.shape[0], 4, x.shape[2], 4, x.shape[4]});
      },
      u8);
  Adder plain(specs, "contiguous");
  const View itself = [](const Layout& x) { return x; };
  plain.view("64 Mi float32", {64 * 1024 * 1024}, itself, f32, Run::quick_too);
  plain.view("64 Mi uint8", {64 * 1024 * 1024}, itself, u8);
  plain.view("16 Mi complex64", {16 * 1024 * 1024}, itself, c64);
}

}  // namespace

void add_table_cases(std::vector<CopySpec>& specs) {
  add_matrices(specs);
  add_skinny(specs);
  add_channels(specs);
  add_heads(specs);
  add_many_axes(specs);
  add_short_axes(specs);
  add_slices(specs);
  add_flips(specs);
  add_repeated(specs);
}

}  // namespace tenstride::bench
