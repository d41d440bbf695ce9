// A message that a router forwards came in there, leaves unchanged and whole, and leaves once: the
// router may send it again only after its driver has reported a failure. Source:
// spec/core-semantics.md 10.3, spec/multirail.md 9.7.
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
    RoutedHeaders<bool> came;  ///< headers, until they leave
    PerMessage<Leg> legs;      ///< second legs, by the ticket under which the message came in
    PerMessage<core::MsgTicket> with_driver;  ///< that ticket, by the ticket of the Send
  };
  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send);
  void copied(World& world, const ShardStep& step, const wire::LnetHeader& header);

  PerNode<Record> records_;  ///< of nodes
};

}  // namespace ulnet::sim
