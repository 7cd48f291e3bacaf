// SPDX-License-Identifier: Apache-2.0
#include "tenstride_operations.hpp"

#include <memory>

#include "tenstride/ops/indexing.hpp"
#include "tenstride/ops/ops.hpp"
#include "tenstride/random/random.hpp"

namespace tenstride::bench {
namespace {

Call into(Tensor dst, std::function<void(Tensor&)> write) {
  Call call;
  call.run = [dst = std::make_shared<Tensor>(std::move(dst)), write = std::move(write)] { write(*dst); };
  return call;
}

template <class Make>
Call makes(Make make) {
  return fresh_call(std::move(make), [](const Tensor& x) { return x.data_ptr(); });
}

Call answers(std::function<bool()> ask) {
  return fresh_call(std::move(ask), [](const bool& answer) { return &answer; });
}

Tensor of_numbers(const std::vector<std::int64_t>& numbers) {
  return from_blob(const_cast<std::int64_t*>(numbers.data()), {static_cast<Index>(numbers.size())},
                   DType::int64)
      .clone();
}

Tensor of_mask(std::vector<unsigned char> bytes, const Dims& shape) {
  return from_blob(bytes.data(), shape, DType::bool_).clone();
}

using Entries = std::vector<TensorIndex>;

/// The row and the column indices of the points.
Entries points_of(const OperationCase& what) {
  std::vector<std::int64_t> rows = scattered(what.input_elements());
  std::vector<std::int64_t> columns = rows;
  for (std::int64_t& row : rows) row /= what.columns();
  for (std::int64_t& column : columns) column %= what.columns();
  return {of_numbers(rows), of_numbers(columns)};
}

Call index_with(const OperationJob& job, const Tensor& x, const Tensor& dst) {
  const OperationCase& what = job.what;
  const auto reads = [x](Entries entries) {
    return makes([x, entries = std::move(entries)] { return x.index(entries); });
  };
  const auto puts = [dst](Entries entries, const Tensor& values) {
    return into(dst, [entries = std::move(entries), values](Tensor& y) { y.index_put_(entries, values); });
  };
  switch (what.operation) {
    case Operation::index_rows:
      return reads({of_numbers(scattered(what.rows()))});
    case Operation::index_columns:
      return reads({Slice{}, of_numbers(scattered(what.columns()))});
    case Operation::index_points:
      return reads(points_of(what));
    case Operation::index_mask:
      return reads({of_mask(mask_of(job), what.shape)});
    case Operation::index_row_mask:
      return reads({of_mask(row_mask(what.rows()), {what.rows()})});
    case Operation::put_rows_:
      return puts({of_numbers(scattered(what.rows()))}, x);
    case Operation::put_columns_:
      return puts({Slice{}, of_numbers(scattered(what.columns()))}, x);
    case Operation::put_points_:
      return puts(points_of(what), x.view({what.input_elements()}));
    case Operation::put_mask_: {
      const std::vector<unsigned char> mask = mask_of(job);
      const Index count = std::count(mask.begin(), mask.end(), 1);
      return puts({of_mask(mask, what.shape)}, x.view({what.input_elements()}).narrow(0, 0, count));
    }
    default:
      return into(dst, [mask = of_mask(mask_of(job), what.shape), number = what.amount](Tensor& y) {
        y.index_put_({mask}, number);
      });
  }
}

Call make_with(const OperationCase& what) {
  const TensorOptions options{.dtype = what.type};
  const Index count = what.input_elements();
  const Dims shape = what.shape;
  switch (what.operation) {
    case Operation::zeros:
      return makes([=] { return zeros(shape, options); });
    case Operation::full:
      return makes([=, amount = what.amount] { return full(shape, amount, options); });
    case Operation::arange:
      return makes([=] { return arange(count, options); });
    case Operation::linspace:
      return makes([=] { return linspace(0, 1, count, options); });
    case Operation::eye:
      return makes([=] { return eye(shape[0], shape[1], options); });
    case Operation::rand:
      return makes([=] {
        manual_seed(operation_seed);
        return rand(shape, options);
      });
    case Operation::randn:
      return makes([=] {
        manual_seed(operation_seed);
        return randn(shape, options);
      });
    case Operation::randint:
      return makes([=, high = what.amount] {
        manual_seed(operation_seed);
        return randint(high, shape, options);
      });
    case Operation::randperm:
      return makes([=] {
        manual_seed(operation_seed);
        return randperm(count, options);
      });
    default:
      return {};
  }
}

Call compare_with(const OperationCase& what, const Tensor& x, const Tensor& y) {
  const Index axis = what.axis;
  switch (what.operation) {
    case Operation::eq:
      return makes([=] { return x == y; });
    case Operation::eq_transposed:
      return makes([=] { return x == y.t(); });
    case Operation::eq_row:
      return makes([x, row = y.select(0, 0)] { return x == row; });
    case Operation::eq_column:
      return makes([x, column = y.narrow(1, 0, 1)] { return x == column; });
    case Operation::lt_number:
      return makes([x, amount = what.amount] { return x < amount; });
    case Operation::equal:
      return answers([x, z = x.clone()] { return x.equal(z); });
    case Operation::allclose:
      return answers([x, z = x.clone()] { return x.allclose(z); });
    case Operation::all:
      return makes([z = ones_like(x)] { return z.all(); });
    case Operation::any:
      return makes([z = zeros_like(x)] { return z.any(); });
    case Operation::all_along:
      return makes([=] { return all(x, axis); });
    case Operation::any_along:
      return makes([=] { return any(x, axis); });
    default:
      return {};
  }
}

}  // namespace

Call tenstride_operation(const OperationJob& job) {
  const OperationCase& what = job.what;
  const auto input = [&](int k) { return from_blob(job.input(k), what.shape, what.type); };
  const Tensor x = input(0);
  const Tensor dst = from_blob(job.dst, what.shape, what.type);
  const Index axis = what.axis;
  const Index amount = what.amount;
  const auto all_inputs = [&] { return std::vector<Tensor>{x, input(1), input(2)}; };
  switch (what.operation) {
    case Operation::cat:
      return makes([all = all_inputs(), axis] { return cat(all, axis); });
    case Operation::stack:
      return makes([all = all_inputs(), axis] { return stack(all, axis); });
    case Operation::block_diag:
      return makes([all = all_inputs()] { return block_diag(all); });
    case Operation::repeat:
      return makes([=] { return x.repeat({2, 3}); });
    case Operation::repeat_interleave:
      return makes([=] { return x.repeat_interleave(2, axis); });
    case Operation::repeat_interleave_flat:
      return makes([=] { return x.repeat_interleave(2); });
    case Operation::repeat_interleave_list:
      return makes(
          [x, repeats = of_numbers(repeats_of(what.rows()))] { return x.repeat_interleave(repeats, 0); });
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
      return makes([=] { return x.tril(); });
    case Operation::triu:
      return makes([=] { return x.triu(); });
    case Operation::fill_:
      return into(dst, [=](Tensor& y) { y.fill_(amount); });
    case Operation::fill_every_second_:
      return into(dst.slice(1, 0, {}, 2), [=](Tensor& y) { y.fill_(amount); });
    case Operation::zero_:
      return into(dst, [](Tensor& y) { y.zero_(); });
    case Operation::copy_row_:
      return into(dst, [row = x.select(0, 0)](Tensor& y) { y.copy_(row); });
    case Operation::copy_column_:
      return into(dst, [column = x.narrow(1, 0, 1)](Tensor& y) { y.copy_(column); });
    case Operation::clone:
      return makes([=] { return x.clone(); });
    case Operation::clone_transposed:
      return makes([transposed = x.t()] { return transposed.clone(); });
    default:
      if (what.operation >= Operation::index_rows && what.operation <= Operation::put_mask_number_) {
        return index_with(job, x, dst);
      }
      if (what.operation >= Operation::eq && what.operation <= Operation::any_along) {
        return compare_with(what, x, what.inputs() == 2 ? input(1) : x);
      }
      return make_with(what);
  }
}

}  // namespace tenstride::bench
