// LNet selftest at one node: it serves the sessions of consoles, and sends the requests of this
// node's console. Runs on any Host (host.h); one thread at a time. Source: spec/wire-selftest.md.
#pragma once

#include "selftest/service/brw.h"
#include "selftest/service/framework.h"
#include "selftest/service/ping.h"
#include "selftest/service/requester.h"

namespace ulnet::svc::selftest {

class Selftest final : private Framework::Owner {
 public:
  /// `host` must outlive this object. Destroy this object only if quiet() is true or its node is
  /// dead.
  explicit Selftest(Host& host, const Settings& settings = {});

  /// Takes requests from now on. Errors are LNet's.
  Result<void> start();
  /// Rings the alarms that are due. The host calls this at the time that wake_at() set.
  void wake() { context_.alarms.wake(); }
  /// Stops taking requests. Ends the session and every RPC. Calls the callback `quiet`, if there is
  /// one, once, when the function quiet() returns true. Another stop() before that replaces the
  /// callback.
  void stop(std::function<void()> quiet = {});
  /// Whether, after stop(), LNet has no memory of the selftest any more and no answer is awaited.
  bool quiet() const {
    return context_.live_mds == 0 && requester_.under_way() == 0 && framework_.idle();
  }

  /// Returns the Caller that sends the requests of this node's console.
  Caller& caller() { return requester_; }
  /// Ends the console's requests that are under way with this status.
  void abort_calls(int status) { requester_.abort_all(status); }
  void on_join(Framework::Join serve) { framework_.on_join(std::move(serve)); }
  Settings& settings() { return context_.settings; }
  const Framework& framework() const { return framework_; }
  const wire::LstRpcCounters& counters() const { return context_.rpc; }
  const Refusals& refused() const { return context_.refused; }

 private:
  /// After stop(), checks every kLookEvery whether the selftest is quiet(), and then reports it.
  void watch();
  void want_buffers(wire::LstService service, std::uint32_t requests) override;
  void session_over() override;

  Context context_;
  BulkPool bulks_{context_};
  Framework framework_;
  PingServer ping_;
  BrwServer brw_;
  Requester requester_;
  AlarmOf<Selftest, &Selftest::watch> watch_{*this};
  std::function<void()> when_quiet_;
};

}  // namespace ulnet::svc::selftest
