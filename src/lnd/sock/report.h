// What the driver tells people, beside counting it: a peer that was refused and why, a connection
// that broke, a NID that was taken over, a peer that came or went. A report is a value; whoever
// runs the driver puts it into words (to_text) and decides how often.
#pragma once

#include <optional>
#include <string>

#include "lnd/sock/address.h"
#include "lnd/sock/counters.h"

namespace ulnet::lnd::sock {

struct Report {
  Count what = Count::kAccepted;
  Endpoint remote;                    ///< of the connection; of a dial, what is dialled
  Nid peer = Nid::any();              ///< who it is or says it is; any: it has not said
  const char* detail = "";            ///< static text, a sentence fragment; may be empty
  std::optional<Address> other = {};  ///< take-overs: where the other connections are
};

/// How much it matters: as NodeOptions::log has it.
enum class Severity : std::uint8_t { kDebug, kInfo, kWarning, kError };
Severity severity_of(Count what);

/// One line: "10.0.0.2@tcp (10.0.0.9:1021) ...".
std::string to_text(const Report& report);

/// Whoever hears the reports.
class ReportSink {
 public:
  virtual ~ReportSink() = default;
  /// Any of the driver's threads, under its run token: must neither wait nor call the driver.
  virtual void report(const Report& report) = 0;
};

}  // namespace ulnet::lnd::sock
