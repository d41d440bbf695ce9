#include "lnet/lnd/lo/lo_lnd.h"

#include <atomic>
#include <mutex>
#include <set>
#include <vector>

#include "lnet/lnd/run_token.h"
#include "lnet/lnd/transfers.h"

namespace ulnet::lnd::lo {

class LoLnd::Impl {
 public:
  explicit Impl(Inlet& inlet) : inlet_(inlet) {}

  Result<NiStarted> start(const NiSpec& spec) {
    if (spec.net.type != NetType::kLo)
      return fail(-EINVAL, spec.net.to_string() + " is not the loopback net");
    const std::lock_guard hold(token_);
    if (!nis_.insert(spec.id).second) return fail(-EEXIST, "this NI is running already");
    NiStarted started;
    started.nid = Nid::loopback();
    started.interface = "lo";
    return started;
  }

  void stop(core::NiId ni) {
    {
      const std::lock_guard hold(token_);
      run();
      nis_.erase(ni);
      transfers_.fail_if([&](const Transfers::Transfer& t) { return t.send.ni == ni; }, -ESHUTDOWN,
                         core::Health::kLocalAborted);
    }
    flush();
  }

  void submit(Command&& command) {
    const std::lock_guard hold(inbox_lock_);
    inbox_.push_back(std::move(command));
    pending_.store(true, std::memory_order_seq_cst);
  }

  void flush() {
    while (pending_.load(std::memory_order_seq_cst)) {
      if (!token_.try_lock()) break;  // its holder looks at pending_ again after it has unlocked
      run();
      token_.unlock();
    }
  }

 private:
  // With token_ held
  void run() {
    while (take()) {
      for (Command& command : batch_) apply(command);
      batch_.clear();
      transfers_.settled();
    }
  }
  bool take() {
    const std::lock_guard hold(inbox_lock_);
    pending_.store(false, std::memory_order_seq_cst);
    batch_.swap(inbox_);
    return !batch_.empty();
  }
  /// Applies the verdicts that the core submitted while a header was delivered. They precede all
  /// other commands, because the payload waits for them.
  void verdicts() {
    {
      const std::lock_guard hold(inbox_lock_);
      for (Command& command : inbox_)
        (is_verdict(command) ? verdicts_ : later_).push_back(std::move(command));
      inbox_.swap(later_);
      later_.clear();
    }
    for (Command& command : verdicts_) apply(command);
    verdicts_.clear();
  }
  static bool is_verdict(const Command& command) {
    return std::holds_alternative<core::Land>(command) ||
           std::holds_alternative<core::DropPayload>(command) ||
           std::holds_alternative<core::HoldPayload>(command) ||
           std::holds_alternative<core::Reject>(command);
  }

  void apply(Command& command) {
    if (auto* send = std::get_if<core::Send>(&command)) return begin(*send);
    if (auto* land = std::get_if<core::Land>(&command)) return transfers_.land(*land, inlet_);
    if (auto* held = std::get_if<core::HoldPayload>(&command))
      return transfers_.hold(*held, inlet_);
    if (auto* drop = std::get_if<core::DropPayload>(&command)) return transfers_.drop(*drop);
    if (auto* reject = std::get_if<core::Reject>(&command)) {
      transfers_.reject(*reject);
      return;
    }
    if (auto* cancel = std::get_if<core::Cancel>(&command))
      transfers_.fail_if([&](const Transfers::Transfer& t) { return t.send.tx == cancel->tx; },
                         -ECANCELED, core::Health::kLocalDropped);
  }

  void begin(const core::Send& send) {
    const auto fail = [&](int status, core::Health health) {
      inlet_.deliver(core::SendDone{send.tx, status, health});
    };
    const core::NiId ni = send.ni;
    if (!nis_.contains(ni)) return fail(-ESHUTDOWN, core::Health::kLocalAborted);
    if (!send.hop.nid.is_loopback()) return fail(-EHOSTUNREACH, core::Health::kRemoteDropped);
    const core::Hop self{Nid::loopback(), send.header.src_pid};
    transfers_.begin(send, inlet_, inlet_, ni, self);
    verdicts();
  }

  Inlet& inlet_;
  RunToken token_;
  Transfers transfers_;  // this and what follows up to verdicts_: guarded by token_
  std::set<core::NiId> nis_;
  std::vector<Command> batch_, verdicts_;
  std::mutex inbox_lock_;  // guards inbox_; held for a few moves only
  std::vector<Command> inbox_, later_;
  std::atomic<bool> pending_{false};
};

LoLnd::LoLnd(Inlet& inlet) : impl_(std::make_unique<Impl>(inlet)) {}
LoLnd::~LoLnd() = default;

Result<NiStarted> LoLnd::start_ni(const NiSpec& spec) { return impl_->start(spec); }
void LoLnd::stop_ni(core::NiId ni) { impl_->stop(ni); }
void LoLnd::submit(Command&& command) { impl_->submit(std::move(command)); }
void LoLnd::flush() { impl_->flush(); }

}  // namespace ulnet::lnd::lo
