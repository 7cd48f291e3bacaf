// SPDX-License-Identifier: Apache-2.0
#include <ATen/ATen.h>
#include <ATen/Parallel.h>
#include <ATen/core/grad_mode.h>
#include <malloc.h>
#include <torch/version.h>

#include <memory>
#include <optional>

#include "../peer.hpp"
#include "torch_chains.hpp"
#include "torch_computations.hpp"
#include "torch_tiny.hpp"

namespace tenstride::bench {
namespace {

std::optional<at::ScalarType> type_of(DType type) {
  switch (type) {
    case DType::bool_:
      return at::kBool;
    case DType::uint8:
      return at::kByte;
    case DType::int8:
      return at::kChar;
    case DType::int16:
      return at::kShort;
    case DType::int32:
      return at::kInt;
    case DType::int64:
      return at::kLong;
    case DType::float16:
      return at::kHalf;
    case DType::bfloat16:
      return at::kBFloat16;
    case DType::float32:
      return at::kFloat;
    case DType::float64:
      return at::kDouble;
    case DType::complex64:
      return at::kComplexFloat;
    case DType::complex128:
      return at::kComplexDouble;
    default:
      return std::nullopt;
  }
}

/// PyTorch's type for elements of the given size that are only moved.
std::optional<at::ScalarType> type_to_move(DType type) {
  return type == DType::uint16 ? at::kShort : type_of(type);
}

at::IntArrayRef sizes(const Dims& dims) {
  return {dims.data(), dims.size()};
}

at::Tensor blob(const std::byte* data, const Dims& shape, at::ScalarType type) {
  return at::from_blob(const_cast<std::byte*>(data), sizes(shape), at::TensorOptions(type));
}

struct Prepared {
  at::Tensor source;
  at::Tensor view;  ///< empty for flips: PyTorch has no negative strides
  at::ScalarType dst_type;
};

std::optional<Prepared> prepare(const CopyJob& job) {
  const CopyCase& what = job.what;
  const bool moves = what.src_type == what.dst_type && !what.scales();
  const auto src_type = moves ? type_to_move(what.src_type) : type_of(what.src_type);
  const auto dst_type = moves ? src_type : type_of(what.dst_type);
  if (!src_type || !dst_type) return std::nullopt;
  Prepared ready{blob(job.src, what.source, *src_type), {}, *dst_type};
  if (what.flipped.empty()) {
    ready.view = ready.source.as_strided(sizes(what.view.shape), sizes(what.view.strides), what.view.offset);
  }
  return ready;
}

struct Arithmetic {
  at::Tensor scale;
  at::Tensor shift;
};

/// One number for each index of the axis, shaped for broadcasting.
Arithmetic arithmetic_of(const CopyCase& what, at::ScalarType type) {
  std::vector<std::int64_t> shape(what.view.rank(), 1);
  shape[what.scale_axis] = what.view.shape[what.scale_axis];
  const auto numbers = [&](const std::vector<double>& values) {
    return at::tensor(values, at::kDouble).view(shape).to(type);
  };
  return {numbers(what.scale), numbers(what.shift)};
}

template <class Make>
Call makes(Make make) {
  return fresh_call(std::move(make), [](const at::Tensor& x) { return x.data_ptr(); });
}

/// A new tensor with the view's elements.
Call fresh_copy(const CopyJob& job) {
  const std::optional<Prepared> ready = prepare(job);
  if (!ready) return {};
  const at::Tensor view = ready->view;
  const at::ScalarType type = ready->dst_type;
  if (!view.defined()) {
    if (job.what.src_type != job.what.dst_type) return {};
    return makes([source = ready->source, &what = job.what] { return source.flip(sizes(what.flipped)); });
  }
  const auto convert = [view, type] {
    return view.to(type, /*non_blocking=*/false, /*copy=*/true, at::MemoryFormat::Contiguous);
  };
  if (job.what.scales()) {
    const Arithmetic with = arithmetic_of(job.what, type);
    return makes([convert, with] { return convert().mul_(with.scale).add_(with.shift); });
  }
  if (job.what.src_type != job.what.dst_type) return makes(convert);
  if (view.is_contiguous()) return makes([view] { return view.clone(); });
  return makes([view] { return view.contiguous(); });
}

class TorchPeer : public Peer {
 public:
  [[nodiscard]] std::string version() const override { return TORCH_VERSION; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool uses_threads() const override { return true; }
  void set_threads(int count) override { at::set_num_threads(count); }
  /// Calls `f` in inference mode, without recording for autograd.
  void start() override { at::GradMode::set_enabled(false); }
};

class Torch : public TorchPeer {
 public:
  [[nodiscard]] std::string name() const override { return "libtorch"; }

