#include "lab/live/spaces.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <net/if.h>
#include <sched.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <filesystem>
#include <thread>
#include <utility>

#include "lab/live/programs.h"

namespace ulnet::tools::lab {

namespace {

constexpr std::string_view kPrefix = "ulnet-lab.";

std::string path_of(const std::string& space) { return std::string(kSpacesFolder) + "/" + space; }

Result<void> write_setting(const std::string& name, std::string_view value) {
  const std::string path = "/proc/sys/net/" + name;
  const int file = ::open(path.c_str(), O_WRONLY | O_CLOEXEC);
  if (file < 0) return fail(-errno, path + ": " + std::strerror(errno));
  const bool wrote = ::write(file, value.data(), value.size()) >= 0;
  const int code = errno;
  ::close(file);
  if (wrote) return {};
  return fail(-code, path + ": " + std::strerror(code));
}

bool is_running(int socket, const std::string& interface) {
  ifreq request{};
  if (interface.size() >= sizeof request.ifr_name) return false;
  interface.copy(request.ifr_name, interface.size());
  return ::ioctl(socket, SIOCGIFFLAGS, &request) == 0 && (request.ifr_flags & IFF_RUNNING) != 0;
}

/// Returns the identity of a namespace; nothing: the namespace does not exist.
std::optional<SpaceId> space_id(const std::string& space) {
  struct stat found {};
  if (::stat(path_of(space).c_str(), &found) != 0) return std::nullopt;
  return SpaceId{found.st_dev, found.st_ino};
}

}  // namespace

std::string space_of_node(std::string_view lab, std::string_view node) {
  return fmt::format("{}{}.{}", kPrefix, lab, node);
}
std::string space_of_switches(std::string_view lab) { return space_of_node(lab, "@switches"); }

std::optional<std::string> lab_of_space(std::string_view space) {
  if (!space.starts_with(kPrefix)) return std::nullopt;
  space.remove_prefix(kPrefix.size());
  const std::size_t dot = space.rfind('.');
  if (dot == std::string_view::npos || dot == 0) return std::nullopt;
  return std::string(space.substr(0, dot));
}

std::vector<std::string> spaces_there(std::string_view lab) {
  std::vector<std::string> spaces;
  std::error_code error;
  for (const auto& entry : std::filesystem::directory_iterator(kSpacesFolder, error)) {
    std::string name = entry.path().filename().string();
    const auto its = lab_of_space(name);
    if (its && (lab.empty() || *its == lab)) spaces.push_back(std::move(name));
  }
  std::sort(spaces.begin(), spaces.end());
  return spaces;
}

Result<void> in_space(const std::string& space, const std::function<Result<void>()>& work) {
  Result<void> done;
  std::thread([&] {
    const int file = ::open(path_of(space).c_str(), O_RDONLY | O_CLOEXEC);
    const bool entered = file >= 0 && ::setns(file, CLONE_NEWNET) == 0;
    const int code = errno;
    if (file >= 0) ::close(file);
    done = entered ? work() : fail(-code, "namespace " + space + ": " + std::strerror(code));
  }).join();
  return done;
}

Result<void> settle_space() {
  // An NI answers ARP for its own address only, and asks with it. It accepts packets that come in
  // by another path than the routing table names.
  static constexpr std::array<std::pair<const char*, const char*>, 4> kSettings = {{
      {"ipv4/conf/all/arp_ignore", "1"},
      {"ipv4/conf/all/arp_announce", "2"},
      {"ipv4/conf/all/rp_filter", "0"},
      {"ipv4/conf/default/rp_filter", "0"},
  }};
  for (const auto& [name, value] : kSettings)
    if (const auto wrote = write_setting(name, value); !wrote && wrote.error().code != -ENOENT)
      return wrote;
  for (const char* which : {"all", "default"})  // a kernel without IPv6 does not have these files
    static_cast<void>(write_setting(fmt::format("ipv6/conf/{}/disable_ipv6", which), "1"));
  return {};
}

bool are_running(std::span<const std::string> interfaces) {
  const int socket = ::socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
  if (socket < 0) return false;
  const bool all = std::all_of(interfaces.begin(), interfaces.end(),
                               [&](const std::string& one) { return is_running(socket, one); });
  ::close(socket);
  return all;
}

Result<std::size_t> delete_spaces(std::span<const std::string> spaces,
                                  std::chrono::milliseconds patience) {
  std::vector<SpaceId> ids;
  std::string lines;
  for (const std::string& space : spaces) {
    const auto id = space_id(space);
    if (!id) continue;
    ids.push_back(*id);
    lines += "netns del " + space + "\n";
  }
  const auto inside = processes_in(ids);
  end_processes(inside, patience);
  if (lines.empty()) return inside.size();
  const auto deleted = run_program({{"ip", "-force", "-batch", "-"}, lines});
  if (!deleted) return tl::unexpected(deleted.error());
  return inside.size();
}

}  // namespace ulnet::tools::lab
