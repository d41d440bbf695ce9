#include "sim/world/pipe_driver.h"

#include <algorithm>
#include <bit>

#include "lnet/base/assert.h"
#include "lnet/lnd/region.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

constexpr unsigned kSmallestClass = 8;  // 256 bytes
/// The size of a message on the wire without its payload (spec/wire-lnet.md 2).
constexpr std::size_t kHeaderBytes = 72;

}  // namespace

// ---- messages under way -------------------------------------------------------------------------

Pipes::~Pipes() { ULNET_ASSERT(by_nid_.size() == 0); }

Pipes::Flight& Pipes::make(const End& from, const End& to, Link& link) {
  const auto [handle, flight] = flights_.make();
  flight->pipes = this;
  flight->self = handle;
  flight->number = ++numbers_;
  flight->link = &link;
  flight->sender = {from.nid, from.pid};
  flight->from_node = from.driver->node_.number();
  flight->from_incarnation = from.incarnation;
  flight->target = to.nid;
  flight->target_incarnation = to.incarnation;
  return *flight;
}

void Pipes::fill(Flight& flight, const core::Region& region) {
  flight.length = region.length;
  if (region.length == 0) return;
  const unsigned size_class =
      std::max<unsigned>(kSmallestClass, static_cast<unsigned>(std::bit_width(region.length - 1)));
  auto& spare = spare_[size_class];
  flight.payload.size_class = size_class;
  if (spare.empty()) {
    flight.payload.bytes =
        std::make_unique_for_overwrite<std::byte[]>(std::size_t{1} << size_class);
  } else {
    flight.payload.bytes = std::move(spare.back());
    spare.pop_back();
  }
  lnd::RegionCursor(region).drain({flight.payload.bytes.get(), region.length});
}

void Pipes::depart(Flight& flight, Instant when) {
  flight.on_wire = true;
  flight.departed = world_.now();
  ++in_flight_;
  const Fabric::Way* way = flight.link->way();
  if (way == nullptr) return world_.queue().at(when, flight);
  const auto bytes = static_cast<std::uint32_t>(kHeaderBytes + flight.length);
  world_.wire().fabric().cross(*this, flight.self, 0, *way, bytes, when);
}

Instant Pipes::in_flight_since() const {
  Instant since = kNever;
  flights_.for_each([&](Handle, const Flight& flight) {
    if (flight.on_wire) since = std::min(since, flight.departed);
  });
  return since;
}

void Pipes::crossed(Handle whose, std::uint64_t, bool is_lost) {
  Flight* flight = flights_.find(whose);
  if (flight == nullptr) return;
  const End* sender = find(flight->sender.nid);
  if (flight->departure && sender != nullptr && sender->incarnation == flight->from_incarnation)
    sender->driver->left(flight->departure);
  is_lost ? lost(*flight, WireLoss::kCut) : arrive(*flight);
}

void Pipes::landed(Flight& flight) {
  flight.on_wire = false;
  --in_flight_;
}

void Pipes::forget(Flight& flight) {
  if (flight.on_wire) landed(flight);
  if (flight.payload.bytes)
    spare_[flight.payload.size_class].push_back(std::move(flight.payload.bytes));
  flights_.erase(flight.self);
}

void Pipes::lost(Flight& flight, WireLoss how) {
  if (flight.what == Flight::What::kMessage) {
    ++world_.exercised().lost[static_cast<std::size_t>(how)];
    world_.trace().add({world_.now(), TraceKind::kLost, static_cast<std::uint8_t>(how),
                        flight.from_node, kNoNode, flight.number, flight.length});
  }
  forget(flight);
}

void Pipes::Flight::run() { pipes->arrive(*this); }

void Pipes::arrive(Flight& flight) {
  if (!flight.link->open()) {
    if (!flight.link->broken()) return flight.link->waiting().park(flight);
    return lost(flight, WireLoss::kCut);
  }
  End* end = find(flight.target);
  if (end == nullptr) return lost(flight, WireLoss::kNobody);
  if (end->incarnation != flight.target_incarnation)
    return lost(flight, WireLoss::kOtherIncarnation);
  if (!std::exchange(flight.served, true)) {
    const Instant handled = world_.wire().serve(end->place);
    if (handled > world_.now()) return world_.queue().at(handled, flight);
  }
  end->driver->arrived(flight, *end);
}

// ---- a driver -----------------------------------------------------------------------------------

