// A node that runs other software, as far as another node can see: it speaks LNet over TCP,
// acknowledges zero-copy requests and PUTs, answers pings with a ping info of its own, answers
// GETs, and has the habits that it is given. Scenarios use it as a node without multi-rail or
// without discovery, as an old router, and as a node that lies. Source: spec/wire-lnet.md 4 to 6;
// spec/multirail.md 4.
//
//   ForeignNode old(world, {*Nid::parse("10.0.0.9@tcp")}, ForeignNode::downrev());
//   old.put(old.nid(), bob.nid(), {.portal = 5, .bytes = 100});
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <vector>

#include "lnet/wire/ping_info.h"
#include "sim/foreign/raw_peer.h"

namespace ulnet::sim {

/// What a foreign node does with the messages that it gets.
struct Behaviour {
  std::uint32_t features = wire::kPingNiStatus | wire::kPingRoutingDisabled;
  bool answers_pings = true;
  bool takes_pushes = false;  ///< acknowledges pushes; otherwise it drops them
  /// Forwards messages for other nodes, unchanged, to NIDs on its own nets.
  bool forwards = false;
};

class ForeignNode {
 public:
  /// A message that came to one of the foreign node's NIDs.
  struct Heard {
    Nid at;
    wire::LnetHeader header;
    std::vector<std::byte> payload;
  };
  struct Sending {
    std::uint32_t portal = 5;
    std::uint64_t bits = 7;
    std::uint32_t bytes = 100;
    bool ack = false;
  };

  /// No node may have its NIDs. `world` must outlive it. `incarnation`: the number in its hellos,
  /// and in the handles of its own requests.
  ForeignNode(World& world, const std::vector<Nid>& nids, const Behaviour& behaviour,
              std::uint64_t incarnation = 1);
  /// Software from before multi-rail: it answers pings without that feature, and does not know
  /// pushes.
  static Behaviour downrev() { return {}; }
  /// A router with the software of downrev().
  static Behaviour downrev_router() { return {.features = wire::kPingNiStatus, .forwards = true}; }
  /// Multi-rail and discovery as in today's LNet.
  static Behaviour uprev();
  /// Multi-rail with discovery turned off: it advertises its NIDs, and learns no NIDs of other
  /// nodes.
  static Behaviour without_discovery();

  /// False: another user listens at one of its addresses.
  bool listens() const { return listens_; }
  Nid nid(std::size_t index = 0) const { return ends_[index]->nid(); }
  /// The ping info that it advertises. A test may change it at any time.
  wire::PingInfo info;
  /// When set, answers pings in place of `info`: returns the payload of the REPLY to a ping whose
  /// sink has this many bytes.
  std::function<std::vector<std::byte>(std::uint32_t sink_bytes)> answer_ping;
  /// When set, returns the data for GETs that are not pings; otherwise such a GET gets zeros.
  std::function<std::vector<std::byte>(const wire::GetPart&)> answer_get;
  /// When set, gets each message instead of heard(), before the node answers the message.
  std::function<void(const Heard&)> on_heard;
  /// From now on its hellos carry the next incarnation.
  void restart();

  // Requests. Each goes over a connection that the target has made, if there is one; otherwise over
  // a connection of this node's own. Those that return a number use it as the object cookie of
  // their handle.
  void put(const Nid& from, const Nid& to, const Sending& what);
  /// Ignores `what.bytes`.
  std::uint64_t put(const Nid& from, const Nid& to, const Sending& what,
                    const std::vector<std::byte>& payload);
  std::uint64_t get(const Nid& from, const Nid& to, const Sending& what);
  std::uint64_t ping(const Nid& from, const Nid& to);
  /// Sends a push of these bytes, or of an info, and requests an ACK. `claimed`: the source NID in
  /// the header; any: `from`.
  void push(const Nid& from, const Nid& to, const std::vector<std::byte>& bytes,
            const Nid& claimed = Nid::any());
  void push(const Nid& from, const Nid& to, const wire::PingInfo& what);

  void forget() { heard_.clear(); }
  /// Frees what it keeps of closed connections. Do not call it from the node's callbacks.
  void forget_ended() {
    for (const auto& end : ends_) end->forget_ended();
  }
  /// All messages since the last forget(), oldest first.
  const std::vector<Heard>& heard() const { return heard_; }
  /// The number of messages of a type, on a portal (PUTs and GETs only; any other type has portal
  /// 0).
  std::size_t heard_of(wire::MsgType type, std::uint32_t portal) const;
  /// The number of messages that came and were for other nodes.
  std::size_t forwarded() const;
  /// The distinct source NIDs of the messages of a type, on a portal (as heard_of()).
  std::vector<Nid> sources_of(wire::MsgType type, std::uint32_t portal) const;

 private:
  void take(RawPeer& end, RawPeer::Talk& talk, const RawPeer::Message& message);
  void forward(const RawPeer::Message& message);
  void reply(RawPeer& end, RawPeer::Talk& talk, const wire::LnetHeader& to,
             const wire::GetPart& get);
  void send(const Nid& from, const Nid& to, const wire::LnetHeader& header,
            const std::vector<std::byte>& payload);
  wire::WireHandle next_handle() { return {incarnation_, ++cookies_}; }
  bool has(const Nid& nid) const;
  RawPeer& end_of(const Nid& nid);
  static std::uint32_t portal_of(const wire::LnetHeader& header);

  World& world_;
  const Behaviour behaviour_;
  std::uint64_t incarnation_;
  bool listens_ = true;
  std::uint64_t cookies_ = 1000;
  std::vector<std::unique_ptr<RawPeer>> ends_;
  std::vector<Heard> heard_;
};

}  // namespace ulnet::sim
