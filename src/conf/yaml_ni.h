// The items of `net:` and `ip2nets:`: nets, their NIs, tunables and CPTs. Source:
// spec/cli-lnetctl.md 5.3, 5.4.
#pragma once

#include "conf/ip2nets.h"
#include "conf/model.h"
#include "conf/problem.h"
#include "conf/yaml_node.h"

namespace ulnet::conf {

/// One item of `net:`. Its NIs stand under `local NI(s)`, or one item's keys beside `net type` (the
/// flat form). No NIs: the item names only the net. A key that is none of these is a problem, so
/// that an interface is never taken for one that the text does not name; a key of an NI that
/// changes nothing about which NI it is, is told in `notes`.
Parsed<NetItem> read_net(const YamlNode& item, Notes& notes);
/// One item of `ip2nets:`. Every unknown key is a problem: without it the rule would match more.
Parsed<Ip2NetsRule> read_ip2nets_rule(const YamlNode& item, Notes& notes);

}  // namespace ulnet::conf
