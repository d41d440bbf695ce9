// set NAME VALUE: the global settings. Source: spec/cli-lnetctl.md 3.7, 7, 11.1.
#include <algorithm>
#include <cstring>

#include "admin/ulnetctl/command.h"
#include "lnet/config/params.h"

namespace ulnet::tools {

namespace {

/// Returns "retry count" for "retry_count", as lnetctl's sentences have it.
std::string spoken(std::string_view name) {
  std::string words(name);
  std::replace(words.begin(), words.end(), '_', ' ');
  return words;
}

/// Returns the value of the command's one argument, a number or the name of a mode. Returns nothing
/// after it has printed an error.
std::optional<std::int64_t> value_of(Session& session, const Command& self, const Words& words) {
  if (const auto mode = conf::mode_of_global(self.name, words[1])) return mode;
  const auto number = parse_number(words[1]);
  if (!number)
    session.nested("parser", "set", -1, "cannot parse " + std::string(self.name) + " value", -1);
  return number;
}

/// A setting whose range lnetctl checks itself, with its own words.
struct OwnRange {
  std::string_view name, entity;
  std::int64_t least, most;
  std::string_view descr;
};
constexpr OwnRange kOwnRanges[] = {
    {"response_tracking", "response_tracking", 0, 3, "\"Valid values are: 0, 1, 2, or 3\""},
    {"recovery_limit", "recovery_limit", 0, INT64_MAX, "\"Must be greater than or equal to 0\""},
    {"max_recovery_ping_interval", "maximum recovery ping interval", 1, INT64_MAX,
     "\"must be strictly positive\""},
};

constexpr std::int64_t kVerify = 2;  // the design document's third mode of discovery

/// Returns the value that the user means. For a switch, any number without a meaning of its own
/// means on.
std::int64_t meant_by(std::string_view name, std::int64_t value) {
  if (name == "discovery") return value == 0 || value == kVerify ? value : 1;
  if (name == "drop_asym_route") return value != 0 ? 1 : 0;
  return value;
}

/// Returns the values that the setting takes, in words; empty: this program does not know them.
std::string values_of(std::string_view name) {
  const conf::GlobalSetting* setting = conf::find_global(name);
  if (setting == nullptr) return {};
  std::string words = std::string(name) + " is from " + std::to_string(setting->min) + " to " +
                      std::to_string(setting->max);
  if (name == "transaction_timeout") words += ", and greater than retry_count";
  if (name == "retry_count")
    words += ", at most transaction_timeout, and 0 where health_sensitivity is 0";
  return words + " ('global show')";
}

int set_global(Session& session, const Command& self, Words words) {
  if (words.size() != 2) return print_help(session, self), -EINVAL;
  const auto value = value_of(session, self, words);
  if (!value) return -1;
  for (const OwnRange& range : kOwnRanges)
    if (range.name == self.name && (*value < range.least || *value > range.most))
      return session.nested("add", range.entity, -EINVAL, range.descr, -EINVAL);
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto set = lnet.change(
      conf::change::SetGlobals{{{std::string(self.name), meant_by(self.name, *value)}}});
  if (set) {
    const conf::GlobalSetting* setting = conf::find_global(self.name);
    const std::string_view warning = conf::warning_of_global(self.name);
    if (setting != nullptr && *value != setting->initial && !warning.empty())
      session.hint(std::string(self.name) + " " + std::string(warning));
    return 0;
  }
  // The node's reason may begin with the same words already.
  const Error& error = set.error();
  const bool said = error.reason.starts_with("cannot configure ");
  const std::string why =
      said ? error.reason
           : "cannot configure " + spoken(self.name) + ": " + std::strerror(-error.code);
  const std::string descr = "\"" + why + "\"";
  session.nested("add", self.name, kGenericError, descr, kGenericError);
  return session.hint(values_of(self.name)), kGenericError;
}

/// Sets portal_rotor, which takes a name, not a number, and is a module parameter
/// (spec/core-semantics.md 7.3).
int set_portal_rotor(Session& session, const Command& self, Words words) {
  if (words.size() != 2) return print_help(session, self), -EINVAL;
  const auto rotor = conf::check_param(self.name, words[1]);
  if (!rotor)
    return session.nested("add", self.name, -EINVAL,
                          "\"Valid values are: OFF, ON, RR_RT, or HASH_RT\"", -EINVAL);
  return session.change("set", self.name,
                        conf::change::SetParams{{{std::string(self.name), *rotor}}});
}

int set_routing(Session& session, const Command& self, Words words) {
  if (words.size() != 2) return print_help(session, self), -EINVAL;
  const auto value = parse_number(words[1]);
  if (!value || (*value != 0 && *value != 1))
    return session.nested("parser", "set", -1,
                          "cannot parse routing value.\n                 "
                          "must be 0 for disable or 1 for enable",
                          -1);
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  const auto set = lnet.change(conf::change::SetRouting{*value == 1});
  if (set) return 0;
  const int code = set.error().code;
  const std::string why = *value == 1 ? "cannot enable routing " : "cannot disable routing ";
  return session.nested("add", "routing", code, "\"" + why + std::strerror(-code) + "\"", code);
}

/// Sets tiny_buffers, small_buffers or large_buffers. -1 leaves the number unchanged, as seen in
/// production.
int set_buffers(Session& session, const Command& self, Words words) {
  if (words.size() != 2) return print_help(session, self), -EINVAL;
  const auto value = value_of(session, self, words);
  if (!value) return -1;
  ctl::LnetConfig& lnet = session.connect(ctl::Intent::kChange);
  if (*value == -1) return 0;
  const std::string_view pool = self.name.substr(0, self.name.find('_'));
  conf::change::SetRouting change;
  for (std::size_t i = 0; i < api::kPools.size(); ++i)
    if (api::kPools[i] == pool) change.buffers[i] = *value;
  const auto set = lnet.change(change);
  if (set) return 0;
  const int code = set.error().code;
  return session.nested(
      "add", self.name, code,
      "\"cannot configure " + spoken(self.name) + ": " + std::strerror(-code) + "\"", code);
}

constexpr Command kOfSettings[] = {
    {"tiny_buffers",
     "set tiny_buffers: set number of tiny router buffers in all\n\tVALUE must be 0 (the default) "
     "or more\n",
     &set_buffers},
    {"small_buffers",
     "set small_buffers: set number of small router buffers in all\n\tVALUE must be 0 (the "
     "default) or more\n",
     &set_buffers},
    {"large_buffers",
     "set large_buffers: set number of large router buffers in all\n\tVALUE must be 0 (the "
     "default) or more\n",
     &set_buffers},
    {"routing", "set routing: turn routing on or off\n\t0 - off\n\t1 - on\n", &set_routing},
    {"numa_range",
     "set numa_range: set the NUMA distance within which interfaces count as near\n\tVALUE must be "
     "0 or more\n",
     &set_global},
    {"max_interfaces",
     "set max_interfaces: set the number of interfaces accepted of one node\n\tVALUE must be 16 or "
     "more\n",
     &set_global},
    {"discovery",
     "set discovery: turn peer discovery on or off\n"
     "\t0 - off\n"
     "\t1 - on\n"
     "\t2, verify - discover, change nothing, and report what differs\n",
     &set_global},
    {"drop_asym_route",
     "set drop_asym_route: drop or accept messages that came over another route\n\t0 - accept\n\t1 "
     "- drop\n",
     &set_global},
    {"retry_count",
     "set retry_count: set the number of attempts after the first\n\tVALUE must be 0 or more and "
     "below transaction_timeout\n",
     &set_global},
    {"transaction_timeout",
     "set transaction_timeout: set the seconds after which an operation has failed\n\tVALUE must "
     "be above retry_count\n",
     &set_global},
    {"health_sensitivity",
     "set health_sensitivity: set the health that one failure takes\n\tVALUE must be 0 (health is "
     "not used) to 1000\n",
     &set_global},
    {"recovery_interval",
     "set recovery_interval: set the seconds between recovery pings\n\tVALUE must be 1 or more\n",
     &set_global},
    {"router_sensitivity",
     "set router_sensitivity: set the percentage of health that a router needs\n\tVALUE must be 0 "
     "to 100\n",
     &set_global},
    {"response_tracking",
     "set response_tracking: set which operations are given a deadline\n\tVALUE must be 0 to 3\n",
     &set_global},
    {"recovery_limit",
     "set recovery_limit: set the seconds after which recovery gives up\n\tVALUE must be 0 (never) "
     "or more\n",
     &set_global},
    {"max_recovery_ping_interval",
     "set max_recovery_ping_interval: set the maximum seconds between recovery pings\n"
     "\tVALUE must be 1 or more\n",
     &set_global},
    {"portal_rotor",
     "set portal_rotor: set which CPU partition looks first for a buffer on a wildcard portal\n"
     "\tOFF - where the message came in\n"
     "\tON - each in turn\n"
     "\tRR_RT - routed messages: each in turn; others: where they came in\n"
     "\tHASH_RT - routed messages: that of their source; others: where they came in (the "
     "default)\n",
     &set_portal_rotor},
};

}  // namespace

const std::span<const Command> kSetCommands = kOfSettings;

}  // namespace ulnet::tools
