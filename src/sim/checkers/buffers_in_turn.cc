#include "sim/checkers/buffers_in_turn.h"

#include <numeric>
#include <string>

#include "core/inbound.h"
#include "sim/world.h"

namespace ulnet::sim {
namespace {

using core::ShardSet;

/// The PUT or GET for a portal that came in with this step.
const wire::LnetHeader* request_in(const ShardStep& step) {
  const auto* in = std::get_if<core::HeaderArrived>(&step.input);
  if (in == nullptr) return nullptr;
  const wire::MsgType type = in->header->type();
  const bool request = type == wire::MsgType::kPut || type == wire::MsgType::kGet;
  return request && core::Portals::exists(core::portal_of(*in->header)) ? in->header : nullptr;
}

/// Messages dropped before anybody looked for a buffer, or for another reason than its result.
std::uint64_t dropped_unseen(const core::ShardState& state) {
  const auto& drops = state.tally.drops;
  return std::accumulate(drops.begin(), drops.end(), std::uint64_t{0}) -
         drops[static_cast<std::size_t>(core::DropReason::kNoMatch)] -
         drops[static_cast<std::size_t>(core::DropReason::kTooLong)];
}

template <class Body, class Fn>
void for_each_letter(const ShardStep& step, Fn&& fn) {
  for (const core::Action& action : step.actions)
    if (const auto* mail = std::get_if<core::SendMail>(&action))
      if (const auto* body = std::get_if<Body>(&mail->letter->body)) fn(mail->to, *body);
}

std::string name_of(Portal portal) { return "portal " + std::to_string(portal.index); }

/// Which partition 7.3 wants first; nothing: the next of the round robin.
std::optional<std::uint32_t> wanted_first(const core::ShardState& state,
                                          const wire::LnetHeader& header) {
  const core::PortalState* portal = state.portals.find(core::portal_of(header));
  if (portal != nullptr && portal->unique())
    return state.placement.of(state.peers.primary_of(header.src_nid));
  const bool routed = header.src_nid.net() != header.dest_nid.net();
  switch (state.config->globals.portal_rotor) {
    case core::PortalRotor::kOff:
      return state.index;
    case core::PortalRotor::kOn:
      return std::nullopt;
    case core::PortalRotor::kRoundRobinRouted:
      return routed ? std::nullopt : std::optional(state.index);
    case core::PortalRotor::kHashRouted:
      return routed ? state.placement.of(header.src_nid) : state.index;
  }
  return state.index;
}

/// Who may have a buffer for it, as far as home knows: `have`, and home itself.
ShardSet could_ask(const ShardStep& step, Portal portal, ShardSet have, const ShardSet& nothing) {
  const core::PortalState* state = step.state.portals.find(portal);
  const bool here = state != nullptr && !state->entries.empty();
  here ? have.insert(step.shard) : have.erase(step.shard);
  return have - nothing;
}

}  // namespace

void BuffersInTurn::before_step(World&, const ShardStep& step) {
  if (step.node.shards() == 1) return;
  if (request_in(step) != nullptr) dropped_unseen_ = dropped_unseen(step.state);
}

void BuffersInTurn::after_step(World& world, const ShardStep& step) {
  if (step.node.shards() == 1) return;
  Book& book = books_.of(step.node, step.shard);
  look_first(world, step, book);
  learn(step, book);
  look_on(world, step, book);
}

void BuffersInTurn::look_first(World& world, const ShardStep& step, Book& book) {
  const wire::LnetHeader* header = request_in(step);
  if (header == nullptr || dropped_unseen(step.state) != dropped_unseen_) return;
  const Portal portal = core::portal_of(*header);
  std::uint32_t first = step.shard;
  for_each_letter<core::letter::Match>(step, [&](std::uint32_t to, const auto& match) {
    if (!match.custody) first = to;
  });
  std::optional<std::uint32_t> wanted = wanted_first(step.state, *header);
  if (!wanted) {
    const auto [last, fresh] = book.last_first.try_emplace(portal.index, first);
    wanted = fresh ? first : (last->second + 1) % step.node.shards();
    last->second = first;
  }
  if (first != *wanted)
    violation(world, &step.node,
              name_of(portal) + ": a message looked for a buffer in partition " +
                  std::to_string(first) + " first, not in " + std::to_string(*wanted));
}

/// Who has buffers, as far as a portal's home is told.
void BuffersInTurn::learn(const ShardStep& step, Book& book) {
  if (const auto* claim = answered<core::call::ClaimPortal>(step.input))
    book.homes[claim->portal.index].have.insert(claim->user);
  if (const auto* buffers = letter_in<core::letter::Buffers>(step.input))
    book.homes[buffers->portal.index].have.insert(std::get<core::Mail>(step.input).from);
  if (const auto* searched = letter_in<core::letter::Searched>(step.input)) {
    const Asked* asked = book.asked.find(searched->custody);
    if (asked != nullptr && searched->empty)
      book.homes[asked->portal.index].have.erase(std::get<core::Mail>(step.input).from);
  }
}

void BuffersInTurn::look_on(World& world, const ShardStep& step, Book& book) {
  bool asked_others = false, took_it = false;
  for_each_letter<core::letter::Match>(step, [&](std::uint32_t to, const auto& match) {
    if (!match.custody) return;
    asked_others = true;
    const Portal portal = core::portal_of(match.header);
    const core::Msg* msg = step.state.find(match.custody);
    if (step.state.placement.home_of(portal) != step.shard || msg == nullptr)
      return violation(world, &step.node, name_of(portal) + ": not its home asked for a buffer");
    const Asked* before = book.asked.find(match.custody);
    Home& home = book.homes[portal.index];
    if (before != nullptr && before->seen != msg->seen) home.passed.clear();
    book.asked.add(match.custody, {portal, msg->asked, msg->seen});
    const ShardSet could = could_ask(step, portal, home.have, msg->asked);
    if (!step.state.portals.find(portal)->unique())
      return offered(world, step, home, portal, to, could);
    const std::uint32_t own =
        step.state.placement.of(step.state.peers.primary_of(match.header.src_nid));
    if (to != own && could.contains(own))
      violation(world, &step.node, name_of(portal) + ": not the initiator's partition was asked");
  });
  if (asked_others) return;
  for_each_letter<core::letter::Matched>(step, [&](auto, const auto&) { took_it = true; });
  const auto* park = letter_in<core::letter::Park>(step.input);
  const auto* searched = letter_in<core::letter::Searched>(step.input);
  const Asked* asked = searched == nullptr ? nullptr : book.asked.find(searched->custody);
  if (park == nullptr && asked == nullptr) return;
  const Portal portal = park != nullptr ? core::portal_of(park->header) : asked->portal;
  ShardSet nothing = park != nullptr ? park->asked : asked->nothing;
  if (asked != nullptr) nothing.insert(std::get<core::Mail>(step.input).from);
  Home& home = book.homes[portal.index];
  // It may have looked at home in vain, which is not seen.
  if (!took_it) return home.passed.clear();
  offered(world, step, home, portal, step.shard, could_ask(step, portal, home.have, nothing));
}

/// Home turned to `to`. Nobody is asked twice while another, who could have been asked both times
/// and whenever somebody was in between, is not asked once.
void BuffersInTurn::offered(World& world, const ShardStep& step, Home& home, Portal portal,
                            std::uint32_t to, const ShardSet& could) {
  home.passed.resize(step.node.shards());
  for (std::uint32_t other = 0; other < step.node.shards(); ++other) {
    ShardSet& passed = home.passed[other];
    if (other == to || !could.contains(other)) {
      passed = {};
    } else if (passed.contains(to)) {
      return violation(world, &step.node,
                       name_of(portal) + ": partition " + std::to_string(to) +
                           " was asked for a buffer again, before " + std::to_string(other));
    } else {
      passed.insert(to);
    }
  }
}

}  // namespace ulnet::sim
