#include "ulnetd/places.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace ulnet::tools {

namespace {

constexpr const char* kShared = "/run/ulnet";

std::string socket_file(const std::string& given, const std::string& name) {
  const std::string word = given.empty() ? name : given;
  return word + (word.ends_with(".sock") ? "" : ".sock");
}

/// Makes the folder if needed, and checks that files can be made in it. Except /run/ulnet it must
/// belong to this user alone: in a place like /tmp another user could have prepared it.
Result<void> prepare(const std::string& folder, const conf::PlaceEnvironment& environment) {
  const bool shared = folder == kShared;
  const bool made = ::mkdir(folder.c_str(), shared ? 0755 : 0700) == 0;
  if (!made && errno != EEXIST) return fail(-errno, folder + ": " + std::strerror(errno));
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode))
    return fail(-ENOTDIR, folder + ": not a folder");
  if (!shared && (found.st_uid != environment.uid || (found.st_mode & 022) != 0))
    return fail(-EPERM, folder + ": another user owns it or may write to it");
  if (::access(folder.c_str(), W_OK | X_OK) != 0)
    return fail(-errno, folder + ": " + std::strerror(errno));
  return {};
}

}  // namespace

std::optional<std::string> find_config_file(const conf::PlaceEnvironment& environment) {
  for (const std::string& file : conf::config_files(environment))
    if (::access(file.c_str(), F_OK) == 0) return file;
  return {};
}

Result<std::string> choose_socket_path(const std::string& given, const std::string& name,
                                       const conf::PlaceEnvironment& environment) {
  if (given.find('/') != std::string::npos) return given;
  const std::string file = socket_file(given, name);
  std::string tried;
  for (const std::string& folder : conf::control_folders(environment)) {
    const auto ready = prepare(folder, environment);
    if (ready) return folder + "/" + file;
    tried += (tried.empty() ? "" : "; ") + ready.error().reason;
  }
  return fail(-EACCES, "no place for the control socket (" + tried + "); give one with --control");
}

Result<std::string> choose_socket_path_for(const std::string& given, const std::string& name,
                                           uid_t uid, gid_t gid) {
  if (given.find('/') != std::string::npos) return given;
  const bool made = ::mkdir(kShared, 0755) == 0;
  if ((!made && errno != EEXIST) || (made && ::lchown(kShared, uid, gid) != 0))
    return fail(-errno, std::string(kShared) + ": " + std::strerror(errno));
  return std::string(kShared) + "/" + socket_file(given, name);
}

}  // namespace ulnet::tools
