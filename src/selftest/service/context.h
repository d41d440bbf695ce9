// Things that all parts of a selftest share: the host, alarms, settings, counters, and the
// functions that make a memory descriptor.
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

/// A kind of line in the node's log that other nodes can cause at will. The log gets one such line
/// in each `pause`. The line says how many lines were left out.
struct LogTopic {
  Duration pause;
  std::uint64_t count = 0;     ///< how many lines there were to log
  std::uint64_t left_out = 0;  ///< since the last line
  Instant until{};
};
/// The refusals of the selftest that it logs.
struct Refusals {
  /// requests from consoles that `selftest_consoles` does not allow to lead sessions
  LogTopic strangers{std::chrono::minutes(1)};
  LogTopic limits{std::chrono::minutes(1)};  ///< too many tests or batches in a session
  /// requests that the share or the system has no memory for
  LogTopic memory{std::chrono::minutes(1)};
};

struct Context {
  Context(Host& node, const Settings& configured)
      : host(node),
        lnet(node.lnet()),
        alarms(node),
        settings(configured),
        next_id((static_cast<std::uint64_t>(node.wall_ns()) / 1'000'000'000 << 48) + 1) {}

  // Each of these functions returns 0 or a negative errno. If `md` names a descriptor after the
  // call, whatever the call returned, `owner` gets the events of the descriptor. The last event has
  // `unlinked`; `owner` then calls ended().

  /// The requests that a buffer takes.
  struct Entry {
    Portal portal;
    ProcessId peer;  ///< who may use it; by default anyone
    MatchBits bits;
    MatchBits ignore{};
    /// takes requests that come in on this CPT; nothing: as InsertPosition::kAfter says
    std::optional<std::uint32_t> cpt{};
  };
  /// Posts `memory`, with the threshold, sizes and options of `spec`.
  int post(MdHandle& md, const Entry& entry, const MdSpec& spec, ByteSpan memory, EventSink& owner);
  /// Posts a single-use buffer on portal 52 for a PUT or GET (`options`) of `peer` with the match
  /// bits `bits`.
  int expect(MdHandle& md, const ProcessId& peer, std::uint64_t bits, ByteSpan memory,
             std::uint32_t options, EventSink& owner);
  /// Sends `memory` by PUT. `owner` gets the event SEND.
  int put(MdHandle& md, ByteSpan memory, const ProcessId& to, Portal portal, std::uint64_t bits,
          const Nid& self, EventSink& owner);
  /// Fetches `memory` by GET from portal 52. The events SEND and REPLY come in any order; if the
  /// GET failed, only SEND comes.
  int get(MdHandle& md, ByteSpan memory, const ProcessId& from, std::uint64_t bits, const Nid& self,
          EventSink& owner);
  /// Notes that a descriptor has ended. Call this when its event with `unlinked` has come.
  void ended(MdHandle& md) {
    md = {};
    --live_mds;
  }
  /// Counts an event with an error, unless md_unlink() caused it (spec/wire-selftest.md 3.6).
  void note(const Event& event) {
    if (event.status != 0 && event.type != EventType::kUnlink && event.status != -ECANCELED)
      ++rpc.errors;
  }
  Instant deadline(Duration timeout) {
    return timeout == Duration{} ? kNever : host.now() + timeout;
  }
  /// Logs the text that `text()` returns, unless the topic is in its pause.
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
  std::uint64_t next_id;  ///< match bits of replies and data (spec/wire-selftest.md 1.2)
  /// memory descriptors that exist; 0: LNet has no memory of the selftest
  std::size_t live_mds = 0;

 private:
  int bind(MdHandle& md, ByteSpan memory, std::int32_t threshold, EventSink& owner);
  MdSpec described(MdSpec spec, const iovec& fragment, EventSink& owner) const;
  int keep(MdHandle& md, const Result<MdHandle>& made);
  int begun(MdHandle md, const Result<void>& sent);
};

}  // namespace ulnet::svc::selftest
