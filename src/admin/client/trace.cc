#include "admin/client/trace.h"

#include <algorithm>
#include <cstring>
#include <map>
#include <optional>
#include <set>
#include <string>

#include "admin/client/tree_fields.h"

namespace ulnet::ctl {

namespace {

/// How often a NID is pinged. The quickest answer counts, because the first ping may wait for a
/// connection.
constexpr int kPings = 3;
/// The most routers in a chain that is searched for among the peers of this node.
constexpr std::size_t kRoutersMax = 8;

std::optional<NetId> net_of(const std::string& nid) {
  const auto parsed = Nid::parse(nid);
  return parsed ? std::optional(parsed->net()) : std::nullopt;
}

class Tracing {
 public:
  Tracing(LnetConfig& lnet, const TraceRequest& request) : lnet_(lnet), request_(request) {
    out_["to"] = request.to.to_string();
  }

  Result<Tree> run() {
    const auto path = lnet_.explain_path(request_.to, std::nullopt, std::nullopt);
    if (!path) return path;
    path_ = path->at("path");
    const auto routes = lnet_.show_route();
    if (!routes) return routes;
    routes_ = list_in(*routes, "route");
    const auto peers = lnet_.show_peer(std::nullopt);
    if (!peers) return peers;
    peers_ = list_in(*peers, "peer");
    out_["rule"] = text_in(path_, "rule");
    out_["hops"] = Tree::array();
    if (const auto done = look(); !done) return tl::unexpected(done.error());
    out_["found"] = found_;
    out_["answers"] = answered_;
    return Tree{{"trace", std::move(out_)}};
  }

 private:
  Result<void> look() {
    const std::string hop = text_in(path_, "hop");
    if (hop.empty()) {
      out_["errno"] = number_in(path_, "errno", -EHOSTUNREACH);
      out_["descr"] = text_in(path_, "descr");
      out_["not taken"] = not_taken();
      found_.push_back("nothing is sent: " + why_no_path());
      return {};
    }
    const bool routed = !list_in(path_, "routes").empty();
    if (!routed) return visit(hop, "target").map([&](bool good) { explain_direct(good); });
    const auto first = visit(hop, "router");
    if (!first) return tl::unexpected(first.error());
    if (!*first) {
      found_.push_back("the gateway " + hop +
                       " does not answer: the trace cannot ask nodes behind it");
      return {};
    }
    bool good = true;
    if (const auto between = visit_between(hop, good); !between) return between;
    return visit(request_.to.to_string(), "target").map([&](bool answers) {
      if (!answers && good) explain_silent_target(hop);
    });
  }

  /// Visits the routers that the user names. Without such routers it visits those that this node
  /// knows, unless the gateway itself is on the target's net.
  Result<void> visit_between(const std::string& gateway, bool& good) {
    std::string before = gateway;
    const auto ask = [&](const std::string& nid, const char* role) -> Result<void> {
      return visit(nid, role).map([&](bool answers) {
        if (!answers && good)
          found_.push_back("the router " + nid + " behind " + before + " does not answer");
        good &= answers;
        before = nid;
      });
    };
    for (const Nid& nid : request_.via)
      if (const auto asked = ask(nid.to_string(), "router"); !asked) return asked;
    if (!request_.via.empty() || is_on(gateway, request_.to.net())) return {};
    for (const std::string& nid : known_between(gateway))
      if (const auto asked = ask(nid, "perhaps"); !asked) return asked;
    return {};
  }

  /// Pings the NID and adds it to the hops. Returns whether the NID answers.
  Result<bool> visit(const std::string& text, const char* role) {
    const auto nid = Nid::parse(text);
    if (!nid) return fail(-EPROTO, "the node's answer is not understood");
    Tree hop = {{"nid", text}, {"role", role}};
    std::optional<std::int64_t> quickest;
    for (int i = 0; i < kPings; ++i) {
      const auto answer = lnet_.ping_nid({{*nid}}, std::nullopt, request_.timeout_ms, true);
      if (!answer) return tl::unexpected(answer.error());
      if (!answer->failed.empty()) {
        if (quickest) continue;  // this ping was lost
        hop["answers"] = false;
        hop["errno"] = answer->failed.front().code;
        hop["descr"] = std::strerror(-answer->failed.front().code);
        if (!answer->failed.front().hint.empty()) hop["hint"] = answer->failed.front().hint;
        break;
      }
      const Tree& answers = list_in(answer->good, "ping");
      if (answers.empty()) return fail(-EPROTO, "the node's answer is not understood");
      const Tree& good = answers.front();
      const std::int64_t took = number_in(good, "rtt_us", 0);
      quickest = std::min(quickest.value_or(took), took);
      hop["answers"] = true;
      hop["rtt_us"] = *quickest;
      nids_by_answer_[text].clear();
      for (const Tree& ni : list_in(good, "peer_ni"))
        nids_by_answer_[text].insert(text_in(ni, "nid"));
      hop["nids"] = nids_by_answer_[text];
    }
    if (const Tree* ni = peer_ni(text); ni != nullptr)
      hop["health value"] = number_in(field_in(*ni, "health stats"), "health value", 0);
    if (out_["hops"].empty()) hop["not taken"] = not_taken();
    // after the last hop, which is the target, this says whether the target answers
    answered_ = quickest.has_value();
    out_["hops"].push_back(std::move(hop));
    return quickest.has_value();
  }

