// SPDX-License-Identifier: Apache-2.0
#ifdef TENSTRIDE_HAS_HDF5
#include "io/hdf5/libhdf5_worker.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <vector>

#include "files/system_reason.hpp"
#include "io/hdf5/child.hpp"
#include "io/hdf5/libhdf5_reader.hpp"
#include "io/hdf5/refuse.hpp"
#include "tenstride/layout/layout.hpp"

namespace tenstride::io {
namespace {

/// What is sent to the child, and what comes back before the bytes of the result, or of the text of an error.
struct WorkerRequest {
  char request = 0;
  std::array<Index, H5S_MAX_RANK> index{};
};
struct WorkerAnswer {
  bool is_error = false;
  std::uint64_t nbytes = 0;
};
constexpr std::uint64_t max_worker_text = std::uint64_t{1} << 16;

/// Never raises SIGPIPE, which would end the program.
bool send_all(int socket, std::span<const std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

bool receive_all(int socket, std::span<std::byte> bytes) noexcept {
  while (!bytes.empty()) {
    const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return false;
    bytes = bytes.subspan(static_cast<std::size_t>(count));
  }
  return true;
}

template <class T>
std::span<std::byte> bytes_of_struct(T& value) {
  return std::as_writable_bytes(std::span(&value, 1));
}

bool send_answer(int socket, bool is_error, std::span<const std::byte> bytes) {
  WorkerAnswer answer{is_error, bytes.size()};
  return send_all(socket, bytes_of_struct(answer)) && send_all(socket, bytes);
}

}  // namespace

Hdf5Worker::~Hdf5Worker() {
  if (child_ > 0) end();
}

std::string Hdf5Worker::end() {
  // Unlike closing it, that reaches the child also where another child has the socket, too.
  shutdown(socket_.get(), SHUT_RDWR);
  socket_.reset();
  return end_of_child(std::exchange(child_, -1));
}

int Hdf5Worker::serve(int socket, const Hdf5Input& input, const Hdf5Dataset& dataset,
                      const std::string& operation) {
  const auto chunk_nbytes =
      static_cast<std::size_t>(numel(row_major(dataset.chunk))) * item_size(dataset.dtype);
  std::optional<Hdf5Reader> reader;
  std::vector<std::byte> elements;
  WorkerRequest request;
  const std::size_t rank = dataset.chunk.size();
  while (receive_all(socket, bytes_of_struct(request))) {
    extend_child(child_seconds(input.nbytes) + static_cast<unsigned>(chunk_nbytes >> 20));
    const Dims index(std::span<const Index>(request.index).first(rank));
    bool is_sent = false;
    try {
      if (!reader) reader.emplace(input, dataset, operation);
      if (request.request == static_cast<char>(Request::find)) {
        Hdf5Chunk place = reader->find(index);
        is_sent = send_answer(socket, false, bytes_of_struct(place));
      } else {
        elements.resize(chunk_nbytes);
        reader->read(index, elements);
        is_sent = send_answer(socket, false, elements);
      }
    } catch (const FileError& error) {
      const std::string_view text = std::string_view(error.what()).substr(0, max_worker_text);
      is_sent = send_answer(socket, true, std::as_bytes(std::span(text)));
    }
    if (!is_sent) break;
    wait_in_child();
  }
  return 0;
}

void Hdf5Worker::start(const Hdf5Input& input, const Hdf5Dataset& dataset, const std::string& operation) {
  std::array<int, 2> ends{};
  if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends.data()) != 0) {
    refuse_hdf5(operation, input.path, "needs a socket to be read", system_reason(errno));
  }
  socket_ = Descriptor(ends[0]);
  Descriptor other(ends[1]);
  child_ = fork_child(child_seconds(input.nbytes), [&] {
    socket_.reset();
    wait_in_child();
    return serve(other.get(), input, dataset, operation);
  });
  if (child_ < 0)
    refuse_hdf5(operation, input.path, "needs a child process to be read", system_reason(errno));
}

void Hdf5Worker::answer(Request request, const Hdf5Input& input, const Hdf5Dataset& dataset,
                        const std::string& operation, const Dims& index, std::span<std::byte> result) {
  if (child_ < 0) start(input, dataset, operation);
  WorkerRequest sent{static_cast<char>(request), {}};
  std::copy(index.begin(), index.end(), sent.index.begin());
  WorkerAnswer answer;
  std::string text;
  bool is_whole = send_all(socket_.get(), bytes_of_struct(sent)) &&
                  receive_all(socket_.get(), bytes_of_struct(answer)) &&
                  answer.nbytes <= (answer.is_error ? max_worker_text : result.size()) &&
                  (answer.is_error || answer.nbytes == result.size());
  if (is_whole && answer.is_error) {
    text.resize(answer.nbytes);
    is_whole = receive_all(socket_.get(), std::as_writable_bytes(std::span(text)));
  } else if (is_whole) {
    is_whole = receive_all(socket_.get(), result);
  }
  if (!is_whole) {
    const std::string reason = end();
    refuse_hdf5(operation, input.path, "must have elements of \"", dataset.name,
                "\" that libhdf5 can read; at chunk ", index, " ", reason);
  }
  if (answer.is_error) throw FileError(text, input.path);
}

Hdf5Chunk Hdf5Worker::find(const Hdf5Input& input, const Hdf5Dataset& dataset, const std::string& operation,
                           const Dims& index) {
  Hdf5Chunk place;
  answer(Request::find, input, dataset, operation, index, bytes_of_struct(place));
  return place;
}

void Hdf5Worker::read(const Hdf5Input& input, const Hdf5Dataset& dataset, const std::string& operation,
                      const Dims& index, std::span<std::byte> elements) {
  answer(Request::read, input, dataset, operation, index, elements);
}

}  // namespace tenstride::io
#endif
