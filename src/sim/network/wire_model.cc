#include "sim/network/wire_model.h"

#include <algorithm>
#include <cstring>

#include "lnet/base/assert.h"
#include "sim/kernel/seeds.h"

namespace ulnet::sim {

Address wire_address(const Nid& nid) {
  Address address;
  if (nid.size == 0) {
    std::copy_n(nid.addr.begin(), 4, address.bytes.begin());
  } else {
    address.family = lnd::sock::Family::kIpv6;
    address.bytes = nid.addr;
  }
  return address;
}

std::size_t Wire::AddressHash::operator()(const Address& address) const {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  std::memcpy(&a, address.bytes.data(), 8);
  std::memcpy(&b, address.bytes.data() + 8, 8);
  return a ^ b * 31 ^ static_cast<std::uint64_t>(address.family);
}

Place Wire::place(const Address& address) {
  if (const PlaceState* known = by_address_.find(address)) return known->self;
  const Place self{static_cast<std::uint32_t>(places_.size())};
  places_.push_back(std::make_unique<PlaceState>());
  places_.back()->self = self;
  places_.back()->address = address;
  by_address_.insert(address, places_.back().get());
  return self;
}

Link& Wire::link(Place from, Place to) {
  const std::uint64_t pair = static_cast<std::uint64_t>(from.value) << 32 | to.value;
  if (Link* known = by_pair_.find(pair)) return *known;
  links_.push_back(std::make_unique<Link>());
  Link& link = *links_.back();
  link.from_ = from;
  link.to_ = to;
  set_usual(link, model_);
  link.obstacles_ = (up(from) ? 0U : 1U) + (up(to) ? 0U : 1U);
  places_[from.value]->links.push_back(&link);
  if (from != to) places_[to.value]->links.push_back(&link);
  by_pair_.insert(pair, &link);
  find_way(link);
  return link;
}

void Wire::attach(Place place, SwitchId at) {
  PlaceState& state = *places_[place.value];
  ULNET_ASSERT(state.at_switch == at || state.links.empty());
  state.at_switch = at;
}

void Wire::find_way(Link& link) {
  const auto from = places_[link.from_.value]->at_switch, to = places_[link.to_.value]->at_switch;
  if (!from || !to || from == to) return;
  link.way_ = fabric_.way(*from, *to);
  if (link.way_ == nullptr) link.cut_on_way_ = 1;
  if (link.way_ != nullptr)
    for (const SwitchPort* port : *link.way_) link.cut_on_way_ += port->is_cut() ? 1 : 0;
  link.obstacles_ += link.cut_on_way_;
}

// ---- state of the links -------------------------------------------------------------------------

void Wire::set_model(const LinkModel& model) {
  model_ = model;
  for (const auto& link : links_)
    if (!link->own_model_) set_usual(*link, model);
}

void Wire::set_model(Place from, Place to, const LinkModel& model) {
  Link& changed = link(from, to);
  set_usual(changed, model);
  changed.own_model_ = true;
}

void Wire::set_usual(Link& link, const LinkModel& model) {
  link.usual_ = link.model_ = model;
  for (const Link::Raised& raised : link.raised_) link.model_.*raised.chance = raised.ppm;
}

std::uint64_t Wire::raise(Link& link, LinkChance chance, std::uint32_t ppm) {
  link.raised_.push_back({++last_fault_, chance, ppm});
  link.model_.*chance = ppm;
  return last_fault_;
}

void Wire::lower(Link& link, std::uint64_t fault) {
  std::erase_if(link.raised_, [&](const Link::Raised& raised) { return raised.fault == fault; });
  set_usual(link, LinkModel(link.usual_));
}

void Wire::obstacle(Link& link, bool more) {
  if (more) {
    if (!link.broken()) link.broken_since_ = queue_.now();
    ++link.obstacles_;
    return;
  }
  const bool broken = link.broken();
  if (--link.obstacles_ == 0)
    link.waiting_.release(queue_, broken ? time_to_retransmit(link) : Duration{});
}

/// How long TCP still waits until it retransmits, now that the link is whole: its timer does not
/// depend on the link.
Duration Wire::time_to_retransmit(const Link& link) const {
  const Duration broken = queue_.now() - link.broken_since_;
  const Duration most = std::max(link.model_.retransmit_max, link.model_.retransmit);
  Duration wait = std::max(link.model_.retransmit, Duration(1));
  Duration at = wait;
  for (; at < broken && wait < most; at += wait) wait = std::min(wait * 2, most);
  if (at < broken) at += (broken - at + most - Duration(1)) / most * most;
  return at - broken;
}

void Wire::fault(Link& link, std::uint32_t Link::*kind, bool begins) {
  if (begins) {
    if (link.*kind == 0) obstacle(link, true);
    ++(link.*kind);
  } else if (link.*kind != 0) {
    if (link.*kind == 1) obstacle(link, false);
    --(link.*kind);
  }
}

void Wire::cut(Place from, Place to, bool begins) { fault(link(from, to), &Link::cuts_, begins); }

void Wire::clog(Place from, Place to, bool begins) { fault(link(from, to), &Link::clogs_, begins); }

void Wire::set_route(Place from, Place to, bool routed) {
  fault(link(from, to), &Link::lost_routes_, !routed);
}

void Wire::cut_switch_link(SwitchLinkId id, bool cut) {
  if (fabric_.is_cut(id) == cut) return;
  fabric_.cut(id, cut);
  for (const auto& link : links_) {
    if (link->way_ == nullptr || !fabric_.leads_over(*link->way_, id)) continue;
    cut ? ++link->cut_on_way_ : --link->cut_on_way_;
    obstacle(*link, cut);
  }
}

void Wire::set_up(Place place, bool up) {
  PlaceState& changed = *places_[place.value];
  if (up && changed.downs == 0) return;
  up ? --changed.downs : ++changed.downs;
  if (changed.downs != (up ? 0U : 1U)) return;
  for (Link* link : changed.links) {
    obstacle(*link, !up);
    if (link->from_ == link->to_) obstacle(*link, !up);
  }
}

void Wire::heal() {
  for (const auto& link : links_)
    for (const auto kind : {&Link::cuts_, &Link::clogs_, &Link::lost_routes_})
      while ((*link).*kind != 0) fault(*link, kind, false);
  for (std::uint32_t id = 0; id < fabric_.links(); ++id) cut_switch_link({id}, false);
  for (const auto& place : places_)
    while (place->downs != 0) set_up(place->self, true);
}

// ---- sending ------------------------------------------------------------------------------------

namespace {

/// Adds the time that `bytes` take at this rate to the time at which the sender is free.
Instant send_at(std::uint64_t rate, Instant now, std::size_t bytes, Instant& free_at) {
  if (rate == 0) return now;
  const auto took = Duration(
      static_cast<std::int64_t>(static_cast<unsigned __int128>(bytes) * 1'000'000'000 / rate));
  return free_at = std::max(free_at, now) + took;
}

}  // namespace

Instant Wire::transmit(Link& link, std::size_t bytes) {
  const Instant now = queue_.now();
  PlaceState& sender = *places_[link.from_.value];
  return std::max(send_at(link.model_.bytes_per_second, now, bytes, link.free_at_),
                  send_at(sender.rate, now, bytes, sender.free_at));
}

Instant Wire::serve(Place place) {
  PlaceState& server = *places_[place.value];
  const Instant now = queue_.now();
  if (server.service == Duration{}) return now;
  return server.busy_until = std::max(server.busy_until, now) + server.service;
}

Duration Wire::travel(const Link& link) {
  if (link.model_.jitter <= Duration{}) return link.model_.delay;
  return link.model_.delay + up_to(rng_, link.model_.jitter);
}

Passage Wire::pass_message(Link& link, std::size_t bytes) {
  Passage passage;
  passage.sent = std::max(transmit(link, bytes), serve(link.from_));
  const LinkModel& model = link.model_;
  if (link.broken()) {
    passage.arrives = kNever;
    const bool cut = link.cuts_ != 0 || !link.routed() || link.cut_on_way_ != 0;
    passage.loss = cut ? WireLoss::kCut : WireLoss::kInterfaceDown;
    return passage;
  }
  if (model.loss_ppm != 0 && chance(rng_, model.loss_ppm)) {
    passage.arrives = kNever;
    return passage;
  }
  passage.arrives = std::max(passage.sent + travel(link), link.last_);
  const auto most = static_cast<std::uint64_t>(std::max<std::int64_t>(model.reorder.count(), 1));
  if (model.reorder_ppm != 0 && chance(rng_, model.reorder_ppm)) {
    passage.arrives += Duration(static_cast<std::int64_t>(1 + rng_.below(most)));
  } else {
    link.last_ = passage.arrives;
  }
  if (model.duplicate_ppm != 0 && chance(rng_, model.duplicate_ppm))
    passage.again = passage.arrives + Duration(static_cast<std::int64_t>(rng_.below(most)));
  return passage;
}

Passage Wire::pass_stream(Link& link, std::size_t bytes) {
  Passage passage;
  passage.sent = transmit(link, bytes);
  passage.arrives = passage.sent + travel(link);
  if (link.model_.loss_ppm != 0 && chance(rng_, link.model_.loss_ppm))
    passage.arrives += link.model_.retransmit;
  return passage;
}

Instant Wire::pass_segment(Link& link, std::size_t bytes) {
  const Instant arrives = pass_stream(link, bytes).arrives;
  if (link.way_ == nullptr) return arrives;
  return arrives + Fabric::unhindered(*link.way_, static_cast<std::uint32_t>(bytes));
}

}  // namespace ulnet::sim
