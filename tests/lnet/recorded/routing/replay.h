// Replays one node of a recording with routers, in virtual time with the recording's time stamps.
// Recorded messages and commands at the node are events; between these the timers of the core run
// as they are due. For tests only.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <vector>

#include "tests/lnet/recorded/discovery/player.h"
#include "tests/lnet/recorded/routing/legs.h"

namespace ulnet::capture {

const NetId kNetTcp{NetType::kTcp, 0}, kNetTcp1{NetType::kTcp, 1}, kNetTcp2{NetType::kTcp, 2};

class RoutingReplay : public Player {
 public:
  /// `begins`: in seconds, the recording's time at which the clock starts.
  RoutingReplay(std::vector<Nid> own, std::uint32_t sequence, double begins);
  virtual ~RoutingReplay() = default;

  /// Runs `what` at this time of the recording, in seconds.
  void at(double seconds, std::function<void()> what);
  /// Replays everything until this time.
  void run(double until);
  double time() const;

  void add_route(NetId net, const Nid& gateway, std::int32_t hops = core::kHopsUndefined,
                 std::uint32_t priority = 0);
  void del_route(NetId net, const Nid& gateway);
  void set(std::int32_t core::Globals::*value, std::int32_t to);
  /// Sets the router checker of these recordings (every 10 s, 5 s for an answer) and their
  /// transaction_timeout of 10 s.
  void be_quick();
  core::RouteRow route(NetId net, const Nid& gateway);
  core::GatewayRow gateway(const Nid& nid);
  core::PeerNiShow peer_ni(const Nid& nid);

  /// The messages that this node has sent in the recording, and those that the core has sent, by
  /// Leg::way().
  struct Sent {
    Duration at{};
    Nid to;
    std::string way, text;
  };
  std::vector<Sent> recorded, sent;

 protected:
  /// Carries out a Send of the core.
  virtual void on_send(const core::Send& send, const Leg& leg) = 0;
  /// Runs `what` at this time of the recording.
  void later(Duration when, std::function<void()> what);
  Duration clock() const { return clock_; }
  void deliver(const Leg& leg);
  void take_sends();
  /// Messages that the node sends to itself arrive.
  void release_to_itself(const core::Send& send);

 private:
  void run_timers(Duration until);

  Duration clock_;
  std::multimap<Duration, std::function<void()>> events_;
};

/// The texts, by way, of the messages that were sent from one time to another, in seconds.
using Texts = std::map<std::string, std::vector<std::string>>;
Texts texts_of(const std::vector<RoutingReplay::Sent>& sent, double from, double to,
               const Nid& with = Nid::any());
/// The core has sent in this time what was recorded: the same messages in the same order to each
/// node through each neighbour. `with`: compares only messages to this node or through it.
void expect_as_recorded(const RoutingReplay& node, double from, double to,
                        const Nid& with = Nid::any());
/// The core has sent the same kinds of messages, each as often, or at most `more` times more: for
/// periods in which the number of a node's requests depends on the exact times.
void expect_like_recorded(const RoutingReplay& node, double from, double to, std::size_t more);

}  // namespace ulnet::capture
