// The right match entry accepts a message. The naive MatchModel computes it from the order of the
// match lists, ignore bits, the NID and PID of the entry and its insert position. The entry accepts
// as much of the message as fits, at the right offset. On one partition the checker also sees that
// no message is dropped as unmatched or too long while there is an entry for it. buffers_in_turn.cc
// checks which partition is asked. Source: spec/core-semantics.md 3, 4.5.
#include <algorithm>
#include <optional>
#include <span>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/match_model.h"
#include "sim/checkers/per_node.h"

namespace ulnet::sim {
namespace {

/// The message for which this step may search a buffer; null: there is no such message.
const wire::LnetHeader* asked_for(const core::Input& input) {
  const wire::LnetHeader* header = nullptr;
  if (const auto* arrived = std::get_if<core::HeaderArrived>(&input)) header = arrived->header;
  if (const auto* match = shard_msg_in<core::shard_msg::Match>(input)) header = &match->header;
  if (const auto* park = shard_msg_in<core::shard_msg::Park>(input)) header = &park->header;
  return header != nullptr && is_request(header->type()) ? header : nullptr;
}

/// The peer entry with which this step searches a buffer for the message of asked_for().
const core::PeerEntry* peer_entry_for(const ShardStep& step, const Nid& source) {
  if (const auto* match = shard_msg_in<core::shard_msg::Match>(step.input))
    return match->peer_entry.get();
  const auto* park = shard_msg_in<core::shard_msg::Park>(step.input);
  return peer_entry_at_owner(step, source, park == nullptr ? nullptr : park->peer_entry.get());
}

/// The peer entry of a waiting message, after a step that may have changed peers.
const core::PeerEntry* peer_entry_after(const ShardStep& step, const Nid& source,
                                        const core::PeerEntry* before) {
  const auto* published = shard_msg_in<core::shard_msg::Publish>(step.input);
  const auto* answer = shard_msg_in<core::shard_msg::PeerEntryAnswer>(step.input);
  if (published == nullptr && answer == nullptr)
    return step.state.directory.peer_entry_of(source).get();
  const auto names_source = [&](const core::PeerEntryRef& peer_entry) {
    return peer_entry != nullptr && peer_entry->has(source);
  };
  const auto peer_entries =
      published != nullptr ? std::span(published->peer_entries) : std::span(&answer->peer_entry, 1);
  const auto found = std::ranges::find_if(peer_entries, names_source);
  if (found == peer_entries.end()) return before;
  const bool newer = before != nullptr && before->generation > (*found)->generation;
  return newer ? before : found->get();
}

/// All NIDs of the sender's peer, the primary NID first.
std::vector<Nid> nids_of(const core::PeerEntry* peer_entry, const Nid& source) {
  return peer_entry == nullptr ? std::vector<Nid>{source} : peer_entry->nids;
}

std::string md_name(std::uint64_t md) { return md == 0 ? "no MD" : "MD " + std::to_string(md); }

class RightEntry final : public Checker {
 public:
  RightEntry() : Checker("right match entry", kBeforeStep | kAfterStep) {}

