#include "node/selftest_console.h"

#include <condition_variable>
#include <mutex>

#include "node/clock.h"

namespace ulnet::node {

using svc::selftest::Selftest;

namespace {

/// What was begun before a start failed has this long to end.
constexpr Duration kGiveUpTime = std::chrono::seconds(2);

}  // namespace

struct SelftestConsole::Bell {
  std::mutex mutex;
  std::condition_variable rung;
  bool stopped = false;
};

class SelftestConsole::Street final : public svc::selftest::console::Surroundings {
 public:
  Street(Lnet& lnet, SelftestHost& host) : lnet_(lnet), host_(host) {}

  void use(svc::selftest::Caller& caller) { caller_ = &caller; }

  svc::selftest::Caller& caller() override { return *caller_; }
  Instant now() const override { return node::now(); }
  std::int64_t wall_ms() const override {
    return std::chrono::duration_cast<std::chrono::milliseconds>(
               std::chrono::system_clock::now().time_since_epoch())
        .count();
  }
  Result<Nid> nid() override {
    for (unsigned i = 0;; ++i) {
      const auto id = lnet_.get_id(i, false);
      if (!id) break;
      if (id->nid.is_small() && !id->nid.is_loopback()) return id->nid;
    }
    return fail(-EADDRNOTAVAIL,
                "this node has no NID with a 4-byte address, by which selftest names a console");
  }
  void after(Duration delay, std::function<void()> fn) override {
    host_.after(delay, [fn = std::move(fn)](Selftest&) { fn(); });
  }

 private:
  Lnet& lnet_;
  SelftestHost& host_;
  svc::selftest::Caller* caller_ = nullptr;
};

SelftestConsole::SelftestConsole(std::shared_ptr<Lnet> lnet)
    : lnet_(std::move(lnet)),
      bell_(std::make_shared<Bell>()),
      host_(*lnet_),
      street_(std::make_unique<Street>(*lnet_, host_)),
      console_(std::make_unique<Console>(*street_)) {}

SelftestConsole::~SelftestConsole() = default;

Result<std::unique_ptr<SelftestConsole>> SelftestConsole::start(std::shared_ptr<Lnet> lnet) {
  std::unique_ptr<SelftestConsole> made(new SelftestConsole(std::move(lnet)));
  // Before it serves: nobody else is inside.
  made->host_.run([&](Selftest& selftest) {
    made->street_->use(selftest.caller());
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

bool SelftestConsole::run(Command command) {
  const auto over = std::make_shared<bool>(false);
  host_.run([this, over, bell = bell_, command = std::move(command)](Selftest&) {
    command(*console_, [over, bell] {
      const std::lock_guard lock(bell->mutex);
      *over = true;
      bell->rung.notify_all();
    });
  });
  std::unique_lock lock(bell_->mutex);
  if (!lnet_->polled()) {
    bell_->rung.wait(lock, [&] { return *over || bell_->stopped; });
    return *over;
  }
  while (!*over && !bell_->stopped) {
    lock.unlock();
    lnet_->progress(std::chrono::milliseconds(100));
    lock.lock();
  }
  return *over;
}

bool SelftestConsole::stop(Duration deadline) {
  const bool quiet = host_.stop(deadline);
  const std::lock_guard lock(bell_->mutex);
  bell_->stopped = true;
  bell_->rung.notify_all();
  return quiet;
}

}  // namespace ulnet::node
