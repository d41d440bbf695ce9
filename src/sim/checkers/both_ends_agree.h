// What the NIs of a net count as sent, of each type, the NIs of that net count as received, with
// what is turned away before it counts as received. Where messages fail, or are lost or doubled on
// the wire of single messages, which knows no types, both are compared with what was on the wire.
// It is looked at when the world is quiet, if no node has gone or lost an NI, no count was reset,
// no message failed at a TCP driver, nothing that was written to a connection was lost with it, and
// nobody sends who is no node. A TCP driver whose node refuses a message closes the connections
// with the sender, and what it had read behind that message goes with them: on such a net fewer
// may have been received than were sent.
// traffic_counted.h compares each end with what its driver gets. Source: spec/core-semantics.md 8,
// 9.
#pragma once

#include <map>
#include <set>

#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"
#include "sim/checkers/tcp_talk.h"

namespace ulnet::sim {

class BothEndsAgree final : public Checker {
 public:
  /// `talk` lives as long as this; null where no node has a TCP driver.
  explicit BothEndsAgree(const TcpTalk* talk = nullptr)
      : Checker("both ends agree", kAfterStep), talk_(talk) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_node(World& world, SimNode& node, NodeChange change) override;
  void at_rest(World& world) override;

 private:
  struct Net {
    ByType sent{}, received{};
  };
  struct Record {
    std::uint64_t turned_away = 0;
  };
  std::map<NetId, Net> counted(const World& world) const;

  const TcpTalk* talk_;
  PerNode<Record> records_;
  std::map<NetId, ByType> away_;  ///< turned away
  std::set<NetId> cut_off_;       ///< a message was refused, over TCP
  std::uint64_t failed_ = 0;      ///< messages, at a driver
  bool over_ = false;             ///< something has gone, with what it had counted
};

}  // namespace ulnet::sim
