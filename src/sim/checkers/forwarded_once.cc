// A message that a router forwards came in there, leaves unchanged and whole, and leaves once: the
// router may send it again only after its driver has reported a failure. Source:
// spec/core-semantics.md 10.3, spec/multirail.md 9.7.

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
#include "sim/checkers/routed_headers.h"

namespace ulnet::sim {
namespace {

class ForwardedOnce final : public Checker {
 public:
  ForwardedOnce() : Checker("forwarded once", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    if (!step.node.has_routed()) return;
    Record& record = records_.of(step.node);
    if (const wire::LnetHeader* header = for_another_node(step)) {
      record.came.add(*header, true);
      copied(world, step, *header);
    } else if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      if (const core::MsgTicket* msg = record.with_driver.find(done->tx)) {
        if (Leg* leg = record.legs.find(*msg)) *leg = done->status == 0 ? Leg::kLeft : Leg::kFailed;
        record.with_driver.erase(done->tx);
      }
    }
    for (const core::Action& action : step.actions) {
      const auto* send = std::get_if<core::Send>(&action);
      const core::Msg* msg = send == nullptr ? nullptr : step.state.find(send->tx);
      if (msg != nullptr && msg->routed) sent(world, step, record, *send);
      const auto* land = std::get_if<core::Land>(&action);
      msg = land == nullptr ? nullptr : step.state.find(land->msg);
      if (msg == nullptr || !msg->routed) continue;
      if (land->sink.length != msg->header.payload_length || land->rlen != land->sink.length)
        violation(world, &step.node, "takes in a part of a payload that is for another node");
    }
  }

 private:
  enum class Leg : std::uint8_t { kWithDriver, kFailed, kLeft };
  struct Record {
    RoutedHeaders<bool> came;  ///< headers, until they leave
    PerMessage<Leg> legs;      ///< second legs, by the ticket under which the message came in
    PerMessage<core::MsgTicket> with_driver;  ///< that ticket, by the ticket of the Send
  };

  void sent(World& world, const ShardStep& step, Record& record, const core::Send& send) {
    const auto wrong = [&](const char* what) {
      violation(world, &step.node, "a message from {} to {} {}", send.header.src_nid,
                send.header.dest_nid, what);
    };
    const core::MsgTicket began = began_as(step, send.tx);
    record.with_driver.add(send.tx, began);
    if (send.payload.length != send.header.payload_length) wrong("is sent on in part");
    Leg* leg = record.legs.find(began);
    if (leg != nullptr && *leg != Leg::kFailed) return wrong("is sent on twice");
    if (leg != nullptr) {
      *leg = Leg::kWithDriver;
      return;
    }
    record.legs.add(began, Leg::kWithDriver);
    bool came = false;
    if (!record.came.take(
            send.header, [](bool) { return true; }, came))
      wrong("is sent on, and did not come in like that");
  }

  /// Checks that the host copies the whole payload into the buffer.
  void copied(World& world, const ShardStep& step, const wire::LnetHeader& header) {
    for (const core::CopyPayload& copy : actions_of<core::CopyPayload>(step))
      if (copy.to.size() != header.payload_length)
        violation(world, &step.node, "copies {} bytes of a payload of {} that is for another node",
                  copy.to.size(), header.payload_length);
  }
  PerNode<Record> records_;  ///< of nodes
};

}  // namespace

std::unique_ptr<Checker> forwarded_once_checker() { return std::make_unique<ForwardedOnce>(); }

}  // namespace ulnet::sim
