// NIs and peer NIs count dropped messages by type. The NI where a dropped message arrived counts it
// once, as its own type; both the NI and the peer NI count a message that waited too long for a
// credit. traffic_counted.cc checks bytes, drops_counted.cc the sums of a node. Source:
// spec/core-semantics.md 9, 11.
#include <algorithm>
#include <map>
#include <optional>
#include <vector>

#include "lnet/core/flow/notify.h"
#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

class DropsByType final : public Checker {
 public:
  DropsByType() : Checker("drops by type", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    if (answered<core::call::ResetStats>(step.input) != nullptr) {
      for (auto& [id, counts] : record.nis) counts = {};
      record.peers.clear();
      record.dropped = record.expired = record.lost = 0;
      return;
    }
    if (std::holds_alternative<core::Config>(step.input))
      for (const core::LocalNi* ni : step.state.nis.configured()) record.nis[ni->config.id];
    const Seen seen = look(step, record);
    const std::uint64_t dropped = step.state.counters.global.drop_count;
    // Messages that fault rules lose when they are sent count like those that wait too long.
    const std::uint64_t lost = drops(step.state, core::DropReason::kFaultRuleSent);
    const std::uint64_t expired = drops(step.state, core::DropReason::kQueuedTooLong) + lost;
    record.lost_in_step = lost - std::exchange(record.lost, lost);
    const std::uint64_t before = std::exchange(record.dropped, dropped);
    const std::uint64_t expired_before = std::exchange(record.expired, expired);
    const bool charged = step.state.router.forwards() && has_charged(step.state, record);
    const bool compared =
        dropped != before || expired != expired_before || !seen.least.empty() || charged;
    for (const Nid& nid : deleted(step.input)) record.peers.erase(nid);
    if (compared) compare(world, step, record, seen, dropped - before, expired - expired_before);
    note_peers(step, record, compared);
  }

  /// Checks that no count has changed since the last step: counts may change only in steps that
  /// drop a message.
  void check_all(World& world) override {
    for_each_shard(
        world, [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
          const Record& record = records_.of(node, shard);
          for (const core::LocalNi* ni : state.nis.configured()) {
            const auto before = record.nis.find(ni->config.id);
            const ByType known = before == record.nis.end() ? ByType{} : before->second;
            if (by_type(ni->traffic.dropped) != known)
              violation(world, &node, "{}: counts a drop that did not happen", ni->nid());
          }
        });
  }

 private:
  /// A message that arrived.
  struct Came {
    core::NiId ni;
    wire::MsgType type{};
  };
  struct Entry {
    Handle self;  ///< a peer NI that was deleted and made again counts from 0
    ByType counted{};
  };
  struct Record {
    std::map<Rx, wire::MsgType> held;  ///< the driver waits for a verdict
    PerMessage<Came> waiting;          ///< messages about which this shard did not decide at once
    std::map<core::NiId, ByType> nis;  ///< counts at the last look
    std::map<Nid, Entry> peers;
    DelayedArrivals delayed;
    std::uint64_t dropped = 0, expired = 0;
    std::uint64_t lost = 0;  ///< part of `expired`: those that fault rules lost when they were sent
    std::uint64_t lost_in_step = 0;  ///< the same, in the newest step
    /// The peer NIs that existed after the newest step that was compared, or that changed their
    /// number.
    std::vector<Handle> known;
    std::uint64_t generation = 0;  ///< the last seen generation of the directory
  };
  /// The most messages that may have been dropped in a step, and the fewest that must have been; by
  /// NI and type.
  struct Seen {
    std::map<core::NiId, ByType> most, least;
  };

  /// Notes a message that arrived and waits: for a buffer, or for the answer of another shard.
  void note(const ShardStep& step, const core::HeaderArrived& in, Record& record) const {
    const Came came{in.ni, in.header->type()};
    for (const core::Action& action : step.actions) {
      if (const auto* hold = std::get_if<core::HoldPayload>(&action)) {
        record.held[{in.ni, hold->rx.value}] = came.type;
        record.waiting.add(hold->msg, came);
      }
      if (const auto* match = shard_msg_of<core::shard_msg::Match>(action))
        if (match->origin == step.shard) record.waiting.add(match->msg, came);
      if (const auto* park = shard_msg_of<core::shard_msg::Park>(action))
        if (park->origin == step.shard) record.waiting.add(park->msg, came);
      if (const auto* answer = shard_msg_of<core::shard_msg::ResponseArrived>(action))
        if (answer->msg) record.waiting.add(answer->msg, came);
    }
  }

