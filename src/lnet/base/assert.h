// Assertions for programmer errors, on in every build, release included (DESIGN.md 8).
#pragma once

namespace ulnet {

/// Prints file, line and the broken condition, then aborts.
[[noreturn]] void assertion_failed(const char* file, int line, const char* condition);

}  // namespace ulnet

#define ULNET_ASSERT(condition)                      \
  (__builtin_expect(static_cast<bool>(condition), 1) \
       ? static_cast<void>(0)                        \
       : ::ulnet::assertion_failed(__FILE__, __LINE__, #condition))
