// The user that a daemon started by root becomes (--user), and the one right that it keeps: to use
// ports below 1024. Source: docs/man/ulnetd.8.scd, PRIVILEGES.
#pragma once

#include <sys/types.h>

#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  /// Its name in the system's user list, which gives its other groups; or empty.
  std::string entry;
  std::string text;  ///< for messages: "nobody (uid 65534, gid 65534)"
};

/// `text`: USER or USER:GROUP, names or numbers. A number that the system does not know needs a
/// GROUP. -EINVAL or the system's error, with the reason, when the user or group does not exist, or
/// is root.
Result<User> find_user(const std::string& text);

/// Makes this process that user's for ever, without root's rights except CAP_NET_BIND_SERVICE, if
/// it has that. Call this before any thread starts, because each thread has its own capabilities.
/// Does nothing when the process is that user's already. After an error the process must end.
Result<void> become(const User& user);

}  // namespace ulnet::tools