  Call copy(const CopyJob& job) override {
    const std::optional<Prepared> ready = prepare(job);
    if (!ready || !ready->view.defined()) return {};
    const at::Tensor dst = blob(job.dst, job.what.view.shape, ready->dst_type);
    Call call;
    if (job.what.scales()) {
      const Arithmetic with = arithmetic_of(job.what, ready->dst_type);
      call.run = [dst, view = ready->view, with] { dst.copy_(view).mul_(with.scale).add_(with.shift); };
    } else {
      call.run = [dst, view = ready->view] { dst.copy_(view); };
    }
    return call;
  }

  Call copy_fresh(const CopyJob& job) override { return fresh_copy(job); }
  Call operate(const OperationJob& job) override;
  Call chain(const ChainJob& job) override { return torch_chain(job); }
  Call compute(const ComputationJob& job) override {
    const std::optional<at::ScalarType> type = type_of(job.what.type);
    return type ? torch_computation(job, *type) : Call{};
  }
  std::vector<Tiny> tiny() override { return torch_tiny(); }
};

at::Tensor of_indices(Index count) {
  const std::vector<std::int64_t> indices = scattered(count);
  return at::tensor(indices, at::kLong);
}

Call answers(std::function<bool()> ask) {
  return fresh_call(std::move(ask), [](const bool& answer) { return &answer; });
}

Call writes(std::function<void()> write) {
  Call call;
  call.run = std::move(write);
  return call;
}

using Indices = c10::List<c10::optional<at::Tensor>>;

/// The row and the column indices of the points.
Indices points_of(const OperationCase& what) {
  const at::Tensor points = of_indices(what.input_elements());
  return Indices({at::div(points, what.columns(), "floor"), at::remainder(points, what.columns())});
}

at::Tensor mask_tensor(std::vector<unsigned char> bytes, at::IntArrayRef shape) {
  return at::from_blob(bytes.data(), shape, at::TensorOptions(at::kBool)).clone();
}

/// Operations with indices. Index tensors and masks are prepared outside the timed call.
Call index_with(const OperationJob& job, const at::Tensor& x, const at::Tensor& dst) {
  const OperationCase& what = job.what;
  const auto reads = [x](Indices indices) {
    return makes([x, indices = std::move(indices)] { return at::index(x, indices); });
  };
  const auto puts = [dst](Indices indices, at::Tensor values) {
    return writes([y = dst, indices = std::move(indices), values = std::move(values)]() mutable {
      at::index_put_(y, indices, values);
    });
  };
  switch (what.operation) {
    case Operation::index_rows:
      return reads(Indices({of_indices(what.rows())}));
    case Operation::index_columns:
      return reads(Indices({c10::nullopt, of_indices(what.columns())}));
    case Operation::index_points:
      return reads(points_of(what));
    case Operation::index_mask:
      return reads(Indices({mask_tensor(mask_of(job), sizes(what.shape))}));
    case Operation::index_row_mask:
      return reads(Indices({mask_tensor(row_mask(what.rows()), {what.rows()})}));
    case Operation::put_rows_:
      return puts(Indices({of_indices(what.rows())}), x);
    case Operation::put_columns_:
      return puts(Indices({c10::nullopt, of_indices(what.columns())}), x);
    case Operation::put_points_:
      return puts(points_of(what), x.view(-1));
    case Operation::put_mask_: {
      const at::Tensor mask = mask_tensor(mask_of(job), sizes(what.shape));
      return puts(Indices({mask}), x.view(-1).narrow(0, 0, mask.sum().item<std::int64_t>()));
    }
    default:
      return puts(Indices({mask_tensor(mask_of(job), sizes(what.shape))}),
                  at::scalar_tensor(what.amount, x.options()));
  }
}

/// Operations without inputs.
Call make_with(const OperationCase& what, at::ScalarType type) {
  const at::TensorOptions options(type);
  const std::int64_t count = what.input_elements();
  const std::vector<std::int64_t> shape = what.shape.to_vector();
  switch (what.operation) {
    case Operation::zeros:
      return makes([=] { return at::zeros(shape, options); });
    case Operation::full:
      return makes([=, amount = what.amount] { return at::full(shape, amount, options); });
    case Operation::arange:
      return makes([=] { return at::arange(count, options); });
    case Operation::linspace:
      return makes([=] { return at::linspace(0, 1, count, options); });
    case Operation::eye:
      return makes([=] { return at::eye(shape[0], shape[1], options); });
    case Operation::rand:
      return makes([=] {
        at::manual_seed(operation_seed);
        return at::rand(shape, options);
      });
    case Operation::randn:
      return makes([=] {
        at::manual_seed(operation_seed);
        return at::randn(shape, options);
      });
    case Operation::randint:
      return makes([=, high = what.amount] {
        at::manual_seed(operation_seed);
        return at::randint(high, shape, options);
      });
    case Operation::randperm:
      return makes([=] {
        at::manual_seed(operation_seed);
        return at::randperm(count, options);
      });
    default:
      return {};
  }
}

/// Comparisons and operations that give a bool.
Call compare_with(const OperationJob& job, const at::Tensor& x, const at::Tensor& y) {
  const OperationCase& what = job.what;
  const std::int64_t axis = what.axis;
  switch (what.operation) {
    case Operation::eq:
      return makes([=] { return x.eq(y); });
    case Operation::eq_transposed:
      return makes([=] { return x.eq(y.t()); });
    case Operation::eq_row:
      return makes([x, row = y.select(0, 0)] { return x.eq(row); });
    case Operation::eq_column:
      return makes([x, column = y.narrow(1, 0, 1)] { return x.eq(column); });
    case Operation::lt_number:
      return makes([x, amount = what.amount] { return x.lt(amount); });
    case Operation::equal:
      return answers([x, z = x.clone()] { return x.equal(z); });
    case Operation::allclose:
      return answers([x, z = x.clone()] { return x.allclose(z); });
    case Operation::all:
      return makes([z = at::ones_like(x)] { return z.all(); });
    case Operation::any:
      return makes([z = at::zeros_like(x)] { return z.any(); });
    case Operation::all_along:
      return makes([=] { return x.all(axis); });
    case Operation::any_along:
      return makes([=] { return x.any(axis); });
    default:
      return {};
  }
}

Call Torch::operate(const OperationJob& job) {
  const OperationCase& what = job.what;
  const std::optional<at::ScalarType> type = type_of(what.type);
  if (!type) return {};
  const auto input = [&](int k) { return blob(job.input(k), what.shape, *type); };
  const at::Tensor x = input(0);
  const at::Tensor dst = blob(job.dst, what.shape, *type);
  const std::int64_t axis = what.axis;
  const std::int64_t amount = what.amount;
  const auto all_inputs = [&] { return std::vector<at::Tensor>{x, input(1), input(2)}; };
  switch (what.operation) {
    case Operation::cat:
      return makes([all = all_inputs(), axis] { return at::cat(all, axis); });
    case Operation::stack:
      return makes([all = all_inputs(), axis] { return at::stack(all, axis); });
    case Operation::block_diag:
      return makes([all = all_inputs()] { return at::block_diag(all); });
    case Operation::repeat:
      return makes([x] { return x.repeat({2, 3}); });
    case Operation::repeat_interleave:
      return makes([x, axis] { return x.repeat_interleave(2, axis); });
    case Operation::repeat_interleave_flat:
      return makes([x] { return x.repeat_interleave(2); });
    case Operation::repeat_interleave_list:
      return makes([x, repeats = at::tensor(repeats_of(what.rows()), at::kLong)] {
        return x.repeat_interleave(repeats, 0);
      });
    case Operation::roll:
      return makes([=] { return x.roll({amount}, {axis}); });
    case Operation::roll_both:
      return makes([=] { return x.roll({amount, amount}, {0, 1}); });
    case Operation::roll_all:
      return makes([=] { return x.roll({amount}); });
    case Operation::flip:
      return makes([=] { return x.flip({axis}); });
    case Operation::rot90:
      return makes([=] { return x.rot90(2); });
    case Operation::tril:
      return makes([x] { return x.tril(); });
    case Operation::triu:
      return makes([x] { return x.triu(); });
    case Operation::fill_:
      return writes([=] { dst.fill_(amount); });
    case Operation::fill_every_second_:
      return writes([amount, part = dst.slice(1, 0, c10::nullopt, 2)] { part.fill_(amount); });
    case Operation::zero_:
      return writes([=] { dst.zero_(); });
    case Operation::copy_row_:
      return writes([dst, row = x.select(0, 0)] { dst.copy_(row); });
    case Operation::copy_column_:
      return writes([dst, column = x.narrow(1, 0, 1)] { dst.copy_(column); });
    case Operation::clone:
      return makes([=] { return x.clone(); });
    case Operation::clone_transposed:
      return makes([transposed = x.t()] { return transposed.clone(); });
    default:
      if (what.operation >= Operation::index_rows && what.operation <= Operation::put_mask_number_) {
        return index_with(job, x, dst);
      }
      if (what.operation >= Operation::eq && what.operation <= Operation::any_along) {
        return compare_with(job, x, what.inputs() == 2 ? input(1) : x);
      }
      return make_with(what, *type);
  }
}

/// The cost of the first large result in a process. The C library keeps freed blocks of up to 32 MiB and
/// would reuse one for the next result, so they are returned to the system before each call.
class TorchFirstTouch : public TorchPeer {
 public:
  [[nodiscard]] std::string name() const override { return "libtorch first touch"; }

  Call copy_fresh(const CopyJob& job) override {
    Call call = fresh_copy(job);
    call.before = [] { malloc_trim(0); };
    return call;
  }
};

const bool added = add_peer(std::make_unique<Torch>()) && add_peer(std::make_unique<TorchFirstTouch>());

}  // namespace
}  // namespace tenstride::bench
