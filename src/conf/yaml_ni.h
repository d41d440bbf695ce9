// The items of `net:` and `ip2nets:`: nets, their NIs, tunables and CPTs. Source:
// spec/cli-lnetctl.md 5.3, 5.4.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "conf/ip2nets.h"
#include "conf/model.h"
#include "conf/yaml_node.h"
#include "ulnet/result.hpp"

namespace ulnet::conf {

/// One item of `net:`. What is ignored is told in `notes`.
Result<NetItem> read_net(const YamlNode& item, std::vector<std::string>& notes);
/// One item of `ip2nets:`.
Result<Ip2NetsRule> read_ip2nets_rule(const YamlNode& item, std::vector<std::string>& notes);

// What lnetctl says of keys and values.
Error invalid_key(std::string_view key);
Error no_value(std::string_view key);
Error invalid_value(std::string_view key, const YamlNode& value);
std::string ignoring(std::string_view key, std::string_view where);

}  // namespace ulnet::conf
