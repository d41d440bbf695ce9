// A slot of a verified load: runs one operation after the other.
#include <cstring>
#include <utility>

#include "sim/load/loads_impl.h"

namespace ulnet::sim {
namespace {

constexpr Duration kTryAgain = std::chrono::milliseconds(10);

}  // namespace

/// Begins the next operation. It also ends an operation whose local MD is unlinked, while its MD at
/// the target may still be attached.
void VerifiedLoad::Slot::run() {
  if (!idle()) {
    if (md) return;
    if (far.md) {
      // The message never arrived. If the target is paused, run() looks at it again later.
      if (target->state() == SimNode::State::kPaused) return wake(kTryAgain);
      (void)target->md_unlink(far.md);
      if (far.md) return;  // its UNLINK event follows
    }
    end();
  }
  if (!load.over_ && node.up()) next();
}

void VerifiedLoad::Slot::next() {
  World& world = *load.world_;
  if (world.size() < 2 || (load.setup_.operations != 0 && load.begun_ >= load.setup_.operations))
    return;
  op = load.draw_op();
  const std::size_t step = 1 + load.rng().below(world.size() - 1);
  target = &world.node((node.number() + step) % world.size());
  if (target->setup().nis.empty() || node.setup().nis.empty()) return wake(kTryAgain);
  length = load.draw_size();
  offset = static_cast<std::uint32_t>(load.rng().below(load.setup_.max_bytes - length + 1));
  if (is_once() && !target->up()) op = LoadOp::kPutAck;
  key = ++load.begun_;
  load.arrived_.push_back(false);
  answered = false;
  ++load.counts_.begun[static_cast<std::size_t>(op)];
  ++*load.acts_[static_cast<std::size_t>(op)];
  ++load.under_way_;
  load.look_busy();
  memory = load.take(length);
  is_get() ? blot(memory.get(), length)
           : static_cast<void>(std::memcpy(memory.get(), pattern(key), length));
  if ((!is_once() || post_far()) && start()) return;
  if (!md) wake(load.draw(load.setup_.think));
}

bool VerifiedLoad::Slot::post_far() {
  const Portal portal{load.setup_.first_portal + 3};
  const auto me = target->me_attach(portal, {}, {key | kOnceBit}, {}, UnlinkMode::kUnlink,
                                    InsertPosition::kLocal);
  if (!me) return false;
  far.memory = load.take(length);
  is_get() ? static_cast<void>(std::memcpy(far.memory.get(), pattern(key), length))
           : blot(far.memory.get(), length);
  const iovec fragment{far.memory.get(), length};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = 1;
  spec.options = is_get() ? kOpGet : kOpPut;
  spec.sink = &far;
  far.md = target->md_attach(*me, spec, UnlinkMode::kUnlink).value_or(MdHandle{});
  return static_cast<bool>(far.md);
}

bool VerifiedLoad::Slot::start() {
  const iovec fragment{memory.get(), length};
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = op == LoadOp::kPut ? 1 : 2;
  // The response time-out ends it, whatever the node's response_tracking is.
  spec.options = kTrackResponse;
  spec.sink = this;
  md = node.md_bind(spec, UnlinkMode::kUnlink).value_or(MdHandle{});
  if (!md) return false;
  const std::uint32_t portal = load.setup_.first_portal + (is_once()                ? 3
                                                           : op == LoadOp::kGet     ? 2
                                                           : op == LoadOp::kPutLazy ? 1
                                                                                    : 0);
  const MatchBits bits{is_once() ? key | kOnceBit : key};
  const auto begun = [&] {
    if (is_get()) {
      const std::uint32_t from = op == LoadOp::kGet ? offset : 0;
      return node.get({md, target->id(), {portal}, bits, from, Nid::any()});
    }
    const AckRequest ack = op == LoadOp::kPut ? AckRequest::kNoAck : AckRequest::kAck;
    return node.put({md, target->id(), {portal}, bits, 0, key, ack, Nid::any()});
  }();
  if (!begun) (void)node.md_unlink(md);
  return static_cast<bool>(begun);
}

void VerifiedLoad::Slot::on_event(const Event& event) {
  check(event);
  if (event.unlinked) {
    md = {};
    ++load.counts_.ended;
    const bool well =
        event.status == 0 && event.type != EventType::kUnlink && (op == LoadOp::kPut || answered);
    if (!well) {
      ++load.counts_.failed;
      ++*load.acts_failed_;
    }
    wake(load.draw(load.setup_.think));
  } else if (event.status != 0) {
    (void)node.md_unlink(event.md);  // no other event would follow
  }
}

void VerifiedLoad::Slot::check(const Event& event) {
  const bool answer = event.type == EventType::kAck || event.type == EventType::kReply;
  if (!md || event.md != md) return load.wrong(node, "an event of an MD that has ended");
  if (event.status != 0 || !answer) return;
  if (std::exchange(answered, true)) return load.wrong(node, "two answers");
  if (event.mlength != length) load.wrong(node, "an answer has a wrong length");
  if (is_get() && std::memcmp(memory.get(), contents(), length) != 0)
    load.wrong(node, "a REPLY has wrong contents");
  if (event.type == EventType::kAck && !load.arrived_[key] && target->setup().handles_at_once())
    load.wrong(node, "an ACK for a message that did not arrive");
}

void VerifiedLoad::Slot::far_event(const Event& event) {
  if (!far.md || event.md != far.md) return load.wrong(*target, "an event of an MD that has ended");
  if (event.status == 0 && event.type == EventType::kPut) {
    ++load.counts_.arrived;
    load.arrived_[key] = true;
    if (event.mlength != length || event.hdr_data != key)
      load.wrong(*target, "a PUT of a wrong length");
    if (std::memcmp(far.memory.get(), pattern(key), length) != 0)
      load.wrong(*target, "a PUT has wrong contents");
  }
  if (!event.unlinked) return;
  far.md = {};
  if (!md) wake({});
}

void VerifiedLoad::Slot::give_back() {
  if (memory != nullptr) load.give(std::move(memory), length);
  if (far.memory != nullptr) load.give(std::move(far.memory), length);
}

void VerifiedLoad::Slot::end() {
  give_back();
  key = 0;
  --load.under_way_;
  load.look_busy();
}

void VerifiedLoad::Slot::forget(const SimNode& whose) {
  if (idle()) return;
  if (&whose == target && far.md) {
    far.md = {};
    if (!md) wake({});
  }
  if (&whose != &node) return;
  // run() unlinks the operation's MD at the target.
  ++load.counts_.forgotten;
  md = {};
  wake({});
}

}  // namespace ulnet::sim
