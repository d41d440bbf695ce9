// Records that a checker keeps of each node, or of each of its shards: a record per incarnation,
// made on first use; and of each message, by its ticket. This file also has the questions about a
// step that several checkers ask, and includes what every checker sees: the world and the step.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <optional>
#include <ranges>
#include <set>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "lnet/base/slab.h"
#include "lnet/core/contract/cookie.h"
#include "lnet/core/flow/matched.h"
#include "lnet/core/flow/step.h"
#include "lnet/core/path/health.h"
#include "sim/world/node.h"
#include "sim/world/world.h"

namespace ulnet::sim {

template <class Record>
class PerNode {
 public:
  /// The record is empty at first, and in each new incarnation. Its address is stable until the
  /// next incarnation.
  Record& of(const SimNode& node, std::uint32_t shard = 0) {
    if (node.number() >= entries_.size()) entries_.resize(node.number() + 1);
    Entry& entry = entries_[node.number()];
    if (entry.start != node.starts()) entry.shards.clear();
    entry.start = node.starts();
    if (shard >= entry.shards.size()) entry.shards.resize(shard + 1);
    if (entry.shards[shard] == nullptr) entry.shards[shard] = std::make_unique<Record>();
    return *entry.shards[shard];
  }

 private:
  struct Entry {
    std::uint32_t start = 0;  ///< SimNode::starts() of the recorded incarnation
    std::vector<std::unique_ptr<Record>> shards;
  };
  std::vector<Entry> entries_;
};

/// A value per handle: each has a slot, as in the slab that made the handle.
template <class Value>
class PerMessage {
 public:
  Value& add(Handle handle, Value value) {
    std::vector<Cell>& cells = shard_of(handle);
    const std::uint32_t slot = handle.slot & kSlots;
    if (slot >= cells.size()) cells.resize(slot + 1);
    Cell& cell = cells[slot];
    if (cell.generation == 0) ++size_;
    cell.generation = handle.generation;
    cell.value = std::move(value);
    return cell.value;
  }
  Value* find(Handle handle) {
    std::vector<Cell>& cells = shard_of(handle);
    const std::uint32_t slot = handle.slot & kSlots;
    if (slot >= cells.size() || handle.generation == 0) return nullptr;
    Cell& cell = cells[slot];
    return cell.generation == handle.generation ? &cell.value : nullptr;
  }
  void erase(Handle handle) {
    if (find(handle) == nullptr) return;
    shard_of(handle)[handle.slot & kSlots] = {};
    --size_;
  }
  std::size_t size() const { return size_; }
  /// Calls `fn` in the order of shards and slots.
  template <class Fn>
  void for_each(Fn&& fn) {
    for (std::uint32_t shard = 0; shard < shards_.size(); ++shard)
      for (std::uint32_t slot = 0; slot < shards_[shard].size(); ++slot)
        if (Cell& cell = shards_[shard][slot]; cell.generation != 0)
          fn(Handle{shard << core::kTicketSlotBits | slot, cell.generation}, cell.value);
  }

 private:
  struct Cell {
    std::uint32_t generation = 0;
    Value value{};
  };
  static constexpr std::uint32_t kSlots = (1U << core::kTicketSlotBits) - 1;
  std::vector<Cell>& shard_of(Handle handle) {
    const std::uint32_t shard = core::shard_of(handle);
    if (shard >= shards_.size()) shards_.resize(shard + 1);
    return shards_[shard];
  }

