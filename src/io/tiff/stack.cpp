// SPDX-License-Identifier: Apache-2.0
#include "io/tiff/stack.hpp"

#include <algorithm>
#include <bit>

#include "io/format/python_json.hpp"
#include "io/tiff/attribute_tags.hpp"
#include "io/tiff/flat.hpp"
#include "io/tiff/page_axes.hpp"
#include "io/tiff/page_runs.hpp"

namespace tenstride::io {
namespace {

using tenstride::detail::message;

void add_note(std::string& note, const std::string& more) {
  if (more.empty()) return;
  if (!note.empty()) note += "; ";
  note += more;
}

/// Makes stacks of the runs of pages of one file.
class StackReader {
 public:
  StackReader(std::shared_ptr<const TiffFile> file, TiffReader& reader, const TiffRuns& runs)
      : file_(std::move(file)), reader_(reader), runs_(runs.runs), others_(runs.others) {}

  /// Throws FileError for one that cannot be read.
  TiffStack stack(const TiffPageRun& run) {
    stack_ = start_of(run);
    if (!run.obstacle.empty()) file_->refuse(run.obstacle);
    stack_.format = run.format;
    stack_.dtype = run.format.dtype;
    stack_.directories = run.directories;
    stack_.file_of_page = run.files;
    if (!run.files.empty()) {
      stack_.files = {file_};
      for (const TiffOtherFile& other : others_) stack_.files.push_back(other.file);
    }
    read_pages(run);
    set_shape(run);
    set_flat_layout();
    describe();
    return std::move(stack_);
  }
  /// One that has its name alone.
  [[nodiscard]] TiffStack start_of(const TiffPageRun& run) const {
    TiffStack stack;
    stack.file = file_;
    stack.name = run.name;
    stack.version = reader_.is_big_tiff() ? 43 : 42;
    const bool is_little = std::endian::native == std::endian::little;
    stack.byte_order = reader_.is_big_endian() == is_little ? ByteOrder::swapped : ByteOrder::native;
    return stack;
  }

 private:
  void read_pages(const TiffPageRun& run) {
    TiffStorageSurvey survey(run.format);
    TiffDirectory page;
    for (std::size_t i = 0; i < run.directories.size(); ++i) {
      TiffReader& reader = reader_of(run, i);
      reader.read_directory(run.directories[i], page);
      check_pieces(reader, page, run.first + i);
      survey.add_page(reader, page);
      if (i == 0) first_ = page;
    }
    std::uint64_t size = file_->size();
    for (const TiffOtherFile& other : others_) size += run.files.empty() ? 0 : other.file->size();
    stack_.stored_nbytes = survey.stored_nbytes(size);
    if (run.files.empty()) stack_.flat = survey.flat();
  }
  TiffReader& reader_of(const TiffPageRun& run, std::size_t page) {
    const std::uint32_t file = run.files.empty() ? 0 : run.files[page];
    return file == 0 ? reader_ : *others_[file - 1].reader;
  }

  /// Refuses a page without an offset and a length of each strip or tile: libtiff would make some up.
  void check_pieces(TiffReader& reader, const TiffDirectory& page, std::uint64_t number) {
    const bool is_tiled = stack_.format.pieces == TiffPieces::tiles;
    const auto needed = static_cast<std::uint64_t>(stack_.format.piece_count());
    for (const auto& [of_tiles, of_strips] :
         {std::pair(tiff_tag::tile_offsets, tiff_tag::strip_offsets),
          std::pair(tiff_tag::tile_byte_counts, tiff_tag::strip_byte_counts)}) {
      const std::uint16_t tag = is_tiled ? of_tiles : of_strips;
      // Some writers use the tags of strips for tiles.
      const TiffTag* const found = page.find(tag) == nullptr ? page.find(of_strips) : page.find(tag);
      const std::uint64_t count = found == nullptr ? 0 : found->count;
      if (count < needed) {
        reader.file().refuse("page ", number, " has the tag ", tag, " with ", count,
                             count == 1 ? " value" : " values", " and must have ", needed, ", one for each ",
                             is_tiled ? "tile" : "strip");
      }
      static_cast<void>(reader.integer(*found, count - 1));  // all of them lie in the file
    }
  }

