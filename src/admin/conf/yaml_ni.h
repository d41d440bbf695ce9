// The items of `net:` and `ip2nets:`: nets, their NIs, tunables and CPTs. Source:
// spec/cli-lnetctl.md 5.3, 5.4.
#pragma once

#include "lnet/config/ip2nets.h"
#include "lnet/config/model.h"
#include "lnet/config/problem.h"
#include "text/yaml_node.h"

namespace ulnet::conf {

/// Reads one item of `net:`. Its NIs are under `local NI(s)`, or the keys of one NI are beside `net
/// type` (the flat form). Without either the item names only the net. An unknown key is a problem,
/// because the NI might otherwise get another interface than the text means. But if an item of
/// `local NI(s)` names its NI, its unknown keys only go to `notes`.
Parsed<NetItem> read_net(const YamlNode& item, Problems& notes);
/// Reads one item of `ip2nets:`. Every unknown key is a problem, because the rule without it might
/// match more.
Parsed<Ip2NetsRule> read_ip2nets_rule(const YamlNode& item, Problems& notes);

}  // namespace ulnet::conf
