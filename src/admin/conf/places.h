// Where an installation has its control sockets and configuration files. The daemon makes these
// files, and the tools look for them; both use these rules. Pure: the environment is an argument.
// Source: DESIGN.md 5.
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

/// Whether a node or a laboratory may have this name, which is part of its files' names. A name has
/// 1 to 64 characters, each a-z, A-Z, a digit, '-', '_' or '.'. It must not begin with '-' or '.'.
bool is_name(std::string_view name);
/// The name of a node that was given no name.
inline constexpr std::string_view kDefaultNodeName = "ulnet";

/// Returns the folders for control sockets (NAME.sock), the preferred folder first: /run/ulnet,
/// then the user's runtime folder ($XDG_RUNTIME_DIR/ulnet, or /tmp/ulnet-UID if the variable is not
/// set).
std::vector<std::string> control_folders(const PlaceEnvironment& environment);
/// Returns the configuration files, the preferred file first: /etc/ulnet.conf, then ulnet.conf in
/// the user's configuration folder.
std::vector<std::string> config_files(const PlaceEnvironment& environment);

}  // namespace ulnet::conf
