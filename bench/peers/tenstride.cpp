// SPDX-License-Identifier: Apache-2.0
#include <memory>

#include "../peer.hpp"
#include "tenstride/copy.hpp"
#include "tenstride/factory.hpp"
#include "tenstride/indexing.hpp"
#include "tenstride/memory.hpp"
#include "tenstride/ops.hpp"
#include "tenstride/parallel.hpp"
#include "tenstride_tiny.hpp"

namespace tenstride::bench {
namespace {

Tensor source_of(const CopyJob& job) {
  return from_blob(const_cast<std::byte*>(job.src), job.what.source, job.what.src_type);
}

ScaleShift arithmetic_of(const CopyCase& what) {
  return {what.scale, what.shift, static_cast<Index>(what.scale_axis)};
}

Call fresh(const CopyJob& job) {
  const CopyCase& what = job.what;
  const Tensor source = source_of(job);
  const Tensor view = source.with_layout(what.view);
  const auto data = [](const Tensor& x) { return x.data_ptr(); };
  const DType type = what.dst_type;
  if (what.scales()) {
    return fresh_call([view, type, &what] { return convert(view, type, arithmetic_of(what)); }, data);
  }
  if (!what.flipped.empty() && what.src_type == type) {
    return fresh_call([source, &what] { return source.flip(what.flipped); }, data);
  }
  if (what.src_type != type) {
    const ToOptions options{.dtype = type, .memory_format = MemoryFormat::contiguous};
    return fresh_call([view, options] { return view.to(options); }, data);
  }
  if (view.is_contiguous()) return fresh_call([view] { return view.clone(); }, data);
  return fresh_call([view] { return view.contiguous(); }, data);
}

/// tenstride as it is used: freed memory is kept.
class Tenstride : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "tenstride"; }
  [[nodiscard]] std::string version() const override { return TENSTRIDE_VERSION; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool uses_threads() const override { return true; }
  void set_threads(int count) override { set_num_threads(count); }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    const Tensor view = source_of(job).with_layout(what.view);
    auto dst = std::make_shared<Tensor>(from_blob(job.dst, what.view.shape, what.dst_type));
    Call call;
    if (what.scales()) {
      call.run = [view, dst, &what] { copy_elements(*dst, view, arithmetic_of(what)); };
    } else {
      call.run = [view, dst] { dst->copy_(view); };
    }
    return call;
  }
  Call copy_fresh(const CopyJob& job) override { return fresh(job); }
  Call operate(const OperationJob& job) override;
  std::vector<Tiny> tiny() override { return tenstride_tiny(); }
};

/// What the first large result in a process costs: no memory waits to be used again.
class TenstrideFirstTouch : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "tenstride first touch"; }
  [[nodiscard]] std::string version() const override { return TENSTRIDE_VERSION; }
  [[nodiscard]] bool is_reference() const override { return true; }
  [[nodiscard]] bool uses_threads() const override { return true; }

  Call copy_fresh(const CopyJob& job) override {
    Call call = fresh(job);
    call.before = [] { empty_cache(); };
    return call;
  }
};

Call into(std::shared_ptr<Tensor> dst, std::function<void(Tensor&)> write) {
  Call call;
  call.run = [dst = std::move(dst), write = std::move(write)] { write(*dst); };
  return call;
}

template <class Make>
Call makes(Make make) {
  return fresh_call(std::move(make), [](const Tensor& x) { return x.data_ptr(); });
}

Call answers(std::function<bool()> ask) {
  return fresh_call(std::move(ask), [](const bool& answer) { return &answer; });
}

Tensor of_indices(Index count) {
  const std::vector<std::int64_t> indices = scattered(count);
  return from_blob(const_cast<std::int64_t*>(indices.data()), {count}, DType::int64).clone();
}

Call Tenstride::operate(const OperationJob& job) {
  const OperationCase& what = job.what;
  const auto input = [&](int k) { return from_blob(job.input(k), what.shape, what.type); };
  const Tensor x = input(0);
  const Index axis = what.axis;
  const Index amount = what.amount;
  const Dims shape = what.shape;
  const TensorOptions options{.dtype = what.type};
  const auto dst = std::make_shared<Tensor>(from_blob(job.dst, shape, what.type));
  switch (what.operation) {
    case Operation::cat: {
      const std::vector<Tensor> all{x, input(1), input(2)};
      return makes([=] { return cat(all, axis); });
    }
    case Operation::stack: {
      const std::vector<Tensor> all{x, input(1), input(2)};
      return makes([=] { return stack(all, axis); });
    }
    case Operation::repeat:
      return makes([=] { return x.repeat({2, 3}); });
    case Operation::repeat_interleave:
      return makes([=] { return x.repeat_interleave(2, axis); });
    case Operation::roll:
      return makes([=] { return x.roll({amount}, {axis}); });
    case Operation::roll_all:
      return makes([=] { return x.roll({amount}); });
    case Operation::tril:
      return makes([=] { return x.tril(); });
    case Operation::index_rows: {
      const Tensor rows = of_indices(what.rows());
      return makes([=] { return x.index({rows}); });
    }
    case Operation::index_columns: {
      const Tensor columns = of_indices(what.columns());
      return makes([=] { return x.index({Slice{}, columns}); });
    }
    case Operation::index_points: {
      const std::vector<std::int64_t> points = scattered(what.input_elements());
      Tensor rows = empty({what.input_elements()}, {.dtype = DType::int64});
      Tensor columns = empty({what.input_elements()}, {.dtype = DType::int64});
      for (std::size_t i = 0; i < points.size(); ++i) {
        rows.mutable_data<std::int64_t>()[i] = points[i] / what.columns();
        columns.mutable_data<std::int64_t>()[i] = points[i] % what.columns();
      }
      return makes([=] { return x.index({rows, columns}); });
    }
    case Operation::index_mask: {
      std::vector<unsigned char> bytes = mask_of(job);
      const Tensor mask = from_blob(bytes.data(), shape, DType::bool_).clone();
      return makes([=] { return x.index({mask}); });
    }
    case Operation::index_put_: {
      const Tensor rows = of_indices(what.rows());
      return into(dst, [=](Tensor& y) { y.index_put_({rows}, x); });
    }
    case Operation::eq:
      return makes([x, y = input(1)] { return x == y; });
    case Operation::eq_turned:
      return makes([x, y = input(1)] { return x == y.t(); });
    case Operation::eq_row:
      return makes([x, row = input(1).select(0, 0)] { return x == row; });
    case Operation::lt_number:
      return makes([=] { return x < amount; });
    case Operation::equal:
      return answers([x, y = x.clone()] { return x.equal(y); });
    case Operation::all:
      return makes([y = ones_like(x)] { return y.all(); });
    case Operation::fill_:
      return into(dst, [=](Tensor& y) { y.fill_(amount); });
    case Operation::zero_:
      return into(dst, [](Tensor& y) { y.zero_(); });
    case Operation::zeros:
      return makes([=] { return zeros(shape, options); });
    case Operation::full:
      return makes([=] { return full(shape, amount, options); });
    case Operation::arange:
      return makes([n = what.input_elements()] { return arange(n); });
    case Operation::clone:
      return makes([=] { return x.clone(); });
  }
  return {};
}

const bool added =
    add_peer(std::make_unique<Tenstride>()) && add_peer(std::make_unique<TenstrideFirstTouch>());

}  // namespace
}  // namespace tenstride::bench
