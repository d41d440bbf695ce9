// The parts of the engine. Each has the state that only it uses, and calls the others through this
// struct. All run in the engine's thread. Only the engine's own files use this.
#pragma once

#include <map>

#include "lnet/lnd/sock/engine/closer.h"
#include "lnet/lnd/sock/engine/conn_table.h"
#include "lnet/lnd/sock/engine/dials.h"
#include "lnet/lnd/sock/engine/engine_timers.h"
#include "lnet/lnd/sock/engine/handshakes.h"
#include "lnet/lnd/sock/engine/held_payload.h"
#include "lnet/lnd/sock/engine/incoming_messages.h"
#include "lnet/lnd/sock/engine/outgoing_messages.h"
#include "lnet/lnd/sock/engine/outlet.h"
#include "lnet/lnd/sock/engine/peer_table.h"
#include "lnet/lnd/sock/engine/peer_watch.h"
#include "lnet/lnd/sock/engine/tunables.h"
#include "lnet/lnd/sock/engine/visitors.h"

namespace ulnet::lnd::sock {

struct EngineParts {
  EngineParts(std::uint8_t id, const SockTunables& tunables_in, Outlet& outlet_in)
      : tunables(tunables_in), outlet(outlet_in), incoming(*this, id) {}

  /// The NI; null: there is no such NI.
  NiInfo* find_ni(core::NiId id) {
    const auto found = nis.find(id);
    return found == nis.end() ? nullptr : &found->second;
  }
  /// Counts what the report is about, and passes the report to the owner.
  void report(const Report& report) {
    counters.add(report.what);
    outlet.report(report);
  }
  void report(Count what, const Endpoint& remote, const Nid& peer = Nid::any(),
              const char* detail = "") {
    report(Report{what, remote, peer, detail});
  }
  void report(Count what, const Conn& conn, const char* detail = "");

  const SockTunables& tunables;
  Outlet& outlet;
  Instant now{};
  Counters counters;
  std::map<core::NiId, NiInfo> nis;
  ConnTable conns;
  PeerTable peers;
  EngineTimers timers;

  Dials dials{*this};
  Handshakes handshakes{*this};
  Visitors visitors{*this};
  IncomingMessages incoming;
  HeldPayload held{*this};
  OutgoingMessages outgoing{*this};
  PeerWatch watch{*this};
  Closer closer{*this};
};

}  // namespace ulnet::lnd::sock
