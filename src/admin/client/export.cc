#include "admin/client/export.h"

#include <nlohmann/json.hpp>

#include "admin/client/verbosity.h"
#include "admin/conf/yaml_out.h"

namespace ulnet::ctl {

namespace {

constexpr int kNetLevel = 2;
constexpr int kPeerLevel = 3;

conf::YamlStyle style_of(std::string_view section) {
  if (section == "net" || section == "peer" || section == "peer list" || section == "route" ||
      section == "Local NI recovery" || section == "Peer NI recovery")
    return conf::YamlStyle::kWide;
  if (section == "ping" || section == "discover" || section == "cpt-of-nid")
    return conf::YamlStyle::kNarrow;
  return conf::YamlStyle::kClassic;
}

void append(Tree& to, const Tree& from) {
  for (const auto& [section, value] : from.items()) {
    if (!value.empty()) to[section] = value;
  }
}

}  // namespace

Result<Tree> export_tree(LnetConfig& lnet, bool backup,
                         std::span<const conf::LocalInterface> interfaces) {
  Tree out = Tree::object();
  const auto nets = lnet.show_net(std::nullopt);
  if (!nets) return nets;
  append(out, backup ? backup_of_nets(*nets, interfaces) : at_verbosity(*nets, kNetLevel));
  const auto routes = lnet.show_route();
  if (!routes) return routes;
  append(out, backup ? backup_of_routes(*routes) : *routes);
  const auto routing = lnet.show_routing(backup);
  if (!routing) return routing;
  append(out, *routing);
  const auto peers = lnet.show_peer(std::nullopt);
  if (!peers) return peers;
  append(out, backup ? backup_of_peers(*peers) : at_verbosity(*peers, kPeerLevel));
  const auto globals = lnet.show_globals();
  if (!globals) return globals;
  append(out, *globals);
  const auto policies = lnet.show_udsp();
  if (!policies) return policies;
  append(out, *policies);
  const auto params = lnet.show_params();
  if (!params) return params;
  append(out, params_to_export(*params));
  return out;
}

std::string sections_to_yaml(const Tree& tree) {
  std::string text;
  for (const auto& [section, value] : tree.items())
    text += conf::to_yaml(Tree{{section, value}}, style_of(section));
  return text;
}

}  // namespace ulnet::ctl
