#include "tests/lnet/recorded/routing/client.h"

#include <algorithm>
#include <utility>

namespace ulnet::capture {

using namespace core;

namespace {

/// The time between a request and its answer in these recordings.
constexpr Duration kAnswerAfter = std::chrono::microseconds(300);
/// The driver's time-out in these recordings.
constexpr Duration kDriverTimeout = std::chrono::seconds(3);

Duration between(Duration one, Duration two) { return one < two ? two - one : one - two; }

}  // namespace

Client::Client(const std::vector<Nid>& own, std::uint32_t sequence, double begins,
               const std::vector<Leg>& legs)
    : RoutingReplay(own, sequence, begins) {
  for (const Leg& leg : legs) {
    if (has(leg.from))
      recorded.push_back({leg.at, leg.to, leg.way(), leg.text_without_md()});
    else if (leg.header.type() == wire::MsgType::kReply)
      replies_.push_back(leg);
    else if (has(leg.to) && !leg.is_answer())
      later(leg.at, [this, leg] { deliver(leg); });
  }
}

void Client::dies(const Nid& neighbour, double from, double closed, double back) {
  outages_.push_back({neighbour, seconds_of(from), seconds_of(closed), seconds_of(back)});
  at(closed, [this, neighbour] {
    for (const NiConfig& ni : a.config->nis)
      if (ni.nid.net() == neighbour.net())
        input(a, PeerDown{ni.id, {neighbour, Pid::lustre()}, false});
    settle();
  });
}

void Client::ping_at(double seconds, const Nid& target, Duration timeout) {
  at(seconds, [this, target, timeout] {
    call(a, call::Ping{{.target = core::test::process(target), .timeout = timeout}, tickets_++});
  });
}

std::vector<int> Client::pings() {
  std::vector<int> all;
  for (std::uint64_t ticket = 5000; ticket < tickets_; ++ticket) {
    const auto found = std::ranges::find(a.dones, ticket, &Done::ticket);
    all.push_back(found == a.dones.end() ? 1 : found->status);
  }
  return all;
}

const Client::Outage* Client::outage_of(const Nid& neighbour) const {
  for (const Outage& each : outages_)
    if (each.neighbour == neighbour && clock() >= each.from && clock() < each.back) return &each;
  return nullptr;
}

void Client::on_send(const Send& send, const Leg& leg) {
  if (leg.to.is_loopback() || has(leg.to)) return release_to_itself(send);
  sent.push_back({leg.at, leg.to, leg.way(), leg.text_without_md()});
  const Outage* outage = outage_of(leg.to);
  if (outage == nullptr) {
    finish_send(a, send, 0);
    return answer(leg);
  }
  if (clock() < outage->closed) return finish_send(a, send, 0);  // TCP has the message
  if (clock() + kDriverTimeout >= outage->back)
    return later(outage->back, [this, send, leg] {
      finish_send(a, send, 0);
      answer(leg);
    });
  later(clock() + kDriverTimeout,
        [this, send] { finish_send(a, send, -ETIMEDOUT, Health::kNetworkTimeout); });
}

void Client::answer(const Leg& request) {
  Leg answer;
  if (const auto* get = std::get_if<wire::GetPart>(&request.header.part)) {
    const Leg* nearest = nullptr;
    for (const Leg& each : replies_) {
      const bool fits = each.from == request.to && each.header.src_nid == request.header.dest_nid;
      if (fits && (nearest == nullptr || between(each.at, clock()) < between(nearest->at, clock())))
        nearest = &each;
    }
    if (nearest == nullptr) return;
    answer = *nearest;
    answer.header.part = wire::ReplyPart{get->return_wmd};
  } else if (const auto* put = std::get_if<wire::PutPart>(&request.header.part)) {
    answer.from = request.to;
    answer.to = request.from;
    answer.header = request.header;
    std::swap(answer.header.src_nid, answer.header.dest_nid);
    answer.header.part =
        wire::AckPart{put->ack_wmd, put->match_bits, request.header.payload_length};
    answer.header.payload_length = 0;
  } else {
    return;
  }
  later(clock() + kAnswerAfter, [this, answer] { deliver(answer); });
}

}  // namespace ulnet::capture
