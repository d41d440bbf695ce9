#include "admin/client/lnetconfig.h"

#include <nlohmann/json.hpp>

#include "admin/client/requests.h"
#include "admin/client/tree_fields.h"
#include "admin/conf/policy_trees.h"
#include "lnet/config/ni_values.h"

namespace ulnet::ctl {

namespace {

/// The node may take down and bring up interfaces one after the other, which takes long.
constexpr std::chrono::seconds kReloadTimeout{300};
/// A ping and a push of each target may last as long as the setting transaction_timeout says.
constexpr std::chrono::seconds kDiscoverTimeout{3600};

Tree tree_of(const std::string& net, const conf::NiItem& ni) {
  Tree body = {{"net", net}};
  if (!ni.interface.empty()) body["interface"] = ni.interface;
  if (ni.nid) body["nid"] = ni.nid->to_string();
  Tree tunables = Tree::object();
  put(tunables, "peer_timeout", ni.tunables.peer_timeout);
  put(tunables, "peer_credits", ni.tunables.peer_credits);
  put(tunables, "peer_buffer_credits", ni.tunables.peer_buffer_credits);
  put(tunables, "credits", ni.tunables.credits);
  if (!tunables.empty()) body["tunables"] = std::move(tunables);
  Tree lnd = Tree::object();
  for (const conf::LndTunable& tunable : conf::kLndTunables) {
    const auto given = ni.lnd_tunables.find(tunable.name);
    if (given == ni.lnd_tunables.end()) continue;
    if (!tunable.takes_minus_one || given->second != -1) lnd[given->first] = given->second;
  }
  if (!lnd.empty()) body["lnd tunables"] = std::move(lnd);
  if (!ni.cpts.empty()) body["CPT"] = ni.cpts;
  return body;
}

Tree which_nis(const std::optional<Nid>& nid) {
  if (nid) return {{"nid", nid->to_string()}};
  return {{"all", true}};
}

/// Returns only this section of the answer, which must have it.
Result<Tree> section(Result<Tree> answer, const char* key) {
  if (!answer) return answer;
  const auto at = answer->find(key);
  if (at == answer->end()) return fail(-EPROTO, "the node's answer is not understood");
  Tree out = Tree::object();
  out[key] = std::move(*at);
  return out;
}

/// Reads the answers of the targets of a ping or of a discovery.
Result<LnetConfig::PingResult> answers_of(const Result<Tree>& answer, const char* what) {
  auto good = section(answer, what);
  if (!good) return tl::unexpected(good.error());
  LnetConfig::PingResult result{std::move(*good), {}};
  for (const Tree& target : list_in(*answer, "failed")) {
    result.failed.push_back(
        {text_in(target, "nid"), number_in(target, "errno", -EIO), text_in(target, "hint")});
  }
  return result;
}

}  // namespace

Result<void> LnetConfig::config_ni_system(bool up, bool load_ni_from_mod, bool large_nids) {
  if (!up) return done(api_.post("/v1/lnet", {{"op", "unconfigure"}}));
  return done(api_.post("/v1/lnet",
                        {{"op", "configure"}, {"all", load_ni_from_mod}, {"large", large_nids}}));
}

Result<void> LnetConfig::config_ni(const std::string& net, const conf::NiItem& ni) {
  if (const auto id = conf::parse_settable_net(net); !id) return tl::unexpected(id.error());
  return done(api_.post("/v1/net", tree_of(net, ni)));
}

Result<void> LnetConfig::del_ni(const std::string& net,
                                const std::optional<std::string>& interface) {
  if (const auto id = conf::parse_net_name(net); !id) return tl::unexpected(id.error());
  Tree body = {{"net", net}};
  put(body, "interface", interface);
  return done(api_.del("/v1/net", body));
}

Result<void> LnetConfig::del_ni(const Nid& nid) {
  return done(api_.del("/v1/net", {{"nid", nid.to_string()}}));
}

Result<Tree> LnetConfig::show_net(const std::optional<std::string>& net) {
  if (!net) return section(api_.get("/v1/net"), "net");
  if (!NetId::parse(*net)) return fail(-ENOENT, "Object not found");
  auto tree = section(api_.get("/v1/net?net=" + query_escape(*net)), "net");
  if (tree && (*tree)["net"].empty()) return fail(-ESRCH, "Network is down");
  return tree;
}

Result<void> LnetConfig::config_ni_healthv(const std::optional<Nid>& nid, std::int64_t health) {
  Tree body = which_nis(nid);
  body["health"] = health;
  return done(api_.patch("/v1/net", body));
}

Result<void> LnetConfig::config_ni_tunables(const std::optional<Nid>& nid,
                                            const conf::LndTunables& tunables) {
  Tree body = which_nis(nid);
  for (const auto& [name, value] : tunables) body[name] = value;
  return done(api_.patch("/v1/net", body));
}

Result<void> LnetConfig::config_lnd_timeout(const std::string& net, std::int64_t seconds) {
  return done(api_.patch("/v1/net", {{"net", net}, {"lnd_timeout", seconds}}));
}

Result<Tree> LnetConfig::show_peer(const std::optional<Nid>& nid) {
  const std::string query = nid ? "?nid=" + query_escape(nid->to_string()) : std::string();
  auto tree = section(api_.get("/v1/peer" + query), "peer");
  if (tree && nid && (*tree)["peer"].empty())
    return fail(-ENOENT, "cannot find peer " + nid->to_string());
  return tree;
}

Result<void> LnetConfig::del_peer(const Nid& primary, std::span<const Nid> nids, bool force) {
  Tree body = {{"primary nid", primary.to_string()}};
  for (const Nid& nid : nids) body["nids"].push_back(nid.to_string());
  if (force) body["force"] = true;
  return done(api_.del("/v1/peer", body));
}

Result<Tree> LnetConfig::list_peer() {
  auto peers = show_peer(std::nullopt);
  if (!peers) return peers;
  Tree list = Tree::array();
  for (const Tree& peer : (*peers)["peer"]) {
    Tree item = Tree::object();
    item["nid"] = text_in(peer, "primary nid");
    list.push_back(std::move(item));
  }
  Tree out = Tree::object();
  out["peer list"] = std::move(list);
  return out;
}

Result<Tree> LnetConfig::show_route() { return section(api_.get("/v1/route"), "route"); }
Result<Tree> LnetConfig::show_routing(bool backup) {
  const auto all = api_.get("/v1/routing");
  if (!all) return all;
  if (!all->contains("routing")) return fail(-EPROTO, "the node's answer is not understood");
  Tree out = Tree::object();
  if (!backup) {
    out["routing"] = list_in(*all, "routing");
    if (!out["routing"].empty()) out["buffers"] = field_in(*all, "buffers");
    return out;
  }
  const Tree& wanted = field_in(*all, "wanted");
  const bool on = number_in(wanted, "enable", 0) != 0;
  Tree buffers = Tree::object();
  bool given = on;
  for (const char* pool : {"tiny", "small", "large"}) {
    const auto count = number_in(wanted, pool, 0);
    given |= count != 0;
    buffers[pool] = on ? number_in(field_in(*all, "buffers"), pool, 0) : count;
  }
  if (on) out["routing"] = {{"enable", 1}};
  if (given) out["buffers"] = std::move(buffers);
  return out;
}
Result<Tree> LnetConfig::show_fault() { return section(api_.get("/v1/fault"), "fault"); }
Result<Tree> LnetConfig::show_recovery() { return api_.get("/v1/recovery"); }

Result<void> LnetConfig::add_udsp(const core::udsp::Rule& rule, std::optional<std::int64_t> idx) {
  Tree body = Tree::object();
  if (rule.src) body["src"] = rule.src->to_string();
  if (rule.dst) body["dst"] = rule.dst->to_string();
  if (rule.rte) body["rte"] = rule.rte->to_string();
  put(body, "priority", rule.priority);
  put(body, "idx", idx);
  return done(api_.post("/v1/udsp", body));
}

Result<void> LnetConfig::del_udsp(std::optional<std::int64_t> idx) {
  Tree body = Tree::object();
  put(body, "idx", idx);
  if (!idx) body["all"] = true;
  return done(api_.del("/v1/udsp", body));
}

Result<Tree> LnetConfig::show_udsp(std::optional<std::int64_t> idx) {
  auto tree = section(api_.get("/v1/udsp"), "udsp");
  if (!tree || !idx) return tree;
  Tree one = {{"udsp", Tree::array()}};
  for (const Tree& rule : list_in(*tree, "udsp"))
    if (number_in(rule, "idx", -1) == *idx) one["udsp"].push_back(rule);
  return one;
}

Result<void> LnetConfig::add_selection(const conf::Selection& selection) {
  return done(api_.post("/v1/selection", conf::selection_item(selection)));
}

Result<void> LnetConfig::del_selection(const conf::Selection& match,
                                       std::optional<std::int64_t> id) {
  Tree body = conf::selection_item(match);
  body.erase("priority");
  put(body, "id", id);
  return done(api_.del("/v1/selection", body));
}

Result<Tree> LnetConfig::show_selection(const conf::Selection& match,
                                        std::optional<std::int64_t> id) {
  const auto all = section(api_.get("/v1/selection"), "selection");
  if (!all) return all;
  Tree shown = {{"selection", Tree::array()}};
  for (const Tree& item : list_in(*all, "selection")) {
    const std::string type = text_in(item, "type"), net = text_in(item, "net"),
                      nid = text_in(item, "nid"), local = text_in(item, "local"),
                      remote = text_in(item, "remote");
    const auto selection = conf::parse_selection({type, net, nid, local, remote, {}});
    if (!selection) return fail(-EPROTO, "the node's answer is not understood");
    if (id && number_in(item, "id", 0) != *id) continue;
    if (conf::is_shown(*selection, match)) shown["selection"].push_back(item);
  }
  return shown;
}

Result<Tree> LnetConfig::show_globals() { return section(api_.get("/v1/global"), "global"); }

Result<void> LnetConfig::config_global(const std::string& name, std::int64_t value) {
  Tree body = Tree::object();
  body[name] = value;
  return done(api_.patch("/v1/global", body));
}

Result<Tree> LnetConfig::show_stats() { return section(api_.get("/v1/stats"), "statistics"); }
Result<void> LnetConfig::reset_stats() { return done(api_.del("/v1/stats", Tree::object())); }

Result<Tree> LnetConfig::show_params() { return section(api_.get("/v1/param"), "param"); }
Result<void> LnetConfig::config_param(const std::string& name, const std::string& value) {
  Tree body = Tree::object();
  body[name] = value;
  return done(api_.patch("/v1/param", body));
}

Result<Tree> LnetConfig::cpt_of_nid(std::span<const Nid> nids) {
  Tree all = {{"cpt-of-nid", Tree::array()}};
  for (const Nid& nid : nids) {
    const auto one =
        section(api_.get("/v1/cpt?nid=" + query_escape(nid.to_string())), "cpt-of-nid");
    if (!one) return one;
    for (const Tree& item : list_in(*one, "cpt-of-nid")) all["cpt-of-nid"].push_back(item);
  }
  return all;
}

Result<Tree> LnetConfig::explain_path(const Nid& to, const std::optional<Nid>& from,
                                      const std::optional<std::uint32_t>& cpt) {
  std::string query = "/v1/path?to=" + query_escape(to.to_string());
  if (from) query += "&from=" + query_escape(from->to_string());
  if (cpt) query += "&cpt=" + std::to_string(*cpt);
  return section(api_.get(query), "path");
}

Result<std::string> LnetConfig::show_file(const std::string& name) {
  return api_.get_text("/v1/file/" + query_escape(name));
}

Result<Tree> LnetConfig::show_counters() { return api_.get("/v1/counters"); }

Result<LnetConfig::ReloadResult> LnetConfig::reload() {
  const auto answer = api_.post("/v1/reload", Tree::object(), kReloadTimeout);
  if (!answer) return tl::unexpected(answer.error());
  ReloadResult result{.changes = number_in(*answer, "changes", 0), .failures = {}, .warnings = {}};
  for (const Tree& failure : list_in(*answer, "failures"))
    result.failures.push_back({number_in(failure, "errno", -EIO), text_in(failure, "descr")});
  for (const Tree& warning : list_in(*answer, "warnings"))
    if (warning.is_string()) result.warnings.push_back(warning.get<std::string>());
  return result;
}

Result<std::vector<std::string>> LnetConfig::list_nids() {
  auto tree = section(api_.get("/v1/nids"), "nids");
  if (!tree) return tl::unexpected(tree.error());
  std::vector<std::string> nids;
  for (const Tree& nid : (*tree)["nids"]) {
    if (nid.is_string()) nids.push_back(nid.get<std::string>());
  }
  return nids;
}

Result<LnetConfig::PingResult> LnetConfig::ping_nid(std::span<const Nid> nids,
                                                    const std::optional<Nid>& source,
                                                    std::int64_t timeout_ms, bool with_times) {
  Tree body = {{"nids", Tree::array()}, {"timeout_ms", timeout_ms}};
  for (const Nid& nid : nids) body["nids"].push_back(nid.to_string());
  if (source) body["source"] = source->to_string();
  if (with_times) body["rtt"] = true;
  // This is enough even for a node that asks one target after the other; in fact it asks many at
  // once.
  const auto worst = std::chrono::milliseconds(timeout_ms * static_cast<std::int64_t>(nids.size()));
  const auto timeout =
      std::chrono::duration_cast<std::chrono::seconds>(worst) + ControlApi::kTimeout;
  return answers_of(api_.post("/v1/ping", body, timeout), "ping");
}

Result<LnetConfig::PingResult> LnetConfig::discover_nid(std::span<const Nid> nids, bool force) {
  Tree body = {{"nids", Tree::array()}, {"force", force}};
  for (const Nid& nid : nids) body["nids"].push_back(nid.to_string());
  return answers_of(api_.post("/v1/discover", body, kDiscoverTimeout), "discover");
}

std::int64_t ping_timeout_ms(std::int64_t seconds) {
  constexpr std::int64_t kLongest = 180;
  return (seconds <= 0 || seconds > kLongest ? kLongest : seconds) * 1000;
}

}  // namespace ulnet::ctl
