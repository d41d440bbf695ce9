#include "sim/scenario/timeline.h"

#include "sim/checkers/per_node.h"
#include "sim/load/faults.h"
#include "sim/scenario/script.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

std::uint32_t portal_of(const wire::LnetHeader& header) {
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return put->portal;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return get->portal;
  return 0;
}

std::uint32_t length_of(const wire::LnetHeader& header) {
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return get->sink_length;
  if (const auto* ack = std::get_if<wire::AckPart>(&header.part)) return ack->mlength;
  return header.payload_length;
}

}  // namespace

Timeline::Key Timeline::key_of(const wire::LnetHeader& header) {
  std::uint64_t a = 0;
  std::uint64_t b = 0;
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) {
    a = put->match_bits;
    b = put->ack_wmd.object_cookie ^ put->hdr_data << 1;
  } else if (const auto* get = std::get_if<wire::GetPart>(&header.part)) {
    a = get->match_bits;
    b = get->return_wmd.object_cookie;
  } else if (const auto* ack = std::get_if<wire::AckPart>(&header.part)) {
    a = ack->match_bits;
    b = ack->dst_wmd.object_cookie;
  } else {
    b = std::get<wire::ReplyPart>(header.part).dst_wmd.object_cookie;
  }
  return {header.src_nid, header.dest_nid, header.part.index(), a, b, header.payload_length};
}

void Timeline::after_step(World& world, const ShardStep& step) {
  const std::uint32_t node = step.node.number();
  if (const auto* arrived = std::get_if<core::HeaderArrived>(&step.input)) {
    const auto waiting = under_way_.find(key_of(*arrived->header));
    if (waiting != under_way_.end()) {
      if (Journey* journey = find(waiting->second.front())) journey->arrived = step.now;
      waiting->second.pop_front();
      if (waiting->second.empty()) under_way_.erase(waiting);
    }
  } else if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
    const auto sent = sends_.find({node, done->tx.slot, done->tx.generation});
    if (sent != sends_.end()) {
      Journey* journey = find(sent->second);
      if (journey != nullptr && done->status != 0) journey->failed = true;
      sends_.erase(sent);
    }
  }
  for (const core::Send& send : actions_of<core::Send>(step)) {
    const SimNode* target = world.find(send.hop.nid);
    Journey journey;
    journey.from = node;
    journey.to = target != nullptr ? target->number() : node;
    journey.type = send.header.type();
    journey.portal = portal_of(send.header);
    journey.length = length_of(send.header);
    journey.sent = step.now;
    const std::uint64_t number = first_ + journeys_.size();
    journeys_.push_back(journey);
    under_way_[key_of(send.header)].push_back(number);
    sends_[{node, send.tx.slot, send.tx.generation}] = number;
    if (journeys_.size() <= most_) continue;
    journeys_.pop_front();
    ++first_;
  }
}

void Timeline::add(const Happening& happening) {
  happenings_.push_back(happening);
  if (happenings_.size() > most_) happenings_.pop_front();
}

void Timeline::on_event(World& world, SimNode& node, const core::Post& post) {
  Happening happening;
  happening.node = node.number();
  happening.at = world.now();
  happening.type = post.event.type;
  happening.status = post.event.status;
  add(happening);
}

void Timeline::on_node(World& world, SimNode& node, NodeChange change) {
  if (change == NodeChange::kConfigured) return;
  Happening happening;
  happening.node = node.number();
  happening.at = world.now();
  happening.change = true;
  happening.what = change;
  add(happening);
}

std::vector<Breach> Timeline::breaches(const Trace& trace) {
  std::vector<Breach> all;
  trace.for_each([&](const TraceRecord& record) {
    const bool at_link =
        record.detail >= Script::kLinkDetail && record.detail < Script::kAdminDetail;
    if (record.kind != TraceKind::kActor || at_link) return;
    const auto other = static_cast<std::uint32_t>(record.b);
    if (record.a == 1) {
      all.push_back({record.detail, record.node, other, record.at});
      return;
    }
    for (auto breach = all.rbegin(); breach != all.rend(); ++breach) {
      if (breach->detail != record.detail || breach->node != record.node ||
          breach->other != other || breach->until != kNever)
        continue;
      breach->until = record.at;
      break;
    }
  });
  return all;
}

}  // namespace ulnet::sim
