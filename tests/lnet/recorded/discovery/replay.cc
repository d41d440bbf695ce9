#include "tests/lnet/recorded/discovery/replay.h"

#include <algorithm>

namespace ulnet::capture {

namespace {

using namespace core;
using namespace core::test;

/// Nodes are numbered by the last byte of their addresses.
std::string node_of(const Nid& nid) {
  const std::string text = nid.to_string();
  const std::string address = text.substr(0, text.find('@'));
  return address.substr(address.find_last_of(".:") + 1);
}

std::string text_of(const wire::PingInfo& info) {
  std::string text =
      "features " + std::to_string(info.features) + " number " + std::to_string(info.sequence);
  for (const auto* entries : {&info.legacy, &info.large})
    for (const wire::PingEntry& entry : *entries)
      text += " " + entry.nid.to_string() + " " + wire::to_string(entry.status);
  return text;
}

/// A line with everything in a message that is the same in every run.
std::string line_of(const wire::LnetHeader& header, ByteView payload) {
  const std::string nids = header.src_nid.to_string() + " > " + header.dest_nid.to_string();
  const std::string nodes = node_of(header.src_nid) + " > " + node_of(header.dest_nid);
  std::string what;
  if (const auto info = wire::decode_ping_info(payload)) what = ": " + text_of(*info);
  if (const auto* get = std::get_if<wire::GetPart>(&header.part))
    return nodes + " sink " + std::to_string(get->sink_length);
  if (const auto* ack = std::get_if<wire::AckPart>(&header.part))
    return nids + " took " + std::to_string(ack->mlength);
  return (header.type() == wire::MsgType::kPut ? nodes : nids) + what;
}

}  // namespace

Replay::Replay(const std::string& name, std::vector<Nid> own, std::uint32_t sequence)
    : Player(std::move(own), sequence), messages_(messages_of(name)) {}

void Replay::know(const std::vector<Nid>& nids, std::uint32_t sequence) {
  wire::PingInfo info = info_with({});
  info.sequence = sequence;
  for (const Nid& nid : nids)
    (nid.is_small() ? info.legacy : info.large).push_back({nid, wire::NiStatus::kUp});
  Recorded push;
  push.header.dest_nid = own().front();
  push.header.src_nid = nids.front();
  push.header.dest_pid = push.header.src_pid = Pid::lustre();
  push.payload = encode(info);
  push.header.payload_length = static_cast<std::uint32_t>(push.payload.size());
  wire::PutPart put;
  put.ack_wmd = {1, 1};
  put.match_bits = wire::kPingMatchBits;
  push.header.part = put;
  feed(push);
  Recorded ack;
  ack.header.dest_nid = own().front();
  ack.header.src_nid = nids.front();
  ack.header.dest_pid = ack.header.src_pid = Pid::lustre();
  const wire::WireHandle pushed = ours_["PUT"].back();
  ack.header.part = wire::AckPart{pushed, wire::kPingMatchBits, 64};
  arrive(a, ack.header, nids.front(), a.config->nis.at(1).id);
  ASSERT_EQ(state(a, nids.front()), 273U);
  sent.clear();
  ours_.clear();
}

void Replay::at(double seconds, std::function<void()> deed) {
  deeds_.push_back({seconds_of(seconds), std::move(deed)});
}

void Replay::discover_at(double seconds, const Nid& nid, bool force) {
  at(seconds, [this, nid, force] { tickets_.push_back(begin_discover(a, nid, force)); });
}

void Replay::leave_out(const std::function<bool(const Recorded&)>& which) {
  std::erase_if(messages_, which);
}

bool Replay::is_own(const Nid& nid) const { return node_of(nid) == node_of(own().front()); }

void Replay::take_sends() {
  while (!a.sends.empty()) {
    const Send send = a.sends.front();
    a.sends.erase(a.sends.begin());
    if (!send.header.dest_nid.is_loopback() && !is_own(send.header.dest_nid)) {
      const std::string type = wire::to_string(send.header.type());
      sent[type].push_back(line_of(send.header, payload_of(send)));
      if (const auto* get = std::get_if<wire::GetPart>(&send.header.part))
        ours_[type].push_back(get->return_wmd);
      if (const auto* put = std::get_if<wire::PutPart>(&send.header.part))
        ours_[type].push_back(put->ack_wmd);
      finish_send(a, send, 0);
    } else {
      // A message that the node sends to itself arrives.
      a.sends.insert(a.sends.begin(), send);
      std::vector<Send> others(a.sends.begin() + 1, a.sends.end());
      a.sends.resize(1);
      release_sends(a);
      a.sends.insert(a.sends.begin(), others.begin(), others.end());
    }
  }
}

void Replay::feed(Recorded message) {
  const auto ours = [&](const char* type, const wire::WireHandle& theirs) {
    const auto& all = theirs_[type];
    const auto found = std::find(all.begin(), all.end(), theirs);
    const auto place = static_cast<std::size_t>(found - all.begin());
    EXPECT_LT(place, ours_[type].size()) << "answers a " << type << " that the core has not sent";
    return place < ours_[type].size() ? ours_[type][place] : theirs;
  };
  if (auto* reply = std::get_if<wire::ReplyPart>(&message.header.part))
    reply->dst_wmd = ours("GET", reply->dst_wmd);
  if (auto* ack = std::get_if<wire::AckPart>(&message.header.part))
    ack->dst_wmd = ours("PUT", ack->dst_wmd);
  const NiId ni = ni_of(message.header.dest_nid);
  arrive(a, message.header, message.header.src_nid, ni, message.payload);
  take_sends();
}

void Replay::run(double until) {
  std::size_t next = 0;
  const auto play = [&](Duration end) {
    for (; next < messages_.size() && messages_[next].at < end; ++next) {
      const Recorded& message = messages_[next];
      if (is_own(message.header.dest_nid)) {
        tick(message.at - clock_);
        clock_ = message.at;
        feed(message);
        continue;
      }
      if (!is_own(message.header.src_nid)) continue;
      const std::string type = wire::to_string(message.header.type());
      recorded[type].push_back(line_of(message.header, message.payload));
      if (const auto* get = std::get_if<wire::GetPart>(&message.header.part))
        theirs_[type].push_back(get->return_wmd);
      if (const auto* put = std::get_if<wire::PutPart>(&message.header.part))
        theirs_[type].push_back(put->ack_wmd);
    }
  };
  for (const Deed& deed : deeds_) {
    play(deed.at);
    tick(deed.at - clock_);
    clock_ = deed.at;
    deed.what();
    take_sends();
  }
  play(seconds_of(until));
  for (const std::uint64_t ticket : tickets_) {
    const auto result = finished(a, ticket);
    EXPECT_TRUE(result) << "a discover has not ended";
    results.push_back(result.value_or(DiscoverResult{.status = 1}));
  }
}

}  // namespace ulnet::capture
