#include "sim/checkers/message_order.h"

#include <algorithm>

#include "sim/world/world.h"

namespace ulnet::sim {

void MessageOrder::after_step(World&, const ShardStep& step) {
  if (step.node.engine() == nullptr) return;
  if (const auto* done = std::get_if<core::SendDone>(&step.input)) {
    Record& record = records_.of(step.node);
    if (Lane* const* lane = record.sent.find(done->tx))
      std::erase_if((*lane)->handed, [&](const Handed& each) { return each.tx == done->tx; });
    record.sent.erase(done->tx);
  }
  for (const core::Action& action : step.actions) {
    const auto* send = std::get_if<core::Send>(&action);
    if (send == nullptr || send->hop.nid.is_loopback()) continue;
    Record& record = records_.of(step.node);
    Lane& lane = record.lanes[{send->header.src_nid, send->header.dest_nid}];
    lane.handed.push_back({++lane.numbers, send->tx, send->header});
    record.sent.add(send->tx, &lane);
  }
}

void MessageOrder::on_written(World& world, const StreamEnd& end, const iovec* from,
                              std::size_t bytes) {
  if (end.user == kNoNode) return;
  std::unique_ptr<Voice>& voice = voices_[key(end)];
  if (voice == nullptr) voice = std::make_unique<Voice>(end.dialled);
  for (; bytes != 0; ++from) {
    ByteView in(static_cast<const std::byte*>(from->iov_base), std::min(bytes, from->iov_len));
    bytes -= in.size();
    KsockStreamParser::Heard heard = KsockStreamParser::Heard::kMore;
    do {
      heard = voice->parser.next(in);
      if (heard == KsockStreamParser::Heard::kMessage) said(world, world.node(end.user), *voice);
    } while (heard != KsockStreamParser::Heard::kMore &&
             heard != KsockStreamParser::Heard::kNonsense);
  }
}

/// Finds the message that this connection wrote among those that the driver holds. Several may have
/// the same header, and another connection may have written some of them. So the first message
/// counts that has this header and was handed over after the last one that this connection wrote.
/// It is a violation if all with this header are older.
void MessageOrder::said(World& world, const SimNode& node, Voice& voice) {
  const wire::LnetHeader& header = voice.parser.header();
  Record& record = records_.of(node);
  const Pair pair{header.src_nid, header.dest_nid};
  const auto lane = record.lanes.find(pair);
  if (lane == record.lanes.end()) return;
  std::uint64_t& last = voice.last[pair];
  bool before = false;
  for (const Handed& each : lane->second.handed) {
    if (each.header.part != header.part || each.header.payload_length != header.payload_length)
      continue;
    before = each.number <= last;
    if (before) continue;
    last = each.number;
    return;
  }
  if (before)
    violation(world, &node,
              pair.to.to_string() + ": a message was written after one that was handed over later");
}

void MessageOrder::on_over(World&, const StreamEnd& end, bool let_go) {
  if (let_go) voices_.erase(key(end));
}

}  // namespace ulnet::sim
