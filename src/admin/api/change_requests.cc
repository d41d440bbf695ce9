// Writes the requests that change a node.
#include <utility>

#include "admin/api/changes.h"
#include "admin/conf/fault_trees.h"
#include "admin/conf/policy_trees.h"
#include "lnet/catalog/known_drivers.h"

namespace ulnet::api {

using namespace conf::change;

namespace {

template <class Value>
void put(Json& to, const char* key, const std::optional<Value>& value) {
  if (!value) return;
  if constexpr (requires { value->to_string(); })
    to[key] = value->to_string();
  else
    to[key] = *value;
}
void put(Json& to, const char* key, const std::vector<Nid>& nids) {
  for (const Nid& nid : nids) to[key].push_back(nid.to_string());
}
void put_nid_or_all(Json& to, const std::optional<Nid>& nid) {
  if (nid)
    to["nid"] = nid->to_string();
  else
    to["all"] = true;
}

Json written(const conf::CommonTunables& tunables) {
  Json body = Json::object();
  put(body, "peer_timeout", tunables.peer_timeout);
  put(body, "peer_credits", tunables.peer_credits);
  put(body, "peer_buffer_credits", tunables.peer_buffer_credits);
  put(body, "credits", tunables.credits);
  return body;
}

/// Writes all tunables that the user gave, so that the node refuses those that its driver does not
/// have.
Json written(NetId net, const conf::LndTunables& tunables) {
  Json body = Json::object();
  for (const auto& [name, value] : tunables) {
    const conf::LndTunable* tunable = lnd::find_ni_tunable(net, name);
    const bool not_given = tunable != nullptr && tunable->takes_minus_one && value == -1;
    if (!not_given) body[name] = value;
  }
  return body;
}

}  // namespace

ChangeRequest request_of(const AddNi& change) {
  Json body = {{"net", change.net.to_string()}};
  if (!change.ni.interface.empty()) body["interface"] = change.ni.interface;
  put(body, "nid", change.ni.nid);
  if (Json tunables = written(change.ni.tunables); !tunables.empty())
    body["tunables"] = std::move(tunables);
  if (Json tunables = written(change.net, change.ni.lnd_tunables); !tunables.empty())
    body["lnd tunables"] = std::move(tunables);
  if (!change.ni.cpts.empty()) body["CPT"] = change.ni.cpts;
  return {"POST", "/v1/net", std::move(body)};
}

ChangeRequest request_of(const DelNi& change) {
  Json body = Json::object();
  put(body, "nid", change.nid);
  if (!change.nid) body["net"] = change.net.to_string();
  put(body, "interface", change.interface);
  return {"DELETE", "/v1/net", std::move(body)};
}

ChangeRequest request_of(const SetNi& change) {
  Json body = Json::object();
  if (change.health || !change.tunables.empty()) put_nid_or_all(body, change.nid);
  put(body, "health", change.health);
  for (const auto& [name, value] : change.tunables) body[name] = value;
  if (change.net) body["net"] = change.net->to_string();
  put(body, "lnd_timeout", change.lnd_timeout);
  return {"PATCH", "/v1/net", std::move(body)};
}

ChangeRequest request_of(const AddPeer& change) {
  Json body = {{"primary nid", change.primary.to_string()}, {"Multi-Rail", change.multi_rail}};
  put(body, "nids", change.nids);
  if (change.lock_primary) body["lock"] = true;
  return {"POST", "/v1/peer", std::move(body)};
}

ChangeRequest request_of(const DelPeer& change) {
  Json body = {{"primary nid", change.primary.to_string()}};
  put(body, "nids", change.nids);
  if (change.force) body["force"] = true;
  return {"DELETE", "/v1/peer", std::move(body)};
}

ChangeRequest request_of(const SetPeer& change) {
  Json body = Json::object();
  put_nid_or_all(body, change.nid);
  put(body, "health", change.health);
  put(body, "state", change.state);
  return {"PATCH", "/v1/peer", std::move(body)};
}

ChangeRequest request_of(const SetGlobals& change) {
  Json body = Json::object();
  for (const auto& [name, value] : change.values) body[name] = value;
  return {"PATCH", "/v1/global", std::move(body)};
}

ChangeRequest request_of(const SetParams& change) {
  Json body = Json::object();
  for (const auto& [name, value] : change.values) body[name] = value;
  return {"PATCH", "/v1/param", std::move(body)};
}

ChangeRequest request_of(const AddPolicy& change) {
  Json body = Json::object();
  put(body, "src", change.rule.src);
  put(body, "dst", change.rule.dst);
  put(body, "rte", change.rule.rte);
  put(body, "priority", change.rule.priority);
  put(body, "idx", change.idx);
  return {"POST", "/v1/udsp", std::move(body)};
}

ChangeRequest request_of(const DelPolicy& change) {
  Json body = Json::object();
  put(body, "idx", change.idx);
  if (!change.idx) body["all"] = true;
  return {"DELETE", "/v1/udsp", std::move(body)};
}

ChangeRequest request_of(const AddSelection& change) {
  return {"POST", "/v1/selection", conf::selection_item(change.selection)};
}

ChangeRequest request_of(const DelSelection& change) {
  Json body = conf::selection_item(change.match);
  body.erase("priority");
  put(body, "id", change.id);
  return {"DELETE", "/v1/selection", std::move(body)};
}

ChangeRequest request_of(const SetRouting& change) {
  Json body = Json::object();
  if (change.on) body["enable"] = *change.on ? 1 : 0;
  for (std::size_t pool = 0; pool < kPools.size(); ++pool)
    put(body, kPools[pool], change.buffers[pool]);
  return {"PATCH", change.on ? "/v1/routing" : "/v1/buffers", std::move(body)};
}

ChangeRequest request_of(const AddFault& change) {
  return {"POST", "/v1/fault", conf::fault_item(change.rule)};
}

ChangeRequest request_of(const DelFault& change) {
  Json body = {{"rule_type", to_string(change.kind)}};
  put(body, "fa_src", change.source);
  put(body, "fa_dst", change.destination);
  return {"DELETE", "/v1/fault", std::move(body)};
}

ChangeRequest request_of(const ResetFaults& change) {
  return {"PATCH", "/v1/fault", {{"rule_type", to_string(change.kind)}}};
}

ChangeRequest request_of(const ResetStats&) { return {"DELETE", "/v1/stats", Json::object()}; }

ChangeRequest request_to_add(const conf::RouteEntry& route) {
  Json body = {{"net", route.net}, {"gateway", route.gateway}};
  put(body, "hop", route.hop);
  put(body, "priority", route.priority);
  return {"POST", "/v1/route", std::move(body)};
}

ChangeRequest request_to_delete(const conf::RouteEntry& route) {
  return {"DELETE", "/v1/route", {{"net", route.net}, {"gateway", route.gateway}}};
}

}  // namespace ulnet::api
