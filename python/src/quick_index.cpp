// SPDX-License-Identifier: Apache-2.0
#include <array>

#include "cpython.hpp"
#include "errors.hpp"
#include "ints.hpp"
#include "tensor/unchecked.hpp"
#include "tensor_slots.hpp"
#include "tenstride/layout/views_slices.hpp"
#include "types.hpp"

namespace tenstride::python {
namespace {

/// The layout of `x[key]` as it grows, entry by entry.
class Cut {
 public:
  explicit Cut(const Layout& source) : from_(source), rank_(source.rank()), offset_(source.offset) {}

  /// False where an entry is none of those that are taken here, or lies outside.
  bool take_all(PyObject* const* entries, Py_ssize_t count) {
    // Room for every axis and for one more by each entry.
    if (rank_ + static_cast<std::size_t>(count) > max_ints) return false;
    for (Py_ssize_t i = 0; i < count; ++i) {
      PyObject* const entry = entries[i];
      bool is_taken = false;
      if (PySlice_Check(entry)) {
        is_taken = slice(SliceParts(entry));
      } else if (PyLong_CheckExact(entry)) {
        is_taken = select(entry);
      } else if (entry == Py_None) {
        is_taken = add_axis();
      } else if (entry == Py_Ellipsis) {
        is_taken = skip(entries + i + 1, count - i - 1);
      }
      if (!is_taken) return false;
    }
    keep_until(rank_);
    return true;
  }

  [[nodiscard]] Layout result() const {
    Layout layout = detail::blank(made_, offset_);
    const detail::MutableEntries to(layout);
    for (std::size_t d = 0; d < made_; ++d) to.set(d, sizes_[d], steps_[d]);
    return layout;
  }

 private:
  void append(Index size, Index stride) {
    sizes_[made_] = size;
    steps_[made_] = stride;
    ++made_;
  }
  void keep_until(std::size_t end) {
    for (; axis_ < end; ++axis_) append(from_.sizes[axis_], from_.steps[axis_]);
  }
  bool advance(Index steps) {
    Index moved = 0;
    return !__builtin_mul_overflow(steps, from_.steps[axis_], &moved) &&
           !__builtin_add_overflow(offset_, moved, &offset_);
  }

  bool select(PyObject* entry) {
    Index index = 0;
    if (axis_ >= rank_ || !read_int(entry, index)) return false;
    const Index size = from_.sizes[axis_];
    if (index < -size || index >= size || !advance(index < 0 ? index + size : index)) return false;
    ++axis_;
    return true;
  }
  bool slice(const SliceParts& entry) {
    if (axis_ >= rank_) return false;
    if (entry.start() == Py_None && entry.stop() == Py_None && entry.step() == Py_None) {
      keep_until(axis_ + 1);
      return true;
    }
    const Index size = from_.sizes[axis_];
    Index start = 0;
    Index stop = size;
    Index step = 1;
    if (entry.start() != Py_None && !read_int(entry.start(), start)) return false;
    if (entry.stop() != Py_None && !read_int(entry.stop(), stop)) return false;
    if (entry.step() != Py_None && (!read_int(entry.step(), step) || step <= 0)) return false;
    const detail::Cut part = detail::cut_forward(size, start, stop, step);
    Index stride = 0;
    if (__builtin_mul_overflow(from_.steps[axis_], step, &stride) || !advance(part.first)) return false;
    ++axis_;
    append(part.size, stride);
    return true;
  }
  bool add_axis() {
    Index stride = 1;
    if (axis_ < rank_ && __builtin_mul_overflow(from_.sizes[axis_], from_.steps[axis_], &stride)) {
      return false;
    }
    append(1, stride);
    return true;
  }
  /// `...`: all axes but those that the entries behind it name.
  bool skip(PyObject* const* behind, Py_ssize_t count) {
    std::size_t named = 0;
    for (Py_ssize_t i = 0; i < count; ++i) {
      if (behind[i] == Py_Ellipsis) return false;
      if (behind[i] != Py_None) ++named;
    }
    if (named > rank_ - axis_) return false;
    keep_until(rank_ - named);
    return true;
  }

  detail::Entries from_;
  std::size_t rank_;
  Index offset_;
  std::size_t axis_ = 0;  ///< of the source: those left of it are done
  std::size_t made_ = 0;
  std::array<Index, max_ints> sizes_;
  std::array<Index, max_ints> steps_;
};

}  // namespace

PyObject* quick_item(PyObject* self, PyObject* key) {
  const Tensor& tensor = tensor_of(self);
  Cut cut(tensor.layout());
  bool is_taken = false;
  if (PyTuple_CheckExact(key) == 0) {
    is_taken = cut.take_all(&key, 1);
  } else if (const Py_ssize_t count = EntriesOf::count(key);
             count <= static_cast<Py_ssize_t>(EntriesOf::most)) {
    is_taken = cut.take_all(EntriesOf(key).data(), count);
  }
  if (!is_taken) return nullptr;
  return guarded([&] { return make_tensor([&] { return with_layout(tensor, cut.result()); }); });
}

}  // namespace tenstride::python
