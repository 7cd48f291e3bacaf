// SPDX-License-Identifier: Apache-2.0
#include <sys/ioctl.h>
#include <unistd.h>

#include <cctype>
#include <cstdlib>
#include <filesystem>
#include <iostream>
#include <iterator>
#include <span>

#include "cli.hpp"
#include "input_path.hpp"
#include "show.hpp"
#include "tenstride/files/atomic_file.hpp"
#include "tenstride/io/file.hpp"
#include "tenstride/io/file_pattern.hpp"
#include "tenstride/io/open_for_notation.hpp"
#include "tenstride/picture/picture.hpp"

namespace tenstride::cli {
namespace {

enum class Form : unsigned char { text, svg, png, html };

Form form_of(const ShowCommand& command) {
  std::string suffix = std::filesystem::path(command.output).extension().string();
  for (char& c : suffix) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  if (command.as_page && (command.output.empty() || suffix == ".html" || suffix == ".htm")) return Form::html;
  if (command.as_page) {
    throw UsageError("show: --html writes a page, so the output (" + command.output + ") must end in .html");
  }
  if (command.output.empty()) return Form::text;
  if (suffix == ".svg") return Form::svg;
  if (suffix == ".png") return Form::png;
  if (suffix == ".html" || suffix == ".htm") return Form::html;
  throw UsageError("show: the output (" + command.output + ") must end in .svg, .png or .html");
}

/// A folder is meant only where it holds a tensor, and a pattern where its files do: an expression may have
/// the name of another.
bool is_file_of_tensors(const std::string& path) {
  std::error_code ignored;
  if (io::is_file_pattern(path)) {
    try {
      return io::sniff(io::files_of_pattern(path, "show").front()) != io::FileKind::unknown;
    } catch (const FileError&) {
      return false;
    }
  }
  if (std::filesystem::is_directory(path, ignored)) return io::sniff(path) != io::FileKind::unknown;
  return std::filesystem::exists(path, ignored);
}

/// A file where there is one of that name, else an expression.
Picture picture_for(const ShowCommand& command) {
  const bool is_input = is_standard_input(command.expression);
  if (is_input ? has_file_on_standard_input("show")
               : is_file_of_tensors(io::parse_address(command.expression).file)) {
    if (!command.inputs.empty())
      throw UsageError("show: --input needs an expression, not a file (" + command.expression + ")");
    const std::filesystem::path path(command.expression);
    return picture_of(io::open_tensor_file(input_info(command.expression, command.raw, "show")),
                      is_input ? "standard input" : path.filename().string());
  }
  ExplainOptions options;
  options.inputs = open_inputs(command.inputs, command.raw, "show");
  options.open_file = io::open_for_notation;
  std::string expression = command.expression;
  if (is_input) expression = read_standard_input("show");
  return picture_of(expression, options);
}

void write(const std::string& path, const std::string& text, io::Overwrite overwrite) {
  io::AtomicFile file(path, overwrite, "show");
  file.write(std::as_bytes(std::span(text)));
  file.commit();
}

}  // namespace

std::size_t output_width() {
  const char* const columns = std::getenv("COLUMNS");
  const int given = columns == nullptr ? 0 : std::atoi(columns);
  if (given > 0) return static_cast<std::size_t>(given);
  winsize size{};
  if (isatty(STDOUT_FILENO) == 1 && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 0)
    return size.ws_col;
  return 80;
}

int run(const ShowCommand& command) {
  const Form form = form_of(command);
  PictureOptions options;
  options.subject = *picture_subject(command.subject);
  options.colors = command.colors == "position" ? PictureColors::position : PictureColors::axis;
  options.axis = static_cast<std::size_t>(command.axis);
  options.style = output_style();
  options.width = command.width > 0 ? static_cast<std::size_t>(command.width) : output_width();
  Picture picture = picture_for(command);
  if (picture.is_wrong_notation) throw UsageError("show: " + picture.error);
  if (!command.mesh.empty()) {
    picture = spread_over(std::move(picture), {parse_shape("--mesh", command.mesh)},
                          distributed::parse_placements(command.placements));
  }
  const io::Overwrite overwrite = command.force ? io::Overwrite::replace : io::Overwrite::refuse;
  switch (form) {
    case Form::text:
      std::cout << to_text(picture, options);
      break;
    case Form::svg:
      write(command.output, to_svg(picture, options), overwrite);
      break;
    case Form::png:
      write(command.output, png_of_svg(to_svg(picture, options)), overwrite);
      break;
    case Form::html: {
      const std::string page = to_html(picture, options);
      if (command.output.empty()) {
        std::cout << page;
      } else {
        write(command.output, page, overwrite);
      }
      break;
    }
  }
  // A refused view is what such a picture is for; it is told all the same.
  return picture.error.empty() ? done : failed;
}

}  // namespace tenstride::cli
