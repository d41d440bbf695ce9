// Readers of the items of all sections except `net:` and `ip2nets:`. An item is read as a whole or
// not at all. Source: spec/cli-lnetctl.md 5.2.
#pragma once

#include <string_view>

#include "admin/conf/yaml_in.h"
#include "lnet/config/problem.h"
#include "text/yaml_node.h"

namespace ulnet::conf {

Parsed<RouteEntry> read_route(const YamlNode& item, Problems& notes);
/// Reads a peer. An unknown key is a problem, because a peer without some of its NIDs would be a
/// different peer.
Parsed<PeerEntry> read_peer(const YamlNode& item, Problems& notes);
Parsed<PeersEntry> read_peers(const YamlNode& item);
Parsed<UdspEntry> read_udsp(const YamlNode& item);
Parsed<SelectionEntry> read_selection(const YamlNode& item);
/// Reads one entry of `param:`.
Parsed<Setting<std::string>> read_param(const YamlEntry& entry, Problems& notes);
/// Reads the whole section `ping:` or `discover:`: a mapping with `nids`, or a list as ping prints
/// it.
Parsed<ExecEntry> read_exec(const YamlNode& value, std::string_view section, Problems& notes);

}  // namespace ulnet::conf
