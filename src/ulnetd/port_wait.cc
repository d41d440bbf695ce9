#include "ulnetd/port_wait.h"

namespace ulnet::tools {

bool wait_for_port(const PortWait& wait) {
  constexpr std::chrono::seconds kBetweenLooks{1};
  std::optional<std::uint16_t> port = wait.look();
  if (!port) return true;
  const std::string name = "port " + std::to_string(*port);
  wait.say(name +
           " is in TIME-WAIT: nobody listens on it any more, but connections that were there ended "
           "a moment ago (of the kernel's LNet, for example). Waiting until the system lets go of "
           "it, " +
           std::to_string(kMaxPortWait.count()) + " s at most");
  for (std::chrono::seconds waited{0}; port && waited < kMaxPortWait; waited += kBetweenLooks) {
    if (!wait.rest(kBetweenLooks)) return false;
    port = wait.look();
  }
  if (!port) wait.say(name + " is free");
  return true;
}

}  // namespace ulnet::tools
