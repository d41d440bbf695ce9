// Two nodes that have discovered each other agree when nothing is under way: what one has
// acknowledged is what it keeps, and neither owes the other a push.
//
// The sequence number of an info identifies its NIDs: a node that keeps the number of another
// node's present info keeps exactly that node's NIDs. But a NID that another peer claims too stays
// with that peer until it has answered whether it has the NID. Each NID belongs to one peer, and
// that peer's list has it; the peer entry shows whether the peer has multi-rail. An acknowledgement
// of a peer's earlier incarnation does not count.
//
// The checker ignores a node that had discovery off for a while: it has acknowledged pushes without
// applying them, and learns only with its next ping; other nodes have dropped what they knew of it,
// also the number (4.8). A node that only verified may keep its old entry of a peer whose push it
// has acknowledged (4.9).
//
// Only the NI that meets a peer's NID again learns of the peer's restart, from the incarnation in
// the hello, because each NI of a node has an incarnation of its own. Therefore a node cannot know
// two things. First, that the incarnation which acknowledged a push has ended, as long as the new
// one uses other NIs. Second, that a push which arrives late, on a connection that is not closed
// yet, is from an earlier incarnation. Such a push counts unless its number is smaller: each
// incarnation counts from 1, and may report other NIDs with the same number. Nor can a node know
// that a late hello, of an NI that was deleted since, reports no restart: it forgets the number,
// and late pushes count. Source: spec/multirail.md 4.1, 4.4 rule 5, 4.8, 4.9, spec/wire-socklnd.md
// 8, spec/observed.md 2.2.
#include <map>
#include <set>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// Whether the peer was discovered, and no work for its discovery is left.
bool settled(const core::Peer& peer) {
  constexpr std::uint32_t kHas =
      core::kPeerMultiRail | core::kPeerDiscovered | core::kPeerNidsUpToDate;
  constexpr std::uint32_t kNot = core::kPeerRediscover | core::kPeerDiscovering |
                                 core::kPeerForcePing | core::kPeerForcePush |
                                 core::kPeerNoDiscovery | core::kPeerPingSent | core::kPeerPushSent;
  return (peer.state & kHas) == kHas && (peer.state & kNot) == 0;
}

/// Whether the NID is the primary NID of another peer that has reported it and cannot be asked
/// whether it still has the NID. While that peer cannot be asked, it keeps the NID.
bool is_disputed(const core::Directory& directory, const core::Peer& peer, const Nid& nid) {
  const core::Peer* other = directory.find(nid);
  return other != nullptr && other != &peer && other->primary == nid &&
         other->has(core::kPeerMultiRail) && !settled(*other);
}

/// Whether some of the other node's NIDs belong or belonged to a configured peer here. The other
/// node may push to the entry of that peer, and a peer entry with the rest of the NIDs then does
/// not change (spec/multirail.md 2.2, 4.6).
bool has_configured_nids(const std::set<Nid>& configured, const SimNode& other) {
  return std::ranges::any_of(other.setup().nis,
                             [&](const NiSetup& ni) { return configured.contains(ni.nid); });
}

std::string listed(const std::vector<Nid>& nids) {
  std::string text;
  for (const Nid& nid : nids) text += (text.empty() ? "" : " ") + nid.to_string();
  return text;
}

/// The node's control shard, if the node is up and does discovery.
const core::ShardState* control_of(const SimNode& node) {
  const core::ShardState* state = node.up() ? node.shard_state(core::kControlShard) : nullptr;
  const bool works = state != nullptr && !state->shut_down && state->config != nullptr &&
                     state->config->globals.discovery != 0;
  return works ? state : nullptr;
}

/// The sequence number of the node's present info.
std::uint32_t sequence_of(const SimNode& node) {
  return node.shard_state(core::kControlShard)->portal0.info.sequence;
}

class PeersAgree final : public Checker {
 public:
  PeersAgree() : Checker("peers agree", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    if (const auto* config = std::get_if<core::Config>(&step.input)) {
      const std::int32_t discovery = config->snapshot->globals.discovery;
      records_.of(step.node).was_off |= discovery == 0;
      records_.of(step.node).verified |= discovery == core::kDiscoveryVerifies;
    }
    if (step.shard != core::kControlShard) return;
    note_reported(step);
    note_configured(step, records_.of(step.node).configured);
    const Nid* restarted = restarted_in(step.input);
    const core::Peer* peer = restarted == nullptr ? nullptr : step.state.directory.find(*restarted);
    if (peer != nullptr) records_.of(step.node).number_forgotten[peer->primary] = step.now;
    if (peer != nullptr && peer->acked_sequence != 0)
      violation(world, &step.node, "{}: the acknowledgement of another incarnation still counts",
                *restarted);
    note_pushes(world, step);
    note_kept(world, step);
  }