  std::vector<std::vector<Cell>> shards_;
  std::size_t size_ = 0;
};

/// A message that a driver has, by the driver's ticket.
struct Rx {
  core::NiId ni;
  std::uint64_t ticket = 0;
  auto operator<=>(const Rx&) const = default;
};

/// Calls `fn(state, shard)` for each shard, unless the node is down.
template <class Fn>
void for_each_shard(const SimNode& node, Fn&& fn) {
  for (std::uint32_t shard = 0; shard < node.shards(); ++shard)
    if (const core::ShardState* state = node.shard_state(shard)) fn(*state, shard);
}
/// Calls `fn` with each shard of each node: the node, the shard's state, its number.
template <class Fn>
void for_each_shard(const World& world, Fn&& fn) {
  for (const SimNode& node : world.nodes())
    for_each_shard(
        node, [&](const core::ShardState& state, std::uint32_t shard) { fn(node, state, shard); });
}
/// Returns the shard that owns this MD, by its cookie. Returns null when the node is down.
inline const core::ShardState* shard_with(const SimNode& node, MdHandle md) {
  const std::uint32_t shard = core::shard_of_cookie(md.cookie);
  return shard < node.shards() ? node.shard_state(shard) : nullptr;
}

/// The routes to the net; none: no route leads there.
inline std::span<const core::RouteEntry> routes_to(const core::ShardState& state, NetId net) {
  const auto found = state.routes.nets().find(net);
  if (found == state.routes.nets().end()) return {};
  return found->second.routes;
}
/// Whether there is a usable route to the net whose gateway has its NID on the net `from`.
inline bool leads_to(const core::ShardState& state, NetId from, NetId net) {
  return std::ranges::any_of(routes_to(state, net), [&](const core::RouteEntry& route) {
    const core::GatewayEntry& entry = route.gateway->entry;
    return entry.reaches(net) && entry.gateway.net() == from;
  });
}

/// Returns the body of the call that this step answered with success, if that body is a `Call`.
/// Otherwise returns null.
template <class Call>
const Call* answered(const core::Input& input) {
  const auto* api = std::get_if<core::Api>(&input);
  return api == nullptr || api->call->status != 0 ? nullptr : std::get_if<Call>(&api->call->body);
}
/// Returns the body of the inter-shard message that this step read, if that body is a `Body`.
/// Otherwise returns null.
template <class Body>
const Body* shard_msg_in(const core::Input& input) {
  const auto* found = std::get_if<core::FromShard>(&input);
  return found == nullptr ? nullptr : std::get_if<Body>(&found->shard_msg->body);
}

/// Returns the NID of a restarted peer that this step reports to the control shard. If the control
/// shard owns the NID, its own driver reports the restart. Otherwise an inter-shard message does.
/// Returns null if the step reports no restart.
inline const Nid* restarted_in(const core::Input& input) {
  const auto* down = std::get_if<core::PeerDown>(&input);
  if (down != nullptr) return down->reset ? &down->hop.nid : nullptr;
  const auto* shard_msg = shard_msg_in<core::shard_msg::PeerRestarted>(input);
  return shard_msg == nullptr ? nullptr : &shard_msg->nid;
}

/// Returns the body of the inter-shard message that this action sends, if that body is a `Body`.
/// Otherwise returns null.
template <class Body>
const Body* shard_msg_of(const core::Action& action) {
  const auto* found = std::get_if<core::ToShard>(&action);
  return found == nullptr ? nullptr : std::get_if<Body>(&found->shard_msg->body);
}

/// Returns the actions of the step that are a `Kind` and that `fits`, in their order. One filter
/// asks both: a second one would double the time.
template <class Kind, class Fits>
auto actions_of(const ShardStep& step, Fits fits) {
  return step.actions | std::views::filter([fits](const core::Action& action) {
           const auto* found = std::get_if<Kind>(&action);
           return found != nullptr && fits(*found);
         }) |
         std::views::transform(
             [](const core::Action& action) -> const Kind& { return std::get<Kind>(action); });
}
template <class Kind>
auto actions_of(const ShardStep& step) {
  return actions_of<Kind>(step, [](const Kind&) { return true; });
}
/// Returns the Notes of the step about `about`, in their order.
inline auto notes_about(const ShardStep& step, core::Note::About about) {
  return actions_of<core::Note>(step,
                                [about](const core::Note& note) { return note.about == about; });
}

/// The message whose transmission, here or in another shard, ended in this step, if it still exists
/// to be sent again; otherwise null.
inline const core::Msg* sent_again(const ShardStep& step) {
  if (const auto* done = std::get_if<core::SendDone>(&step.input)) return step.state.find(done->tx);
  const auto* returned = shard_msg_in<core::shard_msg::Returned>(step.input);
  return returned == nullptr || !returned->taken ? nullptr : step.state.find(returned->msg);
}

/// The header of the message that arrived and was accepted with its whole payload in this step
/// (CopyPayload); null for any other step.
inline const wire::LnetHeader* taken_at_once(const ShardStep& step) {
  const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
  const bool taken = arrived != nullptr && !actions_of<core::CopyPayload>(step).empty();
  return taken ? arrived->header : nullptr;
}

/// The header of the message that arrived in this step, if this node is a router and the message is
/// for another node; null for any other step. The router may still drop the message.
inline const wire::LnetHeader* for_another_node(const ShardStep& step) {
  const auto* arrived = std::get_if<core::HeaderArrived>(&step.input);
  if (arrived == nullptr || !step.state.router.forwards()) return nullptr;
  const core::LocalNi* ni = step.state.nis.find(arrived->ni);
  const Nid& target = arrived->header->dest_nid;
  if (ni == nullptr || ni->loopback() || target.net() == ni->nid().net()) return nullptr;
  return step.state.nis.find(target) == nullptr ? arrived->header : nullptr;
}

/// The ticket, in the shard where it began, of a message that this shard transmits as `tx`.
inline core::MsgTicket began_as(const ShardStep& step, core::MsgTicket tx) {
  const core::Msg* msg = step.state.find(tx);
  return msg != nullptr && msg->outgoing && msg->remote.msg ? msg->remote.msg : tx;
}

/// Whether in this step the shard may have learned which NIDs belong to one peer. The control shard
/// learns it from a push, from the complete answer to a ping, or from an administrator; the other
/// shards learn it from the control shard's message. When a net is deleted, its NIDs are forgotten.
inline bool may_learn_peers(const ShardStep& step) {
  if (shard_msg_in<core::shard_msg::Publish>(step.input) != nullptr) return true;
  if (shard_msg_in<core::shard_msg::PeerEntryAnswer>(step.input) != nullptr) return true;
  return step.shard == core::kControlShard &&
         (std::holds_alternative<core::PayloadLanded>(step.input) ||
          std::holds_alternative<core::Config>(step.input) ||
          answered<core::call::PeerAdd>(step.input) != nullptr ||
          shard_msg_in<core::shard_msg::Ended>(step.input) != nullptr);
}

/// The Match of this step, if this shard owns the message's portal: when it finds no buffer, it
/// parks the message in the same step. Null for any other step.
inline const core::shard_msg::Match* match_at_owner(const ShardStep& step) {
  const auto* match = shard_msg_in<core::shard_msg::Match>(step.input);
  if (match == nullptr || match->parked) return nullptr;
  const bool owner = step.state.placement.owner_of(core::portal_of(match->header)) == step.shard;
  return owner ? match : nullptr;
}
/// The peer entry with which a portal's owner shard looks for a buffer for a message that came with
/// the peer entry `brought`, or with none: the newer of that entry and its own (PARTITIONS.md).
inline const core::PeerEntry* peer_entry_at_owner(const ShardStep& step, const Nid& source,
                                                  const core::PeerEntry* brought) {
  const core::PeerNid* known = step.state.peers.find(source);
  const std::uint64_t heard = known == nullptr ? 0 : known->reported;
  if (brought != nullptr && brought->generation > heard) return brought;
  return known == nullptr ? nullptr : known->peer_entry.get();
}

/// The NIDs whose peer NIs the shard deleted in this step, for an administrator's `peer del`.
inline std::span<const Nid> deleted(const core::Input& input) {
  if (const auto* del = answered<core::call::PeerDel>(input)) return del->gone;
  const auto* news = shard_msg_in<core::shard_msg::Publish>(input);
  return news == nullptr ? std::span<const Nid>() : news->gone;
}

/// Notes the NIDs that an administrator gives a peer in this step. As long as that peer has them,
/// no other peer gets them, whatever it reports (spec/multirail.md 2.2).
inline void note_configured(const ShardStep& step, std::set<Nid>& nids) {
  const auto* add = answered<core::call::PeerAdd>(step.input);
  if (add == nullptr) return;
  nids.insert(add->primary);
  nids.insert(add->nids.begin(), add->nids.end());
}

/// A user's PUT or GET for which the shard has to choose the path.
struct OwnRequest {
  Nid target;
  MdHandle md;
};
/// The request whose call this step takes or has answered with success; nothing: there is no such
/// call, or its caller names the source.
inline std::optional<OwnRequest> own_request(const core::Input& input) {
  const auto of = [](const auto& request) {
    const bool own = request.self.is_any() && request.portal != core::kReservedPortal;
    return own ? std::optional(OwnRequest{request.target.nid, request.md}) : std::nullopt;
  };
  if (const auto* put = answered<core::call::Put>(input)) return of(put->request);
  if (const auto* get = answered<core::call::Get>(input)) return of(get->request);
  return std::nullopt;
}

/// Whether a fault rule has failed the message within this step, so that it takes another path.
inline bool is_tried_again(const core::Msg* msg) { return msg != nullptr && msg->tries != 0; }

/// The hop to which the action sends the request for the first time; null if it sends something
/// else.
inline const Nid* hop_of(const ShardStep& step, const core::Action& action,
                         const OwnRequest& request) {
  if (const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action)) {
    const bool first =
        shard_msg->md == request.md && !is_tried_again(step.state.find(shard_msg->msg));
    return first ? &shard_msg->path.hop.nid : nullptr;
  }
  const auto* send = std::get_if<core::Send>(&action);
  const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
  const bool that =
      msg != nullptr && msg->md != nullptr && msg->md->handle == request.md && !is_tried_again(msg);
  return that ? &send->hop.nid : nullptr;
}

