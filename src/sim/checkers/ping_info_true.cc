// A node reports the truth about itself. After every step its ping info lists its NIs in their
// order, each with its status, and its features. The sequence number starts at 1 and grows by one
// with each change of the info's NIDs, and only then. The ping target holds that info, and an
// incoming ping finds it. The answer to a ping, and a push, carry an info that was in force at some
// time since the ping arrived or the push began.
//
// The NIDs that a node keeps of a peer come from one info of that peer. The info had no other NIDs,
// with two exceptions: another peer has taken a NID since, or a NID is the primary one of another
// peer, which has reported it itself. When two peers claim a NID, only one has it.
//
// A partition that learns of a peer takes its peer entry, and while no inter-shard message is under
// way all partitions have the same entry. A push is acknowledged only with a sequence number that
// the node has used. Source: spec/core-semantics.md 14, spec/wire-lnet.md 4.2, 4.3, 5,
// spec/multirail.md 1, 4.4.
#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <utility>
#include <vector>

#include "lnet/base/bytes.h"
#include "lnet/wire/ping_info.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

bool up(const core::NiConfig& ni, bool fatal, bool ill) { return ni.up && !fatal && !ill; }

/// While a router begins or ceases to forward, it reports that it does not route (spec/multirail.md
/// 9.1).
std::uint32_t features_of(const core::ShardState& state) {
  const core::NodeConfig& config = *state.config;
  std::uint32_t features = wire::kPingNiStatus | wire::kPingMultiRail;
  if (state.router.state != core::RoutingState::kEnabled) features |= wire::kPingRoutingDisabled;
  if (config.globals.discovery != 0) features |= wire::kPingDiscovery;
  bool first = true;
  for (const core::NiConfig& ni : config.nis) {
    if (ni.nid.is_loopback()) continue;
    if (!ni.nid.is_small()) features |= wire::kPingLargeAddr;
    if (first && !ni.nid.is_small()) features |= wire::kPingPrimaryLarge;
    first = false;
  }
  return features;
}

/// Whether two infos with one sequence number differ in features or statuses (spec/multirail.md
/// 4.4).
bool differs_in_state(const wire::PingInfo& reported, const wire::PingInfo& now) {
  return reported != now && reported.sequence == now.sequence &&
         core::nids_of(reported) == core::nids_of(now);
}

/// Whether `part`, a region of an MD of the shard, has the bytes that it would have if the MD held
/// `whole`.
bool holds(const core::Region& part, const std::vector<std::byte>& whole) {
  if (part.length == 0) return true;
  if (part.offset + part.length > whole.size() || part.count != 1) return false;
  const auto* from = static_cast<const std::byte*>(part.fragments->iov_base) + part.offset;
  return std::equal(from, from + part.length, whole.begin() + part.offset);
}

