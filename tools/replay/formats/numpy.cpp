// SPDX-License-Identifier: Apache-2.0
#include "tenstride/ops/numpy.hpp"

#include <stdexcept>

#include "replay/chain.hpp"
#include "replay/elements.hpp"
#include "tenstride/base/error.hpp"
#include "tenstride/tensor/factory.hpp"

/// Chains recorded from NumPy: META is shape, strides (bytes), dtype, c and f (contiguous), writeable, alias
/// (shares memory with the step's input), self (the input came back), off (bytes from the first array's
/// start; null where the memory is another or there are no elements), crc.
namespace replay {
namespace {

using namespace tenstride;

numpy::Order to_order(const Json& name) {
  const auto text = name.get<std::string>();
  for (const auto order : {numpy::Order::C, numpy::Order::F, numpy::Order::A, numpy::Order::K}) {
    if (numpy::name(order) == text) return order;
  }
  throw std::invalid_argument("unknown order " + text);
}

numpy::Order order_of(Arguments& a, numpy::Order otherwise = numpy::Order::C) {
  return a.has("order") ? to_order(a.at("order")) : otherwise;
}

/// NumPy's copy=None|True|False.
CopyRule copy_rule(Arguments& a) {
  if (!a.has("copy")) return CopyRule::if_needed;
  return a.at("copy").get<bool>() ? CopyRule::always : CopyRule::never;
}

std::optional<Dims> maybe_axes(Arguments& a, const std::string& name) {
  return a.has(name) ? std::optional(a.one_or_more(name)) : std::nullopt;
}

/// x + 1, to have an element-wise result in a chain; arithmetic is no operation of the library. NumPy makes
/// a bool array an int64 one on the way, which sends it through the iterator; all others take a shortcut
/// where the array is contiguous.
Tensor add1(const Tensor& x) {
  const bool is_cast = x.dtype() == DType::bool_;
  const bool is_short = !is_cast && (x.dim() <= 1 || numpy::is_c_contiguous(x) || numpy::is_f_contiguous(x));
  const Layout layout =
      is_short ? numpy::layout_like(x.layout())
               : numpy::dense_in_order(x.shape(), numpy::axes_in_iteration_order(x.layout()), "add1");
  Tensor result = empty_strided(layout.shape, layout.strides, {.dtype = is_cast ? DType::int64 : x.dtype()});
  add_one(result, x);
  return result;
}

Outcome squeeze(const Tensor& x, Arguments& a) {
  if (!a.has("axis")) return numpy::squeeze(x);
  if (a.at("axis").is_array()) return numpy::squeeze(x, a.dims("axis"));
  return numpy::squeeze(x, a.index("axis"));
}

Outcome astype(const Tensor& x, Arguments& a) {
  // astype's copy=False means "only if needed".
  const bool always = !a.has("copy") || a.at("copy").get<bool>();
  return numpy::astype(x, a.dtype("dtype"), order_of(a, numpy::Order::K),
                       always ? CopyRule::always : CopyRule::if_needed);
}

Outcome roll(const Tensor& x, Arguments& a) {
  return numpy::roll(x, a.one_or_more("shift"), maybe_axes(a, "axis"));
}

std::vector<Tensor> several(const Tensor& x, Arguments& a) {
  return std::vector<Tensor>(static_cast<std::size_t>(a.index("n")), x);
}

Entry plain(Operation run) {
  return {std::move(run), false};
}
Entry telling_self(Operation run) {
  return {std::move(run), true};
}

using X = const Tensor&;
using A = Arguments&;

const Operations& table() {
  using numpy::Order;
  static const Operations operations{
      {"T", plain([](X x, A) { return numpy::T(x); })},
      {"add1", plain([](X x, A) { return add1(x); })},
      {"as_strided",
       plain([](X x, A a) { return numpy::as_strided(x, a.dims("shape"), a.dims("strides")); })},
      {"asarray",
       telling_self([](X x, A a) { return numpy::asarray(x, order_of(a, Order::K), copy_rule(a)); })},
      {"ascontiguousarray", telling_self([](X x, A) { return numpy::ascontiguousarray(x); })},
      {"asfortranarray", telling_self([](X x, A) { return numpy::asfortranarray(x); })},
      {"astype", telling_self(astype)},
      {"atleast_3d", telling_self([](X x, A) { return numpy::atleast_3d(x); })},
      {"broadcast_to", plain([](X x, A a) { return numpy::broadcast_to(x, a.one_or_more("shape")); })},
      {"concatenate",
       plain([](X x, A a) { return numpy::concatenate(several(x, a), a.maybe_index("axis")); })},
      {"copy", plain([](X x, A a) { return numpy::copy(x, order_of(a)); })},
      {"diagonal", plain([](X x, A a) {
         return numpy::diagonal(x, a.index("offset", 0), a.index("axis1", 0), a.index("axis2", 1));
       })},
      {"empty_like", plain([](X x, A a) { return numpy::empty_like(x, order_of(a, Order::K)); })},
      {"expand_dims", plain([](X x, A a) { return numpy::expand_dims(x, a.one_or_more("axis")); })},
      {"flatten", plain([](X x, A a) { return numpy::flatten(x, order_of(a)); })},
      {"flip", plain([](X x, A a) {
         const auto axes = maybe_axes(a, "axis");
         return axes ? numpy::flip(x, *axes) : numpy::flip(x);
       })},
      {"fliplr", plain([](X x, A) { return numpy::fliplr(x); })},
      {"flipud", plain([](X x, A) { return numpy::flipud(x); })},
      {"imag", plain([](X x, A) { return numpy::imag(x); })},
      {"index", plain([](X x, A a) { return numpy::index(x, to_indices(a.at("idx"))); })},
      {"mT", plain([](X x, A) { return numpy::mT(x); })},
      {"matrix_transpose", plain([](X x, A) { return numpy::matrix_transpose(x); })},
      {"moveaxis", plain([](X x, A a) {
         return numpy::moveaxis(x, a.one_or_more("source"), a.one_or_more("destination"));
       })},
      {"ravel", plain([](X x, A a) { return numpy::ravel(x, order_of(a)); })},
      {"real", telling_self([](X x, A) { return numpy::real(x); })},
      {"repeat", plain([](X x, A a) { return numpy::repeat(x, a.index("repeats"), a.maybe_index("axis")); })},
      {"reshape",
       plain([](X x, A a) { return numpy::reshape(x, a.one_or_more("shape"), order_of(a), copy_rule(a)); })},
      {"roll", plain(roll)},
      {"rollaxis", plain([](X x, A a) { return numpy::rollaxis(x, a.index("axis"), a.index("start", 0)); })},
      {"rot90", plain([](X x, A a) { return numpy::rot90(x, a.index("k"), a.dims("axes")); })},
      {"sliding_window_view", plain([](X x, A a) {
         return numpy::sliding_window_view(x, a.one_or_more("window_shape"), maybe_axes(a, "axis"));
       })},
      {"squeeze", telling_self(squeeze)},
      {"stack", plain([](X x, A a) { return numpy::stack(several(x, a), a.index("axis", 0)); })},
      {"swapaxes", plain([](X x, A a) { return numpy::swapaxes(x, a.index("axis1"), a.index("axis2")); })},
      {"tile", plain([](X x, A a) { return numpy::tile(x, a.one_or_more("reps")); })},
      {"transpose", plain([](X x, A a) {
         return a.has("axes") ? numpy::transpose(x, a.dims("axes")) : numpy::transpose(x);
       })},
      {"view_dtype", plain([](X x, A a) { return numpy::view_dtype(x, a.dtype("dtype")); })},
  };
  return operations;
}

class NumpyFormat : public ChainFormat {
 public:
  [[nodiscard]] std::string_view name() const override { return "numpy"; }
  [[nodiscard]] bool recognises(const Json& line) const override {
    return line.contains("init_meta") && line.at("init_meta").contains("writeable");
  }

