// A node of other software, as far as another node sees it: it speaks LNet over TCP, acknowledges
// zero-copy requests and PUTs, answers pings with a ping info of its own, and GETs, and has the
// habits that it is given. Scenarios use it as a node without multi-rail, or without discovery, as
// an old router, and as one that lies. Source: spec/wire-lnet.md 4 to 6; spec/multirail.md 4.
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

/// What a foreign node does with what it gets.
struct Habits {
  std::uint32_t features = wire::kPingNiStatus | wire::kPingRoutingDisabled;
  bool answers_pings = true;
  bool takes_pushes = false;  ///< acknowledges them; else it drops them
  /// Sends messages for others on, unchanged, to NIDs on its own nets.
  bool forwards = false;
};

class ForeignNode {
 public:
  /// A message that came to one of its NIDs.
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

  /// No node may have its NIDs. `world` must outlive it. `incarnation`: in its hellos, and in the
  /// handles of what it asks for.
  ForeignNode(World& world, const std::vector<Nid>& nids, const Habits& habits,
              std::uint64_t incarnation = 1);
  /// Software from before multi-rail: it answers pings without that feature, and knows no pushes.
  static Habits downrev() { return {}; }
  /// A router of that time.
  static Habits downrev_router() { return {.features = wire::kPingNiStatus, .forwards = true}; }
  /// Multi-rail and discovery as they are today.
  static Habits uprev();
  /// Multi-rail with discovery turned off: it tells its NIDs, and takes nobody else's.
  static Habits without_discovery();

  /// False: somebody else listens at one of its addresses.
  bool listens() const { return listens_; }
  Nid nid(std::size_t index = 0) const { return ends_[index]->nid(); }
  /// What it tells of itself. It may be changed at any time.
  wire::PingInfo info;
  /// When set, answers pings in place of `info`: the payload of the REPLY to one with a sink of
  /// this many bytes.
  std::function<std::vector<std::byte>(std::uint32_t sink_bytes)> answer_ping;
  /// When set, answers GETs that are no pings; else they get zeros.
  std::function<std::vector<std::byte>(const wire::GetPart&)> answer_get;
  /// When set, it gets what would be recorded in heard(), before that is answered.
  std::function<void(const Heard&)> on_heard;
  /// Its next incarnation says hello from now on.
  void restart();

  // Requests. Each goes by a connection that the other one has made, if there is one; else by one
  // of its own. Those that return a number have that as the object cookie of their handle.
  void put(const Nid& from, const Nid& to, const Sending& what);
  /// `what.bytes` is not looked at.
  std::uint64_t put(const Nid& from, const Nid& to, const Sending& what,
                    const std::vector<std::byte>& payload);
  std::uint64_t get(const Nid& from, const Nid& to, const Sending& what);
  std::uint64_t ping(const Nid& from, const Nid& to);
  /// A push of these bytes, or of an info, by which it asks for an ACK. `claimed`: the source NID
  /// in the header; any: `from`.
  void push(const Nid& from, const Nid& to, const std::vector<std::byte>& bytes,
            const Nid& claimed = Nid::any());
  void push(const Nid& from, const Nid& to, const wire::PingInfo& what);

  void forget() { heard_.clear(); }
  /// Gives back what it keeps of connections that are closed. Not from its callbacks.
  void forget_ended() {
    for (const auto& end : ends_) end->forget_ended();
  }
  /// All that it has heard since it was told to forget, oldest first.
  const std::vector<Heard>& heard() const { return heard_; }
  /// Messages of a type, on a portal (PUTs and GETs only; any other type has portal 0).
  std::size_t heard_of(wire::MsgType type, std::uint32_t portal) const;
  /// Messages that came and were for others.
  std::size_t forwarded() const;
  /// The different source NIDs of these messages.
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
  const Habits habits_;
  std::uint64_t incarnation_;
  bool listens_ = true;
  std::uint64_t cookies_ = 1000;
  std::vector<std::unique_ptr<RawPeer>> ends_;
  std::vector<Heard> heard_;
};

}  // namespace ulnet::sim
