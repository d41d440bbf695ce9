// An operation between a node and one of other software.
#include <algorithm>
#include <cstring>

#include "sim/load/old_node_impl.h"

namespace ulnet::sim {
namespace {

constexpr Duration kAnswerWithin = std::chrono::seconds(5);

}  // namespace

std::vector<std::byte> contents_of(std::uint64_t key, std::uint32_t bytes) {
  Rng rng(key);
  std::vector<std::byte> made(bytes);
  for (std::size_t at = 0; at < made.size(); at += 8) {
    const std::uint64_t word = rng.next();
    std::memcpy(made.data() + at, &word, std::min<std::size_t>(8, made.size() - at));
  }
  return made;
}

/// Begins the operation. False: the node refuses it.
bool OldNode::Op::begin() {
  incarnation = load.incarnations_.size() - 1;
  if (of_node()) return begin_at_node();
  ForeignNode* old = load.node_.get();
  const bool posts = what == What::kItsPut || what == What::kItsPutAck || what == What::kItsGet;
  if (old == nullptr || (posts && !post())) return false;
  begin_at_old(*old);
  return true;
}

MdSpec OldNode::Op::spec() {
  memory = contents_of(key, length);
  if (what != What::kPut && what != What::kPutAck && what != What::kItsGet)
    std::ranges::fill(memory, std::byte{0xee});
  memory.resize(std::max<std::size_t>(length, 1));
  fragment = {memory.data(), length};
  MdSpec made;
  made.fragments = {&fragment, 1};
  made.sink = this;
  return made;
}

bool OldNode::Op::begin_at_node() {
  SimNode& node = *pair.node;
  const ProcessId target{pair.own, Pid::lustre()};
  under_way = true;
  if (what == What::kPing || what == What::kDiscover) {
    const auto begun = what == What::kPing
                           ? node.start_ping({.target = target, .timeout = kAnswerWithin}, *this)
                           : node.start_discovery(pair.own, load.rng().below(2) == 0, *this);
    ticket = begun.value_or(0);
    return under_way = begun.has_value();
  }
  MdSpec bound = spec();
  bound.threshold = what == What::kPut ? 1 : 2;
  // The response time-out ends it, whatever the node's response_tracking is.
  bound.options = kTrackResponse;
  md = node.md_bind(bound, UnlinkMode::kUnlink).value_or(MdHandle{});
  if (!md) return under_way = false;
  const AckRequest ack = what == What::kPut ? AckRequest::kNoAck : AckRequest::kAck;
  const auto begun = what == What::kGet
                         ? node.get({md, target, load.portal_, {key}, 0, Nid::any()})
                         : node.put({md, target, load.portal_, {key}, 0, key, ack, Nid::any()});
  if (!begun) (void)node.md_unlink(md);
  return true;  // the event of its MD reports the end
}

bool OldNode::Op::post() {
  SimNode& node = *pair.node;
  const auto me =
      node.me_attach(load.portal_, {}, {key}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  if (!me) return false;
  MdSpec attached = spec();
  attached.threshold = 1;
  attached.options = what == What::kItsGet ? kOpGet : kOpPut;
  md = node.md_attach(*me, attached, UnlinkMode::kUnlink).value_or(MdHandle{});
  return static_cast<bool>(md);
}

void OldNode::Op::begin_at_old(ForeignNode& old) {
  const ForeignNode::Sending sending{load.portal_.index, key, length, what == What::kItsPutAck};
  switch (what) {
    case What::kItsPut:
    case What::kItsPutAck:
      cookie = old.put(pair.own, pair.theirs, sending, contents_of(key, length));
      break;
    case What::kItsGet:
      cookie = old.get(pair.own, pair.theirs, sending);
      break;
    case What::kItsPush:
      if (old.info.has(wire::kPingMultiRail)) {
        old.push(pair.own, pair.theirs, old.info);
        break;
      }
      [[fallthrough]];  // its software does not know pushes
    default:
      cookie = old.ping(pair.own, pair.theirs);
  }
}

void OldNode::Op::on_event(const Event& event) {
  if (!md || event.md != md) return load.wrong(pair.node, "an event of an MD that has ended");
  if (event.status == 0 && (event.type == EventType::kPut || event.type == EventType::kGet))
    arrived(event);
  if (event.status == 0 && (event.type == EventType::kAck || event.type == EventType::kReply)) {
    if (std::exchange(answered, true)) load.wrong(pair.node, "two answers");
    if (event.mlength != length) load.wrong(pair.node, "an answer has a wrong length");
    if (event.type == EventType::kReply && !right())
      load.wrong(pair.node, "a REPLY has wrong contents");
    if (!met) load.wrong(pair.node, "an answer to a message that the old node did not receive");
  }
  if (event.unlinked) {
    md = {};
    if (under_way) load.ended(*this, answered);
  } else if (event.status != 0) {
    (void)pair.node->md_unlink(event.md);  // no other event would follow
  }
}

/// Checks a message that the old node has sent, or a request of it, which arrived at the node.
void OldNode::Op::arrived(const Event& event) {
  if (event.mlength != length || event.rlength != length)
    load.wrong(pair.node, "a message of a wrong length");
  if (event.type == EventType::kPut && !right()) load.wrong(pair.node, "a PUT has wrong contents");
  // The initiator is the old node's primary NID. It differs from the sending NID only if the old
  // node has reported multi-rail.
  const Nid& who = event.initiator.nid;
  if (who != pair.own && !(load.ever_advertised_multi_rail() && load.had_nid(who)))
    load.wrong(pair.node, "a message of " + pair.own.to_string() + " is one of " + who.to_string());
  handled = true;
  if (what == What::kItsPut) load.exchange(incarnation);
}

void OldNode::Op::on_ping(std::uint64_t which, int status, const PingReply& reply) {
  if (ticket == 0) return;  // the ping belongs to an incarnation that has ended
  if (which != ticket) return load.wrong(pair.node, "a ping ended twice");
  if (status == 0) {
    what == What::kPing ? check_features(reply) : check_nids(reply);
    // Meanwhile the old node may have been changed.
    if (incarnation + 1 == load.incarnations_.size() && load.node_ != nullptr) met = incarnation;
  }
  ticket = 0;
  load.ended(*this, status == 0);
}

/// Checks that the reply's features are those that the old node had at some time since the ping
/// began.
void OldNode::Op::check_features(const PingReply& reply) {
  for (std::size_t i = incarnation; i < load.incarnations_.size(); ++i)
    if (reply.features == behaviour_of(load.incarnations_[i].release).features &&
        reply.nids == load.incarnations_[i].nids)
      return;
  load.wrong(pair.node, "a ping's answer is not what the old node advertises");
}

void OldNode::Op::check_nids(const PingReply& reply) {
  const bool all_own =
      std::ranges::all_of(reply.nids, [&](const Nid& nid) { return load.had_nid(nid); });
  if (!all_own) load.wrong(pair.node, "has discovered NIDs that the old node never had");
  if (!load.ever_advertised_multi_rail() && (reply.multi_rail || reply.nids.size() != 1))
    load.wrong(pair.node, "treats the old node as one with multi-rail, which it never advertised");
}

/// Called when the incarnation of the operation's node has ended.
void OldNode::Op::forget() {
  md = {};
  ticket = 0;
  if (std::exchange(under_way, false)) --load.under_way_;
}

void OldNode::Op::take_back() {
  if (md && pair.node->up()) (void)pair.node->md_unlink(md);
}

}  // namespace ulnet::sim
