// Reads the section `daemon:` of a configuration file.
#pragma once

#include "admin/conf/daemon_settings.h"
#include "lnet/config/problem.h"
#include "text/yaml_node.h"

namespace ulnet::conf {

/// Reads `section`, a map with the keys that described() names. A key with a wrong value is left
/// out and becomes a problem.
DaemonSettings read_daemon_section(const YamlNode& section, Problems& problems);

}  // namespace ulnet::conf
