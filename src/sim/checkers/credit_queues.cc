// Messages get credits in turn: at the gate of a peer NI, and at that of an NI, the message that
// began to wait first goes first, and no message overtakes those that wait. A message that waits
// for a credit of its peer NI holds no credit of the NI, and a peer NI holds no more credits of an
// NI than it has itself; so a slow peer does not delay other peers. RouterQueues checks the queues
// of routers. Source: spec/core-semantics.md 10.2, 10.4.
#include <map>
#include <optional>
#include <span>

#include "lnet/core/flow/transmission.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
#include "sim/checkers/router_queues.h"

namespace ulnet::core {
class Gate;
}

namespace ulnet::sim {
namespace {

/// Calls `fn(gate, nid, of_peer)` for each gate of a shard.
template <class Fn>
void for_each_gate(const core::ShardState& state, Fn&& fn) {
  for (const core::LocalNi* ni : state.nis.configured()) fn(ni->tx, ni->nid(), false);
  state.peers.for_each_ni([&](const core::PeerNi& ni) { fn(ni.tx, ni.nid, true); });
}

/// Whether the step has a note of this kind.
bool notes(const ShardStep& step, core::Note::About about) {
  return !notes_about(step, about).empty();
}

/// The NIDs of the peers at whose gates a message may begin to wait in this step. Nothing: it may
/// be any peer NI. `ended`: the peer NI of a message that was sent successfully. In a router that
/// message frees a buffer and a router credit, and the message that gets these may go to any peer.
/// The same holds for the message that gets a credit of a failed NI. A message that waited for the
/// discovery of one peer may now go to another one.
std::optional<std::vector<Nid>> met_in(const ShardStep& step, std::optional<Nid> ended) {
  const core::Input& input = step.input;
  const auto has_failed = [](const core::LocalNi* ni) { return ni->fatal; };
  if (step.state.router.forwards() || !step.state.fault_rules.empty()) return std::nullopt;
  if (std::ranges::any_of(step.state.nis.configured(), has_failed)) return std::nullopt;
  if (notes(step, core::Note::About::kDiscovery) || notes(step, core::Note::About::kDiscovered))
    return std::nullopt;
  if (ended) return {{*ended}};
  if (!step.state.routes.empty()) return std::nullopt;
  if (const auto* in = std::get_if<core::HeaderArrived>(&input)) return {{in->hop.nid}};
  if (const auto* in = shard_msg_in<core::shard_msg::Transmit>(input)) return {{in->path.hop.nid}};
  if (const auto* put = answered<core::call::Put>(input)) return {{put->request.target.nid}};
  if (const auto* get = answered<core::call::Get>(input)) return {{get->request.target.nid}};
  return std::nullopt;
}

/// As for_each_gate(), for the gates at which a message may have begun to wait in this step, so
/// that a step in a world of many peers costs no more than in a small one.
template <class Fn>
void for_each_gate_met(const ShardStep& step, std::optional<Nid> ended, Fn&& fn) {
  auto nids = met_in(step, ended);
  if (!nids) return for_each_gate(step.state, fn);
  const Nid first = nids->front();
  const auto add = [&](std::span<const Nid> more) {
    for (const Nid& nid : more)
      if (std::find(nids->begin(), nids->end(), nid) == nids->end()) nids->push_back(nid);
  };
  const core::PeerNid* known = step.state.peers.find(first);
  if (known != nullptr && known->peer_entry != nullptr) add(known->peer_entry->nids);
  if (const core::Peer* peer = step.state.directory.find(first)) add(peer->nids());
  for (const core::LocalNi* ni : step.state.nis.configured()) fn(ni->tx, ni->nid(), false);
  for (const Nid& nid : *nids)
    if (const core::PeerNi* ni = step.state.peers.find_ni(nid)) fn(ni->tx, nid, true);
}

class CreditQueues final : public Checker {
 public:
  CreditQueues() : Checker("credits in turn", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    std::optional<Nid> ended;  // the peer NI of a message that was sent successfully
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      if (const Path* path = record.sent.find(done->tx)) {
        --record.held[*path].now;
        if (done->status == 0) ended = path->peer;
      }
      record.sent.erase(done->tx);
    }
    if (!step.state.fault_rules.empty()) forget_failed(step, record);
    // Messages that have left a failed NI, or changed to another NID of the peer, wait anew.
    for (const core::LocalNi* ni : step.state.nis.configured())
      for (const core::Msg& msg : ni->tx.queue()) {
        Place* place = record.places.find(msg.self);
        if (place == nullptr) place = &record.places.add(msg.self, {.tries = msg.tries});
        // If the message returns to the peer NI where it waited, another message has its place
        // there.
        if (std::exchange(place->peer, msg.hop.nid) != msg.hop.nid) place->for_peer = 0;
        const bool same_ni = std::exchange(place->ni, ni->config.id) == ni->config.id;
        const bool same_hop = std::exchange(place->hop, msg.hop.nid) == msg.hop.nid;
        if (same_ni && same_hop) continue;
        place->moved = place->for_ni != 0;
        place->for_ni = 0;
      }
    for (const core::Send& send : actions_of<core::Send>(step)) served(world, step, record, send);
    for_each_gate_met(step, ended, [&](const core::Gate& gate, const Nid& whose, bool of_peer) {
      if (gate.waiting() == 0) return;
      queued(world, step.node, record, gate, of_peer ? &Place::for_peer : &Place::for_ni, whose);
    });
    forget_left(step.state, record);
    if (!step.state.router.forwards()) return;
    if (const std::string wrong = record.router.look(step.state); !wrong.empty())
      violation(world, &step.node, wrong);
  }

