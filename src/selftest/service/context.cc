#include "selftest/service/context.h"

namespace ulnet::svc::selftest {
namespace {

constexpr Portal kReplies{wire::kLstReplyPortal};

/// Fills in the fields that PUT and GET have in common.
template <class Request>
Request request_of(MdHandle md, const ProcessId& peer, Portal portal, std::uint64_t bits,
                   const Nid& self) {
  Request request;
  request.md = md;
  request.target = peer;
  request.portal = portal;
  request.match_bits = {bits};
  request.self = self;
  return request;
}

}  // namespace

int Context::keep(MdHandle& md, const Result<MdHandle>& made) {
  if (!made) return made.error().code;
  md = *made;
  ++live_mds;
  return 0;
}

int Context::begun(MdHandle md, const Result<void>& sent) {
  if (sent) return 0;
  (void)lnet.md_unlink(md);
  return sent.error().code;
}

MdSpec Context::described(MdSpec spec, const iovec& fragment, EventSink& owner) const {
  spec.fragments = {&fragment, 1};
  spec.user_ptr = &owner;
  spec.sink = &host.sink();
  return spec;
}

int Context::post(MdHandle& md, const Entry& entry, const MdSpec& spec, ByteSpan memory,
                  EventSink& owner) {
  const auto me = entry.cpt ? lnet.me_attach_at(*entry.cpt, entry.portal, entry.peer, entry.bits,
                                                entry.ignore, UnlinkMode::kUnlink)
                            : lnet.me_attach(entry.portal, entry.peer, entry.bits, entry.ignore,
                                             UnlinkMode::kUnlink, InsertPosition::kAfter);
  if (!me) return me.error().code;
  const iovec fragment{memory.data(), memory.size()};
  return keep(md, lnet.md_attach(*me, described(spec, fragment, owner), UnlinkMode::kUnlink));
}

int Context::bind(MdHandle& md, ByteSpan memory, std::int32_t threshold, EventSink& owner) {
  const iovec fragment{memory.data(), memory.size()};
  return keep(
      md, lnet.md_bind(described({.threshold = threshold}, fragment, owner), UnlinkMode::kUnlink));
}

int Context::expect(MdHandle& md, const ProcessId& peer, std::uint64_t bits, ByteSpan memory,
                    std::uint32_t options, EventSink& owner) {
  return post(md, {kReplies, peer, {bits}}, {.threshold = 1, .options = options}, memory, owner);
}

int Context::put(MdHandle& md, ByteSpan memory, const ProcessId& to, Portal portal,
                 std::uint64_t bits, const Nid& self, EventSink& owner) {
  if (const int status = bind(md, memory, 1, owner)) return status;
  return begun(md, lnet.put(request_of<PutRequest>(md, to, portal, bits, self)));
}

int Context::get(MdHandle& md, ByteSpan memory, const ProcessId& from, std::uint64_t bits,
                 const Nid& self, EventSink& owner) {
  if (const int status = bind(md, memory, 2, owner)) return status;
  return begun(md, lnet.get(request_of<GetRequest>(md, from, kReplies, bits, self)));
}

}  // namespace ulnet::svc::selftest
