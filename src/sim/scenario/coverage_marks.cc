#include "sim/scenario/coverage_marks.h"

#include "lnet/base/limits.h"
#include "lnet/core/contract/api.h"
#include "sim/checkers/counted.h"
#include "sim/checkers/per_node.h"
#include "sim/kernel/event_words.h"
#include "sim/world/world.h"

namespace ulnet::sim {

const char* CoverageMarks::name_of(Mark mark) {
  switch (mark) {
    case Mark::kHeldForLazy:
      return "held for a lazy portal";
    case Mark::kHeldLanded:
      return "landed by a call";
    case Mark::kRejected:
      return "connection refused for a bad message";
    case Mark::kCancelled:
      return "cancelled";
    case Mark::kPayloadDiscarded:
      return "payload discarded";
    case Mark::kCopiedAtOnce:
      return "taken as its header came";
    case Mark::kLandingFailed:
      return "landing failed";
    case Mark::kPeerDown:
      return "peer down";
    case Mark::kPeerRestarted:
      return "peer restarted";
    case Mark::kInterfaceDown:
      return "interface down";
    case Mark::kInterfaceUp:
      return "interface up again";
    case Mark::kMdUnlinkedItself:
      return "MD unlinked itself";
    case Mark::kMdUnlinkedByCall:
      return "MD unlinked by call";
    case Mark::kPutCut:
      return "PUT cut to its buffer";
    case Mark::kEmptyMessage:
      return "message without payload";
    case Mark::kLargestMessage:
      return "message of 1 MiB";
    case Mark::kSeveralActions:
      return "eight actions or more in a step";
    case Mark::kCallRefused:
      return "call refused";
    case Mark::kWaitingCallFailed:
      return "waiting call failed";
    case Mark::kNiDrained:
      return "NI drained";
    case Mark::kTickActed:
      return "a timer acted";
    case Mark::kSentAgain:
      return "message sent again";
    case Mark::kCount:
      break;
  }
  return "?";
}

void CoverageMarks::after_step(World&, const ShardStep& step) {
  look(step.input, step.actions);
  if (sent_again(step) != nullptr) hit(Mark::kSentAgain);
  const bool taken = taken_at_once(step) != nullptr;
  if (taken) hit(Mark::kCopiedAtOnce);
  for (const core::Action& action : step.actions)
    if (!taken || !std::holds_alternative<core::DropPayload>(action)) look(action);
}

void CoverageMarks::look(const core::Input& input, const core::Actions& actions) {
  if (actions.size() >= 8) hit(Mark::kSeveralActions);
  if (const auto* arrived = std::get_if<core::HeaderArrived>(&input)) {
    const std::uint32_t length = arrived->header->payload_length;
    if (carries_payload(arrived->header->type()) && length == 0) hit(Mark::kEmptyMessage);
    if (length == limits::kMtu) hit(Mark::kLargestMessage);
  } else if (const auto* done = std::get_if<core::SendDone>(&input)) {
    if (done->health != core::Health::kOk) ++health_[static_cast<std::size_t>(done->health)];
  } else if (const auto* landed = std::get_if<core::PayloadLanded>(&input)) {
    if (landed->status != 0) hit(Mark::kLandingFailed);
  } else if (const auto* down = std::get_if<core::PeerDown>(&input)) {
    hit(down->reset ? Mark::kPeerRestarted : Mark::kPeerDown);
  } else if (const auto* ni = std::get_if<core::NiState>(&input)) {
    hit(ni->link == core::NiLink::kUp ? Mark::kInterfaceUp : Mark::kInterfaceDown);
  } else if (const auto* api = std::get_if<core::Api>(&input)) {
    if (api->call->status != 0) hit(Mark::kCallRefused);
    for (const core::Action& action : actions)
      if (std::holds_alternative<core::Land>(action)) hit(Mark::kHeldLanded);
  } else if (std::holds_alternative<core::Tick>(input)) {
    if (!actions.empty()) hit(Mark::kTickActed);
  }
}

void CoverageMarks::look(const core::Action& action) {
  if (std::holds_alternative<core::HoldPayload>(action)) {
    hit(Mark::kHeldForLazy);
  } else if (std::holds_alternative<core::Reject>(action)) {
    hit(Mark::kRejected);
  } else if (std::holds_alternative<core::Cancel>(action)) {
    hit(Mark::kCancelled);
  } else if (std::holds_alternative<core::Drained>(action)) {
    hit(Mark::kNiDrained);
  } else if (const auto* drop = std::get_if<core::DropPayload>(&action)) {
    if (drop->rlen != 0) hit(Mark::kPayloadDiscarded);
  } else if (const auto* ended = std::get_if<core::CallDone>(&action)) {
    if (ended->done->status != 0) hit(Mark::kWaitingCallFailed);
  } else if (const auto* note = std::get_if<core::Note>(&action)) {
    ++notes_[note->text];
  } else if (const auto* post = std::get_if<core::Post>(&action)) {
    const Event& event = post->event;
    if (event.unlinked)
      hit(event.type == EventType::kUnlink ? Mark::kMdUnlinkedByCall : Mark::kMdUnlinkedItself);
    if (event.type == EventType::kPut && event.mlength < event.rlength) hit(Mark::kPutCut);
    if (event.status != 0) ++failed_[static_cast<std::size_t>(event.type)];
  }
}

MarkCounts CoverageMarks::counts(const World& world) const {
  MarkCounts counts;
  for (std::size_t i = 0; i < kMarks; ++i) counts[name_of(static_cast<Mark>(i))] = hits_[i];
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
    for (std::size_t node = 0; node < world.size(); ++node)
      sum += world.node(node).sock_counts()[i];
  }
  return counts;
}

}  // namespace ulnet::sim