  void check_all(World& world) override {
    for_each_shard(
        world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
          for_each_gate(state, [&](const core::Gate& gate, const Nid& whose, bool of_peer) {
            check(world, node, records_.of(node, shard), gate,
                  of_peer ? &Place::for_peer : &Place::for_ni, whose);
          });
        });
  }

 private:
  /// When a message began to wait, as a number in the order of its shard; 0: it did not wait.
  struct Place {
    std::uint64_t for_peer = 0, for_ni = 0;
    /// The peer NI for which it waited; the message may leave an unhealthy one for another.
    Nid peer;
    core::NiId ni;  ///< the NI for which it waited; the message may leave a failed one for another
    Nid hop;        ///< its next hop while it waited for that NI; the message may change its hop
    bool moved = false;      ///< it has left an NI's queue for another path
    std::int32_t tries = 0;  ///< the message's tries when this was noted
  };
  using Which = std::uint64_t Place::*;
  /// The place of a message that waits; 0: it has none yet, or its place is in another peer NI's
  /// queue.
  static std::uint64_t place_of(const Place* place, Which which, const core::Msg& msg) {
    const bool of_another =
        which == &Place::for_peer && place != nullptr && place->peer != msg.hop.nid;
    return place == nullptr || of_another ? 0 : place->*which;
  }
  struct Path {
    core::NiId ni;
    Nid peer;
    auto operator<=>(const Path&) const = default;
  };
  struct Held {
    std::int32_t now = 0;   ///< the NI's credits held by messages that the driver has
    std::int32_t most = 0;  ///< the largest number of credits that the peer NI ever had
  };
  struct Record {
    PerMessage<Place> places;
    std::uint64_t last = 0;                          ///< the number given last
    std::map<core::NiId, std::uint64_t> last_of_ni;  ///< the number of the message served last
    /// The key contains the NI as well: the message that gets a peer credit first may then wait for
    /// an NI credit in the same step.
    std::map<Path, std::uint64_t> last_of_peer;
    PerMessage<Path> sent;
    std::map<Path, Held> held;
    RouterQueues router;
  };

  /// Forgets the places of messages that failed. A message that a fault rule has failed waits
  /// again, without the Send that would show it. In such a step other messages may also have left
  /// their queues and come back to them.
  static void forget_failed(const ShardStep& step, Record& record) {
    const bool any_failed = notes(step, core::Note::About::kResend);
    for_each_gate(step.state, [&](const core::Gate& gate, const Nid&, bool) {
      for (const core::Msg& msg : gate.queue())
        if (Place* place = record.places.find(msg.self))
          if (any_failed || place->tries != msg.tries) *place = {.tries = msg.tries};
    });
  }

  /// Forgets the places of messages that have left their queues. A message may wait for no credit
  /// any more and yet not have been sent: a driver may have given it back, or it waits until its
  /// peer has been discovered. When it comes back to a queue, it waits anew.
  static void forget_left(const core::ShardState& state, Record& record) {
    if (record.places.size() == 0) return;
    record.places.for_each([&](Handle handle, Place& place) {
      const core::Msg* msg = state.find(handle);
      if (msg == nullptr || !core::waits_for_credit(*msg)) return record.places.erase(handle);
      // If the message returns to the peer NI where it waited, another message has its place there.
      const bool waits_there = msg->state == core::MsgState::kPeerQueue;
      if (waits_there && place.peer != msg->hop.nid) place.for_peer = 0;
    });
  }

