#include "admin/client/health.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <map>
#include <set>
#include <span>

#include "admin/client/tree_fields.h"
#include "text/quantity.h"

namespace ulnet::ctl {

using text::counted;

namespace {

constexpr int kFullHealth = 1000;
/// how many NIDs a reason names; it gives only the number of the others
constexpr std::size_t kNamed = 5;

std::string listed(const std::vector<std::string>& names) {
  const auto first = std::span(names).first(std::min(names.size(), kNamed));
  const std::string all = fmt::format("{}", fmt::join(first, ", "));
  return names.size() <= kNamed ? all : fmt::format("{} and {} more", all, names.size() - kNamed);
}

/// Returns a text such as "1 of 3 routes is".
std::string share(std::size_t some, std::size_t all, const char* what) {
  return fmt::format("{} of {} {}", some, counted(all, what), some == 1 ? "is" : "are");
}

/// Returns the NIs of this node except 0@lo.
std::vector<Tree> wire_nis(const Tree& nets) {
  std::vector<Tree> nis;
  for (const Tree& net : list_in(nets, "net"))
    if (text_in(net, "net type") != "lo")
      for (const Tree& ni : list_in(net, "local NI(s)")) nis.push_back(ni);
  return nis;
}

class Judge {
 public:
  explicit Judge(const HealthTrees& trees) : trees_(trees) {}

  NodeHealth judge() {
    nis();
    routes();
    peers();
    faults();
    buffers();
    return std::move(judged_);
  }

 private:
  void say(Health health, std::string what, std::string command) {
    std::vector<HealthReason>& all = judged_.reasons;
    const auto behind =
        std::ranges::upper_bound(all, health, std::greater<>(), &HealthReason::health);
    all.insert(behind, {health, std::move(what), std::move(command)});
  }

  void nis() {
    const std::vector<Tree> all = wire_nis(trees_.net);
    judged_.summary = counted(all.size(), "network interface");
    if (all.empty())
      return say(Health::kWarning, "no network interface is configured",
                 "net add --net tcp --if INTERFACE");
    std::vector<std::string> down, weak;
    for (const Tree& ni : all) {
      const std::string nid = text_in(ni, "nid");
      const int health = number_in(field_in(ni, "health stats"), "health value", kFullHealth);
      if (text_in(ni, "status") != "up")
        down.push_back(nid);
      else if (health < kFullHealth)
        weak.push_back(fmt::format("{} (health {})", nid, health));
    }
    if (down.size() == all.size())
      say(Health::kError, "every network interface is down: " + listed(down), "events --types ni");
    else if (!down.empty())
      say(Health::kWarning,
          share(down.size(), all.size(), "network interface") + " down: " + listed(down),
          "events --types ni");
    if (!weak.empty())
      say(Health::kWarning,
          share(weak.size(), all.size(), "network interface") + " not well: " + listed(weak),
          "net show -v 2");
  }

  void routes() {
    const Tree& all = list_in(trees_.route, "route");
    std::map<std::string, bool> reached;  // by net
    std::vector<std::string> down, unreached;
    for (const Tree& route : all) {
      const std::string net = text_in(route, "net"), gateway = text_in(route, "gateway");
      const bool up = text_in(route, "state") == "up";
      reached[net] |= up;
      if (up) continue;
      down.push_back(net + " through " + gateway);
      explained_.insert(gateway);
    }
    judged_.summary += ", " + counted(list_in(trees_.peer, "peer").size(), "peer") + ", " +
                       counted(all.size(), "route");
    for (const auto& [net, yes] : reached)
      if (!yes) unreached.push_back(net);
    if (!unreached.empty())
      say(Health::kError, "no route is up to " + listed(unreached), "route show -v");
    else if (!down.empty())
      say(Health::kWarning, share(down.size(), all.size(), "route") + " down: " + listed(down),
          "route show -v");
  }

  void peers() {
    std::vector<std::string> silent;
    std::string why;
    for (const Tree& peer : list_in(trees_.peer, "peer")) {
      const std::string primary = text_in(peer, "primary nid");
      const std::string reason = text_in(peer, "why");
      std::vector<std::string> nids = {primary};
      for (const Tree& ni : list_in(peer, "peer ni")) nids.push_back(text_in(ni, "nid"));
      const bool known = std::ranges::any_of(
          nids, [&](const std::string& nid) { return explained_.contains(nid); });
      if (reason.empty() && !known) continue;
      explained_.insert(nids.begin(), nids.end());
      if (known) continue;
      silent.push_back(primary);
      if (why.empty()) why = reason;
    }
    if (!silent.empty())
      say(Health::kWarning,
          fmt::format("nothing is sent to {}: {}: {}", counted(silent.size(), "peer"),
                      listed(silent), why),
          "peer show -v --nid " + silent.front());
    std::vector<std::string> recovering;
    const Tree& queue = field_in(trees_.recovery, "Peer NI recovery");
    if (queue.is_object())
      for (const Tree& nid : queue)
        if (nid.is_string() && !explained_.contains(nid.get<std::string>()))
          recovering.push_back(nid.get<std::string>());
    if (!recovering.empty())
      say(Health::kWarning,
          fmt::format("{} not well, and pinged until well: {}",
                      counted(recovering.size(), "interface") +
                          (recovering.size() == 1 ? " of a peer is" : " of peers are"),
                      listed(recovering)),
          "peer show -v 2 --nid " + recovering.front());
  }

  void faults() {
    const Tree& rules = list_in(trees_.fault, "fault");
    if (rules.empty()) return;
    say(Health::kWarning,
        fmt::format("{} messages on purpose",
                    counted(rules.size(), "fault rule") +
                        (rules.size() == 1 ? " drops or delays" : " drop or delay")),
        "fault " + text_in(rules.front(), "rule_type") + " show");
  }

  void buffers() {
    std::set<std::string> waited_for;
    for (const Tree& row : list_in(trees_.routing, "routing"))
      for (const auto& [partition, pools] : row.items())
        if (pools.is_object())
          for (const auto& [size, pool] : pools.items())
            if (number_in(pool, "credits", 0) < 0) waited_for.insert(size);
    if (!waited_for.empty())
      say(Health::kWarning,
          "messages wait for router buffers: " + listed({waited_for.begin(), waited_for.end()}),
          "routing show");
  }

  const HealthTrees& trees_;
  std::set<std::string> explained_;  ///< NIDs of peers that a reason already explains
  NodeHealth judged_;
};

}  // namespace

const char* to_string(Health health) {
  return health == Health::kOk ? "OK" : health == Health::kWarning ? "WARNING" : "ERROR";
}

NodeHealth health_of(const HealthTrees& trees) { return Judge(trees).judge(); }

Result<NodeHealth> ask_health(ControlApi& api) {
  HealthTrees trees;
  for (const auto& [path, tree] : {std::pair("/v1/net", &trees.net),
                                   {"/v1/peer", &trees.peer},
                                   {"/v1/route", &trees.route},
                                   {"/v1/routing", &trees.routing},
                                   {"/v1/recovery", &trees.recovery},
                                   {"/v1/fault", &trees.fault}}) {
    auto answer = api.get(path);
    if (!answer && answer.error().code == -ENETDOWN)
      return NodeHealth{"no network",
                        {{Health::kError, "LNet is not configured", "lnet configure --all"}}};
    if (!answer) return tl::unexpected(answer.error());
    *tree = std::move(*answer);
  }
  return health_of(trees);
}

}  // namespace ulnet::ctl
