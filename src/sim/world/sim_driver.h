// The driver of a simulated node: lnd::Lnd on virtual time, with additional calls for a process
// that is paused or dies. There are three: LoDriver (lnd/lo itself), PipeDriver (messages as
// values) and SockDriver (lnd/sock's engine on virtual byte streams). Source: DESIGN.md 2, 6.
#pragma once

#include "lnet/lnd/lnd.h"

namespace ulnet::sim {

/// submit() only queues a command; flush() carries out all queued commands, and also those that are
/// submitted while it delivers inputs.
class SimDriver : public lnd::Lnd {
 public:
  bool progress(Duration) final {
    flush();
    return false;
  }
  /// Whether a command waits for flush().
  virtual bool pending() const = 0;
  /// The process is paused: the driver delivers nothing until `paused` is false, and then
  /// everything that arrived.
  virtual void pause(bool paused) = 0;
  /// The process died: the driver delivers nothing more. `silent`: its peers get no notification
  /// either.
  virtual void crash(bool silent) = 0;
  /// The number of messages that the driver has not ended; zero after stop_ni() of every NI.
  virtual std::size_t messages() const = 0;
};

/// The driver that an NI of a simulated node uses; 0@lo always uses LoDriver.
enum class DriverKind : std::uint8_t { kPipe, kSock };
inline const char* to_string(DriverKind kind) {
  return kind == DriverKind::kPipe ? "pipe" : "sock";
}

}  // namespace ulnet::sim
