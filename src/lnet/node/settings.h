// The configuration of a node besides its nets: module parameters and the `global` section, each
// value checked before it is stored. Values only: the node applies them. Source:
// spec/cli-lnetctl.md 11, spec/multirail.md 6, 12.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "lnet/base/memory_budget.h"
#include "lnet/config/model.h"
#include "lnet/config/params.h"
#include "lnet/core/contract/config.h"
#include "lnet/os/machine_memory.h"
#include "ulnet/result.hpp"

namespace ulnet::node {

class Settings {
 public:
  /// All or nothing; -EINVAL or -ENOENT with the reason.
  static Result<Settings> make(const std::map<std::string, std::string>& params);

  const conf::ParamValues& params() const { return params_; }
  /// Gives a module parameter another value. -ENOENT, -EINVAL with the reason.
  Result<void> set_param(std::string_view name, std::string_view value);
  /// The globals: LNet's defaults, changed by the parameters given and by conf::set_global() since.
  const core::Globals& globals() const { return globals_; }
  core::Globals& globals() { return globals_; }
  /// Whether and how this node routes, from the parameters (spec/multirail.md 9.1). If `forwarding`
  /// is empty, the node is not a router until a route names one of its NIDs as a gateway.
  core::Routing routing() const;
  /// A line for the log if the requested buffers exceed what the budget leaves a router; else
  /// empty.
  std::string too_many_buffers(const core::Routing& routing) const;
  /// Whether the node is a router if a route names one of its NIDs as a gateway.
  bool routes_if_gateway() const { return params_.text("forwarding").empty(); }
  /// How long a thread may work without a pause; a longer cycle counts as long.
  Duration long_cycle() const { return std::chrono::milliseconds(params_.number("long_cycle_ms")); }
  /// How many bytes others can make the node keep (lnet/base/memory_budget.h).
  std::uint64_t memory_budget() const {
    return memory_budget_bytes(params_.number("memory_budget"));
  }
  /// Whether the threads of partitions (dedicated mode) spin instead of sleeping.
  bool shard_spin() const { return params_.flag("shard_spin"); }
  /// Lines for the log: parameters given that are deprecated or have no effect.
  std::vector<std::string> warnings() const;

  /// Applies one parameter to the globals, if it sets the first value of a global or is a global
  /// itself.
  Result<void> apply_to_globals(const conf::Param& param);
  /// The present value of a parameter. For a parameter that sets the first value of a global: the
  /// global's value now.
  std::string text(const conf::Param& param) const;
  /// The tunables of a new net: the values in `asked`, else the module parameters. -EINVAL with the
  /// reason: out of range.
  Result<core::NetTunables> net_tunables(const conf::CommonTunables& asked) const;

 private:
  std::uint64_t share(MemoryPart part) const;

  conf::ParamValues params_;
  core::Globals globals_;
};

}  // namespace ulnet::node
