// Configures peers, routes and fault rules. The bodies have the keys of lnetctl's YAML
// (spec/cli-lnetctl.md 5.2).
#include "admin/client/lnetconfig.h"
#include "admin/client/requests.h"

namespace ulnet::ctl {

Result<void> LnetConfig::config_route(const conf::RouteEntry& route) {
  Tree body = {{"net", route.net}, {"gateway", route.gateway}};
  put(body, "hop", route.hop);
  put(body, "priority", route.priority);
  return done(api_.post("/v1/route", body));
}

Result<void> LnetConfig::del_route(const std::string& net, const std::string& gateway) {
  return done(api_.del("/v1/route", {{"net", net}, {"gateway", gateway}}));
}

Result<void> LnetConfig::config_routing(const conf::RoutingEntry& routing) {
  Tree body = Tree::object();
  for (const auto& [name, value, place] : routing.values) body[name] = value;
  return done(api_.patch(routing.buffers ? "/v1/buffers" : "/v1/routing", body));
}

Result<void> LnetConfig::config_peer(const NewPeer& peer) {
  Tree body = {{"primary nid", peer.primary.to_string()}, {"Multi-Rail", peer.multi_rail}};
  for (const Nid& nid : peer.nids) body["nids"].push_back(nid.to_string());
  if (peer.lock_primary) body["lock"] = true;
  return done(api_.post("/v1/peer", body));
}

Result<void> LnetConfig::config_peer_ni_healthv(const std::optional<Nid>& nid,
                                                std::int64_t health) {
  Tree body = Tree::object();
  if (nid)
    body["nid"] = nid->to_string();
  else
    body["all"] = true;
  body["health"] = health;
  return done(api_.patch("/v1/peer", body));
}

Result<void> LnetConfig::set_peer_state(const Nid& nid, std::int64_t state) {
  return done(api_.patch("/v1/peer", {{"nid", nid.to_string()}, {"state", state}}));
}

Result<void> LnetConfig::mark_log(const std::string& text) {
  return done(api_.post("/v1/log/mark", {{"text", text}}));
}

Result<void> LnetConfig::log_peer(const Nid& nid) {
  return done(api_.post("/v1/peer/debug", {{"nid", nid.to_string()}}));
}

Result<void> LnetConfig::config_fault(const char* change, const Tree& rule) {
  const std::string_view word = change;
  if (word == "add") return done(api_.post("/v1/fault", rule));
  if (word == "del") return done(api_.del("/v1/fault", rule));
  return done(api_.patch("/v1/fault", rule));
}

}  // namespace ulnet::ctl
