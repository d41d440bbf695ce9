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
  Duration rpc_timeout = std::chrono::seconds(64);       ///< of test RPCs; 0 waits for ever
  Duration session_timeout = std::chrono::seconds(100);  ///< without a framework request; 0: never
  /// The data of so many bulk RPCs to come are filled in wrongly: `brw_inject_errors`.
  std::uint32_t inject_errors = 0;
  /// Requests that each test service works on at once, from all requesters together; the others
  /// wait: `brw_srv_workitems`, `ping_srv_workitems`.
  std::uint32_t brw_workitems = 1024, ping_workitems = 1024;

  /// Who may lead sessions: `selftest_consoles`. Empty: anyone.
  std::vector<wire::NidPattern> consoles;

  bool operator==(const Settings&) const = default;
};

/// Sets the parameter `name` to a value that the registry of parameters has checked. -ENOENT: not
/// one of these; -EINVAL: not a value of it.
Result<void> set_setting(Settings& to, std::string_view name, std::string_view value);

}  // namespace ulnet::svc::selftest
