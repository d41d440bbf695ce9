// Every tunable of the TCP driver and of its acceptor, as the code reads them. Users set them by
// name: they are module parameters, and lnet/config/params.cc has their defaults, ranges and help.
// Source: spec/wire-socklnd.md 2.1, 11; DESIGN.md 5 for those of ulnet alone.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "lnet/config/params.h"
#include "ulnet/result.hpp"

namespace ulnet::lnd::sock {

/// Which connections the acceptor accepts and believes (spec/wire-socklnd.md 2.1, 2.2). Only ulnet
/// has kTrust.
enum class Accept : std::uint8_t { kSecure, kAll, kNone, kTrust };
/// What is done when a peer connects from another address than its NID has.
enum class AddressCheck : std::uint8_t { kOff, kWarn, kEnforce };
/// How a thread waits for bytes: kSpin never blocks, kAdaptive spins for a while after traffic and
/// then blocks, kBlock always blocks.
enum class Wait : std::uint8_t { kSpin, kAdaptive, kBlock };

struct SockTunables {
  /// Sets the defaults, which lnet/config/params.cc has together with the ranges.
  SockTunables();

  // spec/wire-socklnd.md 11, under the names given there. Times are in the unit of those names.
  std::int32_t sock_timeout{};  ///< s, for NIs started without a time-out; 0: 50
  std::int32_t nscheds{};  ///< reactor threads per CPU partition; 0: one per hardware interface,
                           ///< but at most one per four CPUs of the partition, and at least one
  std::int32_t nconnds{};  ///< dials under way at once
  std::int32_t nconnds_max{};      ///< dials under way at once while no dial ends and peers wait
  std::int32_t min_reconnectms{};  ///< the first pause before a peer is dialled again
  std::int32_t max_reconnectms{};  ///< the longest such pause
  std::int32_t eager_ack{};        ///< TCP quick-ack, a bit per connection type
  std::int32_t typed_conns{};      ///< 1: CONTROL, BULK_IN and BULK_OUT connections; 0: one ANY
  std::int32_t min_bulk{};         ///< bytes of a message, headers included, from which it is bulk
  std::int32_t tx_buffer_size{};   ///< bytes; 0: the system tunes it
  std::int32_t rx_buffer_size{};   ///< bytes; 0: the system tunes it
  std::int32_t nagle{};            ///< 1: TCP may collect small writes
  std::int32_t round_robin{};      ///< 1: connections that suit equally take turns
  std::int32_t keepalive{};        ///< s of silence before a keepalive message; <= 0: none
  std::int32_t keepalive_idle{};   ///< s; TCP's own keepalive, off if any of the three is 0
  std::int32_t keepalive_intvl{};  ///< s
  std::int32_t keepalive_count{};
  std::int32_t enable_csum{};        ///< 1: checksums on version 2 connections
  std::int32_t inject_csum_error{};  ///< test aid: how many of the next checksums are wrong
  std::int32_t nonblk_zcack{};       ///< 1: zero-copy ACKs go on BULK_IN; 0: they prefer CONTROL
  std::int32_t zc_min_payload{};     ///< bytes, with zc_request; at least 2048
  std::int32_t zc_recv{};  ///< accepted, without effect: payload is always read into its place
  std::int32_t zc_recv_min_nfrags{};  ///< as zc_recv
  std::int32_t conns_per_peer{};      ///< connections per bulk direction; 0: by link speed; at most
                                      ///< 255
  std::int32_t tos{};                 ///< IP type of service; -1: leave alone
  // The driver does not use the next four: they are the core's defaults for a tcp net.
  std::int32_t credits{};
  std::int32_t peer_credits{};
  std::int32_t peer_buffer_credits{};
  std::int32_t peer_timeout{};         ///< s
  std::int32_t enable_irq_affinity{};  ///< LNet has removed it: accepted, without effect

  // The acceptor
  Accept accept{};
  std::int32_t accept_port{};       ///< to listen on, and to dial for all but bulk connections
  std::int32_t accept_port_bulk{};  ///< to listen on, and to dial for bulk connections
  std::int32_t accept_backlog{};    ///< connections that TCP keeps until they are accepted
  std::int32_t accept_timeout{};    ///< s, for the request and again for the hello

  // Tunables of ulnet alone
  /// Open connections that peers have dialled, in all; 0: as many as the descriptors allow.
  std::int32_t accept_open{};
  /// The share of accept_open that one address may have; 0: half of accept_open.
  std::int32_t accept_open_per_address{};
  AddressCheck peer_address_check{};
  /// Accepted connections without a hello; if there are more, the oldest is closed.
  std::int32_t accept_pending{};
  /// 1: if this process may not use ports below 1024, dial from another port.
  std::int32_t unprivileged_connect{};
  std::string congestion;  ///< TCP_CONGESTION; empty: the system's choice
  Wait wait{};
  std::int32_t spin_us{};        ///< us that a thread spins after traffic, with kAdaptive
  std::int32_t long_cycle_ms{};  ///< a cycle of a thread longer than this counts as long
  std::int32_t zc_request{};     ///< test switch: 1, ask for zero-copy ACKs from
                                 ///< zc_min_payload on
};

/// A tunable that is a number or a boolean.
struct NumberTunable {
  std::string_view name;
  std::int32_t SockTunables::*field;
};
std::span<const NumberTunable> number_tunables();

/// Sets a tunable by its name, in any of the texts that conf::check_param() takes. -ENOENT: the TCP
/// driver has no such tunable. -EINVAL: not a value of it; the reason says what it takes.
Result<void> set_tunable(SockTunables& tunables, std::string_view name, std::string_view value);

/// The tunables with the values of these parameters, each of which set_tunable() has checked.
SockTunables tunables_of(const conf::ParamValues& params);

}  // namespace ulnet::lnd::sock
