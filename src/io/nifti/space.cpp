// SPDX-License-Identifier: Apache-2.0
#include "io/nifti/space.hpp"

#include <algorithm>
#include <cmath>

namespace tenstride::io {
namespace {

/// Three by three numbers, by rows.
using Matrix = std::array<std::array<double, 3>, 3>;

Matrix matrix_of(const std::array<double, 3>& quaternion) {
  auto [b, c, d] = quaternion;
  double a = 1 - (b * b + c * c + d * d);
  if (a < 1e-7) {  // by 180 degrees, but for rounding
    const double length = std::sqrt(b * b + c * c + d * d);
    for (double* const part : {&b, &c, &d}) *part /= length;
    a = 0;
  }
  a = std::sqrt(a);
  return {{{a * a + b * b - c * c - d * d, 2 * (b * c - a * d), 2 * (b * d + a * c)},
           {2 * (b * c + a * d), a * a + c * c - b * b - d * d, 2 * (c * d - a * b)},
           {2 * (b * d - a * c), 2 * (c * d + a * b), a * a + d * d - c * c - b * b}}};
}

/// The quaternion of a rotation. Its largest part is found first, so that nothing is divided by little.
std::array<double, 3> quaternion_of(const Matrix& m) {
  const double trace = m[0][0] + m[1][1] + m[2][2];
  if (trace > 0) {
    const double a = std::sqrt(1 + trace) / 2;
    return {(m[2][1] - m[1][2]) / (4 * a), (m[0][2] - m[2][0]) / (4 * a), (m[1][0] - m[0][1]) / (4 * a)};
  }
  std::size_t i = 0;
  for (const std::size_t other : {std::size_t{1}, std::size_t{2}}) {
    if (m[other][other] > m[i][i]) i = other;
  }
  const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
  std::array<double, 3> result{};
  result[i] = std::sqrt(1 + m[i][i] - m[j][j] - m[k][k]) / 2;
  result[j] = (m[i][j] + m[j][i]) / (4 * result[i]);
  result[k] = (m[i][k] + m[k][i]) / (4 * result[i]);
  // The real part is kept positive.
  if (m[k][j] - m[j][k] < 0) {
    for (double& part : result) part = -part;
  }
  return result;
}

double determinant(const Matrix& m) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) -
         m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

}  // namespace

bool SpaceMove::keeps_directions() const {
  for (std::size_t d = 0; d < axes.size(); ++d) {
    if (axes[d].source != d || axes[d].step < 0) return false;
  }
  return true;
}

AffineRows moved(const AffineRows& rows, const SpaceMove& move) {
  AffineRows result = rows;
  for (std::size_t row = 0; row < rows.size(); ++row) {
    for (std::size_t d = 0; d < 3; ++d) {
      result[row][d] = rows[row][move.axes[d].source] * move.axes[d].step;
      result[row][3] += rows[row][d] * move.first[d];
    }
  }
  return result;
}

NiftiRotation moved(const NiftiRotation& rotation, const std::array<double, 3>& sizes,
                    const SpaceMove& move) {
  NiftiRotation result = rotation;
  Matrix directions = matrix_of(rotation.quaternion);
  for (auto& row : directions) row[2] *= rotation.qfac;
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t d = 0; d < 3; ++d) {
      result.offset[row] += directions[row][d] * sizes[d] * move.first[d];
    }
  }
  if (move.keeps_directions()) return result;
  Matrix rotated{};
  for (std::size_t row = 0; row < 3; ++row) {
    for (std::size_t d = 0; d < 3; ++d) {
      rotated[row][d] = directions[row][move.axes[d].source] * (move.axes[d].step < 0 ? -1 : 1);
    }
  }
  result.qfac = determinant(rotated) < 0 ? -1 : 1;
  for (auto& row : rotated) row[2] *= result.qfac;
  result.quaternion = quaternion_of(rotated);
  return result;
}

}  // namespace tenstride::io
