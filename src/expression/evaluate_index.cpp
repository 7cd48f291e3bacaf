// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "base/message.hpp"
#include "expression/chains.hpp"
#include "expression/evaluator.hpp"
#include "operations/operators.hpp"
#include "ops/index_parts.hpp"

/// `x[1:, ::2, None, ..., [0, 2], mask]`, reading and assigning.
namespace tenstride::detail {
namespace {

/// All parameters of an index in brackets, for the errors and the step.
Value no_run(Call&) {
  return {};
}
const Operation index_view{"index(Tensor self) -> Tensor", method, OpClass::view, no_run, ""};
const Operation index_copy{"index(Tensor self) -> Tensor", method, OpClass::copy, no_run, ""};
const Operation index_write{"index_put_(Tensor self) -> Tensor", method, OpClass::in_place, no_run, ""};

std::optional<Nested> nested_list(const Value& value) {
  if (value.number() != nullptr) return Nested(*value.number());
  if (value.tensor() != nullptr) return value.tensor()->tolist();
  if (value.sequence() == nullptr) return std::nullopt;
  std::vector<Nested> items;
  for (const Value& item : value.sequence()->items) {
    std::optional<Nested> nested = nested_list(item);
    if (!nested) return std::nullopt;
    items.push_back(*std::move(nested));
  }
  return Nested(std::move(items));
}

/// The positions of a slice of a list of `size` items.
std::vector<std::size_t> positions(const Slice& slice, std::size_t size) {
  const Layout items{{static_cast<Index>(size)}, {1}, 0};
  const BasicIndex entry = slice;
  const Layout sliced = tenstride::index(items, std::span(&entry, 1));
  std::vector<std::size_t> result;
  for (Index i = 0; i < sliced.shape[0]; ++i) {
    result.push_back(static_cast<std::size_t>(sliced.offset + i * sliced.strides[0]));
  }
  return result;
}

/// PyTorch's rule for a list that is a tuple of indices: less than 32 entries, one of which is a list, a
/// Tensor, None or `...`. Example: `x[[[0, 1], [1, 2]]]` is `x[[0, 1], [1, 2]]`.
bool is_tuple_of_indices(const Value::Sequence& list) {
  if (list.kind != Value::SequenceKind::list) return true;
  if (list.items.size() >= 32) return false;
  return std::any_of(list.items.begin(), list.items.end(), [](const Value& item) {
    return item.is_none() || item.sequence() != nullptr || item.tensor() != nullptr ||
           std::holds_alternative<EllipsisType>(item.variant());
  });
}

/// Whether the value stands for one position: no uint8 of rank 0, which is a mask.
bool is_position(const Value& value) {
  return value.tensor() == nullptr || value.tensor()->dtype() != DType::uint8;
}

std::size_t position_of(Index index, std::size_t size, TextRange range) {
  const auto count = static_cast<Index>(size);
  if (index < -count || index >= count) {
    throw NotationError{
        "IndexError",
        message("index ", index, " must be in ", -count, "..", count - 1, " (", count, " items)"), range};
  }
  return static_cast<std::size_t>(index < 0 ? index + count : index);
}

/// The indices of a slice, of an axis of `size`, forwards.
Slice forwards(const Slice& slice, Index size) {
  const auto clamped = [size](std::optional<Index> bound, Index otherwise) {
    if (!bound) return otherwise;
    return std::clamp<Index>(*bound < 0 ? *bound + size : *bound, -1, size - 1);
  };
  const Index first = clamped(slice.start, size - 1), stop = clamped(slice.stop, -1);
  if (first <= stop) return {0, 0, 1};
  return {first - (first - stop - 1) / -slice.step * -slice.step, first + 1, -slice.step};
}

/// Reverses slices that walk backwards, and gives the axes of the result that are then to be flipped.
Dims reverse_backward_slices(std::vector<TensorIndex>& indices, const Dims& shape) {
  Dims flipped;
  const auto rank = static_cast<Index>(shape.size());
  const Index rest = rank - static_cast<Index>(axes_taken(indices));
  Index axis = 0, place = 0;  // of the tensor and of the result
  for (TensorIndex& entry : indices) {
    if (const auto* const slice = std::get_if<Slice>(&entry.value())) {
      if (slice->step < 0 && axis < rank) {
        entry = TensorIndex(forwards(*slice, shape[static_cast<std::size_t>(axis)]));
        flipped.push_back(place);
      }
      ++axis, ++place;
    } else if (std::holds_alternative<Ellipsis>(entry.value())) {
      axis += rest, place += rest;
    } else if (std::holds_alternative<NewAxis>(entry.value())) {
      ++place;
    } else {
      ++axis;
    }
  }
  return flipped;
}

}  // namespace

Slice Evaluator::slice_of(const Node& node) {
  Slice slice;
  const auto entry = [&](std::size_t i) -> std::optional<Index> {
    if (!node.children[i]) return std::nullopt;
    const Value value = value_of(*node.children[i]);
    if (value.is_none()) return std::nullopt;
    const std::optional<Index> number = to_index(value);
    if (!number) {
      throw NotationError{"TypeError",
                          message("index: an int was expected, ", value.type_name(), " is given"),
                          node.children[i]->range};
    }
    return number;
  };
  slice.start = entry(0);
  slice.stop = entry(1);
  slice.step = entry(2).value_or(1);
  return slice;
}

void Evaluator::add_index(std::vector<TensorIndex>& indices, const Value& value, TextRange range) {
  const Value::Variant& entry = value.variant();
  if (value.is_none()) {
    indices.emplace_back(NewAxis{});
  } else if (std::holds_alternative<EllipsisType>(entry)) {
    indices.emplace_back(Ellipsis{});
  } else if (const std::optional<Index> number = to_index(value); number && is_position(value)) {
    indices.emplace_back(*number);
  } else if (value.number() != nullptr && value.number()->is_bool()) {
    indices.emplace_back(value.number()->to<bool>());
  } else if (value.tensor() != nullptr) {
    indices.emplace_back(*value.tensor());
  } else if (std::optional<Nested> nested = nested_list(value); nested && nested->is_list()) {
    indices.emplace_back(list_index(*nested));
  } else {
    throw NotationError{
        "TypeError",
        message("index: ", value.type_name(),
                " must be an int, a slice, None, `...`, a list of ints or bools, or a Tensor"),
        range};
  }
}

std::vector<TensorIndex> Evaluator::indices_of(const Node& node) {
  std::vector<TensorIndex> indices;
  for (std::size_t i = 1; i < node.children.size(); ++i) {
    const Node& child = *node.children[i];
    if (child.kind == NodeKind::slice) {
      indices.emplace_back(slice_of(child));
      continue;
    }
    const Value value = value_of(child);
    const Value::Sequence* list = value.sequence();
    const bool is_alone = !node.has_comma && node.children.size() == 2;
    if (list != nullptr && is_alone && is_tuple_of_indices(*list)) {
      for (const Value& item : list->items) add_index(indices, item, child.range);  // x[(0, 1)] is x[0, 1]
    } else {
      add_index(indices, value, child.range);
    }
  }
  return indices;
}

Value Evaluator::value_of_index(const Node& node) {
  if (std::optional<Value> named = value_of_named_tensor(node)) return *std::move(named);
  Value object = value_of(*node.children[0]);
  if (object.sequence() != nullptr) {
    return guarded(node.own, "index", nullptr, [&] { return index_sequence(node, object); });
  }
  if (const auto* storage = std::get_if<StorageElements>(&object.variant())) {
    return guarded(node.own, "index", nullptr, [&] { return index_storage(node, storage->elements); });
  }
  if (const auto* storage = std::get_if<StorageBytes>(&object.variant())) {
    return guarded(node.own, "index", nullptr, [&] { return index_storage(node, storage->bytes); });
  }
  return guarded(node.own, "index", &object, [&]() -> Value {
    if (object.tensor() == nullptr) {
      throw NotationError{"TypeError", message("a ", object.type_name(), " cannot be indexed"), node.own};
    }
    std::vector<TensorIndex> indices = indices_of(node);
    const auto is_basic = [](const TensorIndex& index) { return index.is_basic(); };
    const bool has_basic = std::all_of(indices.begin(), indices.end(), is_basic);
    Dims flipped;
    if (has_basic && options_.slices == SliceRule::both_ways)
      flipped = reverse_backward_slices(indices, object.tensor()->shape());
    sweep();
    Tensor taken = object.tensor()->index(indices);
    Value result(flipped.empty() ? std::move(taken) : taken.flip(flipped));
    const bool is_view = has_basic && flipped.empty();
    const Operation& operation = is_view ? index_view : index_copy;
    const Layout before = object.tensor()->layout();
    std::optional<Chain> chain;
    if (is_view) chain = on_chain(chain_before(object.step(), before), indices);
    std::optional<Chain> origin = origin_before(object.step(), before);
    if (origin) origin = has_basic ? on_chain(*origin, indices) : std::nullopt;
    if (origin && !flipped.empty()) origin = origin->flip(flipped);
    const Call call(operation, session_, node.own, std::move(object), {});
    Value recorded = record(operation, call, before, std::move(result), node.own);
    Step& step = result_.steps[*recorded.step()];
    add_chain(step, std::move(chain), {}, Layout(step.layout));
    step.origin = std::move(origin);
    if (step.source) step.reduced = result_.steps[*step.source].reduced;
    return recorded;
  });
}

Value Evaluator::index_sequence(const Node& node, const Value& object) {
  const Value::Sequence& list = *object.sequence();
  const Node& entry = *node.children[1];
  if (node.children.size() == 2 && !node.has_comma && entry.kind == NodeKind::slice) {
    const Slice slice = slice_of(entry);
    Value::Sequence result{list.kind, {}};
    for (const std::size_t at : positions(slice, list.items.size())) result.items.push_back(list.items[at]);
    return Value(Value::Variant(std::move(result)));
  }
  const std::optional<Index> index =
      node.children.size() == 2 && !node.has_comma ? to_index(value_of(entry)) : std::nullopt;
  if (!index) {
    throw NotationError{"TypeError", message("a ", object.type_name(), " is indexed by one int or slice"),
                        node.own};
  }
  return list.items[position_of(*index, list.items.size(), node.own)];
}

Value Evaluator::index_storage(const Node& node, const Tensor& elements) {
  const std::optional<Index> index = node.children.size() == 2 && node.children[1]->kind != NodeKind::slice
                                         ? to_index(value_of(*node.children[1]))
                                         : std::nullopt;
  if (!index) throw NotationError{"TypeError", "a storage is indexed by one int", node.own};
  const auto size = static_cast<std::size_t>(elements.numel());
  return Value(elements[static_cast<Index>(position_of(*index, size, node.own))].item());
}

void Evaluator::assign_attribute(const Node& target, const Value& value) {
  Value object = value_of(*target.children[0]);
  guarded(target.range, target.text, &object, [&] {
    if (object.tensor() == nullptr || !is_part(target.text)) {
      throw NotationError{"AttributeError",
                          message("the attribute '", target.text, "' of a ", object.type_name(),
                                  " cannot be assigned to, only real and imag of a Tensor"),
                          target.own};
    }
    // Changed in place by `x.real += 1`.
    const bool is_there =
        value.tensor() != nullptr && value.tensor()->is_same(part_of(*object.tensor(), target.text));
    if (is_there) return;
    const Tensor written = write_part(*object.tensor(), target.text, value);
    Step step;
    step.op = value.tensor() != nullptr ? "copy_" : "fill_";
    step.kind = StepKind::self;
    step.bytes_moved = static_cast<Index>(written.nbytes());
    if (value.tensor() != nullptr) {
      step.bytes_moved = saturating_add(
          step.bytes_moved,
          saturating_multiply(written.numel(), static_cast<Index>(value.tensor()->element_size())));
    } else {
      step.bytes_filled = step.bytes_moved;
    }
    step.source = object.step();
    step.range = target.range;
    add_step(std::move(step), *object.tensor(), false);
  });
}

void Evaluator::assign_index(const Node& target, const Value& value) {
  Value object = value_of(*target.children[0]);
  const TextRange range{target.range.begin, target.range.end};
  guarded(range, "index_put_", &object, [&] {
    if (const auto* storage = std::get_if<StorageElements>(&object.variant())) {
      const std::optional<Index> index = to_index(value_of(*target.children[1]));
      if (!index || value.number() == nullptr) {
        throw NotationError{"TypeError", "an element of a storage is one number at one int", range};
      }
      const auto size = static_cast<std::size_t>(storage->elements.numel());
      storage->elements[static_cast<Index>(position_of(*index, size, range))].fill_(*value.number());
      return;
    }
    if (object.tensor() == nullptr) {
      throw NotationError{"TypeError", message("nothing can be put into a ", object.type_name()), range};
    }
    const std::vector<TensorIndex> indices = indices_of(target);
    Tensor& tensor = *object.tensor();
    const Index region = tensor.index(indices).numel();  // what is written, for the count of bytes
    Index bytes = region * static_cast<Index>(tensor.element_size());
    sweep();
    if (value.tensor() != nullptr) {
      tensor.index_put_(indices, *value.tensor());
      bytes += region * static_cast<Index>(value.tensor()->element_size());
    } else if (value.number() != nullptr) {
      const TensorOptions options{.dtype = tensor.dtype(), .device = tensor.device()};
      tensor.index_put_(indices, full({}, *value.number(), options));
    } else {
      throw NotationError{
          "TypeError",
          message("index_put_: a number or a Tensor was expected, ", value.type_name(), " is given"), range};
    }
    Step step;
    step.op = index_write.name;
    step.kind = StepKind::self;
    step.bytes_moved = bytes;
    step.bytes_filled = value.tensor() == nullptr ? bytes : 0;
    step.source = object.step();
    step.range = range;
    note_transfer(step, value.tensor());
    add_step(std::move(step), tensor, false);
  });
}

}  // namespace tenstride::detail