  void at_rest(World& world) override {
    for (const SimNode& node : world.nodes()) {
      const core::ShardState* state = node.shard_state(core::kControlShard);
      if (state == nullptr || !node.up()) continue;
      state->directory.for_each([&](const core::Peer& peer) {
        for (const Nid& nid : peer.nids())
          if (state->directory.find(nid) != &peer)
            violation(world, &node, "{}: on the list of another peer", nid);
        if (peer.peer_entry != nullptr &&
            peer.peer_entry->multi_rail != peer.has(core::kPeerMultiRail))
          violation(world, &node, "{}: its peer entry is wrong about multi-rail", peer.primary);
        look_at(world, node, peer);
      });
    }
  }

 private:
  /// The info that a node keeps of a peer.
  struct Kept {
    Handle peer;  ///< the peer's entry: a peer that was forgotten gets another one
    std::uint32_t sequence = 0;
    std::vector<Nid> nids;  ///< sorted
    Instant since;          ///< when the node accepted it
    /// An earlier incarnation of the peer has reported it, or the present one did so before the
    /// node forgot its number.
    bool of_earlier_incarnation = false;
  };
  struct Push {
    std::uint32_t incarnation = 0;  ///< SimNode::starts() of the receiver
    Instant at;                     ///< when the push began
  };
  struct Info {
    std::uint32_t incarnation = 0;  ///< SimNode::starts() of the node that reported it
    std::vector<Nid> nids;          ///< sorted
  };
  /// The infos that a node reports about itself.
  struct ReportedInfos {
    std::uint32_t incarnation = 0;  ///< SimNode::starts()
    std::uint32_t sequence = 0;
    std::multimap<std::uint32_t, Info> infos;  ///< of all incarnations, by sequence number
  };
  struct Record {
    bool was_off = false;      ///< the node had discovery off at some time
    bool verified = false;     ///< discovery only verified reports of peers at some time
    std::set<Nid> configured;  ///< note_configured()
    std::map<std::uint32_t, Push> pushes;  ///< the last push to each node, by the node's number
    std::map<Nid, Kept> kept;              ///< by the peer's primary NID
    /// When the node forgot the number of the peer's last info, by the peer's primary NID: the peer
    /// seemed to have restarted (also by a late hello: spec/wire-socklnd.md 8), or its entry was
    /// deleted.
    std::map<Nid, Instant> number_forgotten;
  };

  /// Notes the info that the node reports from now on.
  void note_reported(const ShardStep& step) {
    ReportedInfos& reported = reported_[step.node.number()];
    const wire::PingInfo& info = step.state.portal0.info;
    if (reported.incarnation == step.node.starts() && reported.sequence == info.sequence) return;
    reported.incarnation = step.node.starts();
    reported.sequence = info.sequence;
    reported.infos.emplace(info.sequence, Info{reported.incarnation, sorted(core::nids_of(info))});
  }

  /// Notes the pushes that this step begins.
  void note_pushes(World& world, const ShardStep& step) {
    for (const core::Action& action : step.actions) {
      const core::Portal0Md* begun = begun_by(step.state, action);
      if (begun == nullptr || begun->kind != core::Portal0Md::Kind::kPush) continue;
      const core::Peer* peer = step.state.directory.find(begun->peer);
      const SimNode* to = peer == nullptr ? nullptr : world.find(peer->primary);
      if (to != nullptr) records_.of(step.node).pushes[to->number()] = {to->starts(), step.now};
    }
  }

  /// Notes what the node keeps of the peers that have reported something new in this step.
  void note_kept(World& world, const ShardStep& step) {
    for (const core::Note& note : notes_about(step, core::Note::About::kDiscovery)) {
      const core::Peer* peer = step.state.directory.find(note.nid);
      const SimNode* other = peer == nullptr ? nullptr : world.find(peer->primary);
      // The other node may be paused while what it has sent arrives.
      const core::ShardState* theirs =
          other == nullptr ? nullptr : other->shard_state(core::kControlShard);
      if (theirs == nullptr) continue;
      Record& record = records_.of(step.node);
      Kept& kept = record.kept[peer->primary];
      const Handle before = std::exchange(kept.peer, peer->self);
      if (before && before != peer->self) record.number_forgotten[peer->primary] = step.now;
      auto nids = sorted({peer->nids().begin(), peer->nids().end()});
      if (kept.sequence == peer->sequence && kept.nids == nids) continue;
      kept = {peer->self, peer->sequence, std::move(nids), step.now};
      kept.of_earlier_incarnation = is_of_earlier_incarnation(
          kept, *other, theirs->portal0.info, has_forgotten_number(step.node, *peer, *other));
    }
  }

