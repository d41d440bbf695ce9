// NIs and peer NIs count, for each type of message, exactly the messages that arrived for them and
// those that were given to their driver. The bytes counted as sent, received and dropped are those
// of the headers, received ones only when the payload is there. The checker checks each partition
// by itself, so the number of partitions does not matter. Source: spec/core-semantics.md 9.
#include <map>

#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::core {
struct Traffic;
}

namespace ulnet::sim {
namespace {

/// The number of the NID's peer; 0: the shard knows no peer with the NID.
std::uint32_t peer_number(const ShardStep& step, const Nid& nid) {
  const core::Peer* peer = step.state.directory.find(nid);
  return peer == nullptr ? 0 : peer->number;
}

class TrafficCounted final : public Checker {
 public:
  TrafficCounted() : Checker("traffic counted", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    if (answered<core::call::ResetStats>(step.input) != nullptr) {
      record.nis.clear();
      record.peers.clear();
      record.before = {};
      record.routes = 0;
      record.turned_away = 0;
      return;
    }
    for (const Nid& nid : deleted(step.input)) record.peers.erase(nid);
    count(step, record);
    look_for_lost(step, record);
    bytes(world, step, record);
  }

  void check_all(World& world) override {
    for_each_shard(world, [&](const SimNode& node, const core::ShardState& state,
                              std::uint32_t shard) {
      Record& record = records_.of(node, shard);
      for (const core::LocalNi* ni : state.nis.configured()) {
        const Seen& seen = record.nis[ni->config.id];
        const std::string whose = "NI " + ni->nid().to_string();
        compare(world, node, whose, ni->traffic, seen);
        if (ni->bytes.sent != seen.bytes.sent || ni->bytes.received != seen.bytes.received)
          violation(world, &node, "{}: bytes that were sent or received are not counted", whose);
      }
      for (const auto& [nid, seen] : record.peers)
        if (const core::PeerNi* peer = state.peers.find_ni(nid))
          compare(world, node, "peer " + nid.to_string(), peer->traffic,
                  seen.entry == peer->self ? seen : Seen{});
    });
  }

 private:
  struct Seen {
    Handle entry{};          ///< of a peer NI
    std::uint32_t peer = 0;  ///< the number of its peer, seen last; 0: it belongs to no peer
    ByType sent{}, received{};
    core::PayloadBytes bytes{};  ///< of an NI
  };
  /// Payload bytes.
  struct Bytes {
    std::uint64_t sent = 0, received = 0, dropped = 0;
    std::uint64_t routed = 0;
  };
  /// A message that a driver or another shard has.
  struct Going {
    std::uint32_t length = 0;
    bool routed = false;     ///< from another node, and for another one
    bool began_here = true;  ///< it began in this shard
    core::NiId ni{};         ///< the NI at which it lands
  };
  struct Record {
    std::map<core::NiId, Seen> nis;
    std::map<Nid, Seen> peers;
    PerMessage<Going> sending, landing, elsewhere;
    Bytes before;
    std::uint64_t routes = 0;      ///< messages that the shard has counted as forwarded
    std::uint64_t lost = 0;        ///< messages that fault rules lost when they were sent
    std::uint64_t generation = 0;  ///< the last seen generation of the directory
    /// Drops for reasons that are found before a message counts as received.
    std::uint64_t turned_away = 0;
    bool held_lost = false;  ///< the connection of a held message broke: no action shows its drop
  };

  /// The counts of a peer NI. An entry that was never met is deleted with its counters
  /// (peers_met.cc), and a new one starts at 0.
  static Seen& of_peer(const ShardStep& step, Record& record, const Nid& nid) {
    Seen& seen = record.peers[nid];
    const core::PeerNi* entry = step.state.peers.find_ni(nid);
    if (entry != nullptr && std::exchange(seen.entry, entry->self) != entry->self)
      seen = {.entry = entry->self};
    // In a step that changes peers, look_for_lost() compares which peer had the NID before.
    const bool same_peers = record.generation == step.state.directory.generation();
    if (seen.peer == 0 && same_peers) seen.peer = peer_number(step, nid);
    return seen;
  }

  /// Counts messages, by NI and by peer NI.
  void count(const ShardStep& step, Record& record) {
    for (const core::Send& send : actions_of<core::Send>(step))
      for (Seen* seen : {&record.nis[send.ni], &of_peer(step, record, send.hop.nid)}) {
        ++seen->sent[index(send.header.type())];
        seen->bytes.sent += send.header.payload_length;
      }
    const bool refused = !actions_of<core::Reject>(step).empty();
    const std::uint64_t away = turned_away(step.state);
    const bool taken = !refused && std::exchange(record.turned_away, away) == away;
    const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
    if (arrived == nullptr || !taken) return;
    for (Seen* seen : {&record.nis[arrived->ni], &of_peer(step, record, arrived->hop.nid)})
      ++seen->received[index(arrived->header->type())];
  }

