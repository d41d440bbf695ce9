// A core in the place of a recorded node that has routes. Messages that other nodes sent to the
// node come at the recorded time. A request of the core is answered as the recorded peer answered
// such a request at the nearest time, since the core sends requests at times of its own. A push is
// acknowledged.
#pragma once

#include <string>
#include <vector>

#include "tests/lnet/recorded/routing/replay.h"

namespace ulnet::capture {

class Client : public RoutingReplay {
 public:
  Client(const std::vector<Nid>& own, std::uint32_t sequence, double begins,
         const std::vector<Leg>& legs);

  /// From `from` on no message comes from the neighbour. At `closed` the driver gives the
  /// neighbour's connections up, and each message to it fails 3 s after it was sent, until the time
  /// `back`.
  void dies(const Nid& neighbour, double from, double closed, double back);
  /// The command `ping` at this time.
  void ping_at(double seconds, const Nid& target, Duration timeout = std::chrono::seconds(2));
  /// The results of the pings, in order; 1: the ping has not ended.
  std::vector<int> pings();

 private:
  struct Outage {
    Nid neighbour;
    Duration from{}, closed{}, back{};
  };
  void on_send(const core::Send& send, const Leg& leg) override;
  void answer(const Leg& request);
  const Outage* outage_of(const Nid& neighbour) const;

  std::vector<Leg> replies_;
  std::vector<Outage> outages_;
  std::uint64_t tickets_ = 5000;
};

}  // namespace ulnet::capture