/// The NI by which an action with a hop_of() sends; 0: the shard of the hop chooses it.
inline core::NiId ni_of(const core::Action& action) {
  const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action);
  return shard_msg != nullptr ? shard_msg->path.ni : std::get<core::Send>(action).ni;
}

/// The ping or push of discovery, or the check of a gateway, that this action sends; null: it sends
/// none. Source: spec/multirail.md 4.3, 4.5, 9.4.
inline const core::Portal0Md* begun_by(const core::ShardState& state, const core::Action& action) {
  MdHandle md{};
  if (const auto* shard_msg = shard_msg_of<core::shard_msg::Transmit>(action)) {
    md = shard_msg->internal ? shard_msg->md : MdHandle{};
  } else if (const auto* send = std::get_if<core::Send>(&action)) {
    const core::Msg* msg = state.find(send->tx);
    if (msg != nullptr && msg->internal && msg->md != nullptr) md = msg->md->handle;
  }
  const core::Md* found = md ? state.memory.find(md) : nullptr;
  if (found == nullptr || found->owner != core::MdOwner::kShard) return nullptr;
  const auto* record = static_cast<const core::Portal0Md*>(found->user_ptr);
  const bool discovers = record->kind == core::Portal0Md::Kind::kPeerPing ||
                         record->kind == core::Portal0Md::Kind::kPush ||
                         record->kind == core::Portal0Md::Kind::kRouterCheck;
  return discovers ? record : nullptr;
}

