// A rig for each driver that every node has, and for doubles of other kinds of drivers.
#include <sys/eventfd.h>
#include <unistd.h>

#include "lnet/lnd/lo/lo_lnd.h"
#include "lnet/lnd/pipe/pipe_lnd.h"
#include "lnet/lnd/sock/sock_lnd.h"
#include "tests/lnet/conformance/rig.h"

namespace ulnet::conformance {

namespace {

class LoRig final : public Rig {
 public:
  LoRig() {
    inlet_.attach(driver_);
    lnd::NiSpec spec;
    spec.id = {1};
    spec.net = NetId::loopback();
    const auto started = driver_.start_ni(spec);
    a = b = {&driver_, &inlet_, spec.id, {started->nid, Pid::lustre()}, started->limits};
    nowhere = {Nid::small({NetType::kTcp, 0}, 0x7f000001), Pid::lustre()};
  }
  void cut() override { driver_.stop_ni(a.ni); }
  void pump() override { driver_.flush(); }
  bool connects() const override { return false; }

 private:
  Recorder inlet_;
  lnd::lo::LoLnd driver_{inlet_};
};

End start_on_pipe(lnd::Lnd& driver, Recorder& inlet, const char* address) {
  inlet.attach(driver);
  lnd::NiSpec spec;
  spec.id = {1};
  spec.net = {NetType::kTcp, 0};
  spec.interface = address;
  const auto started = driver.start_ni(spec);
  return {&driver, &inlet, spec.id, {started->nid, Pid::lustre()}, started->limits};
}

class PipeRig final : public Rig {
 public:
  PipeRig() {
    a = start_on_pipe(one_, inlet_one_, "10.0.0.1");
    b = start_on_pipe(two_, inlet_two_, "10.0.0.2");
    nowhere = {*Nid::parse("10.0.0.99@tcp"), Pid::lustre()};
  }
  void cut() override { world_.cut(a.hop.nid, b.hop.nid); }
  void pump() override { one_.flush(); }

 private:
  Recorder inlet_one_, inlet_two_;
  lnd::pipe::PipeWorld world_;
  lnd::pipe::PipeLnd one_{world_, inlet_one_}, two_{world_, inlet_two_};
};

/// A driver that moves nothing until it is polled, like one over a library that must be called.
/// With a descriptor it says when that is worth it, without one it has to be polled all the time.
class PolledPipe final : public lnd::Lnd {
 public:
  PolledPipe(lnd::pipe::PipeWorld& world, lnd::Inlet& inlet, bool has_descriptor)
      : world_(world),
        pipe_(world, inlet),
        fd_(has_descriptor ? eventfd(0, EFD_NONBLOCK | EFD_CLOEXEC) : -1) {}
  ~PolledPipe() override {
    if (fd_ >= 0) close(fd_);
  }
  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override { return pipe_.start_ni(spec); }
  void stop_ni(core::NiId ni) override { pipe_.stop_ni(ni); }
  void submit(lnd::Command&& command) override { pipe_.submit(std::move(command)); }
  void submit_send(const core::Send& send) override { pipe_.submit_send(send); }
  void flush() override {
    if (fd_ >= 0) eventfd_write(fd_, 1);
  }
  lnd::Progress progress_kind() const override { return lnd::Progress::kPolled; }
  bool progress(Duration) override {
    eventfd_t ignored = 0;
    if (fd_ >= 0) (void)eventfd_read(fd_, &ignored);
    bool any = false;
    while (world_.step()) any = true;
    return any;
  }
  int wait_descriptor() const override { return fd_; }
  Duration may_sleep() override {
    return fd_ >= 0 ? Duration::max() : Duration(std::chrono::milliseconds(1));
  }

 private:
  lnd::pipe::PipeWorld& world_;
  lnd::pipe::PipeLnd pipe_;
  const int fd_;
};

class PolledRig final : public Rig {
 public:
  explicit PolledRig(bool has_descriptor)
      : one_(world_, inlet_one_, has_descriptor), two_(world_, inlet_two_, has_descriptor) {
    a = start_on_pipe(one_, inlet_one_, "10.0.0.1");
    b = start_on_pipe(two_, inlet_two_, "10.0.0.2");
    nowhere = {*Nid::parse("10.0.0.99@tcp"), Pid::lustre()};
  }
  void cut() override { world_.cut(a.hop.nid, b.hop.nid); }
  void pump() override {
    one_.progress({});
    two_.progress({});
  }

