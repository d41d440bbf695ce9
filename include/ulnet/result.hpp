// The result of an operation that can fail: its value, or a negative errno with a reason as text.
#pragma once

#include <cerrno>
#include <string>
#include <tl/expected.hpp>
#include <utility>

#include "ulnet/cxx20.hpp"

namespace ulnet {

/// A run-time error. `code` is a negative errno as LNet reports it (-ENOENT, -EHOSTUNREACH, ...);
/// `reason` is text for users and may be empty. Programming errors are not reported like this: they
/// are assertions (lnet/base/assert.h).
struct Error {
  int code = -EINVAL;
  std::string reason;

  bool operator==(const Error& other) const { return code == other.code; }
};

template <class T>
using Result = tl::expected<T, Error>;

/// `return fail(-ENOENT, "no such MD");`
inline tl::unexpected<Error> fail(int code, std::string reason = {}) {
  return tl::unexpected<Error>(Error{code, std::move(reason)});
}

}  // namespace ulnet