PipeDriver::PipeDriver(World& world, SimNode& node, lnd::Inlet& inlet)
    : world_(world), node_(node), inlet_(inlet), pipes_(world.pipes()) {}

PipeDriver::~PipeDriver() { crash(true); }

Result<lnd::NiStarted> PipeDriver::start_ni(const lnd::NiSpec& spec) {
  if (pipes_.find(*spec.nid) != nullptr)
    return fail(-EADDRINUSE, spec.nid->to_string() + " is taken");
  auto end = std::make_unique<Pipes::End>(Pipes::End{
      this, spec.id, *spec.nid, spec.pid, world_.wire().place(*spec.nid), node_.incarnation()});
  pipes_.by_nid_.insert(*spec.nid, end.get());
  ends_.push_back(std::move(end));
  lnd::NiStarted started;
  started.nid = *spec.nid;
  started.interface = spec.nid->to_string();
  started.timeout = spec.timeout;
  return started;
}

Pipes::End* PipeDriver::end_of(core::NiId ni) {
  for (const auto& end : ends_)
    if (end->ni == ni) return end.get();
  return nullptr;
}

void PipeDriver::flush() {
  working_.swap(queue_);
  const std::vector<Handle> before = std::exchange(reported_, {});
  for (lnd::Command& command : working_) carry_out(command);
  working_.clear();
  // If a verdict crossed the report of a lost message, the verdict was among these commands. The
  // messages reported before this flush can therefore be released.
  for (const Handle handle : before)
    if (Pipes::Flight* flight = pipes_.flights_.find(handle)) release(*flight);
}

void PipeDriver::carry_out(lnd::Command& command) {
  std::visit(
      [&](auto& c) {
        using C = std::decay_t<decltype(c)>;
        if constexpr (std::is_same_v<C, core::Send>) {
          send(c);
        } else if constexpr (std::is_same_v<C, core::Land>) {
          land(c);
        } else if constexpr (std::is_same_v<C, core::HoldPayload>) {
          Pipes::Flight* flight = find(c.rx);
          ULNET_ASSERT(flight != nullptr);
          flight->held = true;
          flight->msg = c.msg;
        } else if constexpr (std::is_same_v<C, core::DropPayload>) {
          if (Pipes::Flight* flight = find(c.rx)) release(*flight);
        } else if constexpr (std::is_same_v<C, core::Reject>) {
          reject(c);
        } else if constexpr (std::is_same_v<C, core::Cancel>) {
          departures_.for_each([&](Handle, Departure& departure) {
            if (departure.tx != c.tx) return;
            departure.status = -ECANCELED;
            departure.health = core::Health::kLocalDropped;
            world_.queue().by(world_.now(), departure);
          });
        }
      },
      command);
}

PipeDriver::Departure& PipeDriver::end_send(const core::Send& send, Instant when, int status,
                                            core::Health health) {
  const auto [handle, departure] = departures_.make();
  departure->driver = this;
  departure->self = handle;
  departure->ni = send.ni;
  departure->tx = send.tx;
  departure->status = status;
  departure->health = health;
  world_.queue().at(when, *departure);
  return *departure;
}

/// Called when the message has crossed all switches on its way, or was lost on the way.
void PipeDriver::left(Handle handle) {
  if (Departure* departure = departures_.find(handle)) world_.queue().by(world_.now(), *departure);
}

void PipeDriver::Departure::run() {
  PipeDriver& owner = *driver;
  if (owner.paused_) return owner.parking_.park(*this);
  const core::SendDone done{tx, status, health, status != 0 && left};
  owner.departures_.erase(self);
  owner.inlet_.deliver(done);
  owner.inlet_.after_batch();
}

