// SPDX-License-Identifier: Apache-2.0
#include "expression/chains.hpp"

#include <algorithm>
#include <map>

#include "base/message.hpp"
#include "tenstride/layout/text.hpp"

namespace tenstride::detail {
namespace {

using Apply = Chain (*)(const Chain&, const Call&);

std::optional<PatternVerb> verb_of(const Call& call) {
  const std::vector<Parameter>& parameters = call.operation().schema.parameters;
  if (parameters.size() != 2 || !parameters[1].is_any) return std::nullopt;
  return call.operation().name == "repeat" ? PatternVerb::repeat : PatternVerb::rearrange;
}

BoundPattern bound(const Call& call, const Dims& shape) {
  return Pattern::cached(call.text(0), *verb_of(call))->bind(shape, call.sizes());
}

Chain same(const Chain& chain, const Call&) {
  return chain;
}
Chain swapped(const Chain& chain, const Call& call) {
  return chain.transpose(call.index(0), call.index(1));
}
Chain moved(const Chain& chain, const Call& call) {
  return chain.movedim(call.dims_or_index(0), call.dims_or_index(1));
}
Chain matrix_transposed(const Chain& chain, const Call&) {
  return chain.rank() < 2 ? chain : chain.transpose(-2, -1);
}
Chain reversed(const Chain& chain, const Call&) {
  Dims order;
  for (std::size_t d = chain.rank(); d-- > 0;) order.push_back(static_cast<Index>(d));
  return chain.permute(order);
}
Chain squeezed(const Chain& chain, const Call& call) {
  return call.has(0) ? chain.squeeze(call.dims_or_index(0)) : chain.squeeze();
}
Chain expanded(const Chain& chain, const Call& call) {
  return chain.expand(call.dims(0));
}
Chain reshaped(const Chain& chain, const Call& call) {
  return chain.reshape(call.dims(0));
}
Chain reshaped_as(const Chain& chain, const Call& call) {
  return chain.reshape(call.tensor(0).shape());
}
/// Held back, it means no more than that the steps behind it may take the elements for row-major.
Chain made_dense(const Chain& chain, const Call& call) {
  if (call.format(0) != MemoryFormat::contiguous) {
    throw ValueError("contiguous: a chain ends row-major only");
  }
  return chain;
}
Chain by_pattern(const Chain& chain, const Call& call) {
  return bound(call, chain.shape()).apply(chain);
}

const std::map<std::string_view, Apply>& layout_operations() {
  static const std::map<std::string_view, Apply> table{
      {"alias", same},
      {"detach", same},
      {"permute", [](const Chain& x, const Call& c) { return x.permute(c.dims(0)); }},
      {"transpose", swapped},
      {"swapaxes", swapped},
      {"swapdims", swapped},
      {"movedim", moved},
      {"moveaxis", moved},
      {"t", matrix_transposed},
      {"mT", matrix_transposed},
      {"T", reversed},
      {"squeeze", squeezed},
      {"unsqueeze", [](const Chain& x, const Call& c) { return x.unsqueeze(c.index(0)); }},
      {"unflatten", [](const Chain& x, const Call& c) { return x.unflatten(c.index(0), c.dims(1)); }},
      {"expand", expanded},
      {"broadcast_to", expanded},
      {"expand_as", [](const Chain& x, const Call& c) { return x.expand(c.tensor(0).shape()); }},
      {"select", [](const Chain& x, const Call& c) { return x.select(c.index(0), c.index(1)); }},
      {"narrow", [](const Chain& x, const Call& c) { return x.narrow(c.index(0), c.index(1), c.index(2)); }},
      {"slice",
       [](const Chain& x, const Call& c) {
         return x.slice(c.index(0, 0), c.maybe_index(1), c.maybe_index(2), c.index(3, 1));
       }},
      {"diagonal",
       [](const Chain& x, const Call& c) { return x.diagonal(c.index(0, 0), c.index(1, 0), c.index(2, 1)); }},
      {"flip", [](const Chain& x, const Call& c) { return x.flip(c.dims(0)); }},
      {"view", reshaped},
      {"view_as", reshaped_as},
      {"reshape", reshaped},
      {"reshape_as", reshaped_as},
      {"flatten", [](const Chain& x, const Call& c) { return x.flatten(c.index(0, 0), c.index(1, -1)); }},
      {"ravel", [](const Chain& x, const Call&) { return x.flatten(); }},
      {"contiguous", made_dense},
      {"rearrange", by_pattern},
      {"repeat", by_pattern},
  };
  return table;
}

/// What a call without a chain's counterpart is: `view` to a type, `reshape` with a rule, Tensor.repeat.
bool is_layout_operation(const Call& call) {
  const std::string_view name = call.operation().name;
  if (!layout_operations().contains(name)) return false;
  if (name == "view") return call.has(0) && !call.is_dtype(0);
  if (name == "reshape") return !call.has(1);
  if (name == "repeat") return verb_of(call).has_value();
  return true;
}

EagerStep eager_reshape(const Layout& layout, const Dims& shape, DType dtype) {
  EagerStep step{".reshape" + to_tuple(shape), StepKind::view, {}, 0, 0};
  if (std::optional<Layout> view = try_view(layout, shape)) {
    step.layout = *std::move(view);
    return step;
  }
  step.kind = StepKind::copy;
  step.layout = row_major(shape);
  step.bytes_read = step.bytes_written =
      saturating_multiply(numel(layout), static_cast<Index>(item_size(dtype)));
  return step;
}

}  // namespace

std::optional<Chain> on_chain(const Chain& chain, const Call& call) {
  if (!is_layout_operation(call)) return std::nullopt;
  try {
    return layout_operations().at(call.operation().name)(chain, call);
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::size_t axes_taken(std::span<const TensorIndex> entries) {
  const auto takes_one = [](const TensorIndex& entry) {
    return std::holds_alternative<Index>(entry.value()) || std::holds_alternative<Slice>(entry.value());
  };
  return static_cast<std::size_t>(std::count_if(entries.begin(), entries.end(), takes_one));
}

std::optional<Chain> on_chain(const Chain& chain, std::span<const TensorIndex> entries) {
  const auto is_basic = [](const TensorIndex& entry) { return entry.is_basic(); };
  if (!std::all_of(entries.begin(), entries.end(), is_basic)) return std::nullopt;
  Chain result = chain;
  Index axis = 0;
  for (const TensorIndex& entry : entries) {
    if (const Index* at = std::get_if<Index>(&entry.value())) {
      result = result.select(axis, *at);
    } else if (const Slice* slice = std::get_if<Slice>(&entry.value())) {
      if (slice->step < 1) return std::nullopt;
      result = result.slice(axis++, slice->start, slice->stop, slice->step);
    } else if (std::holds_alternative<NewAxis>(entry.value())) {
      result = result.unsqueeze(axis++);
    } else {
      axis += static_cast<Index>(chain.rank() - axes_taken(entries));
    }
  }
  return result;
}

std::optional<ReducedOrigin> on_reduction(const Chain& chain, const Call& call) {
  static const std::map<std::string_view, Reduction> names{
      {"sum", Reduction::sum},  {"mean", Reduction::mean}, {"prod", Reduction::prod},
      {"amin", Reduction::min}, {"amax", Reduction::max},  {"any", Reduction::any},
      {"all", Reduction::all}};
  try {
    if (call.operation().name == "reduce") {
      const BoundPattern bound =
          Pattern::cached(call.text(0), PatternVerb::reduce)->bind(chain.shape(), call.sizes());
      return ReducedOrigin{parse_reduction(call.text(1)), bound.apply_split(chain), bound.kept, std::nullopt};
    }
    const auto found = names.find(call.operation().name);
    if (found == names.end()) return std::nullopt;
    const auto rank = static_cast<Index>(chain.rank());
    Dims reduced = call.has(0) ? call.dims_or_index(0) : Dims();
    for (Index& axis : reduced) axis = axis < 0 ? axis + rank : axis;
    Dims order, last;
    for (Index axis = 0; axis < rank; ++axis) {
      const bool stays = !reduced.empty() && std::find(reduced.begin(), reduced.end(), axis) == reduced.end();
      (stays ? order : last).push_back(axis);
    }
    const std::size_t kept = order.size();
    for (const Index axis : last) order.push_back(axis);
    const bool has_dtype = call.operation().schema.find("dtype") == 2;
    return ReducedOrigin{found->second, chain.permute(order), kept, has_dtype ? call.dtype(2) : std::nullopt};
  } catch (const Error&) {
    return std::nullopt;
  }
}

std::vector<EagerStep> pattern_steps(const Call& call, const Layout& layout, DType dtype) {
  std::vector<EagerStep> steps;
  if (!verb_of(call)) return steps;
  const BoundPattern pattern = bound(call, layout.shape);
  Layout now = layout;
  const auto add = [&](EagerStep step) {
    now = step.layout;
    steps.push_back(std::move(step));
  };
  if (pattern.splits) add(eager_reshape(now, pattern.split, dtype));
  if (pattern.permutes) {
    add({".permute" + to_tuple(pattern.order), StepKind::view, permute(now, pattern.order), 0, 0});
  }
  if (!pattern.added.empty()) {
    for (const Index axis : pattern.added) now = unsqueeze(now, axis);
    add({".expand" + to_tuple(pattern.parts), StepKind::view, expand(now, pattern.parts), 0, 0});
  }
  if (pattern.merges) add(eager_reshape(now, pattern.shape, dtype));
  return steps;
}

}  // namespace tenstride::detail
