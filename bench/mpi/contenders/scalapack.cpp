// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "../contender.hpp"
#include "../matrix_form.hpp"

// ScaLAPACK and BLACS come without headers. Fortran's arguments are pointers.
extern "C" {
int Csys2blacs_handle(MPI_Comm comm);
void Cfree_blacs_system_handle(int handle);
void Cblacs_gridinit(int* context, const char* order, int rows, int columns);
void Cblacs_gridexit(int context);
void pdgemr2d_(const int* rows, const int* columns, const double* src, const int* src_row,
               const int* src_column, const int* src_descriptor, double* dst, const int* dst_row,
               const int* dst_column, const int* dst_descriptor, const int* context);
void psgemr2d_(const int* rows, const int* columns, const float* src, const int* src_row,
               const int* src_column, const int* src_descriptor, float* dst, const int* dst_row,
               const int* dst_column, const int* dst_descriptor, const int* context);
void pdtran_(const int* rows, const int* columns, const double* alpha, const double* src, const int* src_row,
             const int* src_column, const int* src_descriptor, const double* beta, double* dst,
             const int* dst_row, const int* dst_column, const int* dst_descriptor);
}

namespace tenstride::bench {
namespace {

/// A grid of ranks, numbered as the mesh is: BLACS has columns where tenstride has rows, because ScaLAPACK's
/// parts are column-major, and a row-major matrix is its column-major transpose.
class Grid {
 public:
  Grid(const BlockCyclicMatrix& matrix, MPI_Comm comm) : handle_(Csys2blacs_handle(comm)), context(handle_) {
    Cblacs_gridinit(&context, "C", matrix.column_ranks, matrix.row_ranks);
    descriptor = {1, context, matrix.columns,      matrix.rows, matrix.column_block, matrix.row_block,
                  0, 0,       matrix.local_columns};
  }
  Grid(const Grid&) = delete;
  Grid& operator=(const Grid&) = delete;
  ~Grid() {
    Cblacs_gridexit(context);
    Cfree_blacs_system_handle(handle_);
  }

 private:
  int handle_;

 public:
  int context;
  std::array<int, 9> descriptor{};
};

struct Grids {
  Grids(const MatrixForm& form, MPI_Comm comm) : from(form.from, comm), to(form.to, comm) {}
  Grid from;
  Grid to;
};

constexpr int one = 1;

template <class T>
void redistribute(const Grids& grids, const T* src, T* dst) {
  const auto& from = grids.from.descriptor;
  const auto redistribute_matrix = [] {
    if constexpr (sizeof(T) == 4) {
      return psgemr2d_;
    } else {
      return pdgemr2d_;
    }
  }();
  redistribute_matrix(&from[2], &from[3], src, &one, &one, from.data(), dst, &one, &one,
                      grids.to.descriptor.data(), &grids.from.context);
}

void transpose(const Grids& grids, const double* src, double* dst) {
  const double alpha = 1;
  const double beta = 0;
  // Both have to be of one context.
  std::array<int, 9> to = grids.to.descriptor;
  to[1] = grids.from.context;
  pdtran_(&to[2], &to[3], &alpha, src, &one, &one, grids.from.descriptor.data(), &beta, dst, &one, &one,
          to.data());
}

/// pdgemr2d, and pdtran for transposes.
class Scalapack : public Contender {
 public:
  [[nodiscard]] std::string name() const override { return "scalapack"; }
  [[nodiscard]] bool can(const RedistributionCase& what) const override {
    const auto form = matrix_form(what, 0);
    if (!form || !form->is_transposed) return form.has_value();
    return what.type == DType::float64 && form->from.row_ranks == form->to.row_ranks;
  }
  std::function<void()> prepare(const RedistributionJob& job) override {
    const MatrixForm form = *matrix_form(job.what, job.rank);
    const auto grids = std::make_shared<Grids>(form, job.comm);
    if (form.is_transposed) {
      return [grids, src = job.src, dst = job.dst] {
        transpose(*grids, reinterpret_cast<const double*>(src), reinterpret_cast<double*>(dst));
      };
    }
    return [grids, src = job.src, dst = job.dst, is_single = job.what.type == DType::float32] {
      if (is_single) {
        redistribute(*grids, reinterpret_cast<const float*>(src), reinterpret_cast<float*>(dst));
      } else {
        redistribute(*grids, reinterpret_cast<const double*>(src), reinterpret_cast<double*>(dst));
      }
    };
  }
};

const bool added = add_contender(std::make_unique<Scalapack>());

}  // namespace
}  // namespace tenstride::bench