  /// Whether the kept info was reported by an earlier incarnation of the other node only, or, with
  /// `any_incarnation`, by the present one.
  bool is_of_earlier_incarnation(const Kept& kept, const SimNode& other,
                                 const wire::PingInfo& present, bool any_incarnation) {
    if (kept.sequence == present.sequence && kept.nids == sorted(core::nids_of(present)))
      return false;
    const auto [first, last] = reported_[other.number()].infos.equal_range(kept.sequence);
    return std::any_of(first, last, [&](const auto& reported) {
      return (any_incarnation || reported.second.incarnation != other.starts()) &&
             std::ranges::includes(reported.second.nids, kept.nids);
    });
  }

  /// Whether the node has forgotten the peer's number since the other node's last push to it.
  bool has_forgotten_number(const SimNode& node, const core::Peer& peer, const SimNode& other) {
    const auto& forgotten = records_.of(node).number_forgotten;
    const auto seen = forgotten.find(peer.primary);
    const auto& pushes = records_.of(other).pushes;
    const auto pushed = pushes.find(node.number());
    return seen != forgotten.end() && pushed != pushes.end() && seen->second >= pushed->second.at;
  }

  void look_at(World& world, const SimNode& node, const core::Peer& peer) {
    const SimNode* other = world.find(peer.primary);
    if (other == nullptr || other == &node || !settled(peer)) return;
    // An administrator configured the peer's NIDs.
    if (peer.has(core::kPeerConfigured)) return;
    if (records_.of(node).verified || records_.of(node).was_off || records_.of(*other).was_off)
      return;
    const core::ShardState* theirs = control_of(*other);
    const core::ShardState* ours = control_of(node);
    if (theirs == nullptr || ours == nullptr) return;
    for (const core::NiConfig& ni : ours->config->nis)
      if (const core::Peer* us = theirs->directory.find(ni.nid))
        return look_at_pair(world, node, peer, *other, *us);
  }

  void look_at_pair(World& world, const SimNode& node, const core::Peer& peer, const SimNode& other,
                    const core::Peer& us) {
    if (!settled(us)) return;
    const core::Directory& ours = node.shard_state(core::kControlShard)->directory;
    const wire::PingInfo& info = other.shard_state(core::kControlShard)->portal0.info;
    const auto wrong = [&](const std::string& what) {
      violation(world, &node, "{}: {}", other.name(), what);
    };
    if (!us.calls_only && us.acked_sequence != info.sequence)
      return wrong("owes this node a push of info " + std::to_string(info.sequence) +
                   ", but info " + std::to_string(us.acked_sequence) + " is acknowledged");
    if (us.calls_only) return;
    const std::set<Nid>& configured = records_.of(node).configured;
    const bool may_be_old = has_configured_nids(configured, other) || may_differ(node, peer, other);
    if (peer.sequence != info.sequence && may_be_old) return;
    if (peer.sequence != info.sequence)
      return wrong("this node keeps info " + std::to_string(peer.sequence) +
                   ", but has acknowledged info " + std::to_string(us.acked_sequence));
    const auto kept = sorted({peer.nids().begin(), peer.nids().end()});
    auto reported = sorted(core::nids_of(info));
    // A NID that a configured peer had when the info came stayed with that peer. The NID is not
    // reported again when that peer is deleted (spec/multirail.md 2.2).
    std::erase_if(reported, [&](const Nid& nid) {
      const bool may_lack = configured.contains(nid) && std::ranges::find(kept, nid) == kept.end();
      return may_lack || is_disputed(ours, peer, nid);
    });
    if (kept != reported && !may_differ(node, peer, other))
      wrong("this node keeps NIDs " + listed(kept) + ", but it advertises " + listed(reported));
  }

  /// Whether the node may keep another info than the other node's present one, because of an
  /// earlier incarnation of either node.
  bool may_differ(const SimNode& node, const core::Peer& peer, const SimNode& other) {
    const auto& pushes = records_.of(other).pushes;
    const auto pushed = pushes.find(node.number());
    if (pushed == pushes.end()) return false;
    if (pushed->second.incarnation != node.starts() && peer.sequence != sequence_of(other))
      return true;
    // An info that the other node has pushed later is not from an earlier incarnation, so it has to
    // count.
    const Kept& kept = records_.of(node).kept[peer.primary];
    return kept.of_earlier_incarnation && kept.sequence == peer.sequence &&
           kept.since > pushed->second.at;
  }
  PerNode<Record> records_;
  /// The key is the node's number: the map outlives the node's incarnations.
  std::map<std::uint32_t, ReportedInfos> reported_;
};

}  // namespace

std::unique_ptr<Checker> peers_agree_checker() { return std::make_unique<PeersAgree>(); }

}  // namespace ulnet::sim
