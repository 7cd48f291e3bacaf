// SPDX-License-Identifier: Apache-2.0
#include "operations/runs.hpp"
#include "tenstride/copy/copy.hpp"

/// Random tensors. All draw from one generator that lives as long as the evaluation, so that a text always
/// gives the same numbers.
namespace tenstride::detail {
namespace {

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
  using Draw = Tensor& (*)(Tensor&, double, double, Generator&, Caller);
  using Like = Tensor (*)(const Tensor&, Generator&, const LikeOptions&, Caller);
  std::vector<Operation> table{
      {"rand(int... size, *, TensorOptions options, Tensor? out=None) -> Tensor", function, fresh,
       drawn<rand, uniform_>,
       R"(Random numbers of [0, 1), all equally likely; with one seed the same numbers as PyTorch's.

>>> torch.rand(2, 3).shape
torch.Size([2, 3])
)"},
      {"randn(int... size, *, TensorOptions options, Tensor? out=None) -> Tensor", function, fresh,
       drawn<randn, normal_>,
       R"(Random numbers of the normal distribution around 0 of variance 1; with one seed the same numbers as
PyTorch's.

>>> torch.randn(2, 3).dtype
torch.float32
)"},
      {"randint(int? low=None, int? high=None, int[]? size=None, *, TensorOptions options, Tensor? out=None) "
       "-> Tensor",
       function, fresh, randint_of,
       R"(Random int64 numbers from `low` (0) to before `high`, all equally likely: `randint(high, size)` or
`randint(low, high, size)`. Raises RuntimeError where no number lies between.

>>> torch.randint(5, 6, (2,))
tensor([5, 5])
)"},
      {"randperm(int n, *, TensorOptions options, Tensor? out=None) -> Tensor", function, fresh, randperm_of,
       R"(The numbers 0 to n-1 in random order, as int64. Raises RuntimeError where `n` is negative.

>>> torch.randperm(4).sum()
tensor(6)
)"},
      {"rand_like(Tensor self, *, LikeOptions options) -> Tensor", function, fresh, runs<Like{rand_like}>,
       R"(Random numbers of [0, 1) in a tensor as `empty_like` gives it.

>>> torch.rand_like(torch.zeros(2, 3)).shape
torch.Size([2, 3])
)"},
      {"randn_like(Tensor self, *, LikeOptions options) -> Tensor", function, fresh, runs<Like{randn_like}>,
       R"(Random numbers of the normal distribution in a tensor as `empty_like` gives it.

>>> torch.randn_like(torch.zeros(2, 3)).shape
torch.Size([2, 3])
)"},
      {"uniform_(Tensor self, float from_=0, float to=1) -> Tensor", method, in_place, runs<Draw{uniform_}>,
       R"(Draws each element from [from, to), in the order in which they lie in memory, with PyTorch's numbers for
the seed; gives the tensor itself. `from` comes by position, or as `**{"from": 2}`. Raises RuntimeError
for integers.

>>> torch.manual_seed(0)
>>> torch.zeros(2).uniform_(2, 5)
tensor([3.4888, 4.3047])
)"},
      {"normal_(Tensor self, float mean=0, float std=1) -> Tensor", method, in_place, runs<Draw{normal_}>,
       R"(Draws each element from the normal distribution of `mean` and `std`, in the order in which they lie in
memory, with PyTorch's numbers for the seed; gives the tensor itself. Raises RuntimeError for integers.

>>> torch.manual_seed(0)
>>> torch.zeros(2).normal_(mean=1, std=2)
tensor([4.0820, 0.4131])
)"},
      {"random_(Tensor self, Scalar from_=0, Scalar? to=None) -> Tensor", method, in_place, random_into,
       R"(Draws each element from the whole numbers of [from, to), in the order in which they lie in memory, with
PyTorch's numbers for the seed; gives the tensor itself. Without bounds from 0 to the type's largest.
`from` comes by position, or as `**{"from": 2}`.

>>> torch.manual_seed(0)
>>> torch.zeros(3).random_(10)
tensor([4., 9., 3.])
)"},
  };
  for (Operation& operation : table) operation.draws_numbers = true;
  return table;
}

}  // namespace tenstride::detail