  void served(World& world, const ShardStep& step, Record& record, const core::Send& send) {
    const core::LocalNi* ni = step.state.nis.find(send.ni);
    const core::PeerNi* peer = step.state.peers.find_ni(send.hop.nid);
    if (ni == nullptr || ni->loopback() || peer == nullptr) return;
    const Place* noted = record.places.find(send.tx);
    Place place = noted == nullptr ? Place{} : *noted;
    record.places.erase(send.tx);
    // A fault rule may have delayed this message, or those before it.
    if (!step.state.fault_rules.empty() || answered<core::call::FaultDel>(step.input) != nullptr)
      return holds(world, step, record, send, peer->tx);
    if (place.peer != send.hop.nid) place.for_peer = 0;
    const bool has_left_peer = place.for_ni != 0;
    if (place.ni != send.ni) place.for_ni = 0;
    if (!has_left_peer) {
      in_turn(world, step.node, record, peer->tx, place, &Place::for_peer, peer->nid);
      in_order(world, step.node, record.last_of_peer[{send.ni, send.hop.nid}], place.for_peer,
               peer->nid);
    }
    in_turn(world, step.node, record, ni->tx, place, &Place::for_ni, ni->nid());
    in_order(world, step.node, record.last_of_ni[send.ni], place.for_ni, ni->nid());
    holds(world, step, record, send, peer->tx);
  }

  /// Checks that no message still waits that has waited longer than the one that was served.
  void in_turn(World& world, const SimNode& node, Record& record, const core::Gate& gate,
               const Place& served, Which which, const Nid& whose) {
    if (gate.waiting() == 0) return;
    const core::Msg& head = gate.queue().front();
    const std::uint64_t first = place_of(record.places.find(head.self), which, head);
    if (first == 0) return;  // the first message began to wait in this step
    if (served.*which == 0)
      violation(world, &node, "{}: sent past messages that wait for a credit", whose);
    else if (first < served.*which)
      violation(world, &node, "{}: served before one that waits longer", whose);
  }

  /// Checks that no message is served after one that began to wait later.
  void in_order(World& world, const SimNode& node, std::uint64_t& last, std::uint64_t place,
                const Nid& whose) {
    if (place != 0 && std::exchange(last, place) > place)
      violation(world, &node, "{}: served after one that came later", whose);
  }

  void holds(World& world, const ShardStep& step, Record& record, const core::Send& send,
             const core::Gate& of_peer) {
    const Path path{send.ni, send.hop.nid};
    record.sent.add(send.tx, path);
    Held& held = record.held[path];
    // A lowered maximum does not withdraw credits in use.
    held.most = std::max(held.most, of_peer.max());
    if (++held.now > held.most)
      violation(world, &step.node, "{}: holds {} credits of an NI and may have {}", send.hop.nid,
                held.now, held.most);
  }

  /// Checks that messages that began to wait in this step are behind those that waited before.
  void queued(World& world, const SimNode& node, Record& record, const core::Gate& gate,
              Which which, const Nid& whose) {
    const core::MsgQueue& queue = gate.queue();
    const auto place_in = [&](const core::Msg& msg) {
      return place_of(record.places.find(msg.self), which, msg);
    };
    auto at = queue.end();
    while (at != queue.begin() && place_in(*std::prev(at)) == 0) --at;
    for (; at != queue.end(); ++at) {
      Place* known = record.places.find(at->self);
      Place& place = known != nullptr ? *known : record.places.add(at->self, {.tries = at->tries});
      if (which == &Place::for_peer && place.peer != at->hop.nid)
        place = {.peer = at->hop.nid, .tries = at->tries};
      place.*which = ++record.last;
      // The message has just left the peer NI's queue, or did not wait there.
      if (which == &Place::for_ni && !place.moved)
        in_turn(world, node, record, at->peer->tx, place, &Place::for_peer, at->peer->nid);
      if (which == &Place::for_peer && at->has_ni_credit)
        violation(world, &node, "{}: a message that waits for its credit holds one of the NI's",
                  whose);
    }
    if (place_in(queue.front()) == 0)
      violation(world, &node, "{}: queued before messages that wait already", whose);
  }

  void check(World& world, const SimNode& node, Record& record, const core::Gate& gate, Which which,
             const Nid& whose) {
    std::uint64_t before = 0;
    for (const core::Msg& msg : gate.queue()) {
      const std::uint64_t here = place_of(record.places.find(msg.self), which, msg);
      if (here == 0) continue;  // it began to wait in a step that was about another peer
      if (here <= before) return violation(world, &node, "{}: waits out of order", whose);
      before = here;
    }
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> credit_queues_checker() { return std::make_unique<CreditQueues>(); }

}  // namespace ulnet::sim
