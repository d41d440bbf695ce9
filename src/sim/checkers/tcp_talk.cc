#include "sim/checkers/tcp_talk.h"

#include <algorithm>
#include <numeric>

#include "lnet/core/flow/step.h"
#include "lnet/lnd/sock/engine/engine.h"
#include "lnet/wire/ksock_ack.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

using lnd::sock::ConnView;
using lnd::sock::PeerView;

std::string cookie_text(std::uint64_t cookie) { return "cookie " + std::to_string(cookie); }

}  // namespace

TcpTalk::Talk* TcpTalk::find(std::uint64_t number) {
  const auto found = talks_.find(number);
  return found == talks_.end() ? nullptr : found->second.get();
}

// ---- on the wire --------------------------------------------------------------------------------

void TcpTalk::on_written(World& world, const StreamEnd& end, const iovec* from, std::size_t bytes) {
  std::unique_ptr<Talk>& talk = talks_[end.number];
  if (talk == nullptr) talk = std::make_unique<Talk>();
  Side& side = talk->of(end);
  side.user = end.user;
  side.incarnation = end.user == kNoNode ? 0 : world.node(end.user).starts();
  for (; bytes != 0; ++from) {
    ByteView in(static_cast<const std::byte*>(from->iov_base), std::min(bytes, from->iov_len));
    bytes -= in.size();
    for (;;) {
      const KsockStreamParser::Heard heard = side.parser.next(in);
      if (heard == KsockStreamParser::Heard::kMore) break;
      if (heard == KsockStreamParser::Heard::kMessage) said_message(world, *talk, end);
      if (heard == KsockStreamParser::Heard::kMessage || heard == KsockStreamParser::Heard::kNoop)
        acknowledges(world, *talk, end);
      if (heard == KsockStreamParser::Heard::kNonsense && end.user != kNoNode)
        violation(world, &world.node(end.user), "speaks nonsense");
    }
  }
}

void TcpTalk::said_message(World& world, Talk& talk, const StreamEnd& end) {
  Side& side = talk.of(end);
  const KsockStreamParser& parser = side.parser;
  side.said.push_back(parser.header());
  if (end.user != kNoNode) {
    ++records_.of(world.node(end.user)).said;
    ++said_;
  }
  const std::uint64_t cookie =
      parser.hello().hello.version == 1 ? wire::kNoCookie : zero_copy_request(parser.frame());
  if (cookie == wire::kNoCookie) return;
  std::vector<Asked>& asked = asked_[{end.local, end.remote}];
  const bool again =
      std::ranges::any_of(asked, [&](const Asked& a) { return a.cookie == cookie && !a.left; });
  if (again && end.user != kNoNode)
    violation(world, &world.node(end.user), "{} asks a second time", cookie_text(cookie));
  asked.push_back(
      {cookie, end.number, end.dialled, side.incarnation, parser.heard() + parser.payload_left()});
}

void TcpTalk::acknowledges(World& world, Talk& talk, const StreamEnd& end) {
  const KsockStreamParser& parser = talk.of(end).parser;
  const std::uint32_t version = parser.hello().hello.version;
  if (version == 1) return;
  const auto acks = wire::acks_of(parser.frame(), version);
  // An acknowledgement that will not be read settles nothing. Drivers judge the acknowledgements of
  // peers that are not nodes; such a peer may also leave a connection and acknowledge its requests
  // on another one.
  const Side& other = talk.other(end);
  const bool nodes = end.user != kNoNode && other.user != kNoNode;
  const bool judged = nodes && !other.gone && !other.broken;
  std::vector<Asked>& asked = asked_[{end.remote, end.local}];
  if (!acks || acks->count() > asked.size()) {
    if (judged)
      violation(world, &world.node(end.user), "acknowledges a request that is not outstanding");
    return;
  }
  acks->for_each([&](std::uint64_t cookie) {
    // When a driver meets a peer anew, it numbers its cookies anew, and an earlier request may be
    // unread.
    const auto meant = [&](const Asked& a) {
      return a.cookie == cookie && a.incarnation == other.incarnation;
    };
    auto found =
        std::ranges::find_if(asked, [&](const Asked& a) { return meant(a) && read_to_its_end(a); });
    if (found == asked.end()) found = std::ranges::find_if(asked, meant);
    if (found == asked.end()) {
      if (judged)
        violation(world, &world.node(end.user), "{} is acknowledged and not outstanding",
                  cookie_text(cookie));
      return;
    }
    if (judged && !read_to_its_end(*found))
      violation(world, &world.node(end.user), "{} is acknowledged before its message was read",
                cookie_text(cookie));
    if (nodes && !other.gone)
      acked_.push_back({.request = found->number,
                        .ack = end.number,
                        .request_by_dialler = found->by_dialler,
                        .ack_by_dialler = end.dialled,
                        .end = parser.frame_end(),
                        .late = found->left});
    asked.erase(found);
  });
}

