// The messages of each type that the NIs of a net count as sent are those that the NIs of that net
// count as received, plus those that were turned away before they counted as received. On the wire
// of single messages, which knows no types, and where messages fail, get lost or are duplicated,
// both counts are compared with what was on the wire.
//
// The checker compares when the world is quiet, provided that no node has stopped or lost an NI, no
// counter was reset, no message failed at a TCP driver, no bytes written to a connection were lost
// with it, and no peer outside the world's nodes has sent anything. A TCP driver whose node refuses
// a message closes the connections with the sender, and loses the messages that it had read behind
// the refused one: on such a net fewer messages may have been received than were sent.
//
// traffic_counted.cc compares each end with what its driver gets. Source: spec/core-semantics.md 8,
// 9.
#include <algorithm>
#include <functional>
#include <map>
#include <set>

#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"
#include "sim/checkers/tcp_talk.h"

namespace ulnet::sim {
namespace {

bool has_strangers(World& world) {
  const auto& acts = world.exercised().acts;
  return acts.contains("fault nonsense") || acts.contains("fault take-over") ||
         acts.contains("fault lies");
}

/// Whether the step gets a message from a sender that is not a node of the world, or has a TCP
/// driver send to such a target.
bool meets_stranger(World& world, const ShardStep& step) {
  const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
  if (arrived != nullptr && !arrived->hop.nid.is_loopback() &&
      world.find(arrived->hop.nid) == nullptr)
    return true;
  return std::ranges::any_of(actions_of<core::Send>(step), [&](const core::Send& send) {
    return step.node.over_tcp(send.ni) && world.find(send.hop.nid) == nullptr;
  });
}

/// Whether an NI of the world has a TCP driver, with streams or not: a node without descriptors for
/// connections opens none, and all its messages fail at the driver.
bool has_tcp(const World& world) {
  bool found = false;
  for_each_shard(world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t) {
    found = found || std::ranges::any_of(state.nis.configured(), [&](const core::LocalNi* ni) {
              return node.over_tcp(ni->config.id);
            });
  });
  return found;
}

/// Whether there are, of every type, at most as many of `these` as of the others.
bool none_more(const ByType& these, const ByType& than_these) {
  return std::ranges::equal(these, than_these, std::less_equal<>());
}

class BothEndsAgree final : public Checker {
 public:
  /// `talk` lives as long as this checker; null where no node has a TCP driver.
  explicit BothEndsAgree(const TcpTalk* talk = nullptr)
      : Checker("both ends agree", kAfterStep), talk_(talk) {}

  void after_step(World& world, const ShardStep& step) override {
    if (over_) return;
    over_ = meets_stranger(world, step);
    if (answered<core::call::ResetStats>(step.input) != nullptr) over_ = true;
    if (!actions_of<core::Drained>(step).empty()) over_ = true;
    const bool refused = !actions_of<core::Reject>(step).empty();
    if (const auto* done = std::get_if<core::SendDone>(&step.input); done && done->status != 0)
      ++failed_;
    // Messages that a TCP driver had read behind a message that it cannot end are lost with the
    // connection.
    if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input);
        landed && landed->status != 0 && step.node.setup().driver == DriverKind::kSock)
      over_ = true;
    const std::uint64_t now = turned_away(step.state);
    const bool away = std::exchange(turned_away_.of(step.node, step.shard), now) != now;
    const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
    if (arrived == nullptr || !(refused || away)) return;
    const core::LocalNi* ni = step.state.nis.find(arrived->ni);
    if (ni == nullptr) over_ = true;
    if (ni == nullptr || ni->loopback()) return;
    ++away_[ni->nid().net()][index(arrived->header->type())];
    if (refused && step.node.over_tcp(arrived->ni)) cut_off_.insert(ni->nid().net());
  }

  void on_node(World&, SimNode&, NodeChange change) override {
    over_ = over_ || change == NodeChange::kCrashed || change == NodeChange::kStopping;
  }

  void at_rest(World& world) override {
    if (over_ || !world.quiet() || has_strangers(world)) return;
    const Exercised& seen = world.exercised();
    const bool over_tcp = has_tcp(world);
    if (over_tcp && (failed_ != 0 || world.streams().lost_bytes() != 0)) return;
    if (talk_ != nullptr && talk_->lost_messages() != 0) return;
    const bool whole = failed_ == 0 && sum(seen.lost) == 0 && seen.duplicated == 0;
    std::uint64_t sent = 0, received = 0;
    for (const auto& [id, net] : counted(world)) {
      const bool agree =
          cut_off_.contains(id) ? none_more(net.received, net.sent) : net.received == net.sent;
      if (whole && !agree)
        return violation(
            world, nullptr,
            "{}: {} messages are counted as sent, {} as received, or not as the same types", id,
            sum(net.sent), sum(net.received));
      sent += sum(net.sent);
      received += sum(net.received);
    }
    if (over_tcp) return;
    const std::uint64_t on_wire = sum(seen.messages);
    const std::uint64_t arrived = on_wire + seen.duplicated - sum(seen.lost);
    if (received != arrived)
      violation(world, nullptr, "{} messages crossed the wire, {} are counted as received", arrived,
                received);
    if (sent < on_wire || sent > on_wire + failed_)
      violation(world, nullptr,
                "{} messages were on the wire, {} are counted as sent, and {} failed", on_wire,
                sent, failed_);
  }

 private:
  struct Net {
    ByType sent{}, received{};
  };

  std::map<NetId, Net> counted(const World& world) const {
    std::map<NetId, Net> nets;
    const auto add = [](ByType& to, const ByType& more) {
      for (std::size_t type = 0; type < to.size(); ++type) to[type] += more[type];
    };
    for_each_shard(world, [&](const SimNode&, const core::ShardState& state, std::uint32_t) {
      for (const core::LocalNi* ni : state.nis.configured()) {
        if (ni->loopback()) continue;
        Net& net = nets[ni->nid().net()];
        add(net.sent, by_type(ni->traffic.sent));
        add(net.received, by_type(ni->traffic.received));
      }
    });
    for (const auto& [id, away] : away_) add(nets[id].received, away);
    return nets;
  }
  const TcpTalk* talk_;
  PerNode<std::uint64_t> turned_away_;  ///< as turned_away() of the shard
  std::map<NetId, ByType> away_;        ///< messages turned away
  std::set<NetId> cut_off_;             ///< nets where a message was refused over TCP
  std::uint64_t failed_ = 0;            ///< messages that failed at a driver
  bool over_ = false;                   ///< something is gone with its counters
};

}  // namespace

std::unique_ptr<Checker> both_ends_agree_checker(const TcpTalk* talk) {
  return std::make_unique<BothEndsAgree>(talk);
}

}  // namespace ulnet::sim
