// SPDX-License-Identifier: Apache-2.0
#include "standard_output.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <csignal>
#include <cstdint>

#include "descriptor_io.hpp"
#include "slabs.hpp"
#include "tenstride/io/image.hpp"
#include "tenstride/io/save.hpp"
#include "tenstride/layout/views.hpp"
#include "tenstride/tensor/factory.hpp"

namespace tenstride::cli {
namespace {

/// Large enough for all threads, small beside any memory.
constexpr Index slab_bytes = Index{16} << 20;

void write_part(std::span<const std::byte> bytes) {
  if (write_all(STDOUT_FILENO, bytes)) return;
  throw WorkError("convert: standard output must take all of the result" + reason(errno));
}

Checksum write_flat(const Tensor& source, const ConvertPlan& plan, Index& missing) {
  const std::string header = io::flat_head(plan.kind, plan.output_tensor(), "convert");
  write_part(std::as_bytes(std::span(header)));
  const bool is_row_major = plan.order == io::ElementOrder::row_major;
  const Index axis = is_row_major ? 0 : std::max<Index>(0, source.dim() - 1);
  const Layout positions = row_major(source.shape());
  const std::vector<Slab> slabs = slabs_of(source.shape(), item_size(plan.dtype), axis, slab_bytes);
  // The first slab is the largest.
  const auto elements = static_cast<std::size_t>(narrowed(source, axis, slabs.front()).numel());
  const Storage buffer = Storage::allocate(elements * item_size(plan.dtype));
  Checksum sum;
  for (const Slab& slab : slabs) {
    const Tensor part = narrowed(source, axis, slab);
    const Layout layout = is_row_major ? row_major(part.shape()) : column_major(part.shape());
    Tensor written(buffer, layout, plan.dtype);
    missing += write_elements(written, part, plan, arithmetic_of(plan, source.dim(), axis, slab));
    write_part({static_cast<const std::byte*>(written.data_ptr()), written.nbytes()});
    sum += checksum(written, source.dim() == 0 ? positions : narrow(positions, axis, slab.first, slab.count));
  }
  return sum;
}

Checksum write_png(const Tensor& source, const ConvertPlan& plan, Index& missing) {
  const Tensor image = written_image(source, plan, missing);
  io::encode_png(image, write_part);
  if (image.dtype() != DType::bool_) return checksum(image);
  constexpr double white = 255;  // what a PNG holds of a bool
  return checksum(convert(image, DType::uint8, {.scale = std::span(&white, 1)}));
}

}  // namespace

bool is_standard_output(const std::string& given) {
  return given == "-" || given == "/dev/stdout";
}

void check_standard_output() {
  if (isatty(STDOUT_FILENO) != 1) return;
  throw UsageError(
      "convert: the output - must be a pipe or a file, not a terminal, which would show its bytes "
      "(| program, > x.npy, or -o x.npy)");
}

Checksum write_to_standard_output(const Tensor& source, const ConvertPlan& plan, Index& missing) {
  std::signal(SIGPIPE, SIG_IGN);  // a reader that has ended is an error that is told
  return plan.kind == io::FileKind::png ? write_png(source, plan, missing)
                                        : write_flat(source, plan, missing);
}

}  // namespace tenstride::cli