// The Notes of a step about the health of NIs and peer NIs. A checker sees the state only after a
// step; the Notes show which health an NI reached, and left again, within the step.

/// Whether the note reports that the health of its NI has become `health`, which is 0 or
/// kHealthMax.
inline bool says_health(const core::Note& note, std::int32_t health) {
  return std::string_view(note.text) == core::health_news(core::kHealthMax - health, health);
}

/// Whether the health of this peer NI has become full in the step.
inline bool has_been_full(const ShardStep& step, const Nid& nid) {
  return std::ranges::any_of(notes_about(step, core::Note::About::kPeerNi),
                             [&](const core::Note& note) {
                               return note.nid == nid && says_health(note, core::kHealthMax);
                             });
}

// Messages that a delay rule holds when they arrive. They go on in a later step, whose input is a
// tick or the deletion of the rule; several may go on in one step. Source: spec/multirail.md 11.3.

/// The ticket by which a delay rule holds the message that arrived in this step; null: no rule
/// holds it.
inline const core::MsgTicket* delayed_in(const ShardStep& step) {
  if (!std::holds_alternative<core::HeaderArrived>(step.input)) return nullptr;
  for (const core::HoldPayload& hold : actions_of<core::HoldPayload>(step)) {
    const core::Msg* msg = step.state.find(hold.msg);
    if (msg != nullptr && msg->state == core::MsgState::kDelayed) return &hold.msg;
  }
  return nullptr;
}

/// The delayed arrivals of a shard.
class DelayedArrivals {
 public:
  /// Call it after each step. True: held messages have gone on in this step, or have ended.
  bool look(const ShardStep& step) {
    const bool go_on = std::erase_if(held_, [&](const core::MsgTicket& ticket) {
                         const core::Msg* msg = step.state.find(ticket);
                         const bool held = msg != nullptr && !msg->outgoing &&
                                           msg->state == core::MsgState::kDelayed;
                         return !held;
                       }) != 0;
    if (const core::MsgTicket* held = delayed_in(step)) held_.push_back(*held);
    return go_on;
  }

 private:
  std::vector<core::MsgTicket> held_;
};

inline std::vector<Nid> sorted(std::vector<Nid> nids) {
  std::sort(nids.begin(), nids.end());
  return nids;
}

}  // namespace ulnet::sim
