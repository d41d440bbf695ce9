// Every PUT and GET ends in exactly the events that the specification promises, once each, in
// order, and nothing follows the last event of an MD. Source: spec/core-semantics.md 4.6, 5, 18.1
// to 18.8.
//
// For the initiator: one SEND per operation; an ACK or a REPLY only while one is awaited, and none
// after a SEND that failed. For the target: one PUT per message that landed, one GET per REPLY that
// was sent. The shard posts an event, and the user handles it.
#include <map>

#include "sim/checkers/checkers.h"
#include "sim/checkers/per_node.h"
#include "sim/kernel/event_words.h"

namespace ulnet::sim {
namespace {

std::string text(const char* what, std::uint64_t md) {
  return std::string(what) + " (MD " + std::to_string(md) + ")";
}

class EventsOnce final : public Checker {
 public:
  EventsOnce() : Checker("events once", kAfterStep | kEvents) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node);
    begin(step, record);
    for (const core::Post& post : actions_of<core::Post>(step)) posted(world, step, record, post);
    if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      if (sent_again(step) == nullptr) kept(world, step, record, done->tx);
    } else if (const auto* landed = std::get_if<core::PayloadLanded>(&step.input)) {
      kept(world, step, record, landed->msg);
    } else if (for_another_node(step) != nullptr) {
      check_no_event(world, step);
    } else if (const wire::LnetHeader* header = taken_at_once(step)) {
      check_event_at_once(world, step, *header);
    } else if (const auto* unlink = answered<core::call::MdUnlink>(step.input)) {
      const auto md = record.mds.find(unlink->md.cookie);
      if (md != record.mds.end() && !md->second.ended &&
          step.state.memory.find(unlink->md) == nullptr)
        violation(world, &step.node,
                  text("unlinked without an event for its user", unlink->md.cookie));
    }
    for (const core::Action& action : step.actions) {
      if (const auto* send = std::get_if<core::Send>(&action))
        promise(step, record, send->tx, false);
      if (const auto* land = std::get_if<core::Land>(&action))
        promise(step, record, land->msg, true);
    }
  }

  void on_event(World& world, SimNode& node, const core::Post& post) override {
    Record& record = records_.of(node);
    const auto found = record.mds.find(post.strand.cookie);
    if (found == record.mds.end())
      return violation(world, &node, text("an event after the last one", post.strand.cookie));
    MdRecord& md = found->second;
    if (post.event.sequence <= md.last_handled || post.event.sequence > md.last_posted)
      violation(world, &node, text("events handled out of order", post.strand.cookie));
    md.last_handled = post.event.sequence;
    if (++md.handled == md.posted && md.ended) record.mds.erase(found);
  }

  void check_all(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr) continue;
      const Record& record = records_.of(node);
      for (const auto& [cookie, md] : record.mds)
        if (!md.ended && shard_with(node, {cookie})->memory.find(MdHandle{cookie}) == nullptr)
          violation(world, &node, text("gone without an event for its user", cookie));
    }
  }

  void at_end(World& world) override {
    for (const SimNode& node : world.nodes()) {
      if (node.shard_state() == nullptr) continue;
      for (const auto& [cookie, md] : records_.of(node).mds) {
        if (md.sent != md.begun) violation(world, &node, text("an operation without SEND", cookie));
        if (md.posted != md.handled) violation(world, &node, text("an event not handled", cookie));
      }
    }
  }

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

  /// Records the operation or MD that a user's call begins.
  void begin(const ShardStep& step, Record& record) {
    namespace call = core::call;
    if (const auto* bind = answered<call::MdBind>(step.input)) {
      if (bind->spec.sink != nullptr) record.mds[bind->md.cookie] = {};
    } else if (const auto* attach = answered<call::MdAttach>(step.input)) {
      if (attach->spec.sink != nullptr) record.mds[attach->md.cookie] = {};
    } else if (const auto* put = answered<call::Put>(step.input)) {
      if (const auto md = record.mds.find(put->request.md.cookie); md != record.mds.end()) {
        ++md->second.begun;
        const bool ack = put->request.ack == AckRequest::kAck;
        ack ? ++md->second.acks_due : md->second.some_without_ack = true;
      }
    } else if (const auto* get = answered<call::Get>(step.input)) {
      if (const auto md = record.mds.find(get->request.md.cookie); md != record.mds.end()) {
        ++md->second.begun;
        ++md->second.replies_due;
      }
    }
  }

  void posted(World& world, const ShardStep& step, Record& record, const core::Post& post) {
    const auto found = record.mds.find(post.strand.cookie);
    const Event& event = post.event;
    const auto wrong = [&](const char* what) {
      violation(world, &step.node, "{}: {}", to_string(event.type), text(what, post.strand.cookie));
    };
    if (found == record.mds.end()) return wrong("its MD does not exist");
    MdRecord& md = found->second;
    if (md.ended) return wrong("after the last event");
    if (event.sequence <= md.last_posted) return wrong("out of order");
    md.last_posted = event.sequence;
    ++md.posted;
    switch (event.type) {
      case EventType::kSend: {
        if (++md.sent > md.begun) return wrong("more than were begun");
        const bool put = event.msg_type == static_cast<std::uint32_t>(wire::MsgType::kPut);
        std::uint64_t& due = put ? md.acks_due : md.replies_due;
        if (event.status != 0 && due != 0 && !(put && md.some_without_ack)) --due;
        break;
      }
      case EventType::kAck:
        if (md.acks_due == 0) return wrong("not awaited");
        --md.acks_due;
        break;
      case EventType::kReply:
        if (md.replies_due == 0) return wrong("not awaited");
        --md.replies_due;
        break;
      case EventType::kUnlink:
        if (!event.unlinked) return wrong("not the last event");
        break;
      case EventType::kPut:
      case EventType::kGet:
        break;
    }
    if (!event.unlinked) return;
    md.ended = true;
    if (md.sent != md.begun) return wrong("reported as the last event before all operations ended");
    if (step.state.memory.find(post.strand) != nullptr)
      return wrong("reported as the last event of an MD that still exists");
  }

  void promise(const ShardStep& step, Record& record, core::MsgTicket ticket, bool landing) {
    const core::Msg* msg = step.state.find(ticket);
    if (msg != nullptr && msg->routed && landing) record.promised.add(ticket, {});
    // The event of an MD on another shard is posted in another step.
    if (msg == nullptr || msg->md == nullptr || !record.mds.contains(msg->md->handle.cookie))
      return;
    const wire::MsgType type = msg->header.type();
    EventType event = EventType::kSend;
    if (landing) event = type == wire::MsgType::kPut ? EventType::kPut : EventType::kReply;
    if (!landing && type == wire::MsgType::kReply) event = EventType::kGet;
    record.promised.add(ticket, {msg->md->handle.cookie, event});
  }

  /// Checks that no user of a router gets an event for a message that the router forwards.
  void check_no_event(World& world, const ShardStep& step) {
    for (const core::Post& post : actions_of<core::Post>(step))
      if (post.event.type == EventType::kPut || post.event.type == EventType::kReply)
        violation(world, &step.node, "{}{}", to_string(post.event.type),
                  text(": its message is for another node", post.strand.cookie));
  }

  /// Checks that a message that was accepted with its whole payload is reported in the same step,
  /// once.
  void check_event_at_once(World& world, const ShardStep& step, const wire::LnetHeader& header) {
    const bool put = header.type() == wire::MsgType::kPut;
    std::size_t events = 0;
    for (const core::Post& post : actions_of<core::Post>(step))
      events += post.event.type == (put ? EventType::kPut : EventType::kReply);
    if (events != 1)
      violation(world, &step.node, "{}: reported {} times", put ? "PUT" : "REPLY", events);
  }

  void kept(World& world, const ShardStep& step, Record& record, core::MsgTicket msg) {
    const Promise* promised = record.promised.find(msg);
    if (promised == nullptr) return;
    if (promised->md == 0) {
      record.promised.erase(msg);
      return check_no_event(world, step);
    }
    std::size_t events = 0;
    for (const core::Post& post : actions_of<core::Post>(step))
      events += post.strand.cookie == promised->md && post.event.type == promised->type;
    // Other messages of the MD, which waited for credits, may end in the same step.
    const bool alone = promised->type == EventType::kPut || promised->type == EventType::kReply;
    if (events == 0 || (alone && events != 1))
      violation(world, &step.node, "{}: reported {} times{}", to_string(promised->type), events,
                text("", promised->md));
    record.promised.erase(msg);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> events_once_checker() { return std::make_unique<EventsOnce>(); }

}  // namespace ulnet::sim
