#include "sim/foreign/foreign_node.h"

#include <algorithm>

#include "lnet/base/assert.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

wire::LnetHeader header_between(const Nid& from, const Nid& to) {
  wire::LnetHeader made;
  made.src_nid = from;
  made.dest_nid = to;
  made.src_pid = made.dest_pid = Pid::lustre();
  return made;
}

/// Whether a connection of that type carries messages of any size.
bool takes_all(wire::ConnType type) {
  return type == wire::ConnType::kControl || type == wire::ConnType::kAny;
}

std::vector<std::byte> encoded(const wire::PingInfo& info) {
  std::vector<std::byte> bytes(wire::ping_info_bytes(info));
  wire::encode_ping_info(info, bytes);
  return bytes;
}

}  // namespace

Behaviour ForeignNode::uprev() {
  Behaviour behaviour;
  behaviour.features |= wire::kPingMultiRail | wire::kPingDiscovery;
  behaviour.takes_pushes = true;
  return behaviour;
}

Behaviour ForeignNode::without_discovery() {
  Behaviour behaviour;
  behaviour.features |= wire::kPingMultiRail;
  return behaviour;
}

ForeignNode::ForeignNode(World& world, const std::vector<Nid>& nids, const Behaviour& behaviour,
                         std::uint64_t incarnation)
    : world_(world), behaviour_(behaviour), incarnation_(incarnation) {
  info.features = behaviour.features;
  for (const Nid& nid : nids) {
    info.legacy.push_back({nid, wire::NiStatus::kUp});
    ends_.push_back(std::make_unique<RawPeer>(world, nid));
    RawPeer& end = *ends_.back();
    end.incarnation = incarnation;
    listens_ = end.open_listener() && listens_;
    end.on_message = [this, &end](RawPeer::Talk& talk, const RawPeer::Message& message) {
      take(end, talk, message);
    };
  }
}

void ForeignNode::restart() {
  for (const auto& end : ends_) {
    for (const auto& talk : end->talks()) end->hang_up(*talk);
    ++end->incarnation;
  }
  ++incarnation_;
}

// ---- what it gets -------------------------------------------------------------------------------

std::uint32_t ForeignNode::portal_of(const wire::LnetHeader& header) {
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return put->portal;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return get->portal;
  return 0;
}

void ForeignNode::take(RawPeer& end, RawPeer::Talk& talk, const RawPeer::Message& message) {
  Heard heard{end.nid(), message.header, message.payload};
  on_heard ? on_heard(heard) : heard_.push_back(std::move(heard));
  if (const std::uint64_t asked = message.frame.cookie0; asked != 0)  // zero-copy
    end.say(talk, words(wire::Frame{wire::FrameType::kNoop, 0, 0, asked}));
  const wire::LnetHeader& came = message.header;
  if (behaviour_.forwards && !has(came.dest_nid)) return forward(message);
  if (const auto* get = std::get_if<wire::GetPart>(&came.part)) return reply(end, talk, came, *get);
  const auto* put = std::get_if<wire::PutPart>(&came.part);
  if (put == nullptr || (put->portal == 0 && !behaviour_.takes_pushes)) return;
  if (put->ack_wmd.is_none()) return;
  wire::LnetHeader ack = header_between(came.dest_nid, came.src_nid);
  ack.part = wire::AckPart{put->ack_wmd, put->match_bits, came.payload_length};
  end.say(talk, words(ack, {}, talk.hello->version));
}

void ForeignNode::forward(const RawPeer::Message& message) {
  const Nid& target = message.header.dest_nid;
  for (const auto& end : ends_)
    if (end->nid().net() == target.net())
      return send(end->nid(), target, message.header, message.payload);
}

void ForeignNode::reply(RawPeer& end, RawPeer::Talk& talk, const wire::LnetHeader& to,
                        const wire::GetPart& get) {
  std::vector<std::byte> payload;
  if (get.portal != 0) {
    payload = answer_get ? answer_get(get) : std::vector<std::byte>(get.sink_length);
  } else if (!behaviour_.answers_pings) {
    return;
  } else if (answer_ping) {
    payload = answer_ping(get.sink_length);
  } else {
    payload = encoded(info);
    payload.resize(std::min<std::size_t>(payload.size(), get.sink_length));
  }
  wire::LnetHeader answer = header_between(to.dest_nid, to.src_nid);
  answer.payload_length = static_cast<std::uint32_t>(payload.size());
  answer.part = wire::ReplyPart{get.return_wmd};
  end.say(talk, words(answer, payload, talk.hello->version));
}

