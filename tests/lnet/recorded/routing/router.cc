#include "tests/lnet/recorded/routing/router.h"

#include <gmock/gmock.h>

#include <algorithm>
#include <set>

namespace ulnet::capture {

using namespace core;
using core::test::info_with;

namespace {

std::string text_between(const Leg& leg) {
  return leg.from.to_string() + " > " + leg.to.to_string() + ": " + leg.text();
}

/// The MD that a request names for its answer; nothing: the message is not a request, or wants no
/// answer.
const wire::WireHandle* md_of(const wire::LnetHeader& header) {
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return &get->return_wmd;
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return &put->ack_wmd;
  return nullptr;
}

}  // namespace

Router::Router(const std::vector<Nid>& own, std::uint32_t sequence, double begins,
               std::vector<Leg> legs)
    : RoutingReplay(own, sequence, begins) {
  for (Leg& leg : legs) {
    if (has(leg.from)) {
      const bool says = has(leg.header.src_nid);
      if (says) {
        recorded.push_back({leg.at, leg.to, leg.way(), leg.text_without_md()});
        if (const auto* md = md_of(leg.header)) theirs_[leg.way()].push_back(*md);
      } else {
        recorded_on.push_back(text_between(leg));
      }
    } else if (has(leg.to)) {
      later(leg.at, [this, leg] { feed(leg); });
    }
  }
  plays_ = true;
}

void Router::set_routing(bool on, bool at_once) {
  a.config->routing.on = on;
  a.config->routing.at_once = at_once;
  configure(a);
}

void Router::know(const Nid& at, const std::vector<Nid>& nids, std::uint32_t sequence,
                  std::uint32_t features) {
  plays_ = false;
  wire::PingInfo info = info_with(nids, features);
  info.sequence = sequence;
  Leg push{clock(), nids.front(), at, {}, encode(info)};
  for (const Nid& nid : nids)
    if (nid.net() == at.net()) push.from = nid;
  push.header.dest_nid = at;
  push.header.src_nid = push.from;
  push.header.dest_pid = push.header.src_pid = Pid::lustre();
  push.header.payload_length = static_cast<std::uint32_t>(push.payload.size());
  push.header.part = wire::PutPart{.match_bits = wire::kPingMatchBits};
  deliver(push);
  for (const Send& send : std::exchange(known_sends_, {})) {
    const auto* put = std::get_if<wire::PutPart>(&send.header.part);
    if (put == nullptr || put->ack_wmd.is_none()) continue;
    Leg ack{clock(), push.from, at, push.header, {}};
    ack.header.payload_length = 0;
    ack.header.part = wire::AckPart{put->ack_wmd, put->match_bits, send.header.payload_length};
    deliver(ack);
  }
  plays_ = true;
}

void Router::check_of(const Nid& neighbour, const Nid& at) {
  Leg check{clock(), neighbour, at, {}, {}};
  check.header.dest_nid = at;
  check.header.src_nid = neighbour;
  check.header.dest_pid = check.header.src_pid = Pid::lustre();
  check.header.part = wire::GetPart{{1, 1}, wire::kPingMatchBits, 0, 0, 272};
  deliver(check);
}

void Router::feed(Leg leg) {
  if (leg.is_answer() && has(leg.header.dest_nid)) {
    // The answer to the n-th recorded request becomes one to the core's n-th request.
    wire::WireHandle* named = nullptr;
    if (auto* reply = std::get_if<wire::ReplyPart>(&leg.header.part)) named = &reply->dst_wmd;
    if (auto* ack = std::get_if<wire::AckPart>(&leg.header.part)) named = &ack->dst_wmd;
    for (const auto& [way, all] : theirs_) {
      const auto found = std::ranges::find(all, *named);
      if (found == all.end()) continue;
      const auto place = static_cast<std::size_t>(found - all.begin());
      const auto& ours = ours_[way];
      if (place >= ours.size()) return;  // the core has not sent the request
      *named = ours[place];
      deliver(leg);
      return;
    }
    return;
  }
  deliver(leg);
}

bool Router::is_compared(const Nid& neighbour) const {
  return compared_.empty() || std::ranges::find(compared_, neighbour) != compared_.end();
}

void Router::on_send(const Send& send, const Leg& leg) {
  if (leg.to.is_loopback() || has(leg.to)) return release_to_itself(send);
  if (!plays_) known_sends_.push_back(send);
  if (!has(leg.header.src_nid)) {
    sent_on.push_back(text_between(leg));
  } else if (plays_ && is_compared(leg.to)) {
    sent.push_back({leg.at, leg.to, leg.way(), leg.text_without_md()});
    if (const auto* md = md_of(leg.header)) ours_[leg.way()].push_back(*md);
  }
  finish_send(a, send, 0);
}

void expect_sent_on(const Router& router, std::size_t at_least) {
  EXPECT_GE(router.recorded_on.size(), at_least);
  std::multiset<std::string> missing(router.recorded_on.begin(), router.recorded_on.end());
  for (const std::string& each : router.sent_on) {
    const auto found = missing.find(each);
    EXPECT_NE(found, missing.end()) << "sent, and not recorded: " << each;
    if (found != missing.end()) missing.erase(found);
  }
  EXPECT_THAT(missing, ::testing::IsEmpty());
}

}  // namespace ulnet::capture