void PipeDriver::send(core::Send& send) {
  const Pipes::End* from = end_of(send.ni);
  const auto fails = [&](Instant when, int status, core::Health health) {
    end_send(send, when, status, health);
  };
  if (from == nullptr) return fails(world_.now(), -ESHUTDOWN, core::Health::kLocalAborted);
  Wire& wire = world_.wire();
  if (!wire.up(from->place)) return fails(world_.now(), -ENETDOWN, core::Health::kLocalError);
  const Pipes::End* to = pipes_.find(send.hop.nid);
  Link& link = wire.link(from->place, to != nullptr ? to->place : wire.place(send.hop.nid));
  if (!link.routed()) return fails(world_.now(), -ENETUNREACH, core::Health::kLocalNoRoute);
  ++world_.exercised().messages[static_cast<std::size_t>(send.header.type())];
  if (to == nullptr) {
    ++world_.exercised().lost[static_cast<std::size_t>(WireLoss::kNobody)];
    return fails(world_.now() + 2 * link.model().delay, -EHOSTUNREACH,
                 core::Health::kRemoteDropped);
  }
  see_peer(send.ni, send.hop, to->incarnation);
  Pipes::Flight& flight = pipes_.make(*from, *to, link);
  flight.header = send.header;
  world_.touch_memory(node_, send.payload, false);
  pipes_.fill(flight, send.payload);
  const Passage passage = wire.pass_message(link, kHeaderBytes + flight.length);
  world_.trace().add({world_.now(), TraceKind::kDepart,
                      static_cast<std::uint8_t>(send.header.type()), node_.number(),
                      to->driver->node_.number(), flight.number, flight.length,
                      static_cast<std::uint64_t>(passage.arrives.time_since_epoch().count())});
  // Between switches a message keeps its credits until it has crossed them, so that the credits
  // bound what waits there, as on a fabric whose sends end when the peer has them.
  const bool crosses = link.way() != nullptr && passage.arrives != kNever;
  Departure& departure = end_send(send, crosses ? kNever : passage.sent, 0, core::Health::kOk);
  departure.left = true;
  if (crosses) flight.departure = departure.self;
  if (passage.again != kNever) {
    Pipes::Flight& twin = pipes_.make(*from, *to, link);
    twin.header = send.header;
    pipes_.fill(twin, send.payload);
    ++world_.exercised().duplicated;
    world_.trace().add({world_.now(), TraceKind::kDuplicate, 0, node_.number(),
                        to->driver->node_.number(), twin.number, flight.number,
                        static_cast<std::uint64_t>(passage.again.time_since_epoch().count())});
    pipes_.depart(twin, passage.again);
  }
  passage.arrives == kNever ? pipes_.lost(flight, passage.loss)
                            : pipes_.depart(flight, passage.arrives);
}

PipeDriver::KnownPeer& PipeDriver::see_peer(core::NiId ni, const core::Hop& hop,
                                            std::uint64_t incarnation) {
  KnownPeer* known = by_key_.find({ni, hop.nid});
  if (known == nullptr) {
    known_peers_.push_back(std::make_unique<KnownPeer>());
    known = known_peers_.back().get();
    by_key_.insert({ni, hop.nid}, known);
    known->ni = ni;
    known->incarnation = incarnation;
  }
  known->hop = hop;
  if (incarnation > known->incarnation) {
    known->incarnation = incarnation;
    if (std::exchange(known->up, false)) inlet_.deliver(core::PeerDown{ni, hop, true});
  }
  if (!std::exchange(known->up, true)) inlet_.deliver(core::PeerUp{ni, hop});
  return *known;
}

void PipeDriver::arrived(Pipes::Flight& flight, Pipes::End& end) {
  if (paused_) return arrived_.push_back(flight.self);
  const KnownPeer* known = by_key_.find({end.ni, flight.sender.nid});
  if (known != nullptr && known->incarnation > flight.from_incarnation)
    return pipes_.lost(flight, WireLoss::kOtherIncarnation);
  pipes_.landed(flight);
  if (flight.what == Pipes::Flight::What::kGone) {
    const core::Hop hop = flight.sender;
    pipes_.forget(flight);
    shut(end.ni, hop.nid);
    return inlet_.after_batch();
  }
  world_.trace().add({world_.now(), TraceKind::kArrive,
                      static_cast<std::uint8_t>(flight.header.type()), node_.number(),
                      flight.from_node, flight.number, flight.length});
  see_peer(end.ni, flight.sender, flight.from_incarnation);
  flight.ni = end.ni;
  ++received_;
  rxs_.push_back(flight.self);
  const core::RxTicket rx{static_cast<std::uint64_t>(flight.self.generation) << 32 |
                          flight.self.slot};
  // Every other message arrives as from a driver that has not checked its payload yet.
  const bool whole = flight.number % 2 == 0;
  const core::HeaderArrived header{
      end.ni, flight.sender, &flight.header, rx, {flight.payload.bytes.get(), flight.length},
      whole};
  if (inlet_.deliver(header)) release(flight);
  inlet_.after_batch();
}

Pipes::Flight* PipeDriver::find(core::RxTicket rx) {
  return pipes_.flights_.find(
      {static_cast<std::uint32_t>(rx.value), static_cast<std::uint32_t>(rx.value >> 32)});
}

