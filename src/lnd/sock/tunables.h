// Every tunable of the TCP driver and of its acceptor, with its default. The fields are what the
// code reads; the table beside them is what people name, set and read about. Source:
// spec/wire-socklnd.md 2.1, 11; DESIGN.md 5 for ours.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "ulnet/result.hpp"

namespace ulnet::lnd::sock {

/// Whom the acceptor believes (spec/wire-socklnd.md 2.1, 2.2; trust is ours).
enum class Accept : std::uint8_t { kSecure, kAll, kNone, kTrust };
/// How a thread waits for bytes: never blocks; spins a while under traffic, then blocks; blocks.
enum class Wait : std::uint8_t { kSpin, kAdaptive, kBlock };

struct SockTunables {
  // spec/wire-socklnd.md 11. Times in the unit of the name they go by there.
  std::int32_t sock_timeout = 0;  ///< s; 0: what the NI was started with, else 50
  std::int32_t nscheds = 0;  ///< reactor threads per CPU partition; 0: one, or one per hardware
                             ///< interface as far as there are four CPUs for each
  std::int32_t nconnds = 4;  ///< dials under way at once
  std::int32_t nconnds_max = 64;  ///< ... when that many peers wait
  std::int32_t min_reconnectms = 1000;
  std::int32_t max_reconnectms = 60000;
  std::int32_t eager_ack = 0;  ///< TCP quick-ack, a bit per connection type
  std::int32_t typed_conns = 1;
  std::int32_t min_bulk = 1024;     ///< bytes of a message, headers included
  std::int32_t tx_buffer_size = 0;  ///< bytes; 0: the system's auto-tuning
  std::int32_t rx_buffer_size = 0;
  std::int32_t nagle = 0;
  std::int32_t round_robin = 1;
  std::int32_t keepalive = 30;       ///< s; <= 0: no keepalive messages
  std::int32_t keepalive_idle = 30;  ///< s; any of the three 0: no TCP keepalive
  std::int32_t keepalive_intvl = 5;
  std::int32_t keepalive_count = 5;
  std::int32_t enable_csum = 0;        ///< version 2 connections only
  std::int32_t inject_csum_error = 0;  ///< test aid: the next so many checksums are written wrong
  std::int32_t nonblk_zcack = 1;
  std::int32_t zc_min_payload = 16384;  ///< with zc_request; at least 2048
  std::int32_t zc_recv = 0;             ///< accepted, without effect: payload always lands in place
  std::int32_t zc_recv_min_nfrags = 16;  ///< as zc_recv
  std::int32_t conns_per_peer = 0;       ///< 0: by link speed; at most 255
  std::int32_t tos = -1;
  std::int32_t credits =
      256;  ///< the core's defaults of a tcp net; the driver has no use for these four
  std::int32_t peer_credits = 8;
  std::int32_t peer_buffer_credits = 0;
  std::int32_t peer_timeout = 180;
  std::int32_t enable_irq_affinity = 0;  ///< removed functionality: accepted, without effect

  // The acceptor
  Accept accept = Accept::kSecure;
  std::int32_t accept_port = 988;
  std::int32_t accept_port_bulk = 988;
  std::int32_t accept_backlog = 127;
  std::int32_t accept_timeout = 5;  ///< s, per read

  // Ours
  std::int32_t accept_pending =
      4096;  ///< accepted connections that have not said who they are; the oldest makes room
  std::int32_t unprivileged_connect =
      1;                   ///< dial from a port above 1023 when none below is permitted
  std::string congestion;  ///< TCP_CONGESTION; empty: the system's
  Wait wait = Wait::kAdaptive;
  std::int32_t spin_us = 50;        ///< how long adaptive waiting spins after traffic
  std::int32_t long_cycle_ms = 10;  ///< a thread's work without a pause that counts as long
  std::int32_t zc_request = 0;      ///< test switch: ask for zero-copy ACKs from zc_min_payload on
};

/// One row of the table.
struct TunableInfo {
  std::string_view name;
  bool start_only = false;
  std::string_view help;
};
/// In the order of spec/wire-socklnd.md 11, then ours.
std::span<const TunableInfo> tunables();

/// Sets by name. -ENOENT: no such tunable; -EINVAL with the reason: not a value of it.
Result<void> set_tunable(SockTunables& tunables, std::string_view name, std::string_view value);
/// As set_tunable takes it. -ENOENT: no such tunable.
Result<std::string> get_tunable(const SockTunables& tunables, std::string_view name);

}  // namespace ulnet::lnd::sock
