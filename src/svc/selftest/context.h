// What all parts of a selftest share: the host, alarms, settings, counters, and the ways to make
// a memory descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>

#include "base/bytes.h"
#include "svc/selftest/alarms.h"
#include "svc/selftest/host.h"
#include "svc/selftest/settings.h"
#include "wire/lst_message.h"

namespace ulnet::svc::selftest {

using MessageBytes = std::array<std::byte, wire::kLstMessageBytes>;

struct Context {
  Context(Host& node, const Settings& wishes)
      : host(node),
        lnet(node.lnet()),
        alarms(node),
        settings(wishes),
        next_id((static_cast<std::uint64_t>(node.wall_ns()) / 1'000'000'000 << 48) + 1) {}

  // Each of these returns 0 or a negative errno. Whatever it returns, if `md` then names a
  // descriptor, the descriptor's events go to `owner`, the last of them with `unlinked`; `owner`
  // then calls ended().

  /// Which requests find a buffer.
  struct Entry {
    Portal portal;
    ProcessId peer;  ///< who may use it; by default anyone
    MatchBits bits;
    MatchBits ignore{};
    std::optional<std::uint32_t> cpt{};  ///< for what comes in there; none: as AFTER says
  };
  /// Posts `memory`, with the threshold, sizes and options of `spec`.
  int post(MdHandle& md, const Entry& entry, const MdSpec& spec, ByteSpan memory, EventSink& owner);
  /// A single-use buffer for what `peer` puts or gets (`options`) under `bits` on portal 52.
  int expect(MdHandle& md, const ProcessId& peer, std::uint64_t bits, ByteSpan memory,
             std::uint32_t options, EventSink& owner);
  /// Sends `memory` by PUT; its event is SEND.
  int put(MdHandle& md, ByteSpan memory, const ProcessId& to, Portal portal, std::uint64_t bits,
          const Nid& self, EventSink& owner);
  /// Fetches `memory` by GET from portal 52. SEND and REPLY come in any order; SEND alone if the
  /// GET failed.
  int get(MdHandle& md, ByteSpan memory, const ProcessId& from, std::uint64_t bits, const Nid& self,
          EventSink& owner);
  /// Call this when a descriptor's event with `unlinked` has come.
  void ended(MdHandle& md) {
    md = {};
    --live_mds;
  }
  /// Counts an event with an error, unless it comes from unlinking (3.6).
  void note(const Event& event) {
    if (event.status != 0 && event.type != EventType::kUnlink && event.status != -ECANCELED)
      ++rpc.errors;
  }
  Instant deadline(Duration timeout) {
    return timeout == Duration{} ? kNever : host.now() + timeout;
  }

  Host& host;
  Lnet& lnet;
  Alarms alarms;
  Settings settings;
  wire::LstRpcCounters rpc;
  std::uint64_t next_id;     ///< match bits of replies and data (1.2)
  std::size_t live_mds = 0;  ///< 0: LNet has no memory of the selftest

 private:
  int bind(MdHandle& md, ByteSpan memory, std::int32_t threshold, EventSink& owner);
  MdSpec described(MdSpec spec, const iovec& fragment, EventSink& owner) const;
  int keep(MdHandle& md, const Result<MdHandle>& made);
  int begun(MdHandle md, const Result<void>& sent);
};

}  // namespace ulnet::svc::selftest
