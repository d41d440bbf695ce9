#include "selftest/service/test.h"

#include <algorithm>
#include <new>
#include <utility>

namespace ulnet::svc::selftest {
namespace {

/// The pause after a failed RPC before the unit sends its next one. Otherwise an unreachable
/// destination would cost thousands of RPCs a second.
constexpr Duration kRest = std::chrono::milliseconds(100);

}  // namespace

class Test::Unit final : public Call {
 public:
  Unit(Test& test, const ProcessId& destination)
      : Call(test.context_), test_(test), destination_(destination) {}

  bool take_memory() {
    const std::size_t bytes = test_.workload_->bulk_bytes();
    bulk_ = test_.bulks_.take(bytes);
    return bulk_ || bytes == 0;
  }
  void give_memory() { test_.bulks_.give(std::exchange(bulk_, {})); }
  void start() {
    left_ = test_.spec_.loop;
    next();
  }
  void next() {
    failed_ = false;
    request_.features = test_.features_;
    const Call::Bulk data = test_.workload_->prepare(request_, bulk_);
    began_ = test_.context_.host.now();
    begin(destination_, request_, data, test_.context_.settings.rpc_timeout);
  }
  void finish() {
    give_memory();
    test_.unit_stopped();
  }

 private:
  void ended(const RpcReply& reply) override {
    if (is_good(reply)) return test_.latency_.record(test_.context_.host.now() - began_);
    failed_ = true;
    test_.latency_.fail();
    if (!test_.stopping_) ++test_.errors_;
  }
  bool is_good(const RpcReply& reply) {
    return reply.status == 0 && reply.message.status() == 0 &&
           test_.workload_->judge(request_, reply.message, bulk_) == 0;
  }
  void released() override {
    if (left_ != wire::kLstLoopForever) --left_;
    if (test_.stopping_ || left_ == 0 || (failed_ && test_.spec_.stop_on_error)) return finish();
    if (!failed_) return next();
    test_.rest(*this);
  }

  Test& test_;
  const ProcessId destination_;
  std::uint32_t left_ = 0;
  bool failed_ = false;
  Instant began_{};
  ::ulnet::svc::selftest::Bulk bulk_;
  wire::LstMessage request_;
};

Test::Test(Context& context, BulkPool& bulks, const wire::LstTest& spec, std::uint32_t features,
           std::unique_ptr<Workload> workload, const std::vector<ProcessId>& destinations,
           std::uint32_t& errors, Owner& owner)
    : context_(context),
      bulks_(bulks),
      spec_(spec),
      features_(features),
      workload_(std::move(workload)),
      errors_(errors),
      owner_(owner) {
  const std::size_t units = destinations.size() * spec.concurrency;
  if (!taken_.more(bytes(units))) throw std::bad_alloc();
  units_.reserve(units);
  for (const ProcessId& destination : destinations)
    for (std::uint32_t i = 0; i < spec.concurrency; ++i)
      units_.push_back(std::make_unique<Unit>(*this, destination));
}

Test::~Test() = default;

std::uint64_t Test::bytes(std::uint64_t units) {
  return sizeof(Test) + units * (sizeof(Unit) + sizeof(std::unique_ptr<Unit>));
}

std::uint64_t Test::data_bytes() const {
  return units_.size() * BulkPool::capacity_for(workload_->bulk_bytes());
}

bool Test::take_memory() {
  const bool all =
      std::ranges::all_of(units_, [](const auto& unit) { return unit->take_memory(); });
  if (!all) give_memory();
  return all;
}

void Test::give_memory() {
  for (const auto& unit : units_) unit->give_memory();
}

void Test::run() {
  ULNET_ASSERT(running_ == 0);
  stopping_ = false;
  running_ = static_cast<std::uint32_t>(units_.size());
  for (const auto& unit : units_) unit->start();
}

void Test::stop(bool abort) {
  stopping_ = true;
  go_on();
  if (!abort || running_ == 0) return;
  for (const auto& unit : units_) unit->abort(-EINTR);
}

void Test::rest(Unit& unit) {
  resting_.push_back(&unit);
  if (!rest_.armed()) context_.alarms.arm(rest_, context_.host.now() + kRest);
}

void Test::go_on() {
  for (Unit* unit : std::exchange(resting_, {})) stopping_ ? unit->finish() : unit->next();
}

void Test::unit_stopped() {
  if (--running_ == 0) owner_.stopped(*this);
}

}  // namespace ulnet::svc::selftest
