// The trace records of one step of a shard.
#include <array>
#include <tuple>

#include "lnet/core/contract/api.h"
#include "lnet/core/contract/shard_msg.h"
#include "sim/world/trace_actions.h"
#include "sim/world/world.h"

namespace ulnet::sim {
namespace {

std::uint64_t number(const core::MsgTicket& ticket) {
  return static_cast<std::uint64_t>(ticket.generation) << 32 | ticket.slot;
}
std::uint64_t number(int status) { return static_cast<std::uint64_t>(status); }
std::uint64_t number(core::Health health) { return static_cast<std::uint64_t>(health); }
std::uint64_t nanoseconds(Instant when) {
  return static_cast<std::uint64_t>(when.time_since_epoch().count());
}

/// The match bits of a request, or the MD of a response.
std::uint64_t subject(const wire::LnetHeader& header) {
  if (const auto* put = std::get_if<wire::PutPart>(&header.part)) return put->match_bits;
  if (const auto* get = std::get_if<wire::GetPart>(&header.part)) return get->match_bits;
  if (const auto* ack = std::get_if<wire::AckPart>(&header.part)) return ack->dst_wmd.object_cookie;
  return std::get<wire::ReplyPart>(header.part).dst_wmd.object_cookie;
}

constexpr auto kActionNumbers =
    std::apply([](const auto&... action) { return std::array{action.number...}; }, kTracedActions);

std::uint8_t detail_of(const core::Input& input) {
  return static_cast<std::uint8_t>(input.index());
}
std::uint8_t detail_of(const core::Action& action) { return kActionNumbers[action.index()]; }

struct Describe {
  TraceRecord& r;

  // inputs
  void operator()(const core::HeaderArrived& in) const {
    set(static_cast<std::uint64_t>(in.header->type()), in.header->payload_length,
        subject(*in.header), in.rx.value);
  }
  void operator()(const core::PayloadLanded& in) const {
    set(number(in.msg), number(in.status), number(in.health));
  }
  void operator()(const core::ReplyLanded& in) const {
    set(number(in.tx), number(in.status), in.mlength);
  }
  void operator()(const core::SendDone& in) const {
    set(number(in.tx), number(in.status), number(in.health));
  }
  void operator()(const core::PeerUp& in) const { set(in.ni.value, nid(in.hop.nid)); }
  void operator()(const core::PeerDown& in) const { set(in.ni.value, nid(in.hop.nid), in.reset); }
  void operator()(const core::NiState& in) const {
    // kFailed is 2 here, although no value is 1 any more: digests depend on it.
    set(in.ni.value, in.link == core::NiLink::kUp ? 0 : 2);
  }
  void operator()(const core::Api& in) const {
    r.kind = TraceKind::kCall;
    r.detail = static_cast<std::uint8_t>(in.call->body.index());
    r.a = number(in.call->status);
    if (const auto* put = std::get_if<core::call::Put>(&in.call->body))
      set(r.a, put->request.md.cookie, put->request.match_bits.value, nid(put->request.target.nid));
    if (const auto* get = std::get_if<core::call::Get>(&in.call->body))
      set(r.a, get->request.md.cookie, get->request.match_bits.value, nid(get->request.target.nid));
    if (const auto* me = std::get_if<core::call::MeAttach>(&in.call->body))
      set(r.a, me->me.cookie, me->match.value);
    if (const auto* attach = std::get_if<core::call::MdAttach>(&in.call->body))
      set(r.a, attach->md.cookie, attach->me.cookie);
    if (const auto* bind = std::get_if<core::call::MdBind>(&in.call->body))
      set(r.a, bind->md.cookie);
    if (const auto* unlink = std::get_if<core::call::MdUnlink>(&in.call->body))
      set(r.a, unlink->md.cookie);
  }
  void operator()(const core::Config& in) const {
    set(in.snapshot->generation, in.snapshot->nis.size());
  }
  void operator()(const core::Tick&) const {}
  void operator()(const core::FromShard& in) const { set(in.from, in.shard_msg->body.index()); }

  // actions
  void operator()(const core::Send& out) const {
    set(static_cast<std::uint64_t>(out.header.type()), out.payload.length,
        nanoseconds(out.deadline), number(out.tx));
  }
  void operator()(const core::Cancel& out) const { set(number(out.tx)); }
  void operator()(const core::Land& out) const {
    set(number(out.msg), out.sink.length, out.rlen, out.rx.value);
  }
  void operator()(const core::CopyPayload& out) const { set(out.from.size()); }
  void operator()(const core::HoldPayload& out) const { set(number(out.msg), out.rx.value); }
  void operator()(const core::DropPayload& out) const { set(out.rx.value, out.rlen); }
  void operator()(const core::Reject& out) const { set(out.rx.value, text(out.reason)); }
  void operator()(const core::Post& out) const {
    set(out.strand.cookie, static_cast<std::uint64_t>(out.event.type), number(out.event.status));
  }
  void operator()(const core::CallDone& out) const {
    set(out.done->ticket, number(out.done->status), out.done->ping.nids.size());
  }
  void operator()(const core::Applied& out) const { set(out.generation); }
  void operator()(const core::ToShard& out) const { set(out.to, out.shard_msg->body.index()); }
  void operator()(const core::Drained& out) const { set(out.ni.value); }
  void operator()(const core::AttachMemory& out) const { set(out.md.cookie, out.count); }
  void operator()(const core::DetachMemory& out) const { set(out.md.cookie); }
  void operator()(const core::Note& out) const {
    set(static_cast<std::uint64_t>(out.level), text(out.text), nid(out.nid), out.detail);
  }

 private:
  void set(std::uint64_t a, std::uint64_t b = 0, std::uint64_t c = 0, std::uint64_t d = 0) const {
    r.a = a;
    r.b = b;
    r.c = c;
    r.d = d;
  }
  /// A number computed from the NID's value; its address in memory must not matter.
  static std::uint64_t nid(const Nid& nid) {
    std::uint64_t hash = nid.type;
    for (const std::uint8_t byte : nid.num_be) hash = hash * 257 + byte;
    for (const std::uint8_t byte : nid.addr) hash = hash * 257 + byte;
    return hash;
  }
  static std::uint64_t text(const char* words) {
    std::uint64_t hash = 0;
    for (; *words != 0; ++words) hash = hash * 257 + static_cast<unsigned char>(*words);
    return hash;
  }
};

}  // namespace

void World::trace_step(const ShardStep& step) {
  const auto add = [&](TraceKind kind, const auto& what) {
    TraceRecord record;
    record.at = step.now;
    record.kind = kind;
    record.detail = detail_of(what);
    record.node = step.node.number();
    std::visit(Describe{record}, what);
    trace_.add(record);
  };
  add(TraceKind::kInput, step.input);
  for (const core::Action& action : step.actions) add(TraceKind::kAction, action);
}

}  // namespace ulnet::sim