 private:
  Recorder inlet_one_, inlet_two_;
  lnd::pipe::PipeWorld world_{lnd::pipe::PipeWorld::Run::kManual};
  PolledPipe one_, two_;
};

/// A loopback address that no other test process uses.
std::string own_address(unsigned last) {
  const auto pid = static_cast<unsigned>(getpid());
  return "127." + std::to_string(1 + pid % 250) + "." + std::to_string(pid / 250 % 250) + "." +
         std::to_string(last);
}

class SockRig final : public Rig {
 public:
  SockRig(lnd::sock::Threads threads, const std::function<void(lnd::sock::SockTunables&)>& tune)
      : inline_(threads == lnd::sock::Threads::kInline) {
    lnd::sock::SockTunables tunables;
    tunables.accept = lnd::sock::Accept::kTrust;
    tunables.accept_port = tunables.accept_port_bulk = 21988;
    tunables.min_reconnectms = 20;
    tune(tunables);
    start(a, one_, inlet_one_, threads, tunables, 11);
    start(b, two_, inlet_two_, threads, tunables, 12);
    nowhere = {*Nid::parse(own_address(99) + "@tcp"), Pid::lustre()};
  }
  void cut() override { a.driver->stop_ni(a.ni); }
  void pump() override {
    if (!inline_) return std::this_thread::yield();
    one_->progress(std::chrono::microseconds(200));
    two_->progress(std::chrono::microseconds(200));
  }

 private:
  static void start(End& end, std::unique_ptr<lnd::sock::SockLnd>& driver, Recorder& inlet,
                    lnd::sock::Threads threads, const lnd::sock::SockTunables& tunables,
                    unsigned last) {
    driver = std::make_unique<lnd::sock::SockLnd>(inlet, tunables, threads);
    inlet.attach(*driver);
    lnd::NiSpec spec;
    spec.id = {1};
    spec.net = {NetType::kTcp, 0};
    spec.interface = own_address(last);
    const auto started = driver->start_ni(spec);
    if (!started) throw std::runtime_error(started.error().reason);
    end = {driver.get(), &inlet, spec.id, {started->nid, Pid::lustre()}, started->limits};
  }
  const bool inline_;
  Recorder inlet_one_, inlet_two_;
  std::unique_ptr<lnd::sock::SockLnd> one_, two_;
};

std::unique_ptr<Rig> sock(lnd::sock::Threads threads,
                          const std::function<void(lnd::sock::SockTunables&)>& tune = {}) {
  return std::make_unique<SockRig>(
      threads, tune ? tune : [](lnd::sock::SockTunables&) {});
}

}  // namespace

std::vector<RigKind> rigs() {
  using lnd::sock::SockTunables;
  using lnd::sock::Threads;
  return {
      {"lo", []() -> std::unique_ptr<Rig> { return std::make_unique<LoRig>(); }},
      {"pipe", []() -> std::unique_ptr<Rig> { return std::make_unique<PipeRig>(); }},
      {"polled", []() -> std::unique_ptr<Rig> { return std::make_unique<PolledRig>(false); }},
      {"polled_with_descriptor",
       []() -> std::unique_ptr<Rig> { return std::make_unique<PolledRig>(true); }},
      {"sock_inline", [] { return sock(Threads::kInline); }},
      {"sock_threads", [] { return sock(Threads::kOwn); }},
      {"sock_blocking",
       [] {
         return sock(Threads::kOwn, [](SockTunables& t) { t.wait = lnd::sock::Wait::kBlock; });
       }},
      {"sock_three_reactors",
       [] { return sock(Threads::kOwn, [](SockTunables& t) { t.nscheds = 3; }); }},
      {"sock_four_conns",
       [] { return sock(Threads::kOwn, [](SockTunables& t) { t.conns_per_peer = 4; }); }},
      {"sock_zero_copy_acks",
       [] {
         return sock(Threads::kOwn, [](SockTunables& t) {
           t.zc_request = 1;
           t.zc_min_payload = 2048;
         });
       }},
  };
}

}  // namespace ulnet::conformance
