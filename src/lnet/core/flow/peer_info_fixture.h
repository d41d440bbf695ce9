// For tests of the infos that peers send: node a, and peers that push to it.
#pragma once

#include <string_view>

#include "lnet/core/flow/discovery_fixture.h"

namespace ulnet::core::test {

/// Node a is NID 1; its driver never completes its Sends. Peers push to it.
struct InfoReceiver : Discoverers {
  explicit InfoReceiver(const std::vector<Nid>& own = {tcp(1)}) : Discoverers(own, {tcp(20)}) {
    a.hold_sends = true;
  }
  void push(const Nid& source, const std::vector<Nid>& nids, std::uint32_t sequence = 4,
            std::uint32_t features = kUsualFeatures) {
    wire::PingInfo info = info_with(nids, features);
    info.sequence = sequence;
    push_to_a(*this, encode(info), source);
  }
  /// The first message of the type that a's driver has.
  Send first_of_a(wire::MsgType type) const {
    return *std::ranges::find(a.sends, type, [](const Send& send) { return send.header.type(); });
  }
  Send get_of_a() const { return first_of_a(wire::MsgType::kGet); }
  /// The connection is lost, with all messages that a's driver has.
  void lose_sends() {
    for (const Send& send : std::vector<Send>(a.sends)) finish_send(a, send, -ECONNRESET);
    a.sends.clear();
  }
  std::uint64_t refused(DropReason reason) { return dropped(a, reason); }
  bool noted(std::string_view words) const {
    return std::any_of(a.notes.begin(), a.notes.end(), [&](const Note& note) {
      return std::string_view(note.text).find(words) != std::string_view::npos;
    });
  }
};

}  // namespace ulnet::core::test
