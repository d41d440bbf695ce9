#include "text_of.h"

#include <fmt/format.h>

#include "explored_node.h"

namespace ulnet::core::shard_msgs {

std::string text_of(MsgTicket msg) { return fmt::format("{:x}.{}", msg.slot, msg.generation); }

std::string text_of(const ShardSet& shards) {
  std::string text;
  shards.for_each([&](std::uint32_t shard) { text += fmt::format("{},", shard); });
  return text;
}

namespace {

/// An inter-shard message as text: all fields that affect its receiver.
struct TextOfShardMsg {
  std::string operator()(const shard_msg::Transmit& l) const {
    return fmt::format("transmit {} {:x} {} {} {}", text_of(l.msg), l.md.cookie,
                       l.header.part.index(), l.path.ni.value, l.path.generation);
  }
  std::string operator()(const shard_msg::Returned& l) const {
    return fmt::format("returned {} {} {} {} {} {}", text_of(l.msg), l.taken, l.status,
                       static_cast<int>(l.health), l.generation, l.peer_health);
  }
  std::string operator()(const shard_msg::Ended& l) const {
    return fmt::format("ended {:x} {} {}", l.md.cookie, static_cast<int>(l.event.type), l.status);
  }
  std::string operator()(const shard_msg::Abort& l) const {
    return fmt::format("abort {:x}", l.md.cookie);
  }
  std::string operator()(const shard_msg::ReplyInPlace& l) const {
    return fmt::format("in place {:x}", l.md.cookie);
  }
  std::string operator()(const shard_msg::Match& l) const {
    return fmt::format("match {} {} {} {} {} {}", l.origin, text_of(l.msg), text_of(l.parked),
                       text_of(l.asked), text_of(l.me), l.peer_entry != nullptr);
  }
  std::string operator()(const shard_msg::Matched& l) const {
    return fmt::format("matched {} {:x} {}", text_of(l.msg), l.md.cookie, l.mlength);
  }
  std::string operator()(const shard_msg::Dropped& l) const {
    return fmt::format("dropped {} {}", text_of(l.msg), static_cast<int>(l.reason));
  }
  std::string operator()(const shard_msg::Park& l) const {
    return fmt::format("park {} {} {} {}", l.origin, text_of(l.msg), text_of(l.asked),
                       l.peer_entry != nullptr);
  }
  std::string operator()(const shard_msg::Searched& l) const {
    return fmt::format("searched {} {} {}", text_of(l.parked), l.taken, l.empty);
  }
  std::string operator()(const shard_msg::Held& l) const {
    return fmt::format("held {} {}", text_of(l.msg), text_of(l.parked));
  }
  std::string operator()(const shard_msg::Withdraw& l) const {
    return fmt::format("withdraw {} {}", text_of(l.parked), static_cast<int>(l.reason));
  }
  std::string operator()(const shard_msg::BufferPosted& l) const {
    return fmt::format("buffer_posted {} {} {} {}", text_of(l.me), l.threshold, l.offset,
                       l.refusals);
  }
  std::string operator()(const shard_msg::NoneWaits& l) const {
    return fmt::format("none_waits {}", l.refusals);
  }
  std::string operator()(const shard_msg::ResponseArrived& l) const {
    return fmt::format("response_arrived {} {} {}", l.origin, text_of(l.msg),
                       l.header.part.index());
  }
  std::string operator()(const shard_msg::RoundTrip&) const { return "round_trip"; }
  std::string operator()(const shard_msg::ResponseTimeout&) const { return "response_timeout"; }
  std::string operator()(const shard_msg::NiOutcomes& l) const {
    return fmt::format("ni outcomes {} {} {}", l.ni.value, l.balance, l.received);
  }
  std::string operator()(const shard_msg::NiHealth& l) const {
    return fmt::format("ni health {} {} {}", l.ni.value, l.health, l.down);
  }
  std::string operator()(const shard_msg::PeerRestarted&) const { return "peer_restarted"; }
  std::string operator()(const shard_msg::PeerMet& l) const { return "met " + l.nid.to_string(); }
  std::string operator()(const shard_msg::PeerEntryWanted& l) const {
    return "wanted " + l.nid.to_string();
  }
  std::string operator()(const shard_msg::PeerEntryAnswer& l) const {
    return fmt::format("peer entry {} {} {}", l.nid.to_string(), l.peer_entry == nullptr,
                       l.generation);
  }
  std::string operator()(const shard_msg::Publish& l) const {
    std::string text = "publish";
    for (const PeerEntryRef& peer_entry : l.peer_entries)
      text += fmt::format(" {}", peer_entry->nids.size());
    return text + fmt::format(" alone {} gone {}", l.alone.size(), l.gone.size());
  }
  std::string operator()(const shard_msg::PeerNiHealth& l) const {
    return fmt::format("peer health {} {}", l.nid.to_string(), l.health);
  }
  std::string operator()(const shard_msg::PeerNiReported& l) const {
    return fmt::format("peer reported {} {}", l.nid.to_string(), l.up);
  }
  std::string operator()(const shard_msg::GatewayNews& l) const {
    return fmt::format("gateway {} usable {} lost {}", l.entry.gateway.to_string(), l.entry.usable,
                       l.entry.lost.size());
  }
  std::string operator()(const shard_msg::GatewayNotified& l) const {
    return fmt::format("gateway notified {} {}", l.nid.to_string(), static_cast<int>(l.what));
  }
  std::string operator()(const shard_msg::NetVisited& l) const {
    return fmt::format("net visited {}", l.net.to_string());
  }
  std::string operator()(const shard_msg::RouteFollowed& l) const {
    return fmt::format("route followed {} {}", l.gateway.to_string(), l.destination.to_string());
  }
  std::string operator()(const shard_msg::IdlePeers& l) const {
    return fmt::format("idle {}", l.peers.size());
  }
  std::string operator()(const shard_msg::PeerEvicted& l) const {
    return "evicted " + l.nid.to_string();
  }
  std::string operator()(const shard_msg::CameBack&) const { return "came back"; }
  std::string operator()(const shard_msg::Recall& l) const { return "recall " + text_of(l.msg); }
  std::string operator()(const shard_msg::CallEnded&) const { return "call ended"; }
  std::string operator()(const shard_msg::DiscoveryWanted& l) const {
    return "discovery of " + l.nid.to_string();
  }
  std::string operator()(const shard_msg::Discovered& l) const {
    return fmt::format("discovered {} {} {}", l.nids.front().to_string(), l.nids.size(), l.status);
  }
};

}  // namespace

std::string text_of(const ShardMsg& shard_msg) {
  return std::visit(TextOfShardMsg{}, shard_msg.body);
}

std::string text_of(const ShardState& s) {
  std::string text;
  if (const PortalState* p = s.portals.find(kPortal)) {
    text += fmt::format("P{}{}{} {} {} {} {} {} {}[", static_cast<int>(p->type), p->lazy,
                        p->reports, p->refusals, text_of(p->users), text_of(p->active), p->changes,
                        p->rotor, p->turn);
    for (const Msg& msg : p->held) text += text_of(msg.self) + " ";
    text += "]";
  }
  s.messages.for_each([&](Handle, const Msg& m) {
    text += fmt::format(
        "M{} {} {} {} {} {} {} {}{}{}{}{} {:x} {:x};", text_of(m.self), static_cast<int>(m.state),
        m.header.part.index(), m.remote.shard, text_of(m.remote.msg), text_of(m.asked), m.seen,
        m.peer_entry != nullptr, m.parked, m.deferred, m.rx_lost,
        static_cast<int>(m.unwanted) + 100 * m.tries, m.md == nullptr ? 0 : m.md->handle.cookie,
        m.remote_md == nullptr ? 0 : m.remote_md->md.cookie);
  });
  s.peers.for_each([&](const PeerNid& known) {
    text += fmt::format("K{} {} {} {} {} {}{} {};", known.nid.addr[3], known.reported, known.health,
                        known.peer_entry == nullptr ? 0 : known.peer_entry->nids.size(),
                        known.ni != nullptr && known.ni->met, known.discovered, known.asked,
                        known.elsewhere);
  });
  s.directory.for_each([&](const Peer& peer) {
    text += fmt::format("P{} {} {} {}[", peer.primary.addr[3], peer.nids().size(), peer.state,
                        static_cast<int>(peer.phase));
    for (const DiscoveryAsker& asker : peer.askers) text += fmt::format("{},", asker.shard);
    text += "];";
  });
  s.memory.for_each([&](const Md& md) {
    if (md.owner == MdOwner::kUser)
      text += fmt::format("D{:x} {} {} {} {} {} {}{};", md.handle.cookie,
                          static_cast<int>(md.state), md.refs, md.threshold, md.offset,
                          text_of(md.remote_shards), md.awaited.acks, md.awaited.replies);
  });
  if (const LocalNi* ni = s.nis.find(kTcp))
    text += fmt::format("N{} {} {}", static_cast<int>(ni->phase), ni->in_flight, ni->health);
  if (s.nis.find(kOtherTcp) == nullptr) return text;
  // With several NIs the choice depends on their health and turns.
  for (const NiId id : {kTcp, kOtherTcp})
    if (const LocalNi* ni = s.nis.find(id))
      text += fmt::format("N{} {} {}", ni->in_flight, ni->health, ni->sequence);
  text += fmt::format("E{} {}", s.early.size(), s.config->generation);
  return text;
}

}  // namespace ulnet::core::shard_msgs
