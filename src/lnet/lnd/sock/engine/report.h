// What the driver reports for the log besides counting it: a peer that was refused and why, a
// connection that broke, a NID that was taken over, a peer that came or went. A report is a
// value; the owner of the driver turns it into text (to_text) and decides which to print.
#pragma once

#include <optional>
#include <string>

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

/// How important a report is: the levels of NodeOptions::log.
enum class Severity : std::uint8_t { kDebug, kInfo, kWarning, kError };
Severity severity_of(Count what);

/// The report as one line of text: "10.0.0.2@tcp (10.0.0.9:1021) ...".
std::string to_text(const Report& report);

/// Receives the reports of a driver.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  /// Called by any thread of the driver, under its run token: must neither wait nor call the
  /// driver.
  virtual void report(const Report& report) = 0;
};

}  // namespace ulnet::lnd::sock
