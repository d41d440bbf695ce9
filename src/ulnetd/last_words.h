// One line in the log for an end that no code handles: an exception that nothing catches, above all
// when memory has run out, even the reserve.
#pragma once

#include <string>

#include "admin/conf/daemon_settings.h"

namespace ulnet::tools {

/// From now on the process writes the reason to the log before it is aborted: to its file, if it
/// has one, else to stderr. It reserves now what it needs for that.
void set_last_words(const std::string& node, const conf::DaemonSettings& settings);

}  // namespace ulnet::tools
