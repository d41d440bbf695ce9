// Finds the daemon's files: its configuration and its control socket. Source: DESIGN.md 5; the
// rules that it shares with its clients are in admin/conf/places.h.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

#include "admin/conf/places.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

/// The first default configuration file that exists.
std::optional<std::string> find_config_file(const conf::PlaceEnvironment& environment);

/// Returns `given` when it is a path, else NAME.sock in the first control folder that this process
/// can write to, where NAME is `given` or, when `given` is empty, `name`. A missing folder is made.
/// The error names the folders tried.
Result<std::string> choose_socket_path(const std::string& given, const std::string& name,
                                       const conf::PlaceEnvironment& environment);

/// As choose_socket_path(), for a daemon that root has started and that becomes `uid` and `gid`.
/// The only folder is /run/ulnet, where the tools of root look. A missing folder is made, and given
/// to that user; an existing one stays as it is. Call this before the process becomes that user.
Result<std::string> choose_socket_path_for(const std::string& given, const std::string& name,
                                           uid_t uid, gid_t gid);

}  // namespace ulnet::tools
