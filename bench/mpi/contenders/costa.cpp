// SPDX-License-Identifier: Apache-2.0
#include <omp.h>

#include <costa/grid2grid/transform.hpp>
#include <costa/grid2grid/workspace.hpp>
#include <costa/layout.hpp>

#include "../contender.hpp"
#include "../matrix_form.hpp"

namespace tenstride::bench {
namespace {

template <class T>
costa::grid_layout<T> layout_of(const BlockCyclicMatrix& matrix, T* data, int rank) {
  return costa::block_cyclic_layout<T>(matrix.rows, matrix.columns, matrix.row_block, matrix.column_block, 1,
                                       1, matrix.rows, matrix.columns, matrix.row_ranks, matrix.column_ranks,
                                       'R', 0, 0, data, matrix.local_columns, 'R', rank);
}

/// The layouts of a case. COSTA has one pair of buffers for all calls of an element type, which only grow;
/// each case begins and ends without them.
template <class T>
struct Layouts {
  Layouts(const MatrixForm& form, const RedistributionJob& job)
      : from(layout_of(form.from, reinterpret_cast<T*>(const_cast<std::byte*>(job.src)), job.rank)),
        to(layout_of(form.to, reinterpret_cast<T*>(job.dst), job.rank)) {}
  Layouts(const Layouts&) = delete;
  Layouts& operator=(const Layouts&) = delete;
  ~Layouts() {
    auto& workspace = *costa::memory::get_costa_context_instance<T>();
    workspace.send_buffer = std::vector<T>();
    workspace.recv_buffer = std::vector<T>();
  }

  costa::grid_layout<T> from;
  costa::grid_layout<T> to;
};

template <class T>
std::function<void()> prepare_for(const RedistributionJob& job) {
  const MatrixForm form = *matrix_form(job.what, job.rank);
  const auto layouts = std::make_shared<Layouts<T>>(form, job);
  const char operation = form.is_transposed ? 'T' : 'N';
  return [layouts, operation, comm = job.comm] {
    costa::transform<T>(layouts->from, layouts->to, operation, T{1}, T{0}, comm);
  };
}

/// costa::transform, on one thread for each rank. Its layouts and buffers are kept from call to call; it has
/// no way to keep its plan.
class Costa : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "costa"; }
  [[nodiscard]] bool can(const RedistributionCase& what) const override {
    return matrix_form(what, 0).has_value();
  }
  std::function<void()> prepare(const RedistributionJob& job) override {
    omp_set_num_threads(1);
    return job.what.type == DType::float32 ? prepare_for<float>(job) : prepare_for<double>(job);
  }
};

const bool added = add_contender(std::make_unique<Costa>());

}  // namespace
}  // namespace tenstride::bench
