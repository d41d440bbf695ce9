// The selftest's settings: LNet's module parameters of the same names. Source:
// spec/wire-selftest.md 1.3, 6; spec/cli-lst.md 5, 9.
#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

#include "lnet/base/time.h"
#include "lnet/wire/nid_range.h"
#include "ulnet/result.hpp"

namespace ulnet::svc::selftest {

struct Settings {
  /// time-out of test RPCs; 0 waits for ever
  Duration rpc_timeout = std::chrono::seconds(64);
  /// a session ends after this time without a framework request; 0: never
  Duration session_timeout = std::chrono::seconds(100);
  /// How many of the next bulk RPCs get wrong data: `brw_inject_errors`.
  std::uint32_t inject_errors = 0;
  /// How many requests each test service handles at once, from all requesters together; other
  /// requests wait: `brw_srv_workitems`, `ping_srv_workitems`.
  std::uint32_t brw_workitems = 1024, ping_workitems = 1024;

  /// The nodes that may lead sessions: `selftest_consoles`. Empty: all nodes.
  std::vector<wire::NidPattern> consoles;

  bool operator==(const Settings&) const = default;
};

/// Sets the parameter `name` to a value that the registry of parameters has checked. -ENOENT: the
/// selftest has no such parameter; -EINVAL: the parameter cannot have this value.
Result<void> set_setting(Settings& to, std::string_view name, std::string_view value);

}  // namespace ulnet::svc::selftest