void PipeDriver::release(Pipes::Flight& flight) {
  if (!flight.reported) --received_;
  std::erase(rxs_, flight.self);
  pipes_.forget(flight);
}

void PipeDriver::land(const core::Land& land) {
  Pipes::Flight* flight = find(land.rx);
  ULNET_ASSERT(flight != nullptr);
  const bool lost = flight->reported;
  if (!lost && land.sink.length != 0) {
    world_.touch_memory(node_, land.sink, true);
    lnd::RegionCursor(land.sink).fill({flight->payload.bytes.get(), land.sink.length});
  }
  release(*flight);
  if (!lost) inlet_.deliver(core::PayloadLanded{land.msg, 0, core::Health::kOk});
}

void PipeDriver::reject(const core::Reject& reject) {
  Pipes::Flight* flight = find(reject.rx);
  if (flight == nullptr) return;
  const core::Hop hop = flight->sender;
  release(*flight);
  shut(reject.ni, hop.nid);
}

/// Reports the peer NI as down, if it was up. Messages held from it are lost.
void PipeDriver::shut(core::NiId ni, const Nid& nid) {
  KnownPeer* known = by_key_.find({ni, nid});
  if (known == nullptr || !known->up) return;
  known->up = false;
  const std::vector<Handle> all = rxs_;
  for (const Handle handle : all) {
    Pipes::Flight* flight = pipes_.flights_.find(handle);
    if (flight == nullptr || flight->ni != ni || flight->sender.nid != nid) continue;
    if (!flight->held || flight->reported) continue;
    flight->reported = true;
    --received_;
    reported_.push_back(handle);
    inlet_.deliver(core::PayloadLanded{flight->msg, -ECONNRESET, core::Health::kNetworkTimeout});
  }
  inlet_.deliver(core::PeerDown{ni, known->hop, false});
}

// ---- pause, stop and crash ----------------------------------------------------------------------

void PipeDriver::pause(bool paused) {
  paused_ = paused;
  if (paused) return;
  parking_.release(world_.queue());
  for (const Handle handle : std::exchange(arrived_, {}))
    world_.queue().at(world_.now(), *pipes_.flights_.find(handle));
}

void PipeDriver::send_gone(Pipes::End& end, const KnownPeer& other) {
  const Pipes::End* to = pipes_.find(other.hop.nid);
  if (to == nullptr || to->driver == this || to->incarnation != other.incarnation) return;
  Pipes::Flight& flight = pipes_.make(end, *to, world_.wire().link(end.place, to->place));
  flight.what = Pipes::Flight::What::kGone;
  const Passage passage = world_.wire().pass_message(*flight.link, kHeaderBytes);
  passage.arrives == kNever ? pipes_.lost(flight, passage.loss)
                            : pipes_.depart(flight, passage.arrives);
}

void PipeDriver::stop_ni(core::NiId ni) {
  flush();
  Pipes::End* end = end_of(ni);
  if (end == nullptr) return;
  std::vector<core::SendDone> ended;
  std::vector<Handle> gone;
  departures_.for_each([&](Handle handle, const Departure& departure) {
    if (departure.ni != ni) return;
    gone.push_back(handle);
    ended.push_back({departure.tx, -ESHUTDOWN, core::Health::kLocalAborted, departure.left});
  });
  for (const Handle handle : gone) departures_.erase(handle);
  for (const auto& known : known_peers_) {
    if (known->ni != ni || !known->up) continue;
    shut(ni, known->hop.nid);
    send_gone(*end, *known);
  }
  for (const core::SendDone& done : ended) inlet_.deliver(done);
  flush();
  pipes_.by_nid_.erase(end->nid);
  std::erase_if(ends_, [&](const auto& each) { return each.get() == end; });
}

void PipeDriver::crash(bool silent) {
  queue_.clear();
  for (const auto& end : ends_) {
    if (!silent)
      for (const auto& known : known_peers_)
        if (known->ni == end->ni && known->up) send_gone(*end, *known);
    pipes_.by_nid_.erase(end->nid);
  }
  ends_.clear();
  for (const Handle handle : rxs_)
    if (Pipes::Flight* flight = pipes_.flights_.find(handle)) pipes_.forget(*flight);
  for (const Handle handle : arrived_)  // no core has seen them
    if (Pipes::Flight* flight = pipes_.flights_.find(handle))
      pipes_.lost(*flight, WireLoss::kNobody);
  rxs_.clear();
  reported_.clear();
  arrived_.clear();
  received_ = 0;
}

}  // namespace ulnet::sim
