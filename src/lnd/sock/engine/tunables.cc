#include "lnd/sock/engine/tunables.h"

#include <array>
#include <charconv>
#include <limits>

namespace ulnet::lnd::sock {
namespace {

constexpr std::int32_t kAnyMax = std::numeric_limits<std::int32_t>::max();

/// The field and the range of a tunable that is a number.
struct Row {
  std::int32_t SockTunables::*number;
  std::int32_t low;
  std::int32_t high;
};
/// The tunables that are words; kNone: a number.
enum class Words : std::uint8_t { kNone, kAccept, kWait, kCongestion };
struct Entry {
  TunableInfo info;
  Row row{};
  Words words = Words::kNone;
};

using T = SockTunables;
constexpr bool kAtStart = true;
constexpr bool kLive = false;

constexpr std::array kEntries = {
    Entry{{"sock_timeout", kLive, "s without progress until a connection is closed; 0: the node's"},
          {&T::sock_timeout, 0, kAnyMax}},
    Entry{{"credits", kAtStart, "concurrent sends of an NI"}, {&T::credits, 1, kAnyMax}},
    Entry{{"peer_credits", kAtStart, "concurrent sends to a peer NI"},
          {&T::peer_credits, 1, kAnyMax}},
    Entry{{"peer_buffer_credits", kAtStart, "router buffers of a peer; 0: the node's"},
          {&T::peer_buffer_credits, 0, kAnyMax}},
    Entry{{"peer_timeout", kAtStart, "s of silence until a peer counts as gone (routers)"},
          {&T::peer_timeout, -1, kAnyMax}},
    Entry{{"nscheds", kAtStart,
           "threads that move bytes, per CPU partition; 0: by interfaces and CPUs"},
          {&T::nscheds, 0, 1024}},
    Entry{{"nconnds", kLive, "dials under way at once"}, {&T::nconnds, 1, 65536}},
    Entry{{"nconnds_max", kLive, "dials under way at once when many peers wait"},
          {&T::nconnds_max, 1, 65536}},
    Entry{{"min_reconnectms", kLive, "ms until the first new try after a failed dial"},
          {&T::min_reconnectms, 1, kAnyMax}},
    Entry{{"max_reconnectms", kLive, "ms between tries at most"},
          {&T::max_reconnectms, 1, kAnyMax}},
    Entry{{"eager_ack", kLive, "TCP quick-ack, a bit per connection type"}, {&T::eager_ack, 0, 15}},
    Entry{{"typed_conns", kLive, "1: control and bulk connections; 0: one for everything"},
          {&T::typed_conns, 0, 1}},
    Entry{{"min_bulk", kLive, "bytes from which a message goes on a bulk connection"},
          {&T::min_bulk, 0, kAnyMax}},
    Entry{{"tx_buffer_size", kLive, "bytes of a socket's send buffer; 0: the system's choice"},
          {&T::tx_buffer_size, 0, kAnyMax}},
    Entry{{"rx_buffer_size", kLive, "bytes of a socket's receive buffer; 0: the system's choice"},
          {&T::rx_buffer_size, 0, kAnyMax}},
    Entry{{"nagle", kLive, "1: let TCP collect small writes"}, {&T::nagle, 0, 1}},
    Entry{{"round_robin", kLive, "1: equal connections take turns"}, {&T::round_robin, 0, 1}},
    Entry{{"keepalive", kLive, "s of silence until a keepalive message; 0 or less: none"},
          {&T::keepalive, -1, kAnyMax}},
    Entry{{"keepalive_idle", kLive, "s until TCP's own keepalive; 0: none"},
          {&T::keepalive_idle, 0, 32767}},
    Entry{{"keepalive_intvl", kLive, "s between TCP's keepalives; 0: none"},
          {&T::keepalive_intvl, 0, 32767}},
    Entry{
        {"keepalive_count", kLive, "unanswered TCP keepalives until a connection is dead; 0: none"},
        {&T::keepalive_count, 0, 127}},
    Entry{{"enable_csum", kLive, "1: checksums on version 2 connections"}, {&T::enable_csum, 0, 1}},
    Entry{{"inject_csum_error", kLive, "test aid: so many checksums are written wrong"},
          {&T::inject_csum_error, 0, kAnyMax}},
    Entry{{"nonblk_zcack", kLive, "1: zero-copy acknowledgements go on the BULK_IN connection"},
          {&T::nonblk_zcack, 0, 1}},
    Entry{{"zc_min_payload", kLive, "bytes from which zc_request asks for acknowledgement"},
          {&T::zc_min_payload, 2048, kAnyMax}},
    Entry{{"zc_recv", kAtStart, "accepted; payload always lands in place"}, {&T::zc_recv, 0, 1}},
    Entry{{"zc_recv_min_nfrags", kAtStart, "accepted; payload always lands in place"},
          {&T::zc_recv_min_nfrags, 0, kAnyMax}},
    Entry{{"conns_per_peer", kLive, "bulk connections per direction; 0: by link speed"},
          {&T::conns_per_peer, 0, 255}},
    Entry{{"tos", kLive, "IP type of service; -1: leave alone"}, {&T::tos, -1, 255}},
    Entry{{"enable_irq_affinity", kAtStart, "accepted, without effect"},
          {&T::enable_irq_affinity, 0, 1}},
    Entry{{"accept", kAtStart, "whom to believe: secure, all, none, or trust (any source port)"},
          {},
          Words::kAccept},
    Entry{{"accept_port", kAtStart, "port to listen on, and to dial for control connections"},
          {&T::accept_port, 1, 65535}},
    Entry{{"accept_port_bulk", kAtStart, "port to listen on, and to dial for bulk connections"},
          {&T::accept_port_bulk, 1, 65535}},
    Entry{{"accept_backlog", kAtStart, "connections that may wait to be accepted"},
          {&T::accept_backlog, 1, 65535}},
    Entry{{"accept_timeout", kLive, "s that a new connection has to say who it is"},
          {&T::accept_timeout, 1, kAnyMax}},
    Entry{{"accept_pending", kLive, "new connections that may be silent at once"},
          {&T::accept_pending, 1, 1 << 20}},
    Entry{{"unprivileged_connect", kLive,
           "1: dial from a port above 1023 when none below is permitted"},
          {&T::unprivileged_connect, 0, 1}},
    Entry{{"congestion", kLive, "TCP congestion control; empty: the system's"},
          {},
          Words::kCongestion},
    Entry{{"wait", kLive, "how threads wait: spin, adaptive, block"}, {}, Words::kWait},
    Entry{{"spin_us", kLive, "us that adaptive waiting spins after traffic"},
          {&T::spin_us, 0, 1000000}},
    Entry{{"long_cycle_ms", kLive, "ms of work without a pause that count as long; 0: any"},
          {&T::long_cycle_ms, 0, 3600000}},
    Entry{{"zc_request", kLive, "test switch: ask for zero-copy acknowledgements"},
          {&T::zc_request, 0, 1}},
};

constexpr auto kInfos = [] {
  std::array<TunableInfo, kEntries.size()> infos{};
  for (std::size_t i = 0; i < infos.size(); ++i) infos[i] = kEntries[i].info;
  return infos;
}();

constexpr std::array<std::string_view, 4> kAccepts = {"secure", "all", "none", "trust"};
constexpr std::array<std::string_view, 3> kWaits = {"spin", "adaptive", "block"};

template <class Enum, std::size_t N>
bool set_word(Enum& to, const std::array<std::string_view, N>& words, std::string_view value) {
  for (std::size_t i = 0; i < N; ++i) {
    if (words[i] != value) continue;
    to = static_cast<Enum>(i);
    return true;
  }
  return false;
}

const Entry* find(std::string_view name) {
  for (const Entry& entry : kEntries)
    if (entry.info.name == name) return &entry;
  return nullptr;
}

Result<void> set_number(SockTunables& to, const Entry& entry, std::string_view text) {
  std::int32_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  const std::string name(entry.info.name);
  if (error != std::errc() || end != text.data() + text.size())
    return fail(-EINVAL, name + " takes a number, not '" + std::string(text) + "'");
  if (value < entry.row.low || value > entry.row.high)
    return fail(-EINVAL, name + " is between " + std::to_string(entry.row.low) + " and " +
                             std::to_string(entry.row.high));
  to.*entry.row.number = value;
  return {};
}

}  // namespace

std::span<const TunableInfo> tunables() { return kInfos; }

Result<void> set_tunable(SockTunables& to, std::string_view name, std::string_view value) {
  const Entry* entry = find(name);
  if (entry == nullptr) return fail(-ENOENT, "no tunable of the tcp driver: " + std::string(name));
  switch (entry->words) {
    case Words::kNone:
      return set_number(to, *entry, value);
    case Words::kAccept:
      if (set_word(to.accept, kAccepts, value)) return {};
      return fail(-EINVAL,
                  "accept is secure, all, none or trust, not '" + std::string(value) + "'");
    case Words::kWait:
      if (set_word(to.wait, kWaits, value)) return {};
      return fail(-EINVAL, "wait is spin, adaptive or block, not '" + std::string(value) + "'");
    case Words::kCongestion:
      if (value.size() > 15) return fail(-EINVAL, "no congestion control has so long a name");
      to.congestion = std::string(value);
      return {};
  }
  return {};
}

Result<std::string> get_tunable(const SockTunables& from, std::string_view name) {
  const Entry* entry = find(name);
  if (entry == nullptr) return fail(-ENOENT, "no tunable of the tcp driver: " + std::string(name));
  switch (entry->words) {
    case Words::kAccept:
      return std::string(kAccepts[static_cast<std::size_t>(from.accept)]);
    case Words::kWait:
      return std::string(kWaits[static_cast<std::size_t>(from.wait)]);
    case Words::kCongestion:
      return from.congestion;
    case Words::kNone:
      break;
  }
  return std::to_string(from.*entry->row.number);
}

}  // namespace ulnet::lnd::sock
