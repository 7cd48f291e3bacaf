// SPDX-License-Identifier: Apache-2.0
#include "operations/call.hpp"
#include "tenstride/copy/copy.hpp"

/// Random tensors. All draw from one generator that lives as long as the evaluation, so that a text always
/// gives the same numbers.
namespace tenstride::detail {
namespace {

LikeOptions like_options(const Call& call) {
  return {call.dtype(0), call.device_for_fresh(1, call.self().device()),
          call.format(2).value_or(MemoryFormat::preserve)};
}

/// `randint(high, size)`, `randint(low, high, size)`; the size may be named.
Value randint_of(Call& call) {
  Generator& generator = call.session().generator;
  const bool is_short = call.has(2) ? !call.has(1) : call.has(1);
  const Index low = is_short ? 0 : call.index(0, 0);
  const Index high = call.index(is_short ? 0 : 1);
  const Dims size = call.dims(is_short && !call.has(2) ? 1 : 2);
  const TensorOptions chosen = call.fresh_options(3);
  const std::optional<std::size_t> out = call.out_parameter();
  if (!out) return randint(low, high, size, generator, chosen);
  return fill_out(call, *out, size, [&](Tensor& result) { random_(result, low, high, generator); });
}

using Sized = Tensor (*)(const Dims&, Generator&, const TensorOptions&, Caller);
using Filling = Tensor& (*)(Tensor&, double, double, Generator&, Caller);

/// rand and randn, which fill `out` in place by uniform_ and normal_.
template <Sized make, Filling fill>
Value drawn(Call& call) {
  Generator& generator = call.session().generator;
  const Dims size = call.dims(0);
  const TensorOptions chosen = call.fresh_options(1);
  const std::optional<std::size_t> out = call.out_parameter();
  if (!out) return make(size, generator, chosen, {});
  return fill_out(call, *out, size, [&](Tensor& result) {
    if (result.is_complex()) {
      copy_elements(result, make(result.shape(), generator, chosen, {}));
    } else {
      fill(result, 0, 1, generator, {});
    }
  });
}

constexpr std::string_view sized = "! size... | dtype? device? requires_grad? layout? out?";
constexpr std::string_view like = "| dtype? device? memory_format? requires_grad? layout?";

Value randperm_of(Call& call) {
  Tensor numbers = randperm(call.index(0), call.session().generator, call.fresh_options(1));
  const std::optional<std::size_t> out = call.out_parameter();
  if (!out) return numbers;
  return fill_out(call, *out, numbers.shape(), [&](Tensor& result) {
    if (result.numel() > 0) copy_elements(result, numbers);
  });
}

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
      {"rand", function, fresh, sized, drawn<rand, uniform_>},
      {"randn", function, fresh, sized, drawn<randn, normal_>},
      {"rand_like", function, fresh, like,
       [](Call& c) -> Value { return rand_like(c.self(), c.session().generator, like_options(c)); }},
      {"randn_like", function, fresh, like,
       [](Call& c) -> Value { return randn_like(c.self(), c.session().generator, like_options(c)); }},
      {"randint", function, fresh, "! low? high? size? | dtype? device? requires_grad? layout? out?",
       randint_of},
      {"randperm", function, fresh, "! n | dtype? device? requires_grad? layout? out?", randperm_of},
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
