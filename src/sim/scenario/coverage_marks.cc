#include "sim/scenario/coverage_marks.h"

#include "lnet/base/limits.h"
#include "lnet/core/contract/api.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"
#include "sim/kernel/event_words.h"
#include "sim/world/world.h"

namespace ulnet::sim {

void CoverageMarks::after_step(World&, const ShardStep& step) {
  look(step.input, step.actions);
  if (sent_again(step) != nullptr) hit("message sent again");
  const bool taken = taken_at_once(step) != nullptr;
  if (taken) hit("taken as its header came");
  for (const core::Action& action : step.actions)
    if (!taken || !std::holds_alternative<core::DropPayload>(action)) look(action);
}

void CoverageMarks::look(const core::Input& input, const core::Actions& actions) {
  if (actions.size() >= 8) hit("eight actions or more in a step");
  if (const auto* arrived = std::get_if<core::HeaderArrived>(&input)) {
    const std::uint32_t length = arrived->header->payload_length;
    if (carries_payload(arrived->header->type()) && length == 0) hit("message without payload");
    if (length == limits::kMtu) hit("message of 1 MiB");
  } else if (const auto* done = std::get_if<core::SendDone>(&input)) {
    if (done->health != core::Health::kOk) ++health_[static_cast<std::size_t>(done->health)];
  } else if (const auto* landed = std::get_if<core::PayloadLanded>(&input)) {
    if (landed->status != 0) hit("landing failed");
  } else if (const auto* down = std::get_if<core::PeerDown>(&input)) {
    down->reset ? hit("peer restarted") : hit("peer down");
  } else if (const auto* ni = std::get_if<core::NiState>(&input)) {
    ni->link == core::NiLink::kUp ? hit("interface up again") : hit("interface down");
  } else if (const auto* api = std::get_if<core::Api>(&input)) {
    if (api->call->status != 0) hit("call refused");
    for (const core::Action& action : actions)
      if (std::holds_alternative<core::Land>(action)) hit("landed by a call");
  } else if (std::holds_alternative<core::Tick>(input)) {
    if (!actions.empty()) hit("a timer acted");
  }
}

void CoverageMarks::look(const core::Action& action) {
  if (std::holds_alternative<core::HoldPayload>(action)) {
    hit("held for a lazy portal");
  } else if (std::holds_alternative<core::Reject>(action)) {
    hit("connection refused for a bad message");
  } else if (std::holds_alternative<core::Cancel>(action)) {
    hit("cancelled");
  } else if (std::holds_alternative<core::Drained>(action)) {
    hit("NI drained");
  } else if (const auto* drop = std::get_if<core::DropPayload>(&action)) {
    if (drop->rlen != 0) hit("payload discarded");
  } else if (const auto* ended = std::get_if<core::CallDone>(&action)) {
    if (ended->done->status != 0) hit("waiting call failed");
  } else if (const auto* note = std::get_if<core::Note>(&action)) {
    ++notes_[note->text];
  } else if (const auto* post = std::get_if<core::Post>(&action)) {
    const Event& event = post->event;
    if (event.unlinked)
      event.type == EventType::kUnlink ? hit("MD unlinked by call") : hit("MD unlinked itself");
    if (event.type == EventType::kPut && event.mlength < event.rlength)
      hit("PUT cut to its buffer");
    if (event.status != 0) ++failed_[static_cast<std::size_t>(event.type)];
  }
}

MarkCounts CoverageMarks::counts(const World& world) const {
  MarkCounts counts;
  for (std::size_t i = 0; i < kMarks.size(); ++i) counts[kMarks[i]] = hits_[i];
  for (std::size_t i = 1; i < std::size(health_); ++i)
    counts[std::string("send failed: ") + core::to_string(static_cast<core::Health>(i))] =
        health_[i];
  for (std::size_t i = 1; i < std::size(failed_); ++i)
    counts[std::string("event with an error: ") + to_string(static_cast<EventType>(i))] =
        failed_[i];
  for (const auto& [text, times] : notes_) counts[std::string("said: ") + text] += times;
  // The counters after these belong to reactors, which no simulated driver has.
  for (std::size_t i = 0; i < static_cast<std::size_t>(lnd::sock::Count::kCallsReceive); ++i) {
    std::uint64_t& sum = counts[std::string("tcp: ") + to_string(static_cast<lnd::sock::Count>(i))];
    for (const SimNode& node : world.nodes()) sum += node.sock_counts()[i];
  }
  return counts;
}

}  // namespace ulnet::sim