class PingInfoTrue final : public Checker {
 public:
  PingInfoTrue() : Checker("ping info correct", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    if (step.shard == core::kControlShard) {
      Record& record = records_.of(step.node);
      const std::size_t reported = record.reported.size();
      hear(world, step, record);
      look_at_info(world, step, record);
      if (record.reported.size() != reported && !step.state.shut_down)
        look_at_target(world, step.node, step.state, record.reported.back());
      note_configured(step, record.configured);
      follow_moves(step.state.directory, record);
    }
    look_at_news(world, step);
    for (const core::Action& action : step.actions) {
      if (const auto* lent = shard_msg_of<core::shard_msg::Matched>(action);
          lent != nullptr && step.shard == core::kControlShard)
        look_at_loan(world, step, records_.of(step.node), *lent);
      // Another shard transmits for the shard where the message begins, and knows less about the
      // message.
      if (const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action)) {
        const core::Msg* msg = step.state.find(shard_msg->msg);
        if (msg != nullptr && shard_msg->memory.length != 0)
          look_at_send(world, step, records_.of(step.node), shard_msg->header, shard_msg->memory,
                       *msg);
      }
      const auto* send = std::get_if<core::Send>(&action);
      const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
      if (msg != nullptr && send->payload.length != 0 && !msg->remote.msg)
        look_at_send(world, step, records_.of(step.node), send->header, send->payload, *msg);
    }
  }

  // ---- what peers keep --------------------------------------------------------------------------
  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      const core::ShardState* state = node.shard_state(core::kControlShard);
      if (state == nullptr || state->shut_down || state->portal0.info.sequence == 0) continue;
      look_at_target(world, node, *state, records_.of(node).reported.back());
      look_at_peers(world, node, *state);
      if (node.shard_msgs() == 0) look_at_shards(world, node, *state);
    }
  }

 private:
  /// An info that is or was in force.
  struct ReportedInfo {
    wire::PingInfo info;
    std::vector<std::byte> bytes;
    Instant until = Instant::max();
  };
  /// Reports to the control shard that make an NI count as down.
  struct NiNews {
    bool fatal = false;
    bool ill = false;  ///< its health fell to 0 and has not recovered
  };
  /// A peer in the node's directory.
  struct Kept {
    std::uint32_t number = 0;  ///< core::Peer::number
    core::PeerEntryRef peer_entry;
    std::set<Nid> elsewhere;  ///< NIDs that the peer has reported, and that another peer has
  };
  struct Record {
    std::map<core::NiId, NiNews> nis;
    std::vector<ReportedInfo> reported;  ///< oldest first
    std::uint64_t generation = 0;        ///< the directory's generation when `peers` was read
    std::vector<Kept> peers;             ///< by core::Peer::number
    std::set<Nid> configured;            ///< note_configured()
  };

  /// Records the state of NIs: their links and their health. Several messages may end in one step,
  /// so the health of an NI may reach 0 or its maximum and leave it again within the step
  /// (spec/multirail.md 5.1). The Notes of the step report that in order.
  void hear(World& world, const ShardStep& step, Record& record) {
    const auto* link = std::get_if<core::NiState>(&step.input);
    if (link != nullptr) record.nis[link->ni].fatal = link->link == core::NiLink::kFailed;
    // A push that reports the change may fail at once, and lower the health of an NI. The same
    // holds for a push that reports whether this node routes, or whether peers visit it on a net
    // (spec/multirail.md 9.1, 9.5).
    const bool state_changed =
        !record.reported.empty() &&
        differs_in_state(record.reported.back().info, step.state.portal0.info);
    if (state_changed || link != nullptr || std::holds_alternative<core::Config>(step.input))
      take_down_before_news(world, step, record);
    for (const core::Note& note : notes_about(step, core::Note::About::kNi)) {
      const core::LocalNi* ni = step.state.nis.find(note.nid);
      if (ni == nullptr) continue;
      NiNews& heard = record.nis[ni->config.id];
      const bool was_ill = heard.ill;
      if (says_health(note, 0)) heard.ill = true;
      if (says_health(note, core::kHealthMax)) heard.ill = false;
      if (heard.ill != was_ill) take_down_status(world, step, record, *ni);
    }
    for (const core::LocalNi* ni : step.state.nis.configured()) {
      if (ni->health != 0 && ni->health < core::kHealthMax) continue;  // unchanged
      record.nis[ni->config.id].ill = ni->health == 0;
    }
  }

  /// Records the info that is in force from this NI's change until the next change, also one in the
  /// same step: a push may begin between the two.
  void take_down_status(World& world, const ShardStep& step, Record& record,
                        const core::LocalNi& ni) {
    if (record.reported.empty()) return;
    wire::PingInfo info = record.reported.back().info;
    set_status(info, ni, step.state, record);
    if (info != record.reported.back().info) take_down(world, step, record, std::move(info));
  }

  /// Records the info that is in force from the input of the step until the first health of an NI
  /// changes.
  void take_down_before_news(World& world, const ShardStep& step, Record& record) {
    wire::PingInfo info = step.state.portal0.info;
    if (record.reported.empty() || step.state.shut_down) return;
    for (const core::LocalNi* ni : step.state.nis.configured())
      set_status(info, *ni, step.state, record);
    if (info != record.reported.back().info) take_down(world, step, record, std::move(info));
  }

  /// Sets the status of the NI in the info from the reports about the NI.
  static void set_status(wire::PingInfo& info, const core::LocalNi& ni,
                         const core::ShardState& state, const Record& record) {
    auto& entries = ni.nid().is_small() ? info.legacy : info.large;
    const auto entry = std::ranges::find(entries, ni.nid(), &wire::PingEntry::nid);
    if (entry == entries.end()) return;
    const auto heard = record.nis.find(ni.config.id);
    const NiNews news = heard == record.nis.end() ? NiNews() : heard->second;
    const bool is_up = up(ni.config, news.fatal, news.ill) && !state.visits.is_down(ni.nid().net());
    entry->status = is_up ? wire::NiStatus::kUp : wire::NiStatus::kDown;
  }

  void look_at_info(World& world, const ShardStep& step, Record& record) {
    const core::ShardState& state = step.state;
    const wire::PingInfo& info = state.portal0.info;
    if (state.shut_down || info.sequence == 0) return;
    const auto wrong = [&](const std::string& what) {
      violation(world, &step.node, "its ping info: {}", what);
    };
    if (info.features != features_of(state)) return wrong("features");
    if (info.pid != state.config->pid) return wrong("PID");
    std::size_t small = 0, large = 0;
    for (const core::NiConfig& ni : state.config->nis) {
      if (ni.nid.is_loopback()) continue;
      const bool legacy = ni.nid.is_small();
      const auto& entries = legacy ? info.legacy : info.large;
      const std::size_t at = legacy ? small++ : large++;
      if (at >= entries.size() || entries[at].nid != ni.nid)
        return wrong(ni.nid.to_string() + " is not where it should be");
      const auto news = record.nis.find(ni.id);
      const NiNews none;
      const NiNews& heard = news == record.nis.end() ? none : news->second;
      const bool reported_up = entries[at].status == wire::NiStatus::kUp;
      // No peer visits the router on that net (9.5).
      const bool lonely = state.visits.is_down(ni.nid.net());
      if (reported_up != (up(ni, heard.fatal, heard.ill) && !lonely))
        return wrong(ni.nid.to_string() + " is reported to be " + to_string(entries[at].status));
    }
    if (small != info.legacy.size() || large != info.large.size())
      return wrong("has NIDs that the node does not have");
    if (record.reported.empty() || record.reported.back().info != info)
      take_down(world, step, record, info);
  }

  void take_down(World& world, const ShardStep& step, Record& record, wire::PingInfo info) {
    const bool first = record.reported.empty();
    const std::uint32_t before = first ? 0 : record.reported.back().info.sequence;
    if (!first) record.reported.back().until = step.now;
    // Other features and statuses are reported with the same number (spec/multirail.md 4.4).
    const bool changed = first || core::nids_of(info) != core::nids_of(record.reported.back().info);
    if (info.sequence != (changed ? before + 1 : before))
      violation(world, &step.node, "its NIDs {}, and sequence number {} became {}",
                changed ? "changed" : "did not change", before, info.sequence);
    ever_[step.node.number()].insert(sorted(core::nids_of(info)));
    std::vector<std::byte> bytes = core::encode(info);
    record.reported.push_back({std::move(info), std::move(bytes)});
  }

  void look_at_target(World& world, const SimNode& node, const core::ShardState& state,
                      const ReportedInfo& reported) const {
    const core::Portal0Md* target = state.portal0.mds.find(state.portal0.ping_target);
    const core::Md* md = target == nullptr ? nullptr : state.memory.find(target->md);
    if (md == nullptr || md->me == nullptr || md->state != core::MdState::kActive)
      return violation(world, &node, "its ping target cannot be found");
    if (target->bytes != reported.bytes)
      violation(world, &node, "its ping target holds another info than the one in force");
  }

  /// Checks the memory of the ping target that another shard, where the ping arrived, gets to
  /// answer it.
  void look_at_loan(World& world, const ShardStep& step, Record& record,
                    const core::shard_msg::Matched& lent) const {
    const core::Md* md = step.state.memory.find(lent.md);
    if (md == nullptr || md->owner != core::MdOwner::kShard || !md->has(kOpGet)) return;
    if (record.reported.empty() || !holds(lent.memory, record.reported.back().bytes))
      violation(world, &step.node, "answers a ping with an info that is not in force");
  }

  /// Checks the answer to a ping, or a push by the node itself.
  void look_at_send(World& world, const ShardStep& step, Record& record,
                    const wire::LnetHeader& header, const core::Region& payload,
                    const core::Msg& msg) const {
    if (msg.routed) return;  // a router forwards the info of another node
    const char* what = "answers a ping with";
    if (header.type() == wire::MsgType::kPut) {
      const auto& put = std::get<wire::PutPart>(header.part);
      if (put.portal != core::kReservedPortal.index) return;
      const core::ShardState* holder = shard_with(step.node, {put.ack_wmd.object_cookie});
      const core::Md* md =
          holder == nullptr ? nullptr : holder->memory.find(MdHandle{put.ack_wmd.object_cookie});
      if (md == nullptr || md->owner != core::MdOwner::kShard) return;  // a push that a user sent
      what = "pushes";
    } else if (header.type() != wire::MsgType::kReply ||
               msg.request_portal != core::kReservedPortal) {
      return;
    }
    // look_at_loan() checked the memory that this shard lent to another one, when it was lent.
    const Instant since = msg.remote_md != nullptr ? Instant::min() : msg.started;
    for (auto reported = record.reported.rbegin();
         reported != record.reported.rend() && reported->until >= since; ++reported)
      if (holds(payload, reported->bytes)) return;
    violation(world, &step.node, "{} an info that was not in force", what);
  }

  /// Checks the peer entries of a shard that learns of a peer: it has the peer entry for each of
  /// the peer's NIDs that it knows. The control shard, which publishes the entries, has that of the
  /// directory.
  void look_at_news(World& world, const ShardStep& step) const {
    const auto look_at = [&](const core::PeerNid& known, const core::PeerEntryRef& right) {
      if (known.peer_entry != right)
        violation(world, &step.node, "{}: a partition has another peer entry of it", known.nid);
    };
    if (const auto* news = shard_msg_in<core::shard_msg::Publish>(step.input))
      for (const core::PeerEntryRef& peer_entry : news->peer_entries)
        for (const Nid& nid : peer_entry->nids)
          if (const core::PeerNid* known = step.state.peers.find(nid)) look_at(*known, peer_entry);
    if (step.shard != core::kControlShard || !may_learn_peers(step)) return;
    step.state.peers.for_each([&](const core::PeerNid& known) {
      if (known.reported != 0) look_at(known, step.state.directory.peer_entry_of(known.nid));
    });
  }

  /// Records which NIDs have moved from a peer to another one. A peer that takes a NID also has
  /// another NID, by which it was known; a NID that its peer no longer reports becomes a peer by
  /// itself.
  void follow_moves(const core::Directory& directory, Record& record) {
    if (directory.generation() == record.generation) return;
    record.generation = directory.generation();
    std::vector<Kept> now;
    auto before = record.peers.begin();
    directory.for_each([&](const core::Peer& peer) {
      if (peer.peer_entry == nullptr) return;
      while (before != record.peers.end() && before->number < peer.number) ++before;
      const bool is_known = before != record.peers.end() && before->number == peer.number;
      Kept& kept = now.emplace_back(is_known ? *before : Kept{peer.number, peer.peer_entry, {}});
      if (is_known && kept.peer_entry == peer.peer_entry) return;
      note_claimed(directory, peer, kept);
      const auto has = [&](const Nid& nid) { return directory.find(nid) == &peer; };
      for (const Nid& nid : kept.peer_entry->nids) {
        const core::Peer* owner = directory.find(nid);
        if (owner != nullptr && !has(nid) && owner->nids().size() > 1) kept.elsewhere.insert(nid);
      }
      std::erase_if(kept.elsewhere, has);
      kept.peer_entry = peer.peer_entry;
    });
    record.peers = std::move(now);
  }

  /// Records which of the NIDs that the peer has reported are primary NIDs of other peers, which
  /// have reported them too: no info of another peer takes those. Every NID belongs to one peer
  /// (spec/multirail.md 1).
  void note_claimed(const core::Directory& directory, const core::Peer& peer, Kept& kept) {
    const auto is_of_another = [&](const Nid& nid) {
      const core::Peer* owner = directory.find(nid);
      return owner != nullptr && owner != &peer && owner->primary == nid &&
             owner->has(core::kPeerMultiRail);
    };
    for (const auto& [node, infos] : ever_)
      for (const std::vector<Nid>& reported : infos)
        if (std::ranges::binary_search(reported, peer.primary))
          std::ranges::copy_if(reported, std::inserter(kept.elsewhere, kept.elsewhere.end()),
                               is_of_another);
  }

  /// Whether the node `other` has reported these NIDs in one info, whose other NIDs another peer
  /// has, or an administrator gave to a peer (spec/multirail.md 2.2, 4.4). `node` may itself be
  /// `other` if one of its NIDs was deleted for a while: no peer takes the NIDs that it had
  /// meanwhile.
  bool has_reported(const SimNode& node, const SimNode& other, const core::Peer& peer) {
    const Record& record = records_.of(node);
    const bool itself = &node == &other;
    const std::vector<Nid> nids = sorted({peer.nids().begin(), peer.nids().end()});
    const auto kept = std::ranges::find(record.peers, peer.number, &Kept::number);
    return std::ranges::any_of(ever_[other.number()], [&](const std::vector<Nid>& reported) {
      std::vector<Nid> rest;
      std::ranges::set_difference(reported, nids, std::back_inserter(rest));
      return rest.size() + nids.size() == reported.size() &&
             std::ranges::all_of(rest, [&](const Nid& nid) {
               const bool is_elsewhere =
                   kept != record.peers.end() && kept->elsewhere.contains(nid);
               return itself || is_elsewhere || record.configured.contains(nid);
             });
    });
  }

  void look_at_peers(World& world, const SimNode& node, const core::ShardState& state) {
    state.directory.for_each([&](const core::Peer& peer) {
      if (peer.acked_sequence > state.portal0.info.sequence)
        violation(world, &node, "{}: acknowledged an info that was never reported", peer.primary);
      const SimNode* other = world.find(peer.primary);
      constexpr std::uint32_t kReported = core::kPeerNidsUpToDate | core::kPeerMultiRail;
      // An administrator has given a configured peer its NIDs (2.2).
      if (other == nullptr || (peer.state & kReported) != kReported ||
          peer.has(core::kPeerConfigured))
        return;
      if (!has_reported(node, *other, peer))
        violation(world, &node, "{}: has NIDs that it never advertised", peer.primary);
    });
  }

  /// Checks the shards while no inter-shard message is under way. Every shard has the directory's
  /// peer entries for each NID that it uses or from which messages may arrive there. Each NID that
  /// was met is in the directory.
  void look_at_shards(World& world, const SimNode& node, const core::ShardState& control) {
    for_each_shard(node, [&](const core::ShardState& state, std::uint32_t) {
      state.peers.for_each([&](const core::PeerNid& known) {
        if (known.peer_entry != control.directory.peer_entry_of(known.nid))
          violation(world, &node, "{}: a partition has another peer entry of it", known.nid);
        const bool met = known.ni != nullptr && known.ni->met && !known.nid.is_loopback();
        if (met && control.directory.find(known.nid) == nullptr)
          violation(world, &node, "{}: met, but not in the directory", known.nid);
      });
      state.portals.for_each([&](const core::PortalState& portal) {
        for (const core::Msg& msg : portal.held) {
          core::PeerEntryRef right = control.directory.peer_entry_of(msg.header.src_nid);
          if (right != nullptr && right->others().empty()) right = nullptr;
          if (msg.peer_entry != right)
            violation(world, &node, "a message waits with another peer entry than its peer's");
        }
      });
      control.directory.for_each([&](const core::Peer& peer) {
        for (const Nid& nid : peer.nids())
          if (peer.peer_entry != nullptr && state.placement.of(nid) == state.index &&
              state.peers.find(nid) == nullptr)
            violation(world, &node, "{}: its owner shard does not have its peer entry", nid);
      });
    });
  }
  PerNode<Record> records_;
  /// Every set of NIDs that a node reported, sorted; by node.
  std::map<std::uint32_t, std::set<std::vector<Nid>>> ever_;
};

}  // namespace

std::unique_ptr<Checker> ping_info_true_checker() { return std::make_unique<PingInfoTrue>(); }

}  // namespace ulnet::sim
