#include "core/shard.h"

#include <algorithm>

#include "core/custody.h"
#include "core/inbound.h"
#include "core/outbound.h"
#include "core/parts.h"

namespace ulnet::core {

namespace {

void take(Step& step, const HeaderArrived& in) { header_arrived(step, in); }
void take(Step& step, const PayloadLanded& in) { payload_landed(step, in); }
void take(Step& step, const ReplyLanded& in) { reply_landed(step, in); }
void take(Step& step, const SendDone& in) { send_done(step, in); }
void take(Step&, const PeerUp&) {}  // only routers need to know (spec/multirail.md 8)
void take(Step& step, const PeerDown& in) { peer_down(step, in); }
void take(Step& step, const NiState& in) { ni_state_changed(step, in); }
void take(Step& step, const Api& in) { answer_call(step, *in.call); }
void take(Step& step, const Config& in) { reconfigure(step, in.snapshot); }
void take(Step& step, const Tick&) {
  expire_responses(step);
  expire_pings(step);
}
void read(Step& step, std::uint32_t from, const Letter& letter) {
  std::visit([&](const auto& body) { take(step, from, body); }, letter.body);
}
void take(Step& step, const Mail& in) { read(step, in.from, *in.letter); }

}  // namespace

Shard::Shard(std::uint32_t index, Rng rng, std::pmr::memory_resource& memory)
    : state_(make_placed<ShardState>(memory, index, rng)) {}
Shard::~Shard() = default;

void Shard::step(Instant now, const Input& input, Actions& actions) {
  Step step{*state_, now, actions};
  std::visit([&](const auto& in) { take(step, in); }, input);
  run_ready(step);
  while (!state_->to_self.empty()) {
    const Letter letter = std::move(state_->to_self.front());
    state_->to_self.pop_front();
    read(step, state_->index, letter);
    run_ready(step);
  }
  if (state_->own.stale) own_state_changed(step);
}

Instant Shard::next_deadline() const {
  return std::min(state_->responses.next_deadline(), state_->own.pings.next_deadline());
}

}  // namespace ulnet::core
