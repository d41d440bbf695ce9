#include "admin/client/lnetconfig.h"

#include <algorithm>

#include "admin/client/tree_fields.h"
#include "lnet/config/ni_values.h"
#include "lnet/wire/nid_range.h"

namespace ulnet::ctl {

namespace {

Result<void> done(const Result<Tree>& answer) {
  return answer ? Result<void>() : tl::unexpected(answer.error());
}

/// The node may take down and bring up interfaces one after the other, which takes long.
constexpr std::chrono::seconds kReloadTimeout{300};
/// A ping and a push of each target may last as long as the setting transaction_timeout says.
constexpr std::chrono::seconds kDiscoverTimeout{3600};

/// Returns only this section of the answer, which must have it.
Result<Tree> section(Result<Tree> answer, const char* key) {
  if (!answer) return answer;
  const auto at = answer->find(key);
  if (at == answer->end()) return fail(-EPROTO, "the node's answer is not understood");
  return Tree{{key, std::move(*at)}};
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

Result<void> LnetConfig::make(const api::ChangeRequest& request) {
  return done(api_.change(request.method, request.path, request.body));
}

Result<void> LnetConfig::add_ni(const std::string& net, const conf::NiItem& ni) {
  const auto id = conf::parse_settable_net(net);
  return id ? change(conf::change::AddNi{*id, ni}) : tl::unexpected(id.error());
}

Result<void> LnetConfig::del_ni(const std::string& net,
                                const std::optional<std::string>& interface) {
  const auto id = conf::parse_net_name(net);
  return id ? change(conf::change::DelNi{*id, interface}) : tl::unexpected(id.error());
}

Result<void> LnetConfig::mark_log(const std::string& text) {
  return done(api_.post("/v1/log/mark", {{"text", text}}));
}

Result<void> LnetConfig::log_peer(const Nid& nid) {
  return done(api_.post("/v1/peer/debug", {{"nid", nid.to_string()}}));
}

Result<Tree> LnetConfig::show_net(const std::optional<std::string>& net) {
  if (!net) return section(api_.get("/v1/net"), "net");
  if (!NetId::parse(*net)) return fail(-ENOENT, "Object not found");
  auto tree = section(api_.get("/v1/net?net=" + query_escape(*net)), "net");
  if (tree && (*tree)["net"].empty()) return fail(-ESRCH, "Network is down");
  return tree;
}

Result<Tree> LnetConfig::show_peer(const std::optional<Nid>& nid, std::optional<std::size_t> most) {
  const std::string query = nid ? "?nid=" + query_escape(nid->to_string()) : std::string();
  auto tree = section(api_.get("/v1/peer" + query), "peer");
  if (tree && nid && (*tree)["peer"].empty())
    return fail(-ENOENT, "cannot find peer " + nid->to_string());
  if (tree && most && (*tree)["peer"].size() > *most) {
    auto& peers = (*tree)["peer"];
    peers.erase(peers.begin() + static_cast<std::ptrdiff_t>(*most), peers.end());
  }
  return tree;
}

Result<Tree> LnetConfig::list_peer() {
  auto peers = show_peer(std::nullopt);
  if (!peers) return peers;
  Tree list = Tree::array();
  for (const Tree& peer : (*peers)["peer"])
    list.push_back(Tree{{"nid", text_in(peer, "primary nid")}});
  return Tree{{"peer list", std::move(list)}};
}

Result<Tree> LnetConfig::show_route() { return section(api_.get("/v1/route"), "route"); }

Result<Tree> LnetConfig::show_route(const RouteFilter& filter) {
  std::vector<wire::NidPattern> gateways;
  if (!filter.gateway.empty()) {
    const auto words = wire::split_list(filter.gateway);
    if (!words) return tl::unexpected(words.error());
    for (const std::string_view word : *words) {
      const auto pattern = wire::NidPattern::parse(word);
      if (!pattern) return tl::unexpected(pattern.error());
      gateways.push_back(*pattern);
    }
  }
  const auto all = show_route();
  if (!all) return all;
  const auto is_shown = [&](const Tree& route) {
    if (!filter.net.empty() && text_in(route, "net") != filter.net) return false;
    const auto gateway = Nid::parse(text_in(route, "gateway"));
    return gateways.empty() || (gateway && std::ranges::any_of(gateways, [&](const auto& pattern) {
                                  return pattern.matches(*gateway);
                                }));
  };
  Tree routes = Tree::array();
  for (const Tree& route : list_in(*all, "route")) {
    if (!is_shown(route)) continue;
    Tree one = Tree::object();
    for (const auto& [key, value] : route.items())
      if (key == "net" || key == "gateway" ||
          (filter.backup ? key == "hop" || key == "priority" : filter.details))
        one[key] = value;
    routes.push_back(std::move(one));
  }
  return Tree{{"route", std::move(routes)}};
}

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

Result<Tree> LnetConfig::show_udsp(std::optional<std::int64_t> idx) {
  auto tree = section(api_.get("/v1/udsp"), "udsp");
  if (!tree || !idx) return tree;
  Tree one = {{"udsp", Tree::array()}};
  for (const Tree& rule : list_in(*tree, "udsp"))
    if (number_in(rule, "idx", -1) == *idx) one["udsp"].push_back(rule);
  return one;
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

Result<Tree> LnetConfig::show_stats() { return section(api_.get("/v1/stats"), "statistics"); }
Result<Tree> LnetConfig::show_params() { return section(api_.get("/v1/param"), "param"); }
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
