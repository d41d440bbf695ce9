// Peers that only messages or discovery have made are forgotten again. No message from an unknown
// sender makes a peer NI beyond its partition's share of max_peers. The reports of peers make the
// directory no larger than twice that. A peer that was silent for peer_idle_timeout, if that is at
// most a minute, is forgotten within two rounds. Source: lnet/core/flow/idle_peers.h.
#include <algorithm>
#include <map>
#include <set>

#include "lnet/core/flow/peers.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/peers_before.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// In seconds. In a world whose peers may be idle for longer, the checker expects no peer to be
/// forgotten: it would have to look in each step at what keeps peers, which would take long in a
/// world of a thousand nodes.
constexpr std::int32_t kSoon = 60;
bool may_go(const core::Globals& globals) {
  return globals.peer_idle_timeout != 0 && globals.peer_idle_timeout <= kSoon;
}

/// How long a peer may exist without a message: a message may be under way for as long as a
/// transaction may take; then the idle time has to pass, and two rounds of a quarter of it.
Duration longest(const core::Globals& globals) {
  const auto idle = std::max(globals.peer_idle_timeout, globals.transaction_timeout);
  return std::chrono::seconds(globals.transaction_timeout) + std::chrono::seconds(idle) * 3 / 2 +
         std::chrono::seconds(2);
}

/// Whether the peer is kept for other reasons than messages.
bool is_kept(const core::ShardState& control, const core::Peer& peer) {
  constexpr std::uint32_t kStays =
      core::kPeerConfigured | core::kPeerLockPrimary | core::kPeerDiscovering;
  if (peer.own || (peer.state & kStays) != 0 || peer.phase != core::DiscoveryPhase::kIdle)
    return true;
  // An NI in recovery repeatedly pings its own NID (spec/multirail.md 7).
  if (control.nis.find(peer.primary) != nullptr) return true;
  return !peer.askers.empty() || control.gateways.has_any(peer.nids());
}

bool is_recovery_ping(const core::ShardState& state, const core::Send& send) {
  const core::Msg* msg = state.find(send.tx);
  return msg != nullptr && msg->recovery;
}

class PeersGo final : public Checker {
 public:
  PeersGo() : Checker("idle peers forgotten", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    note_busy(step, records_.of(step.node));
    const auto* in = std::get_if<core::HeaderArrived>(&step.input);
    if (in == nullptr) return;
    is_full_ = step.state.peers.peer_nis() >= core::share_of_peers(step.state);
    known_ = step.state.peers.find(in->hop.nid) != nullptr;
    evicted_ = drops(step.state, core::DropReason::kPeerEvicted);
  }

  void after_step(World& world, const ShardStep& step) override {
    note(step, records_.of(step.node));
    const auto* in = std::get_if<core::HeaderArrived>(&step.input);
    if (in == nullptr || known_ || !is_full_) return;
    const bool made = step.state.peers.find_ni(in->hop.nid) != nullptr;
    if (made && drops(step.state, core::DropReason::kPeerEvicted) == evicted_)
      violation(world, &step.node, "a stranger's message has made a peer NI beyond max_peers");
  }

