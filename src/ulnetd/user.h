// The user that a daemon becomes which root has started (--user), and the one right it keeps: to
// use ports below 1024. Source: docs/man/ulnetd.8.scd, PRIVILEGES.
#pragma once

#include <sys/types.h>

#include <string>

#include "ulnet/result.hpp"

namespace ulnet::tools {

struct User {
  uid_t uid = 0;
  gid_t gid = 0;
  std::string entry;  ///< its name in the system's list, which gives its other groups; or empty
  std::string text;   ///< for people: "nobody (uid 65534, gid 65534)"
};

/// `text`: USER or USER:GROUP, names or numbers. A number that the system does not know needs a
/// GROUP. -EINVAL or the system's error, with the reason, when there is no such user or group, or
/// it is root.
Result<User> find_user(const std::string& text);

/// Makes this process that user's for ever, with no right of root's except CAP_NET_BIND_SERVICE,
/// if it has that. Before any thread is started: capabilities are a thread's. Nothing happens when
/// the process is that user's already. After an error the process must end.
Result<void> become(const User& user);

}  // namespace ulnet::tools
