// A core in the place of a recorded router. All messages that came to the router over any of its
// nets come to the core. The messages that the core forwards, and those that it sends itself, are
// compared with the recording.
#pragma once

#include <string>
#include <vector>

#include "tests/lnet/recorded/routing/replay.h"

namespace ulnet::capture {

class Router : public RoutingReplay {
 public:
  Router(const std::vector<Nid>& own, std::uint32_t sequence, double begins, std::vector<Leg> legs);

  /// Turns routing on or off; the router reports it at once, or after the time that peers need to
  /// notice.
  void set_routing(bool on, bool at_once);
  /// The neighbour with these NIDs has pushed its ping info, with this number, to the router's NID
  /// `at`, and has got a push.
  void know(const Nid& at, const std::vector<Nid>& nids, std::uint32_t sequence,
            std::uint32_t features = core::test::kUsualFeatures);
  /// The check by a neighbour that is not in the recording.
  void check_of(const Nid& neighbour, const Nid& at);
  /// Only these neighbours were recorded: messages from the core to others are not compared.
  void only_compare(std::vector<Nid> neighbours) { compared_ = std::move(neighbours); }

  /// Messages that the router has forwarded, as Leg::text() with the neighbours.
  std::vector<std::string> recorded_on, sent_on;

 private:
  void on_send(const core::Send& send, const Leg& leg) override;
  void feed(Leg leg);
  bool is_compared(const Nid& neighbour) const;

  std::vector<Nid> compared_;
  bool plays_ = false;  ///< the recording has begun
  /// The MDs of the recorded requests, and those of the core's requests, by way.
  std::map<std::string, std::vector<wire::WireHandle>> theirs_, ours_;
  std::vector<core::Send> known_sends_;
};

/// The forwarded messages are those that were recorded, byte for byte, and at least `at_least`
/// messages. Messages that come over different nets at nearly the same time may leave in either
/// order.
void expect_sent_on(const Router& router, std::size_t at_least);

}  // namespace ulnet::capture
