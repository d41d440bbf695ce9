// LNet selftest at one node: a test node that obeys consoles, and a way for a console of this node
// to send its requests. Runs on any street (host.h); one thread at a time. Source:
// spec/wire-selftest.md.
#pragma once

#include "svc/selftest/brw.h"
#include "svc/selftest/framework.h"
#include "svc/selftest/ping.h"
#include "svc/selftest/requester.h"

namespace ulnet::svc::selftest {

class Selftest final : private Framework::Owner {
 public:
  /// `host` outlives it. Gone only when quiet(), or when its node is dead.
  explicit Selftest(Host& host, const Settings& settings = {});

  /// Takes requests from now on. An error is LNet's.
  Result<void> start();
  /// The host's wake-up.
  void wake() { shop_.alarms.wake(); }
  /// Takes no more requests, ends the session and every RPC. `quiet`, if given, is called once that
  /// is so; a later stop() takes its place.
  void stop(std::function<void()> quiet = {});
  /// After stop(): LNet has nothing of ours any more, and nobody waits for an answer.
  bool quiet() const {
    return shop_.live_mds == 0 && requester_.under_way() == 0 && framework_.idle();
  }

  /// For the console of this node.
  Caller& caller() { return requester_; }
  /// Ends its requests that are under way with this status.
  void abort_calls(int status) { requester_.abort_all(status); }
  void on_join(Framework::Join serve) { framework_.on_join(std::move(serve)); }
  Settings& settings() { return shop_.settings; }
  const Framework& framework() const { return framework_; }
  const wire::LstRpcCounters& counters() const { return shop_.rpc; }

 private:
  /// Tells when it has become quiet, after stop().
  struct Watch final : Alarm {
    explicit Watch(Selftest& owner) : selftest(owner) {}
    void ring() override;
    Selftest& selftest;
    std::function<void()> quiet;
  };
  void want_buffers(wire::LstService service, std::uint32_t requests) override;
  void session_over() override;

  Shop shop_;
  BulkPool bulks_;
  Framework framework_;
  PingServer ping_;
  BrwServer brw_;
  Requester requester_;
  Watch watch_{*this};
};

}  // namespace ulnet::svc::selftest