/// Called when the end has read more bytes. The first ACK that is too late ends its connection.
void TcpTalk::ack_is_read(const StreamEnd& end, const Talk& talk) {
  const std::uint64_t read = talk.sides[end.dialled ? 0 : 1].read;
  bool late = false;
  std::erase_if(acked_, [&](const Acked& each) {
    const bool here = each.ack == end.number && each.ack_by_dialler != end.dialled;
    if (!here || read < each.end) return false;
    late = late || each.late;
    return true;
  });
  if (late) ++late_acks_[end.user];
}

/// Called when the end has closed the connection.
void TcpTalk::ack_is_over(const StreamEnd& end) {
  std::erase_if(acked_, [&](const Acked& each) {
    return each.ack == end.number && each.ack_by_dialler != end.dialled;
  });
  for (Acked& each : acked_)
    if (each.request == end.number && each.request_by_dialler == end.dialled) each.late = true;
}

std::uint64_t TcpTalk::late_acks(const SimNode& node) const {
  const auto found = late_acks_.find(node.number());
  return found == late_acks_.end() ? 0 : found->second;
}

void TcpTalk::on_read(World&, const StreamEnd& end, std::size_t bytes) {
  Talk* talk = find(end.number);
  if (talk == nullptr) return;
  talk->of(end).read += bytes;
  ack_is_read(end, *talk);
}

void TcpTalk::on_over(World& world, const StreamEnd& end, bool let_go) {
  Talk* talk = find(end.number);
  if (talk == nullptr) return;
  talk->of(end).broken = true;
  if (!let_go) return;
  lost_messages_ += talk->other(end).said.size();
  ack_is_over(end);
  // The end of the connection settles the requests that travelled on it, on both sides.
  for (const Between& between : {Between{end.local, end.remote}, Between{end.remote, end.local}}) {
    const auto asked = asked_.find(between);
    if (asked == asked_.end()) continue;
    std::erase_if(asked->second, [&](Asked& each) {
      if (each.number != end.number) return false;
      const bool asker = each.by_dialler == end.dialled;
      if (asker) look_for_forgotten(world, between, each);
      each.left = asker && !talk->other(end).gone;
      return !each.left;
    });
    if (asked->second.empty()) asked_.erase(asked);
  }
  talk->of(end).gone = true;
  if (talk->other(end).gone) talks_.erase(end.number);
}

// ---- at the drivers -----------------------------------------------------------------------------

void TcpTalk::on_opened(World&, SimNode& node, const ConnView& conn, std::uint64_t number) {
  records_.of(node).talks.add(conn.handle(), number);
}

void TcpTalk::after_step(World& world, const ShardStep& step) {
  if (const auto* in = std::get_if<core::HeaderArrived>(&step.input)) arrived(world, step, *in);
  Record* record = nullptr;
  for (const core::Send& send : actions_of<core::Send>(step)) {
    if (!step.node.over_tcp(send.ni)) continue;
    if (record == nullptr) record = &records_.of(step.node);
    record->sends.add(send.tx, true);
  }
  const auto* done = std::get_if<core::SendDone>(&step.input);
  if (done == nullptr) return;
  if (record == nullptr) record = &records_.of(step.node);
  if (record->sends.find(done->tx) == nullptr) return;
  record->sends.erase(done->tx);
  if (done->status == 0 && ++record->sent > record->said)
    violation(world, &step.node, "a message is reported as sent that was never written");
}

