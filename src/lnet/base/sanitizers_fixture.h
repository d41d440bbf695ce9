// The sanitizers with which the program is built, for the little code that cannot run under one.
#pragma once

// g++ defines a macro for each sanitizer; clang has a feature for each.
#ifdef __has_feature
#define ULNET_HAS_FEATURE(name) __has_feature(name)
#else
#define ULNET_HAS_FEATURE(name) 0
#endif

/// 1 or 0, for code that the preprocessor must leave out.
#if defined(__SANITIZE_ADDRESS__) || ULNET_HAS_FEATURE(address_sanitizer)
#define ULNET_ADDRESS_SANITIZER 1
#else
#define ULNET_ADDRESS_SANITIZER 0
#endif
#if defined(__SANITIZE_THREAD__) || ULNET_HAS_FEATURE(thread_sanitizer)
#define ULNET_THREAD_SANITIZER 1
#else
#define ULNET_THREAD_SANITIZER 0
#endif

#undef ULNET_HAS_FEATURE

namespace ulnet {

inline constexpr bool kAddressSanitizer = ULNET_ADDRESS_SANITIZER != 0;
inline constexpr bool kThreadSanitizer = ULNET_THREAD_SANITIZER != 0;

}  // namespace ulnet
