#include "admin/conf/places.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>

namespace ulnet::conf {

PlaceEnvironment place_environment() {
  const auto get = [](const char* name) {
    const char* value = std::getenv(name);
    return std::string(value == nullptr ? "" : value);
  };
  return {get("XDG_RUNTIME_DIR"), get("XDG_CONFIG_HOME"), get("HOME"), ::geteuid()};
}

bool is_name(std::string_view name) {
  const auto good = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '-' ||
           c == '_' || c == '.';
  };
  return !name.empty() && name.size() <= 64 && name[0] != '.' && name[0] != '-' &&
         std::all_of(name.begin(), name.end(), good);
}

std::vector<std::string> control_folders(const PlaceEnvironment& environment) {
  const std::string own = environment.xdg_runtime_dir.empty()
                              ? "/tmp/ulnet-" + std::to_string(environment.uid)
                              : environment.xdg_runtime_dir + "/ulnet";
  return {"/run/ulnet", own};
}

std::vector<std::string> config_files(const PlaceEnvironment& environment) {
  std::vector<std::string> files = {"/etc/ulnet.conf"};
  if (!environment.xdg_config_home.empty())
    files.push_back(environment.xdg_config_home + "/ulnet.conf");
  else if (!environment.home.empty())
    files.push_back(environment.home + "/.config/ulnet.conf");
  return files;
}

}  // namespace ulnet::conf