  void on_node(World& world, SimNode& node, NodeChange change) override {
    if (change == NodeChange::kResumed) records_.of(node).since = world.now();
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      const core::ShardState* control = node.shard_state(core::kControlShard);
      if (control == nullptr || control->shut_down || control->config == nullptr) continue;
      const auto most = static_cast<std::size_t>(control->config->globals.max_peers);
      const std::size_t nids = control->directory.nids();
      const std::size_t own = records_.of(node).asked.size() + control->nis.configured().size();
      if (nids > 2 * std::max<std::size_t>(most, control->placement.shards()) + own)
        violation(world, &node, "knows {} NIDs, far more than max_peers", nids);
      if (node.up() && may_go(control->config->globals)) check_silent(world, node, *control);
    }
  }
  void at_rest(World& world) override { check_all(world); }

 private:
  /// The record of a node.
  struct Record {
    std::map<Nid, Instant> used;  ///< when a message last came from a NID or went to it
    std::set<Nid> asked;          ///< NIDs to which this node has sent messages
    Instant since{};              ///< when the node was last configured or resumed
    PeersBefore before;
  };

  void note(const ShardStep& step, Record& record) {
    if (const auto* in = std::get_if<core::HeaderArrived>(&step.input))
      record.used[in->hop.nid] = record.used[in->header->src_nid] = step.now;
    for (const core::Send& send : actions_of<core::Send>(step))
      if (!is_recovery_ping(step.state, send))
        for (const Nid& nid : {send.hop.nid, send.header.dest_nid}) {
          record.used[nid] = step.now;
          record.asked.insert(nid);
        }
    // A ping or push of discovery for which there is no path: it was begun, but no peer gets it.
    for (const core::Note& note : notes_about(step, core::Note::About::kDiscovery))
      record.used[note.nid] = step.now;
    if (const auto own = own_request(step.input)) record.used[own->target] = step.now;
    // A router also counts a message to this NID that it drops, because it knows that the NID does
    // not answer (spec/core-semantics.md 11).
    if (const auto* routed = for_another_node(step)) record.used[routed->dest_nid] = step.now;
    if (std::holds_alternative<core::Config>(step.input)) record.since = step.now;
    if (step.shard == core::kControlShard) note_peers(step, record);
  }

  /// Notes new peers as used. A peer that was only reported counts from then on, by its primary
  /// NID. The same holds for a NID that its peer no longer reports, and that is a peer of its own
  /// from then on (spec/multirail.md 4.4.6). While the NID was one of several, a message to any of
  /// them kept it.
  static void note_peers(const ShardStep& step, Record& record) {
    const core::Directory& directory = step.state.directory;
    PeersBefore& before = record.before;
    if (!before.look(directory)) return;
    directory.for_each([&](const core::Peer& peer) {
      const Handle former = before.is_new(peer) ? before.former(peer.primary) : Handle{};
      if (former && directory.find(former) != nullptr)
        record.used[peer.primary] = step.now;
      else
        record.used.try_emplace(peer.primary, step.now);
    });
  }

  /// Notes peer NIs and peers that are in use. A peer NI is in use until its last message has
  /// ended, which may be a held message or one that waits for a credit. A peer is in use while its
  /// discovery lasts, since messages wait for that.
  void note_busy(const ShardStep& step, Record& record) {
    if (step.state.config == nullptr || !may_go(step.state.config->globals)) return;
    step.state.peers.for_each_ni([&](const core::PeerNi& ni) {
      if (ni.in_flight != 0) record.used[ni.nid] = step.now;
    });
    if (step.shard == core::kControlShard)
      step.state.directory.for_each([&](const core::Peer& peer) {
        if (is_kept(step.state, peer)) record.used[peer.primary] = step.now;
      });
  }

  void check_silent(World& world, const SimNode& node, const core::ShardState& control) {
    const Duration limit = longest(control.config->globals);
    const Record& record = records_.of(node);
    if (world.now() - record.since <= limit) return;
    const auto used_lately = [&](const Nid& nid) {
      const auto at = record.used.find(nid);
      return at != record.used.end() && world.now() - at->second <= limit;
    };
    control.directory.for_each([&](const core::Peer& peer) {
      const bool seen = record.used.contains(peer.primary);
      if (!seen || is_kept(control, peer) || std::ranges::any_of(peer.nids(), used_lately)) return;
      violation(world, &node, "{}: silent for long, and still there", peer.primary);
    });
  }
  PerNode<Record> records_;
  // State before a step in which a message arrives:
  bool is_full_ = false;       ///< the shard has its share of peer NIs
  bool known_ = false;         ///< the message comes from a known NID
  std::uint64_t evicted_ = 0;  ///< how many peer NIs were forgotten to make room for others
};

}  // namespace

std::unique_ptr<Checker> peers_go_checker() { return std::make_unique<PeersGo>(); }

}  // namespace ulnet::sim