  void before_step(World&, const ShardStep& step) override {
    const auto* answer = shard_msg_in<core::shard_msg::Searched>(step.input);
    const auto* api = std::get_if<core::Api>(&step.input);
    const auto* attach =
        api == nullptr ? nullptr : std::get_if<core::call::MdAttach>(&api->call->body);
    const bool all_waiting = attach != nullptr || may_learn_peers(step);
    if (asked_for(step.input) == nullptr && answer == nullptr && !all_waiting) return;
    Record& record = records_.of(step.node, step.shard);
    record.before.clear();
    record.offered.reset();
    record.waiting.clear();
    record.none = drops(step.state, core::DropReason::kNoMatch);
    record.too_long = drops(step.state, core::DropReason::kTooLong);
    record.model.for_each([&](const MatchModel::Md& md) {
      if (const core::Md* now = step.state.memory.find(MdHandle{md.cookie}))
        record.before.emplace_back(md.cookie, Used{now->threshold, now->offset, now->refs});
    });
    if (answer != nullptr)
      if (const core::Msg* msg = step.state.find(answer->parked))
        record.offered = {msg->self, msg->header, msg->peer_entry};
    if (!all_waiting) return;
    step.state.portals.for_each([&](const core::PortalState& portal) {
      for (const core::Msg& msg : portal.held)
        if (msg.state == core::MsgState::kHeld)
          record.waiting.push_back({msg.self, msg.header, msg.peer_entry});
    });
  }

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node, step.shard);
    note_calls(step, record);
    if (record.delayed.look(step)) return follow(step, record.model);
    if (const auto* attach = answered<core::call::MdAttach>(step.input))
      return one_buffer(world, step, record, attach->md.cookie);
    if (const wire::LnetHeader* header = asked_for(step.input))
      return one_message(world, step, record, *header, peer_entry_for(step, header->src_nid));
    if (shard_msg_in<core::shard_msg::Searched>(step.input) != nullptr && record.offered)
      one_message(world, step, record, record.offered->header, record.offered->peer_entry.get());
    if (may_learn_peers(step)) searched_again(world, step, record);
  }

  void check_all(World& world) override {
    for_each_shard(world,
                   [&](const SimNode& node, const core::ShardState& state, std::uint32_t shard) {
                     records_.of(node, shard).model.for_each([&](const MatchModel::Md& md) {
                       compare(world, node, state, md);
                     });
                   });
  }

 private:
  /// How far an MD has been used, according to its shard.
  struct Used {
    std::int32_t threshold = 0;
    std::uint32_t offset = 0, refs = 0;
    bool operator==(const Used&) const = default;
  };
  /// A message that waits on a portal, with the peer entry of its sender.
  struct Waiting {
    core::MsgTicket msg;
    wire::LnetHeader header;
    core::PeerEntryRef peer_entry;
  };
  struct Record {
    MatchModel model;
    std::vector<std::pair<std::uint64_t, Used>> before;  ///< each MD before the step
    /// Messages that wait on this shard's portals, if the step may search buffers for them again.
    std::vector<Waiting> waiting;
    /// The message that a portal's owner shard holds and that this step is about.
    std::optional<Waiting> offered;
    std::uint64_t none = 0, too_long = 0;  ///< drops before the step
    DelayedArrivals delayed;
  };

  void note_calls(const ShardStep& step, Record& record) {
    namespace call = core::call;
    if (const auto* me = answered<call::MeAttach>(step.input)) record.model.attach(*me);
    if (const auto* md = answered<call::MdUnlink>(step.input)) record.model.unlink(md->md.cookie);
    const auto* api = std::get_if<core::Api>(&step.input);
    const auto* md = api == nullptr ? nullptr : std::get_if<call::MdAttach>(&api->call->body);
    if (md == nullptr) return;
    if (api->call->status != 0) return record.model.remove_entry(md->me.cookie);
    record.model.attach(*md);
  }

