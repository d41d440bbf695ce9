#include "ulnetd/explain.h"

#include <dirent.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>

#include "lnet/node/runtime/drivers.h"
#include "lnet/os/process_name.h"
#include "ulnetd/listening.h"

namespace ulnet::tools {

namespace {

namespace fs = std::filesystem;

PortUse use_of(std::span<const Nid> addresses, std::uint16_t port) {
  PortUse use;
  for (const char* table : {"/proc/net/tcp", "/proc/net/tcp6"}) {
    std::ifstream file(table);
    add_use(use, file, addresses, port);
  }
  return use;
}

/// Whether binding the port fails with `error` at one of the addresses.
bool fails_with(int error, std::span<const Nid> addresses, std::uint16_t port) {
  return std::ranges::any_of(addresses, [&](const Nid& nid) {
    const node::DriverRow* driver = node::find_driver(nid.net().type);
    return driver != nullptr && driver->port_error != nullptr &&
           driver->port_error(nid, port) == error;
  });
}

/// The port on which listening failed with `error`; the first port, if none fails now.
std::uint16_t port_that_fails(int error, const AcceptorPlaces& places) {
  const auto found = std::ranges::find_if(
      places.ports, [&](std::uint16_t port) { return fails_with(error, places.addresses, port); });
  return found == places.ports.end() ? places.ports.front() : *found;
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
  const PortUse use = use_of(addresses, port);
  const std::string who = holders(use.listening);
  if (!who.empty())
    return text + " by " + who + ": stop it, give this node another address, " + other;
  if (use.listening.empty() && use.ended)
    return text +
           " by connections that have ended (TIME-WAIT): try again in a minute, give this "
           "node another address, " +
           other;
  if (!use.listening.empty() && kernel_lnet_loaded())
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

std::optional<std::uint16_t> port_of_ended(const AcceptorPlaces& places) {
  for (const std::uint16_t port : places.ports) {
    if (!fails_with(EADDRINUSE, places.addresses, port)) continue;
    const PortUse use = use_of(places.addresses, port);
    if (use.listening.empty() && use.ended) return port;
  }
  return {};
}

std::string explain_port(int code, const AcceptorPlaces& places) {
  const std::uint16_t port = port_that_fails(-code, places);
  if (code == -EADDRINUSE) return explain_taken(places.addresses, port);
  if (code == -EACCES && port < 1024)
    return "port " + std::to_string(port) +
           " needs a right that this process does not have: start it from its systemd unit, give "
           "the program the right with 'setcap cap_net_bind_service=+ep PATH-OF-ulnetd', or choose "
           "a port from 1024 up with --accept-port (all nodes of the network need the same one)";
  return {};
}

}  // namespace ulnet::tools
