// SPDX-License-Identifier: Apache-2.0
#include <liburing.h>

#include <cerrno>

#include "io/disk/request.hpp"

namespace tenstride::io {
namespace {

class UringQueue final : public RequestQueue {
 public:
  UringQueue(std::size_t depth, const io_uring& ring) : RequestQueue(depth), ring_(ring) {}
  UringQueue(const UringQueue&) = delete;
  UringQueue& operator=(const UringQueue&) = delete;
  ~UringQueue() override {
    finish();
    io_uring_queue_exit(&ring_);
  }
  [[nodiscard]] std::string_view name() const noexcept override { return "io_uring"; }

 private:
  void start(std::size_t slot) override {
    // There is a free one: the ring has as many as there are slots, and each is submitted at once.
    io_uring_sqe* const entry = io_uring_get_sqe(&ring_);
    const DiskRequest& next = request(slot);
    const auto nbytes = static_cast<unsigned>(next.nbytes());
    if (next.is_read()) {
      io_uring_prep_read(entry, next.descriptor(), next.destination(), nbytes, next.offset());
    } else {
      io_uring_prep_write(entry, next.descriptor(), next.source(), nbytes, next.offset());
    }
    io_uring_sqe_set_data64(entry, slot);
    int submitted = -EAGAIN;
    while (submitted == -EINTR || submitted == -EAGAIN || submitted == -EBUSY) {
      submitted = io_uring_submit(&ring_);
    }
    if (submitted >= 0) return;
    // What stays in the ring must move nothing when the next submission takes it along.
    io_uring_prep_nop(entry);
    io_uring_sqe_set_data64(entry, depth());
    next.refuse(-submitted);
  }

  Result next_result() override {
    while (true) {
      io_uring_cqe* completed = nullptr;
      if (io_uring_wait_cqe(&ring_, &completed) != 0) continue;  // a signal
      const Result result{static_cast<std::size_t>(io_uring_cqe_get_data64(completed)), completed->res};
      io_uring_cqe_seen(&ring_, completed);
      if (result.slot < depth()) return result;
    }
  }

  io_uring ring_;
};

bool has_reads_and_writes(io_uring* ring) {
  io_uring_probe* const probe = io_uring_get_probe_ring(ring);
  if (probe == nullptr) return false;
  const bool has_both = io_uring_opcode_supported(probe, IORING_OP_READ) != 0 &&
                        io_uring_opcode_supported(probe, IORING_OP_WRITE) != 0;
  io_uring_free_probe(probe);
  return has_both;
}

}  // namespace

std::unique_ptr<DiskQueue> make_uring_queue(std::size_t depth) {
  // ENOSYS: the system has none; EPERM: it is forbidden, as in many containers; ENOMEM: no locked memory is
  // left.
  io_uring ring{};
  if (io_uring_queue_init(static_cast<unsigned>(depth), &ring, 0) != 0) return nullptr;
  if (has_reads_and_writes(&ring)) return std::make_unique<UringQueue>(depth, ring);
  io_uring_queue_exit(&ring);
  return nullptr;
}

}  // namespace tenstride::io
