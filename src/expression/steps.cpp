// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>

#include "base/message.hpp"
#include "expression/chains.hpp"
#include "expression/evaluator.hpp"
#include "expression/scramble.hpp"

/// The record of an evaluation: what each call made, what it copied, and the most memory there ever was.
namespace tenstride::detail {
namespace {

constexpr std::size_t max_plans = 16;

Index bytes_of(Index count, const Tensor& tensor) {
  return saturating_multiply(count, static_cast<Index>(tensor.element_size()));
}

/// The bytes an in-place operation reads and writes: of a copy both sides, of a fill one.
void count_in_place_bytes(Step& step, const Call& call, const CopyLedger& ledger) {
  const Tensor& self = call.self();
  const std::string_view name = call.operation().name;
  const bool is_fill = name == "fill_" || name == "zero_";
  if (name == "copy_" || is_fill) {
    const Index written = bytes_of(self.numel(), self);
    step.bytes_moved = saturating_add(written, is_fill ? 0 : bytes_of(self.numel(), call.tensor(0)));
    step.bytes_filled = is_fill ? written : 0;
    return;
  }
  for (const LedgerEntry& entry : ledger.entries()) {  // scatter_, masked_fill_ and the like copy a part
    if (entry.kind != LedgerKind::copy) continue;
    step.bytes_moved =
        saturating_add(step.bytes_moved, saturating_add(entry.bytes_read, entry.bytes_written));
    if (entry.bytes_read == 0) step.bytes_filled = saturating_add(step.bytes_filled, entry.bytes_written);
  }
}

/// Whether a call gives the same elements in the same order, perhaps converted.
bool keeps_elements(const Call& call) {
  static constexpr std::array<std::string_view, 19> names{
      "contiguous", "clone",  "to",     "bool",    "byte",     "char", "short", "int",   "long",  "half",
      "float",      "double", "cfloat", "cdouble", "bfloat16", "type", "chalf", "alias", "detach"};
  return std::find(names.begin(), names.end(), call.operation().name) != names.end();
}

}  // namespace

StepKind kind_of(const Call& call, const Tensor& result) {
  const Tensor* self = call.has_self() ? &call.self() : nullptr;
  if (&result == self) return StepKind::self;
  switch (call.operation().op_class) {
    case OpClass::fresh:
    case OpClass::query:
      return StepKind::fresh;
    case OpClass::view:
      return StepKind::view;
    case OpClass::copy:
      return StepKind::copy;
    case OpClass::in_place:
      return StepKind::self;
    case OpClass::view_or_self:
      return self != nullptr && result.is_same(*self) ? StepKind::self : StepKind::view;
    case OpClass::self_or_copy:
      return self != nullptr && result.is_same(*self) ? StepKind::self : StepKind::copy;
    case OpClass::view_or_copy:
      return self != nullptr && result.shares_storage(*self) ? StepKind::view : StepKind::copy;
  }
  return StepKind::view;
}

ScriptPlace Evaluator::place_of(TextRange range) const {
  const std::string_view before = std::string_view(text_).substr(0, range.begin);
  const auto line = 1 + std::count(before.begin(), before.end(), '\n');
  return {"<expression>", "", static_cast<unsigned>(line)};
}

/// Before each operation: what the one before it left behind goes.
void Evaluator::sweep() {
  ledger_.clear();
  std::erase_if(storages_, [](const Storage& storage) { return storage.use_count() == 1; });
}

void Evaluator::add_step(Step step, const Tensor& result, bool is_fresh_storage) {
  step.dtype = result.dtype();
  step.layout = result.layout();
  step.contiguous = result.is_contiguous();
  const bool is_known = std::find(storages_.begin(), storages_.end(), result.storage()) != storages_.end();
  if (is_fresh_storage) step.bytes_allocated = static_cast<Index>(result.storage().nbytes());
  if (is_fresh_storage && !is_known && result.storage().use_count() > 0)
    storages_.push_back(result.storage());
  Index alive = 0, elsewhere = 0;
  for (const Storage& storage : storages_) {
    Index& held = storage.device().is_host() ? alive : elsewhere;
    held = saturating_add(held, static_cast<Index>(storage.nbytes()));
  }
  Totals& totals = result_.totals;
  totals.peak_bytes = std::max(totals.peak_bytes, alive);
  totals.peak_device_bytes = std::max(totals.peak_device_bytes, elsewhere);
  totals.bytes_moved = saturating_add(totals.bytes_moved, step.bytes_moved);
  totals.bytes_filled = saturating_add(totals.bytes_filled, step.bytes_filled);
  if (step.kind == StepKind::copy) ++totals.copies;
  if (step.kind == StepKind::transfer) ++totals.transfers;
  totals.bytes_transferred = saturating_add(totals.bytes_transferred, step.bytes_transferred);
  result_.steps.push_back(std::move(step));
  if (options_.on_step) options_.on_step(result_.steps.back(), result);
}

Value Evaluator::record(const Operation& operation, const Call& call, const Layout& before, Value result,
                        TextRange range) {
  if (operation.op_class == OpClass::query) return result;
  const Tensor* self = call.has_self() ? &call.self() : nullptr;
  const bool takes_list = self == nullptr && operation.op_class != OpClass::fresh;
  std::vector<Tensor> inputs;
  if (takes_list) inputs = call.tensors(0);

  const auto record_one = [&](Value& value) {
    if (value.tensor() == nullptr) return;
    const Tensor& made = *value.tensor();
    Step step;
    step.op = operation.name;
    step.range = range;
    step.kind = kind_of(call, made);
    if (self != nullptr) {
      step.source = call.self_value().step();
      step.from = before;
      step.from_dtype = self->dtype();
    }
    if (takes_list && operation.op_class == OpClass::view_or_self) {
      const auto is_input = [&](const Tensor& input) { return input.is_same(made); };
      if (std::any_of(inputs.begin(), inputs.end(), is_input)) step.kind = StepKind::self;
    }
    step.shares_storage = step.kind == StepKind::view || step.kind == StepKind::self;
    if (step.kind == StepKind::copy) {
      Index read = self != nullptr ? bytes_of(made.numel(), *self) : 0;
      for (const Tensor& input : inputs) read = saturating_add(read, bytes_of(input.numel(), input));
      const bool leaves_memory = self != nullptr && self->has_memory() != made.has_memory();
      if (!leaves_memory) step.bytes_moved = saturating_add(read, bytes_of(made.numel(), made));
      step.reason = copy_reason(call, before, made);
    }
    if (step.kind == StepKind::self && operation.op_class == OpClass::in_place)
      count_in_place_bytes(step, call, ledger_);
    note_transfer(step, self);
    for (const LedgerEntry& entry : ledger_.entries()) {
      if (entry.reduction && step.reductions.size() < max_plans) step.reductions.push_back(*entry.reduction);
    }
    if (step.kind == StepKind::copy || step.kind == StepKind::transfer ||
        operation.op_class == OpClass::in_place) {
      step.plan_count = ledger_.totals().copies;
      for (const LedgerEntry& entry : ledger_.entries()) {
        if (entry.kind != LedgerKind::copy) continue;
        if (!entry.plan) --step.plan_count;
        if (entry.plan && step.plans.size() < max_plans) step.plans.push_back(*entry.plan);
      }
      ledger_.clear();  // the first of several results has them all
    }
    const bool reshapes = operation.name == "reshape" || operation.name == "view" ||
                          operation.name == "reshape_as" || operation.name == "view_as";
    if (reshapes && made.dtype() == self->dtype()) note_scramble(step, *self, before, made.shape());
    if (self != nullptr && result.tensor() != nullptr) {
      add_chain(step, on_chain(chain_before(step.source, before), call),
                pattern_steps(call, before, self->dtype()), made.layout());
      note_origin(step, call, before, made.shape());
    }
    const bool is_in_place = operation.op_class == OpClass::in_place;
    const bool is_fresh = step.kind == StepKind::copy || step.kind == StepKind::fresh ||
                          (step.kind == StepKind::transfer && !is_in_place);
    const bool is_self = self != nullptr && (step.kind == StepKind::self || is_in_place);
    const std::size_t number = result_.steps.size();
    add_step(std::move(step), made, is_fresh);
    // The very same tensor stays the very same object, so that writing to its metadata is seen by all its
    // names. `made` may end here.
    if (is_self) value = call.self_value();
    value.set_step(number);
  };

  if (const Value::Sequence* list = result.sequence()) {
    Value::Sequence recorded = *list;
    for (Value& item : recorded.items) record_one(item);
    return Value(Value::Variant(std::move(recorded)));
  }
  record_one(result);
  return result;
}

Chain Evaluator::chain_before(std::optional<std::size_t> step, const Layout& layout) const {
  if (step && result_.steps[*step].chain && result_.steps[*step].layout == layout) {
    return *result_.steps[*step].chain;
  }
  return Chain(layout);
}

std::optional<Chain> Evaluator::origin_before(std::optional<std::size_t> step, const Layout& layout) const {
  if (options_.origins == OriginRule::left_out) return std::nullopt;
  return step ? result_.steps[*step].origin : Chain::with_index_map(layout);
}

void Evaluator::note_origin(Step& step, const Call& call, const Layout& before, const Dims& shape) const {
  const std::optional<Chain> from = origin_before(step.source, before);
  if (!from) return;
  if (step.source) step.reduced = result_.steps[*step.source].reduced;
  if (keeps_elements(call)) {
    step.origin = from;
  } else if (std::optional<ReducedOrigin> reduced = on_reduction(*from, call)) {
    if (step.reduced) return;  // the second one
    step.reduced = std::move(reduced);
    step.origin = step.reduced->axes.reduced(step.reduced->kept, shape);
  } else {
    step.origin = on_chain(*from, call);
  }
}

void Evaluator::add_chain(Step& step, std::optional<Chain> chain, std::vector<EagerStep> eager,
                          const Layout& layout) const {
  if (!chain || chain->shape() != layout.shape) return;
  step.chain = std::move(chain);
  step.eager = std::move(eager);
  if (!step.eager.empty()) return;
  step.eager.push_back(
      {std::string(text_at(step.range)), step.kind, layout, step.bytes_moved / 2, step.bytes_moved / 2});
}

Value Evaluator::record_elementwise(std::string_view op, std::optional<std::size_t> source, Tensor result,
                                    TextRange range) {
  Step step;
  step.op = op;
  step.kind = StepKind::fresh;
  step.source = source;
  step.range = range;
  Value value(std::move(result));
  value.set_step(result_.steps.size());
  add_step(std::move(step), *value.tensor(), true);
  return value;
}

void Evaluator::note_scramble(Step& step, const Tensor& self, const Layout& before, const Dims& sizes) {
  const std::optional<Scramble> scramble = find_scramble(before.shape, sizes);
  if (!scramble || is_as_meant(text_, step.range)) return;
  step.hint = to_string(*scramble);
  step.scramble = see(*scramble, self);
  if (options_.scrambles == ScrambleRule::tell) return;
  Failure failure;
  failure.type = "RuntimeError";
  failure.message = message(step.op, ": ", step.hint);
  failure.range = step.range;
  failure.op = step.op;
  failure.layout = before;
  failure.dtype = self.dtype();
  failure.source = step.source;
  failure.scramble = std::move(step.scramble);
  throw failure;
}

void Evaluator::stop(const Error& error, TextRange range, std::string_view op, const Value* self) {
  Failure failure;
  failure.type = name(error.kind());
  failure.message = error.what();
  failure.range = range;
  failure.op = op;
  if (self != nullptr && self->tensor() != nullptr) {
    failure.layout = self->tensor()->layout();
    failure.dtype = self->tensor()->dtype();
    failure.source = self->step();
  }
  if (const auto* refused = dynamic_cast<const ViewError*>(&error)) failure.obstacle = refused->obstacle();
  throw failure;
}

}  // namespace tenstride::detail
