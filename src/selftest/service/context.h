// What all parts of a selftest share: the host, alarms, settings, counters, and the ways to make
// a memory descriptor.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "lnet/base/bytes.h"
#include "lnet/wire/lst_message.h"
#include "selftest/service/alarms.h"
#include "selftest/service/host.h"
#include "selftest/service/settings.h"

namespace ulnet::svc::selftest {

using MessageBytes = std::array<std::byte, wire::kLstMessageBytes>;

/// A kind of line in the node's log that others can cause at will: one in each `pause`, which says
/// how many were left out.
struct LogTopic {
  Duration pause;
  std::uint64_t count = 0;     ///< how often there was something to say
  std::uint64_t left_out = 0;  ///< since the last line
  Instant until{};
};
/// What the selftest refuses and logs.
struct Refusals {
  LogTopic strangers{std::chrono::minutes(1)};  ///< may not lead: `selftest_consoles`
  LogTopic limits{std::chrono::minutes(1)};     ///< too many tests or batches in a session
  LogTopic memory{std::chrono::minutes(1)};     ///< beyond the share, or the system has none
};

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
  /// Logs what `text()` returns, unless the topic has its pause.
  template <class Text>
  void say(LogLevel level, LogTopic& topic, Text text) {
    ++topic.count;
    const Instant now = host.now();
    if (topic.count > 1 && now < topic.until) {
      ++topic.left_out;
      return;
    }
    topic.until = now + topic.pause;
    std::string line = "selftest: " + text();
    if (const auto more = std::exchange(topic.left_out, 0))
      line += " (and " + std::to_string(more) + " like it before)";
    host.log(level, line);
  }

  Host& host;
  Lnet& lnet;
  Alarms alarms;
  Settings settings;
  wire::LstRpcCounters rpc;
  Refusals refused;
  LogTopic sessions{std::chrono::seconds(1)};
  std::uint64_t next_id;     ///< match bits of replies and data (1.2)
  std::size_t live_mds = 0;  ///< 0: LNet has no memory of the selftest

 private:
  int bind(MdHandle& md, ByteSpan memory, std::int32_t threshold, EventSink& owner);
  MdSpec described(MdSpec spec, const iovec& fragment, EventSink& owner) const;
  int keep(MdHandle& md, const Result<MdHandle>& made);
  int begun(MdHandle md, const Result<void>& sent);
};

}  // namespace ulnet::svc::selftest