  /// What the pages are by OME-XML or by the description of the first.
  [[nodiscard]] TiffPageAxes axes_of(const TiffPageRun& run) const {
    if (run.axes) return *run.axes;
    TiffDirectory first;
    reader_.read_directory(run.directories[0], first);
    const std::optional<std::string> description = reader_.text(first, tiff_tag::image_description);
    return description ? read_page_axes(*description, run.format) : TiffPageAxes();
  }

  void set_shape(const TiffPageRun& run) {
    const auto count = static_cast<Index>(stack_.directories.size());
    TiffPageAxes axes = axes_of(run);
    // Smaller copies are of all pages of a tensor.
    if (axes.count < 1 && run.parent) axes = axes_of(runs_[*run.parent]);
    const bool has_more = axes.count > count && count == 1 && !run.parent && holds_pages(axes.count);
    if (has_more) {
      stack_.stored_nbytes = static_cast<std::uint64_t>(axes.count) * tiff_page_nbytes(stack_.format);
    } else if (axes.count != count) {
      if (axes.count > 0 && !run.parent) {
        add_note(stack_.note,
                 message("the description speaks of ", axes.count, " pages, the file has ", count));
      }
      axes = count == 1 ? TiffPageAxes() : TiffPageAxes{{count}, {"page"}, count};
    }
    if (axes.sizes.size() + 4 > max_rank) file_->refuse("has more axes than ", max_rank);
    stack_.page_rank = axes.sizes.size();
    stack_.shape = axes.sizes;
    stack_.axis_names = axes.names;
    const TiffFormat& format = stack_.format;
    const auto has_c = [](const std::vector<std::string>& names) {
      return std::find(names.begin(), names.end(), "c") != names.end();
    };
    const std::string_view samples = has_c(axes.names) || has_c(axes.page_names) ? "s" : "c";
    const auto push = [&](Index size, std::string_view usual) {
      const std::size_t axis = stack_.shape.size() - stack_.page_rank;
      const bool is_told = axis < axes.page_names.size() && axes.page_names[axis] != "s";
      stack_.shape.push_back(size);
      stack_.axis_names.emplace_back(is_told ? std::string_view(axes.page_names[axis]) : usual);
    };
    if (format.planes == TiffPlanes::separate) push(format.samples, samples);
    if (format.depth > 1) push(format.depth, "z");
    push(format.height, "y");
    push(format.width, "x");
    if (format.samples_together() > 1) push(format.samples, samples);
    std::optional<Index> nbytes = static_cast<Index>(item_size(stack_.dtype));
    for (const Index size : stack_.shape) nbytes = nbytes ? try_multiply(*nbytes, size) : nbytes;
    if (!nbytes) {
      file_->refuse("has the shape ", stack_.shape, ", whose bytes must fit a signed 64-bit integer");
    }
  }

  /// Whether `count` pages lie one behind the other from the first one on, and its directory not among them.
  [[nodiscard]] bool holds_pages(Index count) const {
    if (!stack_.flat) return false;
    const std::uint64_t begin = stack_.flat->begin;
    const std::uint64_t page_nbytes = tiff_page_nbytes(stack_.format);
    const auto pages = static_cast<std::uint64_t>(count);
    if (pages > (file_->size() - begin) / page_nbytes) return false;
    return first_.begin < begin || first_.begin >= begin + pages * page_nbytes;
  }

  void set_flat_layout() {
    const std::uint64_t item = item_size(stack_.dtype);
    if (!stack_.flat || stack_.flat->page_pitch % item != 0) return;
    Layout layout = row_major(stack_.shape);
    auto pitch = static_cast<Index>(stack_.flat->page_pitch / item);
    for (std::size_t d = stack_.page_rank; d-- > 0;) {
      layout.strides[d] = pitch;
      // All pages lie in the file: the product is at most its size.
      pitch *= stack_.shape[d];
    }
    stack_.flat->layout = layout;
  }

