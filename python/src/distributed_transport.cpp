// SPDX-License-Identifier: Apache-2.0
#include "distributed_transport.hpp"

#include <cstdint>
#include <utility>

#include "tenstride/base/error.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;

nb::object memoryview_of(const std::byte* data, std::size_t size, int access) {
  auto* const first = reinterpret_cast<char*>(const_cast<std::byte*>(data));
  nb::object view = nb::steal(PyMemoryView_FromMemory(first, static_cast<Py_ssize_t>(size), access));
  if (!view) throw nb::python_error();
  return view;
}

nb::object memoryview_of(std::span<const std::byte> bytes) {
  return memoryview_of(bytes.data(), bytes.size(), PyBUF_READ);
}

nb::object memoryview_of(std::span<std::byte> bytes) {
  return memoryview_of(bytes.data(), bytes.size(), PyBUF_WRITE);
}

}  // namespace

/// Memory by `allocate_shared` of the object.
class PythonTransport::Piece final : public distributed::SharedMemory {
 public:
  Piece(std::shared_ptr<Calls> calls, std::size_t nbytes) : calls_(std::move(calls)) {
    const nb::object made = calls_->object.attr("allocate_shared")(nbytes);
    handle_ = made[0];
    addresses_ = nb::cast<std::vector<std::uintptr_t>>(made[1]);
    ++calls_->pieces;
  }
  ~Piece() override {
    const nb::gil_scoped_acquire held;
    --calls_->pieces;
    if (!calls_->is_closed) {
      try {
        calls_->object.attr("free_shared")(handle_);
      } catch (nb::python_error& error) {
        error.discard_as_unraisable("tenstride.distributed: free_shared");
      }
    }
    handle_.reset();
  }
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  [[nodiscard]] std::byte* of(Index rank) const override {
    return reinterpret_cast<std::byte*>(addresses_[static_cast<std::size_t>(rank)]);
  }

 private:
  std::shared_ptr<Calls> calls_;
  nb::object handle_;
  std::vector<std::uintptr_t> addresses_;
};

PythonTransport::PythonTransport(nb::object calls)
    : calls_(std::make_shared<Calls>(Calls{std::move(calls)})),
      rank_(nb::cast<Index>(calls_->object.attr("rank"))),
      near_(nb::cast<std::vector<bool>>(calls_->object.attr("near"))) {}

PythonTransport::~PythonTransport() {
  calls_->is_closed = true;
}

void PythonTransport::close() {
  if (calls_->is_closed) return;
  for (Index before = -1; before != calls_->pieces;) {
    before = calls_->pieces;
    release_unused();
  }
  calls_->is_closed = true;
}

void PythonTransport::all_gather(std::span<const std::byte> own, std::span<std::byte> all) {
  const nb::gil_scoped_acquire held;
  calls_->object.attr("all_gather")(memoryview_of(own), memoryview_of(all));
}

void PythonTransport::send(Index to, std::span<const std::byte> bytes) {
  const nb::gil_scoped_acquire held;
  calls_->object.attr("send")(to, memoryview_of(bytes));
}

void PythonTransport::receive(Index from, std::span<std::byte> bytes) {
  const nb::gil_scoped_acquire held;
  calls_->object.attr("receive")(from, memoryview_of(bytes));
}

std::optional<std::size_t> PythonTransport::wait_received() {
  const nb::gil_scoped_acquire held;
  return nb::cast<std::optional<std::size_t>>(calls_->object.attr("wait_received")());
}

void PythonTransport::wait_sent() {
  const nb::gil_scoped_acquire held;
  calls_->object.attr("wait_sent")();
}

void PythonTransport::sync_near() {
  const nb::gil_scoped_acquire held;
  calls_->object.attr("sync_near")();
}

void PythonTransport::fail(const std::string& message) {
  const nb::gil_scoped_acquire held;
  calls_->object.attr("fail")(message);
  throw RuntimeError(message);
}

std::unique_ptr<distributed::SharedMemory> PythonTransport::allocate_shared(std::size_t nbytes) {
  const nb::gil_scoped_acquire held;
  return std::make_unique<Piece>(calls_, nbytes);
}

}  // namespace tenstride::python
