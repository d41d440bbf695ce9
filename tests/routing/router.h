// A core in the place of a recorded router: all that came to the router over any of its nets comes
// to the core, and what it sends on, and what it says itself, is compared with the recording.
#pragma once

#include <string>
#include <vector>

#include "tests/routing/replay.h"

namespace ulnet::capture {

class Router : public RoutingReplay {
 public:
  Router(const std::vector<Nid>& own, std::uint32_t sequence, double begins, std::vector<Leg> legs);

  /// It routes, and tells so at once or after the time that peers need to notice.
  void set_routing(bool on, bool at_once);
  /// The neighbour with these NIDs has pushed its ping info, with this number, to the router's NID
  /// `at`, and has been pushed to.
  void know(const Nid& at, const std::vector<Nid>& nids, std::uint32_t sequence,
            std::uint32_t features = core::test::kUsualFeatures);
  /// The check of a neighbour that is not in the recording.
  void check_of(const Nid& neighbour, const Nid& at);
  /// Only these neighbours were recorded: what the core says to others is not compared.
  void only_compare(std::vector<Nid> neighbours) { compared_ = std::move(neighbours); }

  /// Messages of others that the router has sent on, as Leg::text() with the neighbours.
  std::vector<std::string> recorded_on, sent_on;

 private:
  void on_send(const core::Send& send, const Leg& leg) override;
  void feed(Leg leg);
  bool is_compared(const Nid& neighbour) const;

  std::vector<Nid> compared_;
  bool plays_ = false;  ///< the recording has begun
  /// The MDs of the recorded requests by way, and of those that the core has sent.
  std::map<std::string, std::vector<wire::WireHandle>> theirs_, ours_;
  std::vector<core::Send> known_sends_;
};

/// Sent on was what was recorded, byte for byte: `at_least` so many messages. Those that come over
/// different nets at nearly the same time may leave in either order.
void expect_sent_on(const Router& router, std::size_t at_least);

}  // namespace ulnet::capture
