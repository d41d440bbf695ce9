// What a node is told besides its nets: module parameters and the `global` section, each value
// checked before it counts. Values only; who applies them is the node. Source: spec/cli-lnetctl.md
// 11, spec/multirail.md 6, 12.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "conf/model.h"
#include "conf/params.h"
#include "core/config.h"
#include "lnd/sock/tunables.h"
#include "ulnet/result.hpp"

namespace ulnet::node {

/// Sets a name of the `global` section. The errors are those that lnetctl prints: -ENODATA "cannot
/// configure retry count: Invalid argument"; -ENOENT for an unknown name. What LNet bends into
/// range is bent here too.
Result<void> set_global(core::Globals& globals, std::string_view name, std::int64_t value);

/// Asserts that there is such a global.
std::int64_t get_global(const core::Globals& globals, std::string_view name);

class Settings {
 public:
  /// All or nothing; -EINVAL or -ENOENT with the reason.
  static Result<Settings> make(const std::map<std::string, std::string>& params);

  const conf::ParamValues& params() const { return params_; }
  conf::ParamValues& params() { return params_; }
  /// As the parameters given say.
  const core::Globals& globals() const { return globals_; }
  core::Globals& globals() { return globals_; }
  lnd::sock::SockTunables sock_tunables() const;
  /// What is called long of a thread's work without a pause.
  Duration long_cycle() const { return std::chrono::milliseconds(params_.number("long_cycle_ms")); }
  /// The threads of partitions (dedicated mode) do not sleep.
  bool shard_spin() const { return params_.flag("shard_spin"); }
  /// Lines for the log: parameters given that are deprecated or have no effect.
  std::vector<std::string> warnings() const;

  /// Applies one parameter to the globals, if it starts or is one.
  Result<void> apply_to_globals(const conf::Param& param);
  /// A parameter as it is now: where it starts a global, what that has become.
  std::string text(const conf::Param& param) const;
  /// The tunables of a new net: what is asked for, else the module parameters. -EINVAL "..." out of
  /// range.
  Result<core::NetTunables> net_tunables(const conf::CommonTunables& asked) const;

 private:
  conf::ParamValues params_;
  core::Globals globals_;
};

}  // namespace ulnet::node
