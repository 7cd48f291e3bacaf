// SPDX-License-Identifier: Apache-2.0
#include "operations/call.hpp"

/// Random tensors. All draw from one generator that lives as long as the evaluation, so that a text always
/// gives the same numbers.
namespace tenstride::detail {
namespace {

TensorOptions options(const Call& call, std::size_t at) {
  return {call.dtype(at), call.device_for_fresh(at + 1, call.session().device)};
}

LikeOptions like_options(const Call& call) {
  return {call.dtype(0), call.device_for_fresh(1, call.self().device()),
          call.format(2).value_or(MemoryFormat::preserve)};
}

/// `randint(high, size)`, `randint(low, high, size)`; the size may be named.
Value randint_of(Call& call) {
  Generator& generator = call.session().generator;
  const bool is_short = call.has(2) ? !call.has(1) : call.has(1);
  if (is_short) return randint(0, call.index(0), call.dims(call.has(2) ? 2 : 1), generator, options(call, 3));
  return randint(call.index(0, 0), call.index(1), call.dims(2), generator, options(call, 3));
}

constexpr std::string_view sized = "! size... | dtype? device? requires_grad? layout?";
constexpr std::string_view like = "| dtype? device? memory_format? requires_grad? layout?";

/// `random_()`, `random_(to)`, `random_(from, to)`.
Value random_into(Call& call) {
  Generator& generator = call.session().generator;
  Tensor& self = call.mutable_self();
  if (!call.has(0) && !call.has(1)) {
    random_(self, generator);
  } else if (call.was_given(1)) {
    random_(self, call.index(0, 0), call.maybe_index(1), generator);
  } else {
    random_(self, 0, call.index(0), generator);
  }
  return call.self_value();
}

}  // namespace

std::vector<Operation> random_operations() {
  return {
      {"rand", function, fresh, sized,
       [](Call& c) -> Value { return rand(c.dims(0), c.session().generator, options(c, 1)); }},
      {"randn", function, fresh, sized,
       [](Call& c) -> Value { return randn(c.dims(0), c.session().generator, options(c, 1)); }},
      {"rand_like", function, fresh, like,
       [](Call& c) -> Value { return rand_like(c.self(), c.session().generator, like_options(c)); }},
      {"randn_like", function, fresh, like,
       [](Call& c) -> Value { return randn_like(c.self(), c.session().generator, like_options(c)); }},
      {"randint", function, fresh, "! low? high? size? | dtype? device? requires_grad? layout?", randint_of},
      {"randperm", function, fresh, "! n | dtype? device? requires_grad? layout?",
       [](Call& c) -> Value { return randperm(c.index(0), c.session().generator, options(c, 1)); }},
      {"uniform_", method, in_place, "from_? to?",
       [](Call& c) {
         uniform_(c.mutable_self(), c.real(0, 0), c.real(1, 1), c.session().generator);
         return c.self_value();
       }},
      {"normal_", method, in_place, "mean? std?",
       [](Call& c) {
         normal_(c.mutable_self(), c.real(0, 0), c.real(1, 1), c.session().generator);
         return c.self_value();
       }},
      {"random_", method, in_place, "from_? to?", random_into},
  };
}

}  // namespace tenstride::detail
