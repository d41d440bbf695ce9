#include "selftest/host/selftest_console.h"

#include "lnet/node/runtime/awaited.h"
#include "lnet/node/runtime/clock.h"

namespace ulnet::node {

using svc::selftest::Selftest;

namespace {

/// After a failed start, how long to wait until the parts that had started have ended.
constexpr Duration kGiveUpTime = std::chrono::seconds(2);

}  // namespace

struct SelftestConsole::WaitPoint {
  Awaited awaited;
  bool stopped = false;
};

class SelftestConsole::Runtime final : public svc::selftest::console::Surroundings {
 public:
  Runtime(Lnet& lnet, SelftestHost& host) : lnet_(lnet), host_(host) {}

  void use(Selftest& selftest) { selftest_ = &selftest; }

  svc::selftest::Caller& caller() override { return selftest_->caller(); }
  Instant now() const override { return node::now(); }
  std::int64_t wall_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  Result<Nid> nid() override {
    const auto named = own_nid([](const Nid& nid) { return nid.is_small() && !nid.is_loopback(); });
    if (named) return *named;
    return fail(-EADDRNOTAVAIL,
                "this node has no NID with a 4-byte address, by which selftest names consoles and "
                "servers: a node that has IPv6 only can be neither");
  }
  bool is_own(const Nid& wanted) const override {
    return own_nid([&](const Nid& nid) { return nid == wanted; }).has_value();
  }
  std::optional<svc::selftest::Latency> own_latency(const wire::LstSessionId& session,
                                                    std::uint64_t batch,
                                                    std::uint32_t index) const override {
    const auto* test = selftest_->framework().client_test(session, batch, index);
    return test == nullptr ? std::nullopt : std::optional(test->latency());
  }
  void after(Duration delay, std::function<void()> fn) override {
    host_.after(delay, [fn = std::move(fn)](Selftest&) { fn(); });
  }

 private:
  /// Finds the first of this node's NIDs for which `wanted(nid)` is true.
  template <class Wanted>
  std::optional<Nid> own_nid(Wanted wanted) const {
    for (unsigned i = 0;; ++i) {
      const auto id = lnet_.get_id(i, false);
      if (!id) return std::nullopt;
      if (wanted(id->nid)) return id->nid;
    }
  }

  Lnet& lnet_;
  SelftestHost& host_;
  Selftest* selftest_ = nullptr;
};

SelftestConsole::SelftestConsole(std::shared_ptr<Lnet> lnet,
                                 const svc::selftest::Settings& settings)
    : lnet_(std::move(lnet)),
      wait_point_(std::make_shared<WaitPoint>()),
      host_(*lnet_, settings),
      runtime_(std::make_unique<Runtime>(*lnet_, host_)),
      console_(std::make_unique<Console>(*runtime_)) {}

SelftestConsole::~SelftestConsole() = default;

Result<std::unique_ptr<SelftestConsole>> SelftestConsole::start(
    std::shared_ptr<Lnet> lnet, const std::map<std::string, std::string>& params) {
  svc::selftest::Settings settings;
  for (const auto& [name, value] : params)
    if (const auto set = set_setting(settings, name, value); !set && set.error().code != -ENOENT)
      return tl::unexpected(set.error());
  std::unique_ptr<SelftestConsole> made(new SelftestConsole(std::move(lnet), settings));
  // No other code enters the selftest before host_.start(), so this runs at once.
  made->host_.run([&](Selftest& selftest) {
    made->runtime_->use(selftest);
    selftest.on_join([console = made->console_.get()](const ProcessId& from, std::uint32_t features,
                                                      const wire::LstJoin& request) {
      return console->joined(from, features, request);
    });
  });
  if (const auto begun = made->host_.start(); !begun) {
    made->host_.stop(kGiveUpTime);
    return tl::unexpected(begun.error());
  }
  return made;
}

bool SelftestConsole::run(Command command, Instant until) {
  const auto over = std::make_shared<bool>(false);
  host_.run([this, over, wait_point = wait_point_, command = std::move(command)](Selftest&) {
    command(*console_, [over, wait_point] { wait_point->awaited.bring([&] { *over = true; }); });
  });
  const std::shared_ptr<WaitPoint> wait_point = wait_point_;
  bool ended = false;
  wait_point->awaited.wait(
      *lnet_, [&] { return (ended = *over) || wait_point->stopped; }, until);
  return ended;
}

void SelftestConsole::set_param(const std::string& name, const std::string& value) {
  host_.run([name, value](Selftest& selftest) {
    (void)set_setting(selftest.settings(), name, value);  // -ENOENT: not a parameter of selftest
  });
}

void SelftestConsole::interrupt() {
  host_.run([](Selftest& selftest) { selftest.abort_calls(-EINTR); });
}

bool SelftestConsole::stop(Duration deadline) {
  const bool quiet = host_.stop(deadline);
  wait_point_->awaited.bring([this] { wait_point_->stopped = true; });
  return quiet;
}

}  // namespace ulnet::node
