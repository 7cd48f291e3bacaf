// SPDX-License-Identifier: Apache-2.0
// A file whose axes stand in the wrong order, written in another one with 4 MiB of buffers.
#include <cstdio>
#include <filesystem>

#include "tenstride/io/npy.hpp"
#include "tenstride/io/permute_file.hpp"
#include "tenstride/tensor/factory.hpp"

int main() {
  using namespace tenstride;
  const std::filesystem::path folder = std::filesystem::temp_directory_path() / "tenstride-large-file";
  std::filesystem::create_directories(folder);
  const std::string source = folder / "tyx.npy", destination = folder / "xyt.npy";
  io::save_npy(source, arange(200 * 150 * 100).view({200, 150, 100}).to(DType::float32),
               {.overwrite = io::Overwrite::replace});

  io::FileOptions options;
  options.memory = std::uint64_t{4} << 20;
  options.check = io::FileCheck::checksum;
  options.overwrite = io::Overwrite::replace;
  // What will happen is known before an element is read.
  const io::FileJob job = io::plan_permute_file(source, "x.permute(2, 1, 0)", destination, options);
  std::printf("%s", to_string(job).c_str());

  // Called some 20 times a second. An exception in it ends the run; options.resume goes on later.
  const io::FileResult result =
      io::run(job, [](const io::Progress& now) { std::printf("%s\n", io::progress_text(now).c_str()); });
  std::printf("checksum %s, read back: %s\n", to_string(result.checksum).c_str(),
              result.is_checked ? "yes" : "no");
  const bool is_right = io::open_npy(destination).equal(io::open_npy(source).permute({2, 1, 0}));
  std::filesystem::remove_all(folder);
  return is_right ? 0 : 1;
}
