// Every PUT and GET ends in exactly the events that the specification promises, once each, in
// order, and nothing follows the last event of an MD. Source: spec/core-semantics.md 4.6, 5, 18.1
// to 18.8.
//
// For the initiator: one SEND per operation; an ACK or a REPLY only while one is awaited, and none
// after a SEND that failed. For the target: one PUT per message that landed, one GET per REPLY that
// was sent. The shard posts an event, and the user handles it.
#pragma once

#include <map>

#include "sim/checkers/per_node.h"

namespace ulnet::sim {

class EventsOnce final : public Checker {
 public:
  EventsOnce() : Checker("events once", kAfterStep | kEvents) {}
  void after_step(World& world, const ShardStep& step) override;
  void on_event(World& world, SimNode& node, const core::Post& post) override;
  void check_all(World& world) override;
  void at_end(World& world) override;

 private:
  struct MdRecord {
    std::uint64_t begun = 0, sent = 0;  ///< PUTs and GETs; their SEND events
    std::uint64_t acks_due = 0, replies_due = 0;
    bool some_without_ack = false;          ///< the SEND of these may report a failure too
    std::uint64_t posted = 0, handled = 0;  ///< numbers of events
    std::uint64_t last_posted = 0, last_handled = 0;  ///< sequence numbers
    bool ended = false;                               ///< an event with `unlinked` was posted
  };
  /// The event that must be posted when a message ends.
  struct Promise {
    std::uint64_t md = 0;  ///< 0: none, the message is for another node
    EventType type = EventType::kSend;
  };
  struct Record {
    std::map<std::uint64_t, MdRecord> mds;  ///< by cookie, until the last event was handled
    PerMessage<Promise> promised;
  };
  void begin(const ShardStep& step, Record& record);
  void posted(World& world, const ShardStep& step, Record& record, const core::Post& post);
  void promise(const ShardStep& step, Record& record, core::MsgTicket msg, bool landing);
  void check_no_event(World& world, const ShardStep& step);
  void check_event_at_once(World& world, const ShardStep& step, const wire::LnetHeader& header);
  void kept(World& world, const ShardStep& step, Record& record, core::MsgTicket msg);

  PerNode<Record> records_;
};

}  // namespace ulnet::sim
