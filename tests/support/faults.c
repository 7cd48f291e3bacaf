// SPDX-License-Identifier: Apache-2.0
// Loaded in front of the C library (LD_PRELOAD): what disks do at times, on files whose path ends in FAULT_FILE.
// FAULT_CALL: the call that fails with FAULT_ERROR from the FAULT_FIRST-th time on; with FAULT_KILLS the process is
// killed there, with FAULT_STOPS it stops itself at the FAULT_FIRST-th time (SIGSTOP) and no call fails. FAULT_SEED: a
// third of the reads and writes is cut short, a third is interrupted before anything is moved.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static atomic_long calls;

static int ends_in_fault_file(const char* path) {
  const char* const end = getenv("FAULT_FILE");
  if (end == NULL) return 1;
  const size_t length = strlen(path), wanted = strlen(end);
  return length >= wanted && strcmp(path + length - wanted, end) == 0;
}

static int is_faulty_file(int file) {
  char link[64], path[4096];
  snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const ssize_t length = readlink(link, path, sizeof path - 1);
  if (length < 0) return 0;
  path[length] = '\0';
  return ends_in_fault_file(path);
}

/// Whether this call fails; sets errno.
static int fails(const char* call) {
  const char* const wanted = getenv("FAULT_CALL");
  if (wanted == NULL || strcmp(wanted, call) != 0) return 0;
  const long number = atomic_fetch_add(&calls, 1) + 1, first = atol(getenv("FAULT_FIRST"));
  if (number < first) return 0;
  if (getenv("FAULT_STOPS") != NULL) {
    if (number == first) raise(SIGSTOP);
    return 0;
  }
  if (getenv("FAULT_KILLS") != NULL) raise(SIGKILL);
  errno = atoi(getenv("FAULT_ERROR"));
  return 1;
}

/// How much of a transfer takes place: all, whole pages, some bytes of a short one; 0: it is interrupted.
static size_t part_of(size_t count) {
  const char* const seed = getenv("FAULT_SEED");
  if (seed == NULL || count == 0) return count;
  uint64_t random = (uint64_t)atomic_fetch_add(&calls, 1) + (uint64_t)atol(seed);
  random = (random ^ (random >> 30)) * 0xBF58476D1CE4E5B9u;
  random = (random ^ (random >> 27)) * 0x94D049BB133111EBu;
  random ^= random >> 31;
  if (random % 3 == 0) return 0;
  if (random % 3 == 1) return count;
  const size_t unit = count % 4096 == 0 ? 4096 : 1;
  return (size_t)(random / 3 % (count / unit) + 1) * unit;
}

#define TRANSFER(name, buffer)                                                       \
  ssize_t name(int file, buffer bytes, size_t count, off_t offset) {                 \
    static ssize_t (*real)(int, buffer, size_t, off_t);                              \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name);                      \
    if (is_faulty_file(file)) {                                                      \
      char call[16] = #name;                                                         \
      call[strcspn(call, "6")] = '\0';                                               \
      if (fails(call)) return -1;                                                    \
      count = part_of(count);                                                        \
      if (count == 0) {                                                              \
        errno = EINTR;                                                               \
        return -1;                                                                   \
      }                                                                              \
    }                                                                                \
    return real(file, bytes, count, offset);                                         \
  }
TRANSFER(pread, void*)
TRANSFER(pread64, void*)
TRANSFER(pwrite, const void*)
TRANSFER(pwrite64, const void*)

ssize_t write(int file, const void* bytes, size_t count) {
  static ssize_t (*real)(int, const void*, size_t);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "write");
  return is_faulty_file(file) && fails("write") ? -1 : real(file, bytes, count);
}

#define FLUSH(name)                                             \
  int name(int file) {                                          \
    static int (*real)(int);                                    \
    if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, #name); \
    return is_faulty_file(file) && fails(#name) ? -1 : real(file); \
  }
FLUSH(fsync)
FLUSH(fdatasync)

int renameat(int folder, const char* from, int to_folder, const char* to) {
  static int (*real)(int, const char*, int, const char*);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "renameat");
  return ends_in_fault_file(from) && fails("rename") ? -1 : real(folder, from, to_folder, to);
}
int renameat2(int folder, const char* from, int to_folder, const char* to, unsigned int flags) {
  static int (*real)(int, const char*, int, const char*, unsigned int);
  if (real == NULL) *(void**)&real = dlsym(RTLD_NEXT, "renameat2");
  return ends_in_fault_file(from) && fails("rename") ? -1 : real(folder, from, to_folder, to, flags);
}