  /// Returns why no path exists, in words, with what to do.
  std::string why_no_path() const {
    const std::string net = request_.to.net().to_string();
    const bool has_route = std::any_of(routes_.begin(), routes_.end(), [&](const Tree& route) {
      return text_in(route, "net") == net;
    });
    if (has_route) return "no route to " + net + " can be used";
    return "this node is not on " + net + " and has no route to it ('route add --net " + net +
           " --gateway NID' makes one)";
  }

  /// Returns the other routes to the target's net, and why they are not taken.
  Tree not_taken() const {
    Tree all = Tree::array();
    for (const Tree& route : list_in(path_, "routes"))
      if (!bool_in(route, "chosen"))
        all.push_back({{"gateway", text_in(route, "gateway")}, {"why", text_in(route, "lost by")}});
    for (const Tree& route : routes_)
      if (text_in(route, "net") == request_.to.net().to_string() && text_in(route, "state") != "up")
        all.push_back({{"gateway", text_in(route, "gateway")}, {"why", text_in(route, "why")}});
    return all;
  }

  /// Returns the peer NI as this node shows it; null: this node does not know it.
  const Tree* peer_ni(const std::string& nid) const {
    for (const Tree& peer : peers_)
      for (const Tree& ni : list_in(peer, "peer ni"))
        if (text_in(ni, "nid") == nid) return &ni;
    return nullptr;
  }
  /// Returns all NIDs that are known of the node with this NID: from its answer, and from the list
  /// of peers.
  std::set<std::string> nids_of(const std::string& nid) const {
    std::set<std::string> all;
    if (const auto at = nids_by_answer_.find(nid); at != nids_by_answer_.end()) all = at->second;
    for (const Tree& peer : peers_) {
      std::set<std::string> of_peer;
      for (const Tree& ni : list_in(peer, "peer ni")) of_peer.insert(text_in(ni, "nid"));
      if (of_peer.contains(nid)) all.merge(of_peer);
    }
    return all;
  }
  std::set<NetId> nets_of(const std::string& nid) const {
    std::set<NetId> nets;
    for (const std::string& one : nids_of(nid))
      if (const auto net = net_of(one)) nets.insert(*net);
    return nets;
  }
  bool is_on(const std::string& nid, NetId net) const { return nets_of(nid).contains(net); }

  /// Finds the shortest chain of known peers that joins the gateway's nets with the target's nets.
  /// Returns, for each peer, its NID on a net of the peer or gateway before it.
  std::vector<std::string> known_between(const std::string& gateway) const {
    struct Step {
      std::string nid;   // the NID by which it is reached
      std::string from;  // the step before; empty: the gateway
    };
    std::map<std::string, Step> seen;  // by the primary NID
    std::set<NetId> reached = nets_of(gateway);
    const std::set<std::string> own = nids_of(gateway);
    std::map<NetId, std::string> by;  // the peer through which a net is reached; empty: the gateway
    for (std::size_t depth = 0; depth < kRoutersMax; ++depth) {
      std::map<NetId, std::string> more;
      for (const Tree& peer : peers_) {
        const std::string primary = text_in(peer, "primary nid");
        if (own.contains(primary) || seen.contains(primary)) continue;
        for (const Tree& ni : list_in(peer, "peer ni")) {
          const std::string nid = text_in(ni, "nid");
          const auto net = net_of(nid);
          if (!net || !reached.contains(*net)) continue;
          seen[primary] = {nid, by[*net]};
          for (const NetId other : nets_of(nid))
            if (!reached.contains(other)) more.emplace(other, primary);
          break;
        }
      }
      for (const auto& [net, primary] : more) by[net] = primary;
      for (const auto& [net, primary] : more) reached.insert(net);
      if (more.empty() || reached.contains(request_.to.net())) break;
    }
    std::vector<std::string> chain;
    for (std::string at = by[request_.to.net()]; !at.empty(); at = seen[at].from)
      chain.insert(chain.begin(), seen[at].nid);
    return chain;
  }

  void explain_direct(bool good) {
    if (!good) found_.push_back("it is on a net of this node, and does not answer");
  }
  /// Explains why the target does not answer. Called when all routers that can be asked answer.
  void explain_silent_target(const std::string& gateway) {
    const std::string net = request_.to.net().to_string();
    const Tree& hops = out_["hops"];
    const std::string last = text_in(hops.at(hops.size() - 2), "nid");
    if (!is_on(last, request_.to.net())) {
      found_.push_back(last + " answers, and is not on " + net +
                       ": no node reports which routers follow; name them with --via");
      return;
    }
    bool up = false;
    for (const std::string& nid : nids_of(last))
      if (const Tree* ni = peer_ni(nid); ni != nullptr && net_of(nid) == request_.to.net())
        up |= text_in(*ni, "state") != "down";
    if (!up && last == gateway) {
      found_.push_back("one-sided: " + last + " reports that its interface on " + net +
                       " is down, so no node there has pinged it lately: no node on " + net +
                       " has a route back through it, or its cable is out");
      return;
    }
    found_.push_back("the routers answer up to " + last + ", which is on " + net +
                     ": the target is down, or the path is one-sided (the target has no route back "
                     "through this router)");
  }

  LnetConfig& lnet_;
  const TraceRequest& request_;
  Tree out_ = Tree::object();
  Tree path_;
  Tree routes_, peers_;
  std::map<std::string, std::set<std::string>>
      nids_by_answer_;  // NIDs that nodes have answered with
  std::vector<std::string> found_;
  bool answered_ = false;
};

}  // namespace

Result<Tree> trace(LnetConfig& lnet, const TraceRequest& request) {
  return Tracing(lnet, request).run();
}

}  // namespace ulnet::ctl