  /// Restarts the counts of peer NIs that the control shard has forgotten. The control shard
  /// forgets peers that lose discovery, or their net, in the step in which it learns of that. It
  /// also forgets peers that an administrator configures, and makes them anew. A peer NI that a
  /// message still names stays, as if it were new: it counts less than before. The other shards get
  /// the inter-shard message about the deletion.
  static void look_for_lost(const ShardStep& step, Record& record) {
    if (step.shard != core::kControlShard) return;
    const core::Directory& directory = step.state.directory;
    if (std::exchange(record.generation, directory.generation()) == directory.generation()) return;
    for (auto& [nid, seen] : record.peers) {
      const std::uint32_t number = peer_number(step, nid);
      const bool another = std::exchange(seen.peer, number) != number || number == 0;
      const core::PeerNi* ni = step.state.peers.find_ni(nid);
      if (ni == nullptr || ni->last_heard != Instant::min()) continue;
      const ByType sent = by_type(ni->traffic.sent), received = by_type(ni->traffic.received);
      const bool fewer = sum(sent) + sum(received) < sum(seen.sent) + sum(seen.received);
      if (another && fewer)
        seen = {.entry = ni->self, .peer = number, .sent = sent, .received = received};
    }
  }

  /// Counts payload bytes, of the whole partition.
  void bytes(World& world, const ShardStep& step, Record& record) {
    const core::GlobalStats& global = step.state.counters.global;
    const Bytes now{global.send_length, global.recv_length, global.drop_length,
                    global.route_length};
    const Bytes was = std::exchange(record.before, now);
    const std::uint64_t routed_before = std::exchange(record.routes, global.route_count);
    std::uint64_t routes = 0;
    Bytes seen = ended_in(step, record, routes);
    const auto is_routed = [&](core::MsgTicket ticket) {
      const core::Msg* msg = step.state.find(ticket);
      return msg != nullptr && msg->routed;
    };
    for (const core::Action& action : step.actions) {
      if (const auto* drop = std::get_if<core::DropPayload>(&action))
        note_dropped(step, *drop, record, seen);
      if (const auto* land = std::get_if<core::Land>(&action))
        record.landing.add(land->msg, {land->rlen, is_routed(land->msg), true, land->ni});
      if (const auto* send = std::get_if<core::Send>(&action))
        record.sending.add(send->tx, {send->header.payload_length, is_routed(send->tx),
                                      began_as(step, send->tx) == send->tx});
      if (const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action);
          shard_msg && shard_msg->routed)
        record.elsewhere.add(shard_msg->msg, {shard_msg->header.payload_length, true});
    }
    const auto wrong = [&](const char* what, std::uint64_t counted, std::uint64_t right) {
      violation(world, &step.node, "{}: {} bytes counted, {} seen in one step", what, counted,
                right);
    };
    if (now.sent - was.sent != seen.sent) return wrong("sent", now.sent - was.sent, seen.sent);
    if (now.received - was.received != seen.received)
      return wrong("received", now.received - was.received, seen.received);
    // A message that a fault rule loses when it is sent counts as forwarded, as far as this node
    // knows.
    const std::uint64_t lost = drops(step.state, core::DropReason::kFaultRuleSent);
    const bool some_lost = std::exchange(record.lost, lost) != lost;
    if (some_lost && global.route_count != routed_before) return;
    if (now.routed - was.routed != seen.routed)
      return wrong("forwarded", now.routed - was.routed, seen.routed);
    const std::uint64_t forwarded = global.route_count - routed_before;
    if (forwarded != routes)
      violation(world, &step.node, "{} messages counted as forwarded, {} seen in one step",
                forwarded, routes);
    const std::uint64_t dropped = now.dropped - was.dropped;
    if (dropped < seen.dropped || (dropped > seen.dropped && !record.held_lost))
      wrong("dropped", dropped, seen.dropped);
  }

  /// Notes a payload that the driver does not read, or that the host has copied.
  static void note_dropped(const ShardStep& step, const core::DropPayload& drop, Record& record,
                           Bytes& seen) {
    if (taken_at_once(step) == nullptr) {
      seen.dropped += drop.rlen;
      return;
    }
    record.nis[drop.ni].bytes.received += drop.rlen;
    if (for_another_node(step) == nullptr) seen.received += drop.rlen;
  }

  /// The bytes of the message that left or landed with this step. A message that a router forwards
  /// counts neither as sent nor as received (9); it counts when its second leg has ended, in the
  /// shard where it came in.
  static Bytes ended_in(const ShardStep& step, Record& record, std::uint64_t& routes) {
    Bytes seen;
    const auto goes_on = [&](std::uint32_t length) {
      seen.routed = length;
      ++routes;
    };
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      const Going* going = record.sending.find(done->tx);
      if (done->status == 0 && going != nullptr && !going->routed) seen.sent = going->length;
      const bool here = going != nullptr && going->began_here;
      if (done->status == 0 && here && going->routed) goes_on(going->length);
      record.sending.erase(done->tx);
    } else if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input)) {
      const Going* going = record.landing.find(landed->msg);
      if (landed->status == 0 && going != nullptr) {
        record.nis[going->ni].bytes.received += going->length;
        if (!going->routed) seen.received = going->length;
      }
      record.held_lost = record.held_lost || going == nullptr;
      record.landing.erase(landed->msg);
    } else if (const auto* returned = shard_msg_in<core::shard_msg::Returned>(step.input)) {
      const Going* going = record.elsewhere.find(returned->msg);
      if (going != nullptr && returned->taken && returned->status == 0) goes_on(going->length);
      record.elsewhere.erase(returned->msg);
    }
    return seen;
  }

  void compare(World& world, const SimNode& node, const std::string& whose,
               const core::Traffic& counted, const Seen& seen) const {
    if (by_type(counted.sent) != seen.sent)
      violation(world, &node, "{}: messages that were sent are not counted", whose);
    if (by_type(counted.received) != seen.received)
      violation(world, &node, "{}: messages that were received are not counted", whose);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> traffic_counted_checker() { return std::make_unique<TrafficCounted>(); }

}  // namespace ulnet::sim