  /// Checks that a message used at most one MD: the one that the model finds.
  void one_message(World& world, const ShardStep& step, Record& record,
                   const wire::LnetHeader& header, const core::PeerEntry* peer_entry) {
    using What = MatchModel::Found::What;
    std::uint64_t used = 0;
    for (const auto& [md, before] : record.before) {
      const core::Md* now = step.state.memory.find(MdHandle{md});
      if (now != nullptr && before == Used{now->threshold, now->offset, now->refs}) continue;
      if (used != 0) return violation(world, &step.node, "one message used two MDs");
      used = md;
    }
    // Only its event shows an MD that ended within the step.
    for (const core::Post& post : actions_of<core::Post>(step))
      if (used == 0 && record.model.find(post.strand.cookie) != nullptr) used = post.strand.cookie;
    bool must = shard_msg_in<core::shard_msg::Match>(step.input) != nullptr;
    MatchModel::Found right = record.model.search(header, nids_of(peer_entry, header.src_nid));
    if (right.what == What::kNobody && match_at_owner(step) != nullptr) {
      // The owner shard has parked the message. With a newer peer entry it looks again, when the
      // message's turn comes.
      const core::PeerEntry* newer = peer_entry_at_owner(step, header.src_nid, peer_entry);
      if (newer != peer_entry) right = record.model.search(header, nids_of(newer, header.src_nid));
      must = right.what == What::kNobody;
    }
    const std::uint64_t should = right.what == What::kTaken ? right.md : 0;
    const bool alone = step.node.shards() == 1;
    const bool unwanted = alone && drops(step.state, core::DropReason::kNoMatch) != record.none;
    const bool too_long = alone && drops(step.state, core::DropReason::kTooLong) != record.too_long;
    if ((used != 0 || must) && used != should)
      return violation(world, &step.node, "a message was taken by {}, the right one is {}",
                       md_name(used), md_name(should));
    if (unwanted && right.what != What::kNobody)
      return violation(world, &step.node, "a message was dropped despite {}", md_name(right.md));
    if (too_long && right.what != What::kTooLong)
      return violation(world, &step.node, "a message was dropped as too long, yet it is not");
    if (used == 0) return;
    record.model.use(right);
    if (const MatchModel::Md* md = record.model.find(used))
      compare(world, step.node, step.state, *md);
  }

  /// Checks a new buffer, which the shard offers to the waiting messages in turn.
  void one_buffer(World& world, const ShardStep& step, Record& record, std::uint64_t md) {
    using What = MatchModel::Found::What;
    for (const auto& [name, header, peer_entry] : record.waiting) {
      const MatchModel::Found found =
          record.model.offer(md, header, nids_of(peer_entry.get(), header.src_nid));
      if (found.what == What::kTaken) record.model.use(found);
    }
    if (const MatchModel::Md* made = record.model.find(md))
      compare(world, step.node, step.state, *made);
  }

  /// Takes over how far MDs have been used when delayed messages go on. Their order is not known,
  /// so the checker does not compare their entries.
  static void follow(const ShardStep& step, MatchModel& model) {
    std::vector<std::uint64_t> all;
    model.for_each([&](const MatchModel::Md& md) { all.push_back(md.cookie); });
    for (const std::uint64_t md : all) {
      const core::Md* now = step.state.memory.find(MdHandle{md});
      now == nullptr ? model.exhaust(md) : model.follow(md, now->threshold, now->offset);
    }
  }

  /// Checks the waiting messages after the shard has learned NIDs of peers: some of the messages
  /// may fit a buffer now.
  void searched_again(World& world, const ShardStep& step, Record& record) {
    using What = MatchModel::Found::What;
    std::vector<std::uint64_t> used;
    for (const auto& [name, header, peer_entry] : record.waiting) {
      const core::Msg* msg = step.state.find(name);
      if (msg != nullptr &&
          (msg->state == core::MsgState::kHeld || msg->state == core::MsgState::kOffered))
        continue;
      const MatchModel::Found found = record.model.search(
          header,
          nids_of(peer_entry_after(step, header.src_nid, peer_entry.get()), header.src_nid));
      if (found.what != What::kTaken) continue;
      record.model.use(found);
      used.push_back(found.md);
    }
    for (const std::uint64_t each : used)
      if (const MatchModel::Md* md = record.model.find(each))
        compare(world, step.node, step.state, *md);
  }

  void compare(World& world, const SimNode& node, const core::ShardState& state,
               const MatchModel::Md& md) const {
    const core::Md* now = state.memory.find(MdHandle{md.cookie});
    if (now == nullptr) return violation(world, &node, "{} is gone too early", md_name(md.cookie));
    if (now->threshold != md.threshold || now->offset != md.offset)
      violation(world, &node, "{} has threshold {} and offset {}, right are {} and {}",
                md_name(md.cookie), now->threshold, now->offset, md.threshold, md.offset);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> right_entry_checker() { return std::make_unique<RightEntry>(); }

}  // namespace ulnet::sim
