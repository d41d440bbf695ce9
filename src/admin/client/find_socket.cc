#include "admin/client/find_socket.h"

#include <fmt/format.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <set>
#include <vector>

#include "lnet/os/socket_lock.h"

namespace ulnet::ctl {

namespace {

namespace fs = std::filesystem;

bool exists(const std::string& path) {
  std::error_code ignored;
  return fs::exists(path, ignored);
}

/// Whether a daemon listens on the socket. The socket of a daemon that died stays in its folder. A
/// socket that this process may not open counts as alive, so the user learns why it cannot be used.
bool alive(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, path.data(), path.size());
  const int fd = ::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
  if (fd < 0) return false;
  const int rc = ::connect(fd, reinterpret_cast<const sockaddr*>(&address), sizeof address);
  const bool refused = rc != 0 && errno != EACCES && errno != EAGAIN;
  ::close(fd);
  return !refused;
}

/// Whether a folder belongs to this user or root, and only its owner and group may write to it. In
/// a place where every user may write, another user could otherwise have made the folder.
bool trusted(const std::string& folder, unsigned uid) {
  struct stat found {};
  if (::lstat(folder.c_str(), &found) != 0 || !S_ISDIR(found.st_mode)) return false;
  return (found.st_uid == uid || found.st_uid == 0) && (found.st_mode & S_IWOTH) == 0;
}

/// Finds the sockets on which daemons listen, and the sockets of starting daemons. A starting
/// daemon holds the lock of a socket that does not exist yet.
std::vector<std::string> sockets_in(const std::vector<std::string>& folders) {
  const std::string lock = machine::lock_of("");
  std::set<std::string> found;
  for (const std::string& folder : folders) {
    std::error_code ignored;
    for (const fs::directory_entry& entry : fs::directory_iterator(folder, ignored)) {
      std::string path = entry.path().string();
      if (path.ends_with(lock)) path.resize(path.size() - lock.size());
      if (path.ends_with(".sock") && (alive(path) || machine::holder_of(path))) found.insert(path);
    }
  }
  return {found.begin(), found.end()};
}

/// Returns the path that the word names. A word that is a path stays as it is. A node's name
/// becomes the socket that exists or whose daemon is starting, else the socket in the preferred
/// folder.
std::string path_of(std::string_view word, const std::vector<std::string>& folders,
                    const std::string& preferred) {
  if (word.find('/') != std::string_view::npos) return std::string(word);
  const std::string file = std::string(word) + (word.ends_with(".sock") ? "" : ".sock");
  for (const std::string& folder : folders) {
    const std::string path = folder + "/" + file;
    if (exists(path) || machine::holder_of(path)) return path;
  }
  return preferred + "/" + file;
}

}  // namespace

Result<ControlSocket> find_control_socket(std::string_view given, std::string_view from_environment,
                                          const conf::PlaceEnvironment& environment) {
  std::vector<std::string> folders = conf::control_folders(environment);
  const std::string looked_in = fmt::format("{}", fmt::join(folders, ", "));
  // The preferred folder is the system's folder, in which no user can make folders.
  const std::string preferred = folders.front();
  std::erase_if(folders, [&](const std::string& folder) {
    return folder != preferred && !trusted(folder, environment.uid);
  });
  const std::string_view named = given.empty() ? from_environment : given;
  if (!named.empty()) return ControlSocket{path_of(named, folders, preferred)};
  const std::vector<std::string> found = sockets_in(folders);
  if (found.size() == 1)
    return ControlSocket{found.front(), fs::path(found.front()).stem() != conf::kDefaultNodeName};
  if (found.empty()) {
    return fail(-ENOENT, "no ulnet node runs here (looked in " + looked_in +
                             "). Start one with 'ulnetd', or name its control socket with "
                             "--control or ULNET_CONTROL.");
  }
  return fail(-EEXIST, fmt::format("several ulnet nodes run here: {}. Name one with --control or "
                                   "ULNET_CONTROL.",
                                   fmt::join(found, ", ")));
}

Result<void> check_intent(const ControlSocket& socket, Intent intent) {
  if (!socket.guessed || intent == Intent::kShow) return {};
  const std::string name = fs::path(socket.path).stem().string();
  return fail(-EPERM,
              "the only node that runs here is '" + name +
                  "'. This command changes a node, so it must name the node: write --control " +
                  name + " before the command, or set ULNET_CONTROL=" + name + ".");
}

}  // namespace ulnet::ctl
