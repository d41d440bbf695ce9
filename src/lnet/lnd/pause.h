// A spinning thread calls this between two looks, to let the other hyperthread of its core go
// first.
#pragma once

namespace ulnet::lnd {

inline void pause() {
#if defined(__x86_64__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

}  // namespace ulnet::lnd