  /// The message that arrived in an earlier step and about which this step decides.
  static std::optional<Came> named_by(const core::Input& input, Record& record) {
    namespace shard_msg = core::shard_msg;
    core::MsgTicket msg;
    if (const auto* landed = std::get_if<core::PayloadLanded>(&input)) msg = landed->msg;
    if (const auto* answer = shard_msg_in<shard_msg::ResponseArrived>(input))
      return Came{answer->ni, answer->header.type()};
    if (const auto* dropped = shard_msg_in<shard_msg::Dropped>(input)) msg = dropped->msg;
    if (const auto* matched = shard_msg_in<shard_msg::Matched>(input)) msg = matched->msg;
    if (const auto* park = shard_msg_in<shard_msg::Park>(input)) msg = park->msg;
    if (const auto* match = shard_msg_in<shard_msg::Match>(input)) msg = match->msg;
    if (const auto* searched = shard_msg_in<shard_msg::Searched>(input)) msg = searched->parked;
    const Came* came = record.waiting.find(msg);
    return came == nullptr ? std::nullopt : std::optional<Came>(*came);
  }

  Seen look(const ShardStep& step, Record& record) const {
    Seen seen;
    const bool go_on = record.delayed.look(step);
    const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
    if (arrived != nullptr) {
      ++seen.most[arrived->ni][index(arrived->header->type())];
      note(step, *arrived, record);
    } else if (const std::optional<Came> came = named_by(step.input, record)) {
      ++seen.most[came->ni][index(came->type)];
    }
    for (const core::Action& action : step.actions) {
      if (const auto* land = std::get_if<core::Land>(&action))
        record.held.erase({land->ni, land->rx.value});
      const auto* drop = std::get_if<core::DropPayload>(&action);
      if (drop == nullptr) continue;
      const auto held = record.held.find({drop->ni, drop->rx.value});
      // A held message without payload may go on: a router forwards it, or this node accepts it
      // after a delay. The driver then gets a DropPayload because it has nothing more to read.
      if (held != record.held.end() && drop->rlen == 0 && (go_on || step.state.router.forwards())) {
        ++seen.most[drop->ni][index(held->second)];
        record.held.erase(held);
        continue;
      }
      if (held != record.held.end()) {
        ++seen.least[drop->ni][index(held->second)];
        ++seen.most[drop->ni][index(held->second)];
        record.held.erase(held);
      } else if (arrived != nullptr && arrived->rx == drop->rx &&
                 carries_payload(arrived->header->type()) && taken_at_once(step) == nullptr &&
                 (for_another_node(step) == nullptr || drop->rlen != 0)) {
        ++seen.least[drop->ni][index(arrived->header->type())];
      }
    }
    return seen;
  }

  void compare(World& world, const ShardStep& step, Record& record, const Seen& seen,
               std::uint64_t dropped, std::uint64_t expired) const {
    const std::optional<ByType> by_peers = expired_by_peers(world, step, record, expired);
    bool all_there = true;
    for (const auto& [id, counts] : seen.most)
      all_there = all_there && step.state.nis.find(id) != nullptr;
    const auto of = [](const std::map<core::NiId, ByType>& counts, core::NiId id,
                       std::size_t type) {
      const auto found = counts.find(id);
      return found == counts.end() ? 0 : found->second[type];
    };
    // A router may count more than its peers do: the entry of a dead next hop may have been made
    // and deleted with its message.
    const bool forwards = step.state.router.forwards();
    std::uint64_t counted = 0;
    for (auto at = record.nis.begin(); at != record.nis.end();) {
      const core::LocalNi* ni = step.state.nis.find(at->first);
      if (ni == nullptr) {
        all_there = false;
        at = record.nis.erase(at);
        continue;
      }
      const ByType now = by_type(ni->traffic.dropped);
      const ByType before = std::exchange(at->second, now);
      for (std::size_t type = 0; type < now.size(); ++type) {
        const std::uint64_t more = now[type] - before[type];
        const std::uint64_t late = by_peers ? (*by_peers)[type] : expired;
        counted += more;
        if ((more > of(seen.most, at->first, type) + late && !forwards) ||
            more < of(seen.least, at->first, type))
          return violation(world, &step.node, "{}: {} dropped messages of type {} counted, {} seen",
                           ni->nid(), more, type, of(seen.least, at->first, type));
      }
      ++at;
    }
    const std::uint64_t charged = by_peers ? sum(*by_peers) : expired;
    if (all_there && (counted < dropped + charged || (counted > dropped + charged && !forwards)))
      violation(world, &step.node, "{} messages were dropped, their NIs count {}",
                dropped + charged, counted);
  }

