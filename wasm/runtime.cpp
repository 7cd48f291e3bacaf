// SPDX-License-Identifier: Apache-2.0
// What C++ asks of a system that has one thread, which never ends.

// The tag of C++'s exceptions: a WebAssembly exception holds the address of one.
__asm__(".globl __cpp_exception\n.tagtype __cpp_exception i32\n__cpp_exception:\n");

extern "C" int __cxa_thread_atexit(void (* /*destructor*/)(void*), void* /*object*/,
                                   void* /*library*/) noexcept {
  return 0;
}
