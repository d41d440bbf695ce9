#include "tools/ulnetd/explain.h"

#include <dirent.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "node/machine/process_name.h"
#include "tools/ulnetd/listening.h"

namespace ulnet::tools {

namespace {

namespace fs = std::filesystem;

std::set<std::string> listeners_on(std::span<const Nid> addresses, std::uint16_t port) {
  std::set<std::string> inodes;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    inodes.merge(listening_inodes(file, addresses, port));
  }
  return inodes;
}

bool holds(const fs::path& process, const std::set<std::string>& inodes) {
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(process / "fd", ignored)) {
    const std::string target = fs::read_symlink(entry.path(), ignored).string();
    if (!target.starts_with("socket:[")) continue;
    if (inodes.contains(target.substr(8, target.size() - 9))) return true;
  }
  return false;
}

/// "process 12 (name)" for every process that holds one of the sockets and that this process may
/// inspect.
std::string holders(const std::set<std::string>& inodes) {
  std::string found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator("/proc", ignored)) {
    const std::string pid = entry.path().filename().string();
    if (pid.find_first_not_of("0123456789") != std::string::npos || !holds(entry.path(), inodes))
      continue;
    found += (found.empty() ? "process " : ", ") + pid + " (" +
             node::program_of(static_cast<pid_t>(std::strtol(pid.c_str(), nullptr, 10))) + ")";
  }
  return found;
}

bool kernel_lnet_loaded() {
  std::error_code ignored;
  return fs::exists("/sys/module/ksocklnd", ignored) || fs::exists("/sys/module/lnet", ignored);
}

std::string explain_taken(std::span<const Nid> addresses, std::uint16_t port) {
  const std::string text = "port " + std::to_string(port) + " is taken";
  const std::string other = "or choose another port with --accept-port";
  const auto inodes = listeners_on(addresses, port);
  const std::string who = holders(inodes);
  if (!who.empty())
    return text + " by " + who + ": stop it, give this node another address, " + other;
  if (!inodes.empty() && kernel_lnet_loaded())
    return text +
           " by the kernel's LNet (module lnet is loaded): stop it with 'lnetctl lnet unconfigure' "
           "and 'lustre_rmmod', " +
           other;
  return {};
}

}  // namespace

bool may_bind_privileged_ports() {
  constexpr unsigned kCapNetBindService = 10;
  std::ifstream limit("/proc/sys/net/ipv4/ip_unprivileged_port_start");
  long start = 1024;
  if (limit >> start && start <= 512) return true;
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);)
    if (line.starts_with("CapEff:"))
      return (std::strtoull(line.c_str() + 7, nullptr, 16) >> kCapNetBindService & 1) != 0;
  return ::geteuid() == 0;
}

std::string explain_port(int code, std::span<const Nid> addresses, std::uint16_t port) {
  if (code == -EADDRINUSE) return explain_taken(addresses, port);
  if (code == -EACCES && port < 1024)
    return "port " + std::to_string(port) +
           " needs a right that this process does not have: start it from its systemd unit, give "
           "the program the right with 'setcap cap_net_bind_service=+ep PATH-OF-ulnetd', or choose "
           "a port from 1024 up with --accept-port (all nodes of the network need the same one)";
  return {};
}

}  // namespace ulnet::tools
