// Which files this daemon uses: its configuration and its control socket. Source: DESIGN.md 5; the
// rules that it shares with its clients are in conf/places.h.
#pragma once

#include <optional>
#include <string>

#include "conf/places.h"
#include "ulnet/result.hpp"

namespace ulnet::tools {

/// The first default configuration file that there is.
std::optional<std::string> find_config_file(const conf::PlaceEnvironment& environment);

/// `given` (a word without a slash is a name), else NAME.sock in the first control folder that we
/// can write to; a folder that is missing is made. The error names the folders tried.
Result<std::string> choose_socket_path(const std::string& given, const std::string& name,
                                       const conf::PlaceEnvironment& environment);

}  // namespace ulnet::tools
