// Where an installation has its control sockets and configuration files. The daemon, which makes
// them, and the tools, which look for them, share these rules. Pure: the environment is an
// argument. Source: DESIGN.md 5.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace ulnet::conf {

/// The parts of the environment that matter; an unset variable is empty.
struct PlaceEnvironment {
  std::string xdg_runtime_dir, xdg_config_home, home;
  unsigned uid = 0;
};
/// Reads the process's environment.
PlaceEnvironment place_environment();

/// Whether a node or a laboratory may have this name, by which its files are named: 1 to 64
/// letters, digits, '-', '_' and '.', of which '-' and '.' are not the first.
bool is_name(std::string_view name);
/// The name of a node to which nobody gave one.
inline constexpr std::string_view kDefaultNodeName = "ulnet";

/// Folders for control sockets (NAME.sock), the preferred one first: /run/ulnet, then the user's
/// runtime folder ($XDG_RUNTIME_DIR/ulnet, without that variable /tmp/ulnet-UID).
std::vector<std::string> control_folders(const PlaceEnvironment& environment);
/// Configuration files, the preferred one first: /etc/ulnet.conf, then ulnet.conf in the user's
/// configuration folder.
std::vector<std::string> config_files(const PlaceEnvironment& environment);

}  // namespace ulnet::conf
