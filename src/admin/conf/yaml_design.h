// Converts the YAML of LNet's Multi-Rail design document to today's before it is read: `net` for
// `net type`, a list of `intf` with their CPTs for `interfaces`, `pattern` for a rule of ip2nets.
// Source: spec/design-vs-today.md 2.3.
#pragma once

#include <cstdint>
#include <optional>

#include "lnet/config/problem.h"
#include "text/yaml_node.h"

namespace ulnet::conf {

/// An item of `net:` with today's keys.
struct TodaysNet {
  YamlNode item;
  bool is_rule = false;                ///< it is an item of `ip2nets:`
  std::optional<std::int64_t> detail;  ///< the verbosity with which to show it
};
Parsed<TodaysNet> todays_net(const YamlNode& item);

/// Takes `seq_no` out of an item and returns it. It is the caller's number of the item, which
/// errors repeat.
Parsed<std::optional<std::int64_t>> take_seq_no(YamlNode& item);

}  // namespace ulnet::conf
