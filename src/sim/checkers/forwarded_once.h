// What a router sends on came in there, as it is sent on, whole, and leaves once: it may be sent
// again only after its driver has said that it failed. Source: spec/core-semantics.md 10.3,
// spec/multirail.md 9.7.
#pragma once

#include "sim/checkers/per_node.h"
#include "sim/checkers/routed_headers.h"

namespace ulnet::sim {

class ForwardedOnce final : public Checker {
 public:
  ForwardedOnce() : Checker("forwarded once", kAfterStep) {}
  void after_step(World& world, const ShardStep& step) override;

 private:
  enum class Leg : std::uint8_t { kWithDriver, kFailed, kLeft };
  struct Record {
    RoutedHeaders<bool> came;                 ///< headers, until they leave
    PerMessage<Leg> legs;                     ///< second legs, by the ticket where it came in
    PerMessage<core::MsgTicket> with_driver;  ///< that ticket, by the one of the Send
  };
  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send);
  void copied(World& world, const ShardStep& step, const wire::LnetHeader& header);

  PerNode<Record> records_;  ///< of nodes
};

}  // namespace ulnet::sim
