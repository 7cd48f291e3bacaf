// SPDX-License-Identifier: Apache-2.0
#include <variant>

#include "base/message.hpp"
#include "operations/call.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/tensor/factory.hpp"

/// Operations that give a view, always or where one is possible.
namespace tenstride::detail {
namespace {

constexpr auto maybe_self = OpClass::view_or_self;
constexpr auto maybe_copy = OpClass::view_or_copy;

CopyRule copy_rule(const Call& call, std::size_t parameter) {
  if (!call.has(parameter)) return CopyRule::if_needed;
  return call.flag(parameter, false) ? CopyRule::always : CopyRule::never;
}

Value movedim(Call& call) {
  if (call.is_index(0) && call.is_index(1)) return call.self().movedim(call.index(0), call.index(1));
  return call.self().movedim(call.dims(0), call.dims(1));
}
Value moveaxis(Call& call) {
  if (call.is_index(0) && call.is_index(1)) return call.self().moveaxis(call.index(0), call.index(1));
  return call.self().moveaxis(call.dims(0), call.dims(1));
}
Value squeeze(Call& call) {
  if (!call.has(0)) return call.self().squeeze();
  if (call.is_index(0)) return call.self().squeeze(call.index(0));
  return call.self().squeeze(call.dims(0));
}
Value view_as_shape_or_type(Call& call) {
  if (call.has(0))
    return call.is_dtype(0) ? call.self().view(*call.dtype(0)) : call.self().view(call.dims(0));
  if (call.has(1)) return call.self().view(*call.dtype(1));
  throw TypeError("view: sizes or a dtype must be given");
}
Value split(Call& call) {
  const Index dim = call.index(1, 0);
  return tuple_value(call.is_index(0) ? call.self().split(call.index(0), dim)
                                      : call.self().split(call.dims(0), dim));
}
/// The sections, or the indices, that a tensor holds.
std::variant<Index, Dims> split_places(const Tensor& given) {
  if (given.device() != Device::cpu || given.dtype() != DType::int64 || given.dim() > 1) {
    throw RuntimeError(
        message("tensor_split: a tensor of indices or sections must be of int64, on the cpu, with "
                "at most 1 axis (",
                name(given.dtype()), " on ", name(given.device()), ", shape ", given.shape(), ")"));
  }
  if (given.dim() == 0) return given.item<Index>();
  Dims indices;
  for (const Index index : given.to_vector<std::int64_t>()) indices.push_back(index);
  return indices;
}
Value tensor_split(Call& call) {
  const Index dim = call.index(1, 0);
  if (call.is_tensor(0)) {
    return std::visit([&](const auto& places) { return tuple_value(call.self().tensor_split(places, dim)); },
                      split_places(call.tensor(0)));
  }
  return tuple_value(call.is_index(0) ? call.self().tensor_split(call.index(0), dim)
                                      : call.self().tensor_split(call.dims(0), dim));
}
Value hsplit(Call& call) {
  return tuple_value(call.is_index(0) ? call.self().hsplit(call.index(0)) : call.self().hsplit(call.dims(0)));
}
Value vsplit(Call& call) {
  return tuple_value(call.is_index(0) ? call.self().vsplit(call.index(0)) : call.self().vsplit(call.dims(0)));
}
Value dsplit(Call& call) {
  return tuple_value(call.is_index(0) ? call.self().dsplit(call.index(0)) : call.self().dsplit(call.dims(0)));
}

/// The transpose; for rank 0, where there is nothing to transpose, PyTorch gives the very same object.
Value or_itself(Call& call, Tensor transposed) {
  if (call.self().dim() == 0 && transposed.is_same(call.self())) return call.self_value();
  return transposed;
}

template <Tensor (*Op)(const Tensor&)>
Value at_least(Call& call) {
  if (!call.is_tensor(0))
    return tuple_value([&] {
      std::vector<Tensor> results;
      for (const Tensor& tensor : call.tensors(0)) results.push_back(Op(tensor));
      return results;
    }());
  return Op(call.tensor(0));
}

MeshIndexing mesh_indexing(const Call& call) {
  if (!call.has(1) || call.text(1) == "ij") return MeshIndexing::ij;
  if (call.text(1) == "xy") return MeshIndexing::xy;
  call.fail_type(1, "'ij' or 'xy'");
}

/// Where a part begins; a tensor must hold one integer.
Index start_of(const Call& call) {
  if (call.is_tensor(1) && !call.is_index(1)) {
    throw RuntimeError(message(call.operation().name,
                               ": start must be an int, or a tensor of one of rank 0 (",
                               name(call.tensor(1).dtype()), ", shape ", call.tensor(1).shape(), ")"));
  }
  return call.index(1);
}

}  // namespace

bool is_part(std::string_view name) {
  return name == "real" || name == "imag";
}

Tensor part_of(const Tensor& x, std::string_view name) {
  return name == "real" ? x.real() : x.imag();
}

Tensor write_part(const Tensor& x, std::string_view name, const Value& value) {
  Tensor part = part_of(x, name);
  if (value.tensor() != nullptr) return part.copy_(*value.tensor());
  if (value.number() != nullptr) {
    return part.copy_(full({}, *value.number(), {.dtype = part.dtype(), .device = part.device()}));
  }
  throw TypeError(message(name, ": what is assigned must be a number or a Tensor, not ", value.type_name()));
}

std::vector<Operation> view_operations() {
  return {
      {"alias", both, view, "", [](Call& c) -> Value { return c.self().alias(); }},
      {"detach", both, view, "", [](Call& c) -> Value { return c.self().detach(); }},
      {"data", attribute, view, "", [](Call& c) -> Value { return c.self().detach(); }},
      {"view", method, view, "size...? dtype?", view_as_shape_or_type},
      {"view_as", method, view, "other", [](Call& c) -> Value { return c.self().view_as(c.tensor(0)); }},
      {"permute", both, view, "dims...", [](Call& c) -> Value { return c.self().permute(c.dims(0)); }},
      {"transpose", both, view, "dim0 dim1",
       [](Call& c) -> Value { return c.self().transpose(c.index(0), c.index(1)); }},
      {"swapaxes", both, view, "axis0 axis1",
       [](Call& c) -> Value { return c.self().swapaxes(c.index(0), c.index(1)); }},
      {"swapdims", both, view, "dim0 dim1",
       [](Call& c) -> Value { return c.self().swapdims(c.index(0), c.index(1)); }},
      {"movedim", both, view, "source destination", movedim},
      {"moveaxis", both, view, "source destination", moveaxis},
      {"t", both, view, "", [](Call& c) -> Value { return c.self().t(); }},
      {"T", attribute, view, "", [](Call& c) -> Value { return c.self().T(); }},
      {"mT", attribute, view, "", [](Call& c) -> Value { return or_itself(c, c.self().mT()); }},
      {"H", attribute, view, "", [](Call& c) -> Value { return or_itself(c, c.self().H()); }},
      {"mH", attribute, view, "", [](Call& c) -> Value { return or_itself(c, c.self().mH()); }},
      {"adjoint", both, view, "", [](Call& c) -> Value { return or_itself(c, c.self().adjoint()); }},
      {"conj", both, maybe_self, "", [](Call& c) -> Value { return c.self().conj(); }},
      {"_neg_view", both, view, "", [](Call& c) -> Value { return c.self().neg_view(); }},
      {"squeeze", both, view, "dim...?", squeeze},
      {"unsqueeze", both, view, "dim", [](Call& c) -> Value { return c.self().unsqueeze(c.index(0)); }},
      {"unflatten", both, view, "dim sizes",
       [](Call& c) -> Value { return c.self().unflatten(c.index(0), c.dims(1)); }},
      {"expand", method, view, "size...", [](Call& c) -> Value { return c.self().expand(c.dims(0)); }},
      {"expand_as", method, view, "other", [](Call& c) -> Value { return c.self().expand_as(c.tensor(0)); }},
      {"broadcast_to", both, view, "size...",
       [](Call& c) -> Value { return c.self().broadcast_to(c.dims(0)); }},
      {"as_strided", both, view, "size stride storage_offset?",
       [](Call& c) -> Value { return c.self().as_strided(c.dims(0), c.dims(1), c.maybe_index(2)); }},
      {"select", both, view, "dim index",
       [](Call& c) -> Value { return c.self().select(c.index(0), c.index(1)); }},
      {"narrow", both, view, "dim start length",
       [](Call& c) -> Value { return c.self().narrow(c.index(0), start_of(c), c.index(2)); }},
      {"slice", both, view, "dim? start? end? step?",
       [](Call& c) -> Value {
         return c.self().slice(c.index(0, 0), c.maybe_index(1), c.maybe_index(2), c.index(3, 1));
       }},
      {"diagonal", both, view, "offset? dim1? dim2?",
       [](Call& c) -> Value { return c.self().diagonal(c.index(0, 0), c.index(1, 0), c.index(2, 1)); }},
      {"linalg.diagonal", function, view, "offset? dim1? dim2?",
       [](Call& c) -> Value { return c.self().diagonal(c.index(0, 0), c.index(1, -2), c.index(2, -1)); }},
      {"unfold", method, view, "dimension size step",
       [](Call& c) -> Value { return c.self().unfold(c.index(0), c.index(1), c.index(2)); }},
      {"view_as_real", function, view, "", [](Call& c) -> Value { return view_as_real(c.self()); }},
      {"view_as_complex", function, view, "", [](Call& c) -> Value { return view_as_complex(c.self()); }},
      {"real", Form::function | Form::attribute, maybe_self, "",
       [](Call& c) -> Value { return c.self().real(); }},
      {"imag", Form::function | Form::attribute, view, "", [](Call& c) -> Value { return c.self().imag(); }},
      {"unbind", both, view, "dim?",
       [](Call& c) -> Value { return tuple_value(c.self().unbind(c.index(0, 0))); }},
      {"split", both, view, "split_size dim?", split},
      {"split_with_sizes", both, view, "split_sizes dim?",
       [](Call& c) -> Value { return tuple_value(c.self().split_with_sizes(c.dims(0), c.index(1, 0))); }},
      {"chunk", both, view, "chunks dim?",
       [](Call& c) -> Value { return tuple_value(c.self().chunk(c.index(0), c.index(1, 0))); }},
      {"tensor_split", both, view, "indices_or_sections dim?", tensor_split},
      {"hsplit", both, view, "indices_or_sections", hsplit},
      {"vsplit", both, view, "indices_or_sections", vsplit},
      {"dsplit", both, view, "indices_or_sections", dsplit},
      {"broadcast_tensors", function, maybe_self, "! tensors...?",
       [](Call& c) -> Value {
         return tuple_value(broadcast_tensors(c.has(0) ? c.tensors(0) : std::vector<Tensor>{}));
       }},
      {"meshgrid", function, view, "! tensors... | indexing?",
       [](Call& c) -> Value { return tuple_value(meshgrid(c.tensors(0), mesh_indexing(c))); }},
      {"atleast_1d", function, maybe_self, "! tensors...", at_least<atleast_1d>},
      {"atleast_2d", function, maybe_self, "! tensors...", at_least<atleast_2d>},
      {"atleast_3d", function, maybe_self, "! tensors...", at_least<atleast_3d>},
      {"reshape", both, maybe_copy, "shape... | copy?",
       [](Call& c) -> Value { return c.self().reshape(c.dims(0), copy_rule(c, 1)); }},
      {"reshape_as", method, maybe_copy, "other",
       [](Call& c) -> Value { return c.self().reshape_as(c.tensor(0)); }},
      {"flatten", both, maybe_copy, "start_dim? end_dim?",
       [](Call& c) -> Value { return c.self().flatten(c.index(0, 0), c.index(1, -1)); }},
      {"ravel", both, maybe_copy, "", [](Call& c) -> Value { return c.self().ravel(); }},
  };
}

}  // namespace tenstride::detail