 protected:
  [[nodiscard]] const Operations& operations() const override { return table(); }

  [[nodiscard]] Tensor start(const Json& init) const override {
    const Dims shape = to_dims(init.at("shape"));
    const DType dtype = to_dtype(init.at("dtype"));
    const Layout counted = numpy::fresh({count_elements(shape)});
    const Layout layout = *numpy::try_reshape(counted, shape, to_order(init.at("order")));
    Tensor tensor = empty_strided(layout.shape, layout.strides, {.dtype = dtype});
    fill_counting(tensor, Imaginary::zero);
    return tensor;
  }

  void compare(const Json& meta, const Checked& checked, Comparison& comparison) const override {
    const Tensor& tensor = checked.tensor;
    comparison.expect("shape", to_dims(meta.at("shape")), tensor.shape());
    comparison.expect("dtype", meta.at("dtype").get<std::string>(),
                      std::string(tenstride::name(tensor.dtype())));
    if (!comparison.differences.empty()) return;
    compare_strides(meta, tensor, comparison);
    comparison.expect("c", meta.at("c").get<bool>(), numpy::is_c_contiguous(tensor));
    comparison.expect("f", meta.at("f").get<bool>(), numpy::is_f_contiguous(tensor));
    comparison.expect("writeable", meta.at("writeable").get<bool>(), !tensor.is_read_only());
    const bool shares_input = checked.input != nullptr && tensor.shares_storage(*checked.input);
    comparison.expect("alias", meta.at("alias").get<bool>(), shares_input);
    const bool is_self = meta.value("self", false);
    const bool came_back = checked.input != nullptr && tensor.is_same(*checked.input);
    if (is_self || checked.tells_self) comparison.expect("self", is_self, came_back);
    Json offset;
    if (tensor.shares_storage(checked.first) && tensor.numel() != 0)
      offset = tensor.storage_offset() * static_cast<Index>(tensor.itemsize());
    comparison.expect("off", meta.at("off"), offset);
    if (!meta.at("crc").is_null())
      comparison.expect("crc", meta.at("crc").get<std::uint32_t>(), crc_of_elements(tensor));
  }

  [[nodiscard]] std::string error_name(const Error& error) const override {
    if (dynamic_cast<const AxisError*>(&error) != nullptr) return "AxisError";
    return std::string(tenstride::name(error.kind()));
  }

 private:
  /// NumPy counts strides in bytes, a layout in elements: on an axis that moves nothing (of size 1, or
  /// without elements) a stride that is no multiple of the element is cut short.
  static void compare_strides(const Json& meta, const Tensor& tensor, Comparison& comparison) {
    Dims wanted = to_dims(meta.at("strides"));
    const auto width = static_cast<Index>(tensor.itemsize());
    for (std::size_t d = 0; d < std::min(wanted.size(), tensor.shape().size()); ++d) {
      const bool moves = tensor.numel() != 0 && tensor.shape()[d] != 1;
      if (moves || wanted[d] % width == 0) continue;
      wanted[d] = wanted[d] / width * width;
      comparison.deviation =
          "a byte stride that is no multiple of the element, on an axis that moves nothing, is cut short";
    }
    comparison.expect("strides", wanted, numpy::byte_strides(tensor));
  }
};

}  // namespace

const Format& numpy_format() {
  static const NumpyFormat format;
  return format;
}

}  // namespace replay