  void describe() {
    // The first page may be in another file: then the first of this one is described.
    if (!stack_.file_of_page.empty()) reader_.read_directory(reader_.first_directory(), first_);
    nlohmann::ordered_json json{{"photometric", tiff_photometric_text(stack_.format.photometric)}};
    stack_.compression = reader_.integer(first_, tiff_tag::compression, 1);
    json["compression"] = tiff_compression_text(stack_.compression);
    if (auto text = reader_.text(first_, tiff_tag::image_description)) json["description"] = std::move(*text);
    if (auto text = reader_.text(first_, tiff_tag::software)) json["software"] = std::move(*text);
    const std::optional<double> across = reader_.rational(first_, tiff_tag::x_resolution);
    const std::optional<double> down = reader_.rational(first_, tiff_tag::y_resolution);
    if (across && down) {
      json["resolution"] = {*across, *down};
      const std::uint64_t unit = reader_.integer(first_, tiff_tag::resolution_unit, 2);
      if (unit >= 1 && unit < tiff_resolution_units.size())
        json["resolution_unit"] = tiff_resolution_units[unit];
    }
    const std::uint64_t orientation = reader_.integer(first_, tiff_tag::orientation, 1);
    if (orientation != 1) {
      json["orientation"] = orientation;
      if (orientation >= 2 && orientation <= 8) stack_.orientation = static_cast<Orientation>(orientation);
      add_note(stack_.note, message("the orientation ", orientation, " is not applied"));
    }
    nlohmann::ordered_json unread;
    read_attribute_tags(reader_, first_, json, unread);
    stack_.attributes = python_json_text(json);
    if (!unread.empty()) stack_.unread_attributes = python_json_text(unread);
    note_colours();
  }

  void note_colours() {
    switch (stack_.format.photometric) {
      case tiff_photometric::white_is_zero:
        return add_note(stack_.note, "0 is white");
      case tiff_photometric::palette:
        return add_note(stack_.note, "elements are indices of a palette, which is not applied");
      case tiff_photometric::ycbcr:
        return add_note(stack_.note, stack_.compression == tiff_compression::jpeg
                                         ? "colours are converted from YCbCr to RGB"
                                         : "colours are YCbCr");
      default:
        return;
    }
  }

  std::shared_ptr<const TiffFile> file_;
  TiffReader& reader_;
  const std::vector<TiffPageRun>& runs_;
  const std::vector<TiffOtherFile>& others_;
  TiffDirectory first_;
  TiffStack stack_;
};

}  // namespace

std::vector<TiffStack> list_tiff_stacks(const std::string& path, std::string_view operation) {
  const auto file = std::make_shared<const TiffFile>(path, operation);
  TiffReader reader(*file);
  const TiffRuns found = find_tiff_runs(reader, operation);
  StackReader stacks(file, reader, found);
  std::vector<TiffStack> result;
  for (const TiffPageRun& run : found.runs) {
    try {
      result.push_back(stacks.stack(run));
    } catch (const FileError& error) {
      if (found.runs.size() == 1) throw;
      result.push_back(stacks.start_of(run));
      result.back().obstacle = file->reason_of(error);
    }
  }
  return result;
}

TiffStack open_tiff_stack(const std::string& path, std::string_view operation, std::string_view name) {
  const auto file = std::make_shared<const TiffFile>(path, operation);
  TiffReader reader(*file);
  const TiffRuns all = find_tiff_runs(reader, operation);
  const std::vector<TiffPageRun>& runs = all.runs;
  const auto found =
      std::find_if(runs.begin(), runs.end(), [&](const TiffPageRun& run) { return run.name == name; });
  if (found == runs.end() && !name.empty()) file->refuse("must still have a tensor \"", name, "\"");
  return StackReader(file, reader, all).stack(found == runs.end() ? runs.front() : *found);
}

}  // namespace tenstride::io