void TcpTalk::arrived(World& world, const ShardStep& step, const core::HeaderArrived& in) {
  const lnd::sock::Engine* engine = step.node.engine();
  if (engine == nullptr || !step.node.over_tcp(in.ni)) return;
  const auto conn = engine->see(in.rx);
  if (!conn) return;
  const std::uint64_t* number = records_.of(step.node).talks.find(conn->handle());
  Talk* talk = number == nullptr ? nullptr : find(*number);
  if (talk == nullptr) return;
  std::deque<wire::LnetHeader>& said = talk->sides[conn->active() ? 1 : 0].said;
  const wire::LnetHeader& header = *in.header;
  if (said.empty()) return violation(world, &step.node, "a message arrived that nobody wrote");
  if (said.front().part != header.part || said.front().dest_nid != header.dest_nid ||
      said.front().payload_length != header.payload_length)
    violation(world, &step.node, "a message arrived that is not the next one written");
  said.pop_front();
}

bool TcpTalk::read_to_its_end(const Asked& asked) {
  const Talk* talk = find(asked.number);
  return talk != nullptr && talk->sides[asked.by_dialler ? 1 : 0].read >= asked.end;
}

/// Checks that the ACK for a request is not forgotten. Between events a driver has written
/// everything that it can. The ACK for a message that the driver has read was therefore written, or
/// it waits: its connection has bytes to write, or a message before it waits.
void TcpTalk::look_for_forgotten(World& world, const Between& between, const Asked& asked) {
  if (asked.left) return;
  const Talk* talk = find(asked.number);
  const Side& asker = talk->sides[asked.by_dialler ? 0 : 1];
  const Side& answerer = talk->sides[asked.by_dialler ? 1 : 0];
  // A peer that is not a node may ask before it has got a hello: its request waits until then.
  if (asker.user == kNoNode || answerer.user == kNoNode) return;
  if (answerer.broken || !read_to_its_end(asked)) return;
  if (between.asker == between.answerer) return;  // both ends are of this driver, which is at work
  const SimNode& node = world.node(answerer.user);
  const bool at_work =
      node.state() == SimNode::State::kUp || node.state() == SimNode::State::kStopping;
  if (!at_work || node.engine() == nullptr) return;
  bool waits = false;
  node.engine()->for_each_peer([&](const PeerView& peer) {
    peer.for_each_conn([&](const ConnView& conn) {
      if (conn.remote().address == between.asker)
        waits = waits || conn.paused() || conn.has_unsent();
    });
  });
  if (!waits)
    violation(world, &node, "{} was read, but not acknowledged", cookie_text(asked.cookie));
}

void TcpTalk::check_all(World& world) {
  const auto& messages = world.exercised().messages;
  const auto handed = std::accumulate(messages.begin(), messages.end(), std::uint64_t{0});
  if (said_ > handed)
    violation(world, nullptr, "{} messages were written, drivers were given {}", said_, handed);
  for (const auto& [between, all] : asked_)
    for (const Asked& asked : all) look_for_forgotten(world, between, asked);
}

void TcpTalk::at_end(World& world) {
  std::vector<std::uint64_t> left;
  for (const auto& [number, talk] : talks_) {
    bool sound = true;
    for (const Side& side : talk->sides)
      sound = sound && side.user != kNoNode && !side.broken &&
              world.node(side.user).state() == SimNode::State::kUp;
    if (sound && !(talk->sides[0].said.empty() && talk->sides[1].said.empty()))
      left.push_back(number);
  }
  if (left.empty()) return;
  const Talk& talk = *find(*std::min_element(left.begin(), left.end()));
  const bool to_dialler = !talk.sides[1].said.empty();
  violation(world, &world.node(talk.sides[to_dialler ? 0 : 1].user),
            "a message written to it on a correct connection did not arrive");
}

}  // namespace ulnet::sim