  /// Whether an NI has counted a drop since the last comparison. In a router the dropped message
  /// may have been for a dead next hop. The NI counts such a message like one that waits too long.
  /// This shard counts it under no reason, because the message ends in the shard where it came in.
  static bool has_charged(const core::ShardState& state, const Record& record) {
    for (const auto& [id, counts] : record.nis) {
      const core::LocalNi* ni = state.nis.find(id);
      if (ni != nullptr && by_type(ni->traffic.dropped) != counts) return true;
    }
    return false;
  }

  /// Notes which peer NIs exist, and the counts of those that were forgotten while messages named
  /// them: these go on as if they were new. The control shard forgets some by itself, in the step
  /// in which its directory changes (TrafficCounted::look_for_lost).
  static void note_peers(const ShardStep& step, Record& record, bool compared) {
    const core::PeerTable& peers = step.state.peers;
    const std::uint64_t generation = step.state.directory.generation();
    if (std::exchange(record.generation, generation) != generation)
      for (auto& [nid, entry] : record.peers)
        if (const core::PeerNi* ni = peers.find_ni(nid))
          if (const ByType now = by_type(ni->traffic.dropped); sum(now) < sum(entry.counted))
            entry = {ni->self, now};
    if (!compared && peers.peer_nis() == record.known.size()) return;
    record.known.clear();
    peers.for_each_ni([&](const core::PeerNi& ni) { record.known.push_back(ni.self); });
  }

  /// Counts the messages that peer NIs have dropped since the last comparison, by type, and checks
  /// that `expired` messages are among them. Nothing: a peer NI that may have counted was deleted.
  /// An entry that no message has reached is deleted with the last message to it, and another
  /// peer's entry may be made in the same step.
  std::optional<ByType> expired_by_peers(World& world, const ShardStep& step, Record& record,
                                         std::uint64_t expired) const {
    ByType more{};
    const bool forwards = step.state.router.forwards();
    if (expired == 0 && !forwards) return more;
    std::uint64_t for_dead_hops = 0, stayed = 0;
    step.state.peers.for_each_ni([&](const core::PeerNi& ni) {
      stayed += static_cast<std::uint64_t>(std::ranges::count(record.known, ni.self));
      Entry& entry = record.peers[ni.nid];
      const ByType now = by_type(ni.traffic.dropped);
      if (entry.self != ni.self || sum(now) < sum(entry.counted)) entry = {ni.self, {}};
      const ByType before = std::exchange(entry.counted, now);
      for (std::size_t i = 0; i < now.size(); ++i) more[i] += now[i] - before[i];
      if (forwards && core::is_lost(step.state, ni)) for_dead_hops += sum(now) - sum(before);
    });
    if (stayed < record.known.size()) return std::nullopt;
    // A message that came too late from another shard may also have deleted an entry.
    const auto* late = shard_msg_in<core::shard_msg::Transmit>(step.input);
    if (late != nullptr && step.state.peers.find_ni(late->path.hop.nid) == nullptr)
      return std::nullopt;
    // The message that a rule loses may be the first one to a peer: the entry is made and deleted
    // within the step.
    if (sum(more) < expired && sum(more) + record.lost_in_step >= expired) return std::nullopt;
    if (sum(more) < expired || sum(more) - expired > for_dead_hops)
      violation(world, &step.node, "{} messages waited too long, their peers count {}", expired,
                sum(more));
    return more;
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> drops_by_type_checker() { return std::make_unique<DropsByType>(); }

}  // namespace ulnet::sim
