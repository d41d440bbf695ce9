#include "svc/selftest/shop.h"

namespace ulnet::svc::selftest {
namespace {

constexpr Portal kReplies{wire::kLstReplyPortal};

MdSpec spec_of(const iovec& fragment, std::int32_t threshold, std::uint32_t options, Host& host,
               EventSink& owner) {
  MdSpec spec;
  spec.fragments = {&fragment, 1};
  spec.threshold = threshold;
  spec.options = options;
  spec.user_ptr = &owner;
  spec.sink = &host.sink();
  return spec;
}

}  // namespace

int Shop::expect(MdHandle& md, const ProcessId& peer, std::uint64_t bits, ByteSpan memory,
                 std::uint32_t options, EventSink& owner) {
  const auto me =
      lnet.me_attach(kReplies, peer, {bits}, {0}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  if (!me) return me.error().code;
  const iovec fragment{memory.data(), memory.size()};
  const auto made =
      lnet.md_attach(*me, spec_of(fragment, 1, options, host, owner), UnlinkMode::kUnlink);
  if (!made) return made.error().code;
  md = *made;
  ++live_mds;
  return 0;
}

int Shop::bind(MdHandle& md, ByteSpan memory, std::int32_t threshold, EventSink& owner) {
  const iovec fragment{memory.data(), memory.size()};
  const auto made = lnet.md_bind(spec_of(fragment, threshold, 0, host, owner), UnlinkMode::kUnlink);
  if (!made) return made.error().code;
  md = *made;
  ++live_mds;
  return 0;
}

int Shop::put(MdHandle& md, ByteSpan memory, const ProcessId& to, Portal portal, std::uint64_t bits,
              const Nid& self, EventSink& owner) {
  if (const int status = bind(md, memory, 1, owner)) return status;
  PutRequest request;
  request.md = md;
  request.target = to;
  request.portal = portal;
  request.match_bits = {bits};
  request.self = self;
  const auto begun = lnet.put(request);
  if (begun) return 0;
  (void)lnet.md_unlink(md);
  return begun.error().code;
}

int Shop::get(MdHandle& md, ByteSpan memory, const ProcessId& from, std::uint64_t bits,
              const Nid& self, EventSink& owner) {
  if (const int status = bind(md, memory, 2, owner)) return status;
  GetRequest request;
  request.md = md;
  request.target = from;
  request.portal = kReplies;
  request.match_bits = {bits};
  request.self = self;
  const auto begun = lnet.get(request);
  if (begun) return 0;
  (void)lnet.md_unlink(md);
  return begun.error().code;
}

}  // namespace ulnet::svc::selftest
