// SPDX-License-Identifier: Apache-2.0
#include "file_objects.hpp"

#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>

#include "base/message.hpp"
#include "cpython.hpp"
#include "errors.hpp"
#include "files/system_reason.hpp"

namespace tenstride::python {
namespace {

namespace nb = nanobind;
using detail::message;

constexpr Py_ssize_t part_nbytes = Py_ssize_t{16} << 20;

/// A view of an object's bytes for as long as it stands.
class ByteView {
 public:
  explicit ByteView(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~ByteView() { PyBuffer_Release(&view_); }
  ByteView(const ByteView&) = delete;
  ByteView& operator=(const ByteView&) = delete;
  ByteView(ByteView&&) = delete;
  ByteView& operator=(ByteView&&) = delete;

  [[nodiscard]] const char* data() const { return static_cast<const char*>(view_.buf); }
  [[nodiscard]] std::size_t size() const { return static_cast<std::size_t>(view_.len); }

 private:
  Py_buffer view_{};
};

}  // namespace

bool is_file_object(nb::handle object) {
  return PyUnicode_Check(object.ptr()) == 0 && PyObject_HasAttrString(object.ptr(), "read") != 0 &&
         PyObject_HasAttrString(object.ptr(), "__fspath__") == 0;
}

FileObjectCopy::FileObjectCopy(nb::handle object, std::string_view operation)
    : file_(memfd_create("tenstride", MFD_CLOEXEC)), name_(message('<', name_of_type(object), '>')) {
  const auto refuse = [&](const std::string& text) {
    throw FileError(message(operation, ": \"", name_, "\" ", text), name_);
  };
  if (!file_.is_open()) refuse("must be read into memory, which cannot be had" + io::system_reason(errno));
  path_ = message("/proc/", getpid(), "/fd/", file_.get());
  for (;;) {
    const nb::object part = object.attr("read")(part_nbytes);
    if (PyObject_CheckBuffer(part.ptr()) == 0) {
      throw TypeError(message(operation,
                              ": a file object must be opened for bytes (mode 'rb'), its read gives ",
                              name_of_type(part)));
    }
    const ByteView bytes(part);
    if (bytes.size() == 0) break;
    for (std::size_t done = 0; done < bytes.size();) {
      const ssize_t count = write(file_.get(), bytes.data() + done, bytes.size() - done);
      if (count < 0 && errno == EINTR) continue;
      if (count < 0) refuse("must fit into memory" + io::system_reason(errno));
      done += static_cast<std::size_t>(count);
    }
  }
}

std::string FileObjectCopy::named(std::string text) const {
  for (std::size_t at = 0; (at = text.find(path_, at)) != std::string::npos; at += name_.size()) {
    text.replace(at, path_.size(), name_);
  }
  return text;
}

}  // namespace tenstride::python
