// The messages of each type that the NIs of a net count as sent are those that the NIs of that net
// count as received, plus those that were turned away before they counted as received. On the wire
// of single messages, which knows no types, and where messages fail, get lost or are duplicated,
// both counts are compared with what was on the wire.
//
// The checker compares when the world is quiet, provided that no node has stopped or lost an NI, no
// counter was reset, no message failed at a TCP driver, no bytes written to a connection were lost
// with it, and no peer outside the world's nodes has sent anything. A TCP driver whose node refuses
// a message closes the connections with the sender, and loses the messages that it had read behind
// the refused one: on such a net fewer messages may have been received than were sent.
//
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
  /// `talk` lives as long as this checker; null where no node has a TCP driver.
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
  std::map<NetId, ByType> away_;  ///< messages turned away
  std::set<NetId> cut_off_;       ///< nets where a message was refused over TCP
  std::uint64_t failed_ = 0;      ///< messages that failed at a driver
  bool over_ = false;             ///< something is gone with its counters
};

}  // namespace ulnet::sim