// ---- what it sends ------------------------------------------------------------------------------

bool ForeignNode::has(const Nid& nid) const {
  return std::ranges::any_of(ends_, [&](const auto& end) { return end->nid() == nid; });
}

RawPeer& ForeignNode::end_of(const Nid& nid) {
  const auto found =
      std::ranges::find_if(ends_, [&](const auto& end) { return end->nid() == nid; });
  ULNET_ASSERT(found != ends_.end());
  return **found;
}

/// Uses the connection for small messages that the target has made, if there is one: the target
/// accepts no second one.
void ForeignNode::send(const Nid& from, const Nid& to, const wire::LnetHeader& header,
                       const std::vector<std::byte>& payload) {
  RawPeer& end = end_of(from);
  RawPeer::Talk* own = nullptr;
  RawPeer::Talk* theirs = nullptr;
  for (const auto& talk : end.talks()) {
    if (!talk->stream) continue;
    if (talk->by_us && talk->remote.address == wire_address(to)) own = talk.get();
    if (!talk->by_us && talk->hello && talk->hello->src_nid == to && takes_all(talk->hello->type))
      theirs = talk.get();
  }
  if (theirs != nullptr) return end.say(*theirs, words(header, payload, theirs->hello->version));
  end.say(own != nullptr ? *own : end.greet(to), words(header, payload));
}

void ForeignNode::put(const Nid& from, const Nid& to, const Sending& what) {
  put(from, to, what, std::vector<std::byte>(what.bytes, std::byte{'f'}));
}

std::uint64_t ForeignNode::put(const Nid& from, const Nid& to, const Sending& what,
                               const std::vector<std::byte>& payload) {
  wire::LnetHeader header = header_between(from, to);
  wire::PutPart part;
  part.portal = what.portal;
  part.match_bits = what.bits;
  if (what.ack) part.ack_wmd = next_handle();
  header.part = part;
  header.payload_length = static_cast<std::uint32_t>(payload.size());
  send(from, to, header, payload);
  return what.ack ? cookies_ : 0;
}

std::uint64_t ForeignNode::get(const Nid& from, const Nid& to, const Sending& what) {
  wire::LnetHeader header = header_between(from, to);
  wire::GetPart part;
  part.portal = what.portal;
  part.match_bits = what.bits;
  part.sink_length = what.bytes;
  part.return_wmd = next_handle();
  header.part = part;
  send(from, to, header, {});
  return cookies_;
}

std::uint64_t ForeignNode::ping(const Nid& from, const Nid& to) {
  return get(from, to, {.portal = 0, .bits = wire::kPingMatchBits, .bytes = 272});
}

void ForeignNode::push(const Nid& from, const Nid& to, const std::vector<std::byte>& bytes,
                       const Nid& claimed) {
  wire::LnetHeader header = header_between(claimed.is_any() ? from : claimed, to);
  wire::PutPart part;
  part.match_bits = wire::kPingMatchBits;
  part.ack_wmd = next_handle();
  header.part = part;
  header.payload_length = static_cast<std::uint32_t>(bytes.size());
  send(from, to, header, bytes);
}

void ForeignNode::push(const Nid& from, const Nid& to, const wire::PingInfo& what) {
  push(from, to, encoded(what));
}

// ---- what it heard ------------------------------------------------------------------------------

std::size_t ForeignNode::heard_of(wire::MsgType type, std::uint32_t portal) const {
  return static_cast<std::size_t>(std::ranges::count_if(heard_, [&](const Heard& heard) {
    return heard.header.type() == type && portal_of(heard.header) == portal;
  }));
}

std::size_t ForeignNode::forwarded() const {
  return static_cast<std::size_t>(std::ranges::count_if(
      heard_, [&](const Heard& heard) { return !has(heard.header.dest_nid); }));
}

std::vector<Nid> ForeignNode::sources_of(wire::MsgType type, std::uint32_t portal) const {
  std::vector<Nid> sources;
  for (const Heard& heard : heard_)
    if (heard.header.type() == type && portal_of(heard.header) == portal)
      sources.push_back(heard.header.src_nid);
  std::sort(sources.begin(), sources.end());
  sources.erase(std::unique(sources.begin(), sources.end()), sources.end());
  return sources;
}

}  // namespace ulnet::sim
