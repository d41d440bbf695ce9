// An event repeats the values of its message and its MD: the parties, the portal, match bits,
// lengths and hdr_data of the header that arrived or was given to a driver. An event that another
// partition reports by an inter-shard message reaches the user unchanged. right_entry.cc and
// md_limits.cc check which MD is used, and which part of it. Source: spec/core-semantics.md 5.
#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"
#include "sim/kernel/event_words.h"

namespace ulnet::sim {
namespace {

using Types = std::initializer_list<EventType>;

/// The events of these types that the step posts, or sends to other partitions.
std::vector<const Event*> events_of(const ShardStep& step, Types types) {
  std::vector<const Event*> found;
  for (const core::Action& action : step.actions) {
    const Event* event = nullptr;
    if (const auto* post = std::get_if<core::Post>(&action)) event = &post->event;
    if (const auto* ended = shard_msg_of<core::shard_msg::Ended>(action)) event = &ended->event;
    if (event != nullptr && std::find(types.begin(), types.end(), event->type) != types.end())
      found.push_back(event);
  }
  return found;
}

/// The first field in which the two events differ; empty: they agree.
std::string difference(const Event& event, const Event& right) {
  if (event.target != right.target) return "target";
  if (event.initiator != right.initiator) return "initiator";
  if (event.source != right.source) return "source";
  if (event.sender != right.sender) return "sender";
  if (event.portal.index != right.portal.index) return "portal";
  if (event.match_bits != right.match_bits) return "match bits";
  if (event.rlength != right.rlength) return "rlength";
  if (event.mlength != right.mlength) return "mlength";
  if (event.offset != right.offset) return "offset";
  if (event.hdr_data != right.hdr_data) return "hdr_data";
  return "";
}

/// Target, initiator, source and sender of an event about a message that arrived.
Event parties(const core::ShardState& state, const wire::LnetHeader& header, const Nid& hop) {
  Event right;
  right.target = {header.dest_nid, header.dest_pid};
  right.initiator = {state.peers.primary_of(header.src_nid), header.src_pid};
  right.source = header.src_nid;
  right.sender = hop;
  return right;
}

/// The MD whose operation the message is, as far as its header names it; the MD may be another
/// shard's.
const core::Md* md_of(const SimNode& node, const wire::LnetHeader& header) {
  std::uint64_t cookie = 0;
  if (const auto* put = std::get_if<wire::PutPart>(&header.part))
    cookie = put->ack_wmd.object_cookie;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part))
    cookie = get->return_wmd.object_cookie;
  const core::ShardState* holder = shard_with(node, {cookie});
  return holder == nullptr ? nullptr : holder->memory.find(MdHandle{cookie});
}

/// Whether the message has an event of this node. It has none if it is a message of the node
/// itself, a message of an MD without a handler, or one that this node forwards: a forwarded
/// message is an operation on an MD of another node (spec/core-semantics.md 5, 10.3).
bool has_event(const ShardStep& step, const core::Send& send) {
  const core::Msg* msg = step.state.find(send.tx);
  if (msg != nullptr && msg->routed) return false;
  const core::Md* md = msg == nullptr ? nullptr : msg->md;
  if (md == nullptr) md = md_of(step.node, send.header);
  return md == nullptr || (md->owner == core::MdOwner::kUser && md->sink != nullptr);
}

/// Whether a message failed in this step on the path that the checker saw. The message may then
/// have left by another path, where a fault rule ended it at once.
bool may_have_failed_twice(const ShardStep& step) {
  const auto* done = std::get_if<core::SendDone>(&step.input);
  const auto* returned = shard_msg_in<core::shard_msg::Returned>(step.input);
  const int status = done != nullptr ? done->status : returned != nullptr ? returned->status : 0;
  return status != 0 && !step.state.fault_rules.empty();
}

class EventFields final : public Checker {
 public:
  EventFields() : Checker("event fields", kAfterStep) {}

