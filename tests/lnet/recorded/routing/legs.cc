#include "tests/lnet/recorded/routing/legs.h"

#include <fmt/format.h>

#include <algorithm>

#include "lnet/wire/ping_info.h"
#include "tests/lnet/recorded/discovery/player.h"

namespace ulnet::capture {

namespace {

std::string text_of(const wire::LnetHeader& header, const std::vector<std::byte>& payload) {
  std::vector<std::byte> bytes(wire::header_bytes(wire::HeaderForm::kNid16));
  wire::encode_header(header, wire::HeaderForm::kNid16, bytes);
  std::string all = std::string(wire::to_string(header.type())) + " ";
  for (const std::byte byte : bytes) all += fmt::format("{:02x}", std::to_integer<int>(byte));
  if (payload.size() <= 256) {
    all += " ";
    for (const std::byte byte : payload) all += fmt::format("{:02x}", std::to_integer<int>(byte));
    return all;
  }
  std::uint64_t sum = 0;
  for (const std::byte byte : payload) sum = sum * 31 + std::to_integer<std::uint64_t>(byte);
  return all + fmt::format(" {} bytes {:x}", payload.size(), sum);
}

}  // namespace

bool Leg::is_answer() const {
  return header.type() == wire::MsgType::kReply || header.type() == wire::MsgType::kAck;
}

bool Leg::has_ping_info() const { return wire::decode_ping_info(payload).has_value(); }

std::string Leg::text() const { return text_of(header, payload); }

std::string Leg::text_without_md() const {
  wire::LnetHeader same = header;
  if (auto* get = std::get_if<wire::GetPart>(&same.part)) get->return_wmd = {};
  if (auto* put = std::get_if<wire::PutPart>(&same.part)) put->ack_wmd = {};
  return text_of(same, payload);
}

std::string Leg::way() const {
  std::string all = std::string(wire::to_string(header.type())) + " " + header.src_nid.to_string() +
                    " > " + header.dest_nid.to_string();
  if (to != header.dest_nid) all += " by " + to.to_string();
  return all;
}

std::vector<Leg> legs_of(const std::string& name, const Nids& nids) {
  std::vector<Leg> all;
  for (Recorded& message : messages_of(name))
    all.push_back({message.at, nids.at(message.from.address), nids.at(message.to.address),
                   message.header, std::move(message.payload)});
  return all;
}

std::vector<Leg> with_far_side(std::vector<Leg> legs, const Nid& router_near, const Nid& router_far,
                               const Nid& far) {
  std::vector<Leg> all;
  for (Leg& leg : legs) {
    Leg other = leg;
    const bool comes = leg.from == router_near && leg.header.src_nid == far;
    const bool goes = leg.to == router_near && leg.header.dest_nid == far;
    if (comes) {
      other.from = far;
      other.to = router_far;
      all.push_back(std::move(other));
    }
    all.push_back(leg);
    if (!goes) continue;
    other.from = router_far;
    other.to = far;
    all.push_back(std::move(other));
  }
  return all;
}

std::vector<Leg> from_time(std::vector<Leg> legs, double seconds) {
  std::erase_if(legs, [&](const Leg& leg) { return leg.at < seconds_of(seconds); });
  return legs;
}

}  // namespace ulnet::capture
