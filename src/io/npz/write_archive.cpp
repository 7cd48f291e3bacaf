// SPDX-License-Identifier: Apache-2.0
// By minizip, zlib's own writer of zip archives.
#include "io/npz/write_archive.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <memory>

#include "base/message.hpp"
#include "files/system_reason.hpp"
#include "io/format/element_blocks.hpp"
#include "io/input.hpp"
#include "io/npy/npy_info.hpp"

#ifdef TENSTRIDE_HAS_MINIZIP
#include <zip.h>
#endif

namespace tenstride::io {

#ifdef TENSTRIDE_HAS_MINIZIP

namespace {

/// An archive that is being written into a file with a temporary name.
class ArchiveWriter {
 public:
  ArchiveWriter(const std::string& path, Overwrite overwrite, std::string_view operation)
      : operation_(operation),
        file_(path, overwrite, operation),
        archive_(zipOpen64(file_.temporary_path().c_str(), APPEND_STATUS_CREATE)) {
    if (archive_ == nullptr) refuse();
  }
  ~ArchiveWriter() {
    if (archive_ != nullptr) zipClose(archive_, nullptr);
  }
  ArchiveWriter(const ArchiveWriter&) = delete;
  ArchiveWriter& operator=(const ArchiveWriter&) = delete;

  enum class IsRaw : unsigned char { no, yes };

  void begin_member(const std::string& name, bool is_compressed, IsRaw is_raw = IsRaw::no) {
    std::vector<char> padding;
    if (!is_compressed) padding = padding_before(name);
    zip_fileinfo facts{};
    facts.tmz_date = {0, 0, 0, 1, 0, 1980};  // equal tensors give equal files
    constexpr uLong version_made_by = 0;
    constexpr uLong utf8_names = 1U << 11;
    check(zipOpenNewFileInZip4_64(
        archive_, name.c_str(), &facts, padding.data(), static_cast<uInt>(padding.size()), nullptr, 0,
        nullptr, is_compressed ? Z_DEFLATED : 0, Z_DEFAULT_COMPRESSION, is_raw == IsRaw::yes ? 1 : 0,
        -MAX_WBITS, DEF_MEM_LEVEL, Z_DEFAULT_STRATEGY, nullptr, 0, version_made_by, utf8_names, 1));
    position_ += local_header_nbytes(name) + padding.size();
  }
  void write(std::span<const std::byte> bytes) {
    check(zipWriteInFileInZip(archive_, bytes.data(), static_cast<unsigned>(bytes.size())));
    position_ += bytes.size();
  }
  void end_member() { check(zipCloseFileInZip(archive_)); }

  /// A member of another archive, its bytes as they are stored there.
  void copy_member(const FileInfo& info, std::string_view operation) {
    const CompressedStream& stored = info.stream;
    const Storage source = map_input(info.path, operation);
    std::span<const std::byte> bytes = bytes_of(source);
    if (stored.begin > bytes.size() || stored.nbytes > bytes.size() - stored.begin)
      throw FileError(tenstride::detail::message(operation, ": \"", info.path, "\" must not become shorter"),
                      info.path);
    bytes = bytes.subspan(stored.begin, stored.nbytes);
    begin_member(info.name + ".npy", info.storage == ElementStorage::stream, IsRaw::yes);
    constexpr std::size_t max_piece = std::size_t{1} << 30;  // minizip counts by 32 bits
    for (; !bytes.empty(); bytes = bytes.subspan(std::min(bytes.size(), max_piece)))
      write(bytes.first(std::min(bytes.size(), max_piece)));
    check(zipCloseFileInZipRaw64(archive_, stored.content_nbytes.value_or(stored.nbytes), *stored.crc));
  }

  void commit() {
    zipFile const archive = archive_;
    archive_ = nullptr;
    check(zipClose(archive, nullptr));
    file_.commit();
  }

 private:
  /// Fixed fields, the name, and the sizes of zip64.
  static std::uint64_t local_header_nbytes(const std::string& name) { return 30 + name.size() + 20; }

  /// An extra field that makes the member's bytes begin at a multiple of 64. Pre: members before are not
  /// compressed.
  [[nodiscard]] std::vector<char> padding_before(const std::string& name) const {
    constexpr std::uint64_t alignment = 64, field_header = 4;
    const std::uint64_t begin = position_ + local_header_nbytes(name) + field_header;
    const std::uint64_t zeros = (alignment - begin % alignment) % alignment;
    std::vector<char> field(static_cast<std::size_t>(field_header + zeros), '\0');
    // The number that Android's zipalign uses for the same.
    field[0] = static_cast<char>(0x35);
    field[1] = static_cast<char>(0xd9);
    field[2] = static_cast<char>(zeros);
    return field;
  }

  void check(int status) const {
    if (status != ZIP_OK) refuse();
  }
  [[noreturn]] void refuse() const {
    throw FileError(tenstride::detail::message(operation_, ": \"", file_.path(),
                                               "\" must be a file that can be written", system_reason(errno)),
                    file_.path());
  }

  std::string operation_;
  AtomicFile file_;
  zipFile archive_;
  /// Bytes written so far, as long as no member is compressed.
  std::uint64_t position_ = 0;
};

void require_member_name(const std::string& name, std::string_view operation) {
  const auto refuse = [&](const auto&... pieces) {
    throw ValueError(
        tenstride::detail::message(operation, ": the name of a tensor in an .npz file ", pieces...));
  };
  constexpr std::size_t max_name = 65535 - 4;  // its length has 16 bits, ".npy" included
  if (name.find('\0') != std::string::npos) refuse("must have no zero byte");
  if (name.size() > max_name) refuse("has ", name.size(), " bytes and must have at most ", max_name);
}

}  // namespace

void save_npz(const std::string& path, const std::vector<NamedTensor>& tensors,
              const SaveTensorsOptions& options, std::string_view operation) {
  std::vector<std::string> headers;
  headers.reserve(tensors.size());
  // What cannot be written is refused before there is a file.
  for (const NamedTensor& tensor : tensors) {
    require_member_name(tensor.name, operation);
    headers.push_back(npy_head(tensor.tensor.shape(), tensor.tensor.dtype(),
                               tensor.order.value_or(options.order), tensor.attributes, operation));
  }
  ArchiveWriter archive(path, options.overwrite, operation);
  for (std::size_t i = 0; i < tensors.size(); ++i) {
    archive.begin_member(tensors[i].name + ".npy", options.is_compressed);
    archive.write(std::as_bytes(std::span(headers[i])));
    for_each_block(tensors[i].tensor, tensors[i].order.value_or(options.order),
                   [&](std::span<const std::byte> bytes) { archive.write(bytes); });
    archive.end_member();
  }
  for (const FileInfo& info : options.chunks.as_stored) archive.copy_member(info, operation);
  archive.commit();
}

#else

void save_npz(const std::string& path, const std::vector<NamedTensor>& /*tensors*/,
              const SaveTensorsOptions& /*options*/, std::string_view operation) {
  throw FileError(
      tenstride::detail::message(operation, ": \"", path,
                                 "\" must not be an .npz file: this build was made without minizip"),
      path);
}

#endif

}  // namespace tenstride::io