  void after_step(World& world, const ShardStep& step) override {
    Record& record = records_.of(step.node);
    note_input(step, record);
    if (const auto* landing = std::get_if<core::PayloadLanded>(&step.input)) {
      if (const Seen* seen = record.landing.find(landing->msg)) landed(world, step, record, *seen);
      record.landing.erase(landing->msg);
    } else if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
      sent(world, step, record, done->tx);
    } else if (const auto* in = std::get_if<core::HeaderArrived>(&step.input)) {
      const Seen seen{*in->header, in->hop.nid};
      taken_at_once(step) != nullptr
          ? landed(world, step, record, seen)
          : acknowledged(world, step, seen, step.state.peers.primary_of(seen.header.src_nid));
    } else if (const auto* answer = shard_msg_in<core::shard_msg::ResponseArrived>(step.input)) {
      acknowledged(world, step, {answer->header, answer->hop}, answer->primary);
    } else if (const auto* returned = shard_msg_in<core::shard_msg::Returned>(step.input)) {
      sent(world, step, record, returned->msg);
    } else if (const auto* ended = shard_msg_in<core::shard_msg::Ended>(step.input)) {
      ended_elsewhere(world, step, *ended);
    }
    for (const core::Post& post : actions_of<core::Post>(step))
      md_part(world, step, record, post.event);
    note_actions(step, record);
  }

 private:
  /// A message as it arrived, or as it was given to a driver.
  struct Seen {
    wire::LnetHeader header;
    Nid hop;
  };
  struct Lent {
    const void* start = nullptr;
    void* user_ptr = nullptr;
    std::uint32_t options = 0;
  };
  /// The handle by which an initiator names the MD of a GET: the cookies of its start and of the
  /// MD.
  using Handle = std::pair<std::uint64_t, std::uint64_t>;
  struct Record {
    std::map<Rx, Seen> arrived;      ///< no verdict yet
    PerMessage<Seen> landing, sent;  ///< `sent`: as began_as() names them
    /// All GETs of a handle. The REPLY may go to another NID of the initiator than the GET came
    /// from, and by other NIs (decision 127).
    std::map<Handle, std::vector<Seen>> gets;
    std::map<std::uint64_t, Lent> mds;  ///< by cookie
  };

  // ---- records ----------------------------------------------------------------------------------
  void note_input(const ShardStep& step, Record& record) {
    namespace call = core::call;
    const auto lend = [&](MdHandle md, const MdSpec& spec) {
      record.mds[md.cookie] = {spec.fragments.empty() ? nullptr : spec.fragments[0].iov_base,
                               spec.user_ptr, spec.options};
    };
    if (const auto* bind = answered<call::MdBind>(step.input)) lend(bind->md, bind->spec);
    if (const auto* attach = answered<call::MdAttach>(step.input)) lend(attach->md, attach->spec);
    const auto* in = std::get_if<core::HeaderArrived>(&step.input);
    if (in == nullptr) return;
    if (const auto* get = std::get_if<wire::GetPart>(&in->header->part))
      record.gets[{get->return_wmd.interface_cookie, get->return_wmd.object_cookie}].push_back(
          {*in->header, in->hop.nid});
    if (carries_payload(in->header->type()))
      record.arrived[{in->ni, in->rx.value}] = {*in->header, in->hop.nid};
  }

  void note_actions(const ShardStep& step, Record& record) {
    for (const core::Action& action : step.actions) {
      if (const auto* land = std::get_if<core::Land>(&action)) {
        const auto seen = record.arrived.find({land->ni, land->rx.value});
        if (seen == record.arrived.end()) continue;
        record.landing.add(land->msg, seen->second);
        record.arrived.erase(seen);
      } else if (const auto* drop = std::get_if<core::DropPayload>(&action)) {
        record.arrived.erase({drop->ni, drop->rx.value});
      } else if (const auto* reject = std::get_if<core::Reject>(&action)) {
        record.arrived.erase({reject->ni, reject->rx.value});
      } else if (const auto* send = std::get_if<core::Send>(&action)) {
        if (has_event(step, *send))
          record.sent.add(began_as(step, send->tx), {send->header, send->hop.nid});
      }
    }
  }

  // ---- comparisons ------------------------------------------------------------------------------
  void landed(World& world, const ShardStep& step, const Record& record, const Seen& seen) {
    const auto* put = std::get_if<wire::PutPart>(&seen.header.part);
    const EventType type = put != nullptr ? EventType::kPut : EventType::kReply;
    for (const Event* event : events_of(step, {type})) {
      Event right = parties(step.state, seen.header, seen.hop);
      right.rlength = seen.header.payload_length;
      right.mlength = std::min(event->mlength, right.rlength);
      if (put != nullptr) {
        right.portal = {put->portal};
        right.match_bits = {put->match_bits};
        right.hdr_data = put->hdr_data;
        const auto md = record.mds.find(event->md.cookie);
        const bool remote = md != record.mds.end() && (md->second.options & kManageRemote) != 0;
        right.offset = remote ? put->offset : event->offset;
      }
      if (const std::string wrong = difference(*event, right); !wrong.empty())
        violation(world, &step.node, "{}: wrong {}", to_string(type), wrong);
    }
  }

  /// Checks the event of a message that was sent. Other messages that waited for credits may end in
  /// the same step, so one of several events has to be that of this message.
  void sent(World& world, const ShardStep& step, Record& record, core::MsgTicket tx) {
    const Seen* seen = record.sent.find(tx);
    if (seen == nullptr) return;
    if (sent_again(step) != nullptr || may_have_failed_twice(step))
      return record.sent.erase(tx);  // the message may leave by another NI
    const wire::LnetHeader& header = seen->header;
    std::vector<Event> right(1);
    EventType type = EventType::kSend;
    if (const auto* reply = std::get_if<wire::ReplyPart>(&header.part)) {
      type = EventType::kGet;
      const auto asked =
          record.gets.find({reply->dst_wmd.interface_cookie, reply->dst_wmd.object_cookie});
      right.clear();
      if (asked != record.gets.end()) {
        for (const Seen& request : asked->second) {
          const wire::GetPart& get = std::get<wire::GetPart>(request.header.part);
          Event& each = right.emplace_back(parties(step.state, request.header, request.hop));
          each.portal = {get.portal};
          each.match_bits = {get.match_bits};
          each.rlength = get.sink_length;
          each.mlength = header.payload_length;
        }
      }
    } else if (const auto* put = std::get_if<wire::PutPart>(&header.part)) {
      right[0].portal = {put->portal};
      right[0].match_bits = {put->match_bits};
      right[0].offset = put->offset;
      right[0].hdr_data = put->hdr_data;
      right[0].rlength = right[0].mlength = header.payload_length;
    } else if (const auto* get = std::get_if<wire::GetPart>(&header.part)) {
      right[0].portal = {get->portal};
      right[0].match_bits = {get->match_bits};
      right[0].offset = get->src_offset;
      right[0].rlength = right[0].mlength = get->sink_length;
    } else {
      return record.sent.erase(tx);
    }
    if (type == EventType::kSend) {
      right[0].target = {header.dest_nid, header.dest_pid};
      right[0].initiator = {Nid::any(), header.src_pid};
      right[0].source = header.src_nid;
    }
    std::string wrong;
    for (const Event* event : events_of(step, {type})) {
      for (Event& each : right) {
        if (type == EventType::kGet) each.offset = event->offset;  // right_entry.cc checks it
        wrong = difference(*event, each);
        if (wrong.empty()) return record.sent.erase(tx);
      }
    }
    if (!wrong.empty()) violation(world, &step.node, "{}: wrong {}", to_string(type), wrong);
    record.sent.erase(tx);
  }

  void acknowledged(World& world, const ShardStep& step, const Seen& seen, const Nid& primary) {
    const auto* ack = std::get_if<wire::AckPart>(&seen.header.part);
    if (ack == nullptr) return;
    for (const Event* event : events_of(step, {EventType::kAck})) {
      Event right = parties(step.state, seen.header, seen.hop);
      right.initiator.nid = primary;
      right.match_bits = {ack->match_bits};
      right.rlength = right.mlength = ack->mlength;
      if (const std::string wrong = difference(*event, right); !wrong.empty())
        violation(world, &step.node, "ACK: wrong {}", wrong);
    }
  }

  void ended_elsewhere(World& world, const ShardStep& step, const core::shard_msg::Ended& ended) {
    for (const Event* event : events_of(step, {ended.event.type})) {
      if (event->md != ended.md) continue;
      if (const std::string wrong = difference(*event, ended.event); !wrong.empty())
        violation(world, &step.node, "{} of another partition: wrong {}", to_string(event->type),
                  wrong);
    }
  }

  void md_part(World& world, const ShardStep& step, Record& record, const Event& event) {
    const auto md = record.mds.find(event.md.cookie);
    if (md == record.mds.end()) return violation(world, &step.node, "an event of no MD");
    const Lent& lent = md->second;
    if (event.md_start != lent.start || event.md_user_ptr != lent.user_ptr ||
        event.md_options != lent.options)
      violation(world, &step.node, "{}: not what its MD is", to_string(event.type));
    if (event.unlinked) record.mds.erase(md);
  }
  PerNode<Record> records_;
};

}  // namespace

std::unique_ptr<Checker> event_fields_checker() { return std::make_unique<EventFields>(); }

}  // namespace ulnet::sim
