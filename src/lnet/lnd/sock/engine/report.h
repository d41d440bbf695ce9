// What the driver reports for the log besides counting it: a peer that was refused and why, a
// connection that broke, a NID that was taken over, a peer that came or went. A report is a value.
// The reactor passes it on in the form that all drivers' reports have.
#pragma once

#include <optional>
#include <string>

#include "lnet/lnd/report.h"
#include "lnet/lnd/sock/engine/address.h"
#include "lnet/lnd/sock/engine/counters.h"

namespace ulnet::lnd::sock {

struct Report {
  Count what = Count::kAccepted;
  Endpoint remote;          ///< the remote end of the connection or of the dial
  Nid peer = Nid::any();    ///< the peer, as known or as its hello says; any: no hello yet
  const char* detail = "";  ///< static text, a sentence fragment; may be empty
  /// For a take-over: the address of the peer's other connections.
  std::optional<Address> other = {};
};

Severity severity_of(Count what);

/// The report as one line of text: "10.0.0.2@tcp (10.0.0.9:1021) ...".
std::string to_text(const Report& report);

/// The report in the form that all drivers' reports have. Reports of one kind about one remote
/// address repeat each other, whichever the port is.
lnd::Report general_report(const Report& report);

}  // namespace ulnet::lnd::sock
