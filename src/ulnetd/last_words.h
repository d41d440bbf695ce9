// One line in the log for what nobody could foresee: an exception that nobody catches, above all
// that there is no memory, not even the reserve.
#pragma once

#include <string>

#include "admin/conf/daemon_settings.h"

namespace ulnet::tools {

/// From now on the process says so in the log before it is aborted; in its file, if it has one,
/// else on stderr. What it needs for that it takes now.
void set_last_words(const std::string& node, const conf::DaemonSettings& settings);

}  // namespace ulnet::tools
