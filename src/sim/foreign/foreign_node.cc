#include "sim/foreign/foreign_node.h"

#include <algorithm>

#include "base/assert.h"
#include "sim/kernel/world.h"

namespace ulnet::sim {
namespace {

wire::LnetHeader header_between(const Nid& from, const Nid& to) {
  wire::LnetHeader made;
  made.src_nid = from;
  made.dest_nid = to;
  made.src_pid = made.dest_pid = Pid::lustre();
  return made;
}

std::vector<std::byte> encoded(const wire::PingInfo& info) {
  std::vector<std::byte> bytes(wire::ping_info_bytes(info));
  wire::encode_ping_info(info, bytes);
  return bytes;
}

}  // namespace

Habits ForeignNode::uprev() {
  Habits habits;
  habits.features |= wire::kPingMultiRail | wire::kPingDiscovery;
  habits.takes_pushes = true;
  return habits;
}

Habits ForeignNode::without_discovery() {
  Habits habits;
  habits.features |= wire::kPingMultiRail;
  return habits;
}

ForeignNode::ForeignNode(World& world, const std::vector<Nid>& nids, const Habits& habits)
    : world_(world), habits_(habits) {
  info.features = habits.features;
  for (const Nid& nid : nids) {
    info.legacy.push_back({nid, wire::NiStatus::kUp});
    ends_.push_back(std::make_unique<RawPeer>(world, nid));
    RawPeer& end = *ends_.back();
    listens_ = end.open_doors() && listens_;
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
}

// ---- what it gets -------------------------------------------------------------------------------

std::uint32_t ForeignNode::portal_of(const wire::LnetHeader& header) {
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return put->portal;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return get->portal;
  return 0;
}

void ForeignNode::take(RawPeer& end, RawPeer::Talk& talk, const RawPeer::Message& message) {
  heard_.push_back({end.nid(), message.header, message.payload});
  if (const std::uint64_t asked = message.frame.cookie0; asked != 0)  // zero-copy
    end.say(talk, words(wire::Frame{wire::FrameType::kNoop, 0, 0, asked}));
  const wire::LnetHeader& came = message.header;
  if (habits_.forwards && !has(came.dest_nid)) return forward(message);
  if (const auto* get = std::get_if<wire::GetPart>(&came.part)) return reply(end, talk, came, *get);
  const auto* put = std::get_if<wire::PutPart>(&came.part);
  if (put == nullptr || (put->portal == 0 && !habits_.takes_pushes)) return;
  if (put->ack_wmd.is_none()) return;
  wire::LnetHeader ack = header_between(came.dest_nid, came.src_nid);
  ack.part = wire::AckPart{put->ack_wmd, put->match_bits, came.payload_length};
  end.say(talk, words(ack, {}, talk.hello->version));
}

/// Over the connection that the target has made, if it has made one: it takes no second one.
void ForeignNode::forward(const RawPeer::Message& message) {
  const Nid& target = message.header.dest_nid;
  for (const auto& end : ends_) {
    if (end->nid().net() != target.net()) continue;
    for (const auto& talk : end->talks())
      if (talk->stream && talk->hello && !talk->by_us && talk->hello->src_nid == target &&
          talk->hello->type == wire::ConnType::kControl)
        return end->say(*talk, words(message.header, message.payload, talk->hello->version));
    return send(end->nid(), target, message.header, message.payload);
  }
}

void ForeignNode::reply(RawPeer& end, RawPeer::Talk& talk, const wire::LnetHeader& to,
                        const wire::GetPart& get) {
  std::vector<std::byte> payload;
  if (get.portal != 0) {
    payload.resize(get.sink_length);
  } else if (!habits_.answers_pings) {
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
  return std::any_of(ends_.begin(), ends_.end(),
                     [&](const auto& end) { return end->nid() == nid; });
}

RawPeer& ForeignNode::end_of(const Nid& nid) {
  const auto found =
      std::find_if(ends_.begin(), ends_.end(), [&](const auto& end) { return end->nid() == nid; });
  ULNET_ASSERT(found != ends_.end());
  return **found;
}

/// Over a connection of its own.
void ForeignNode::send(const Nid& from, const Nid& to, const wire::LnetHeader& header,
                       const std::vector<std::byte>& payload) {
  RawPeer& end = end_of(from);
  RawPeer::Talk* way = nullptr;
  for (const auto& talk : end.talks())
    if (talk->by_us && talk->stream && talk->remote.address == wire_address(to)) way = talk.get();
  if (way == nullptr) way = &end.greet(to);
  end.say(*way, words(header, payload));
}

void ForeignNode::put(const Nid& from, const Nid& to, const Sending& what) {
  wire::LnetHeader header = header_between(from, to);
  wire::PutPart part;
  part.portal = what.portal;
  part.match_bits = what.bits;
  if (what.ack) part.ack_wmd = {1, ++cookies_};
  header.part = part;
  header.payload_length = what.bytes;
  send(from, to, header, std::vector<std::byte>(what.bytes, std::byte{'f'}));
}

void ForeignNode::ping(const Nid& from, const Nid& to) {
  wire::LnetHeader header = header_between(from, to);
  wire::GetPart part;
  part.match_bits = wire::kPingMatchBits;
  part.sink_length = 272;
  part.return_wmd = {1, ++cookies_};
  header.part = part;
  send(from, to, header, {});
}

void ForeignNode::push(const Nid& from, const Nid& to, const std::vector<std::byte>& bytes,
                       const Nid& claimed) {
  wire::LnetHeader header = header_between(claimed.is_any() ? from : claimed, to);
  wire::PutPart part;
  part.match_bits = wire::kPingMatchBits;
  part.ack_wmd = {1, ++cookies_};
  header.part = part;
  header.payload_length = static_cast<std::uint32_t>(bytes.size());
  send(from, to, header, bytes);
}

void ForeignNode::push(const Nid& from, const Nid& to, const wire::PingInfo& what) {
  push(from, to, encoded(what));
}

// ---- what it heard ------------------------------------------------------------------------------

std::size_t ForeignNode::heard_of(wire::MsgType type, std::uint32_t portal) const {
  return static_cast<std::size_t>(
      std::count_if(heard_.begin(), heard_.end(), [&](const Heard& heard) {
        return heard.header.type() == type && portal_of(heard.header) == portal;
      }));
}

std::size_t ForeignNode::forwarded() const {
  return static_cast<std::size_t>(
      std::count_if(heard_.begin(), heard_.end(),
                    [&](const Heard& heard) { return !has(heard.header.dest_nid); }));
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
