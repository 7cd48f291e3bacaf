// SPDX-License-Identifier: Apache-2.0
#include <cblas.h>

#include <complex>
#include <memory>
#include <string>

#include "../peer.hpp"
#include "matrices.hpp"

namespace tenstride::bench {
namespace {

template <class T, class Copy>
Call by(Copy copy, const CopyJob& job, Matrices matrices) {
  const auto* const src = reinterpret_cast<const T*>(job.src);
  auto* const dst = reinterpret_cast<T*>(job.dst);
  Call call;
  call.run = [=, matrices = std::move(matrices)] {
    const auto transposition = matrices.transposed ? CblasTrans : CblasNoTrans;
    const Index rows = matrices.transposed ? matrices.columns : matrices.rows;
    const Index columns = matrices.transposed ? matrices.rows : matrices.columns;
    for (const Matrices::Place& place : matrices.places) {
      copy(transposition, static_cast<blasint>(rows), static_cast<blasint>(columns), src + place.src,
           static_cast<blasint>(matrices.src_stride), dst + place.dst,
           static_cast<blasint>(matrices.dst_stride));
    }
  };
  return call;
}

/// Copies and transposes matrices of the four types that omatcopy knows.
class OpenBlas : public Peer {
 public:
  [[nodiscard]] std::string name() const override { return "OpenBLAS omatcopy"; }
  [[nodiscard]] std::string version() const override { return openblas_get_config(); }

  Call copy(const CopyJob& job) override {
    const CopyCase& what = job.what;
    std::optional<Matrices> matrices = as_matrices(what);
    if (what.src_type != what.dst_type || what.scales() || !matrices) return {};
    switch (what.src_type) {
      case DType::float32:
        return by<float>(
            [](auto transposition, blasint rows, blasint columns, const float* a, blasint lda, float* b,
               blasint ldb) {
              cblas_somatcopy(CblasRowMajor, transposition, rows, columns, 1.0F, a, lda, b, ldb);
            },
            job, std::move(*matrices));
      case DType::float64:
        return by<double>(
            [](auto transposition, blasint rows, blasint columns, const double* a, blasint lda, double* b,
               blasint ldb) {
              cblas_domatcopy(CblasRowMajor, transposition, rows, columns, 1.0, a, lda, b, ldb);
            },
            job, std::move(*matrices));
      case DType::complex64:
        return by<std::complex<float>>(
            [](auto transposition, blasint rows, blasint columns, const std::complex<float>* a, blasint lda,
               std::complex<float>* b, blasint ldb) {
              const float one[2] = {1, 0};
              cblas_comatcopy(CblasRowMajor, transposition, rows, columns, one,
                              reinterpret_cast<const float*>(a), lda, reinterpret_cast<float*>(b), ldb);
            },
            job, std::move(*matrices));
      case DType::complex128:
        return by<std::complex<double>>(
            [](auto transposition, blasint rows, blasint columns, const std::complex<double>* a, blasint lda,
               std::complex<double>* b, blasint ldb) {
              const double one[2] = {1, 0};
              cblas_zomatcopy(CblasRowMajor, transposition, rows, columns, one,
                              reinterpret_cast<const double*>(a), lda, reinterpret_cast<double*>(b), ldb);
            },
            job, std::move(*matrices));
      default:
        return {};
    }
  }
};

const bool added = add_peer(std::make_unique<OpenBlas>());

}  // namespace
}  // namespace tenstride::bench
