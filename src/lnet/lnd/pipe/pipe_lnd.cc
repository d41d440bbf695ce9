#include "lnet/lnd/pipe/pipe_lnd.h"

#include <atomic>
#include <mutex>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

#include "lnet/base/cache_line.h"
#include "lnet/base/hash_index.h"
#include "lnet/lnd/spin_lock.h"
#include "lnet/lnd/transfers.h"

namespace ulnet::lnd::pipe {

/// One NI of a PipeLnd.
struct End {
  PipeLnd* driver = nullptr;
  Inlet* inlet = nullptr;
  core::NiId ni;
  core::Hop hop;
  HashIndex<Nid, End, NidHash> connected{};
};

class alignas(kCacheLinePair) PipeWorld::Impl {
 public:
  explicit Impl(Run run) : run_(run) {}

  Result<NiStarted> start(PipeLnd& driver, Inlet& inlet, const NiSpec& spec, const Nid& nid) {
    if (ends_.contains(nid)) return fail(-EADDRINUSE, nid.to_string() + " is taken");
    ends_[nid] = {&driver, &inlet, spec.id, {nid, spec.pid}};
    NiStarted started;
    started.nid = nid;
    started.interface = spec.interface.empty() ? nid.to_string() : spec.interface;
    return started;
  }

  void stop(PipeLnd& driver, core::NiId ni) {
    End* end = find(driver, ni);
    if (end == nullptr) return;
    while (step()) {
    }
    const auto its_own = [&](const Transfers::Transfer& t) {
      return t.from == end->inlet && t.send.ni == ni;
    };
    transfers_.fail_if(its_own, -ESHUTDOWN, core::Health::kLocalAborted);
    const auto to_it = [&](const Transfers::Transfer& t) {
      return t.to == end->inlet && t.to_ni == ni;
    };
    transfers_.fail_if(to_it, -ECONNRESET, core::Health::kRemoteDropped);
    const Nid nid = end->hop.nid;
    std::set<Nid> nids;
    for (const auto& [other, its_end] : ends_) nids.insert(other);
    for (const Nid& other : nids) disconnect(nid, other);
    ends_.erase(nid);
  }

  /// Takes a Command, or a Send.
  template <class Any>
  void submit(PipeLnd& driver, Inlet& inlet, Any&& command) {
    const std::lock_guard lock(lock_);
    in_.emplace_back(&driver, &inlet, std::forward<Any>(command));
    pending_.store(true, std::memory_order_seq_cst);
  }

  /// Removes what a driver that is being destroyed has submitted.
  void forget(PipeLnd& driver) {
    const auto its_own = [&](const Item& item) { return item.driver == &driver; };
    out_.erase(out_.begin(), out_.begin() + static_cast<std::ptrdiff_t>(next_));
    next_ = 0;
    std::erase_if(out_, its_own);
    const std::lock_guard lock(lock_);
    std::erase_if(in_, its_own);
  }

  void flush() {
    if (run_ == Run::kManual) return;
    // A thread that finds running_ set leaves the work to the thread that set it. After clearing
    // running_, that thread looks at pending_ again.
    while (pending_.load(std::memory_order_seq_cst) && !running_.exchange(true)) {
      while (step()) {
      }
      running_.store(false, std::memory_order_seq_cst);
    }
  }

  bool step() {
    if (next_ == out_.size() && !take()) return false;
    apply(out_[next_++]);
    if (next_ == out_.size() && !pending_.load(std::memory_order_seq_cst)) transfers_.settled();
    return true;
  }

  void cut(const Nid& a, const Nid& b) {
    const auto between = [&](const Transfers::Transfer& t) {
      return (t.send.hop.nid == a && t.send.header.src_nid == b) ||
             (t.send.hop.nid == b && t.send.header.src_nid == a);
    };
    transfers_.fail_if(between, -ECONNRESET, core::Health::kNetworkTimeout);
    disconnect(a, b);
  }

 private:
  struct Item {
    PipeLnd* driver;
    Inlet* inlet;
    Command command;
  };

  /// Takes the submitted commands, once all commands taken before are carried out.
  bool take() {
    if (!pending_.load(std::memory_order_seq_cst)) return false;
    out_.clear();
    next_ = 0;
    const std::lock_guard lock(lock_);
    pending_.store(false, std::memory_order_seq_cst);
    in_.swap(out_);
    return !out_.empty();
  }

  End* find(const PipeLnd& driver, core::NiId ni) {
    for (auto& [nid, end] : ends_)
      if (end.driver == &driver && end.ni == ni) return &end;
    return nullptr;
  }
  End* find(const Nid& nid) {
    const auto found = ends_.find(nid);
    return found == ends_.end() ? nullptr : &found->second;
  }

  static void connect(End& a, End& b) {
    a.connected.insert(b.hop.nid, &b);
    if (&a != &b) b.connected.insert(a.hop.nid, &a);
    a.inlet->deliver(core::PeerUp{a.ni, b.hop});
    b.inlet->deliver(core::PeerUp{b.ni, a.hop});
  }
  void disconnect(const Nid& a, const Nid& b) {
    End* one = find(a);
    End* two = find(b);
    if (one == nullptr || two == nullptr || one->connected.find(b) == nullptr) return;
    one->connected.erase(b);
    two->connected.erase(a);
    one->inlet->deliver(core::PeerDown{one->ni, two->hop, false});
    two->inlet->deliver(core::PeerDown{two->ni, one->hop, false});
  }

  void apply(Item& item) {
    Command& command = item.command;
    if (auto* send = std::get_if<core::Send>(&command)) return begin(item, *send);
    if (auto* land = std::get_if<core::Land>(&command)) return transfers_.land(*land, *item.inlet);
    if (auto* held = std::get_if<core::HoldPayload>(&command))
      return transfers_.hold(*held, *item.inlet);
    if (auto* drop = std::get_if<core::DropPayload>(&command)) return transfers_.drop(*drop);
    if (auto* reject = std::get_if<core::Reject>(&command)) {
      const auto rejected = transfers_.reject(*reject);
      if (rejected) cut(rejected->send.hop.nid, rejected->send.header.src_nid);
      return;
    }
    const auto& cancel = std::get<core::Cancel>(command);
    const auto it = [&](const Transfers::Transfer& t) {
      return t.from == item.inlet && t.send.tx == cancel.tx;
    };
    transfers_.fail_if(it, -ECANCELED, core::Health::kLocalDropped);
  }

  void begin(const Item& item, const core::Send& send) {
    const auto fail = [&](int status, core::Health health) {
      item.inlet->deliver(core::SendDone{send.tx, status, health});
    };
    End* from = find(*item.driver, send.ni);
    if (from == nullptr) return fail(-ESHUTDOWN, core::Health::kLocalAborted);
    End* to = reach(*from, send.hop.nid);
    if (to == nullptr) return fail(-ECONNREFUSED, core::Health::kRemoteDropped);
    transfers_.begin(send, *from->inlet, *to->inlet, to->ni, from->hop);
  }
  /// Finds the end with this NID and connects `from` to it; null: no end has this NID.
  End* reach(End& from, const Nid& nid) {
    if (End* known = from.connected.find(nid)) return known;
    End* to = find(nid);
    if (to != nullptr) connect(from, *to);
    return to;
  }

  const Run run_;
  std::atomic<bool> running_{false};
  std::unordered_map<Nid, End, NidHash> ends_;
  // Commands in the order of submit(). step() swaps the two vectors, so that in the steady state
  // nothing is allocated.
  SpinLock lock_;                     // guards in_
  std::atomic<bool> pending_{false};  // in_ is not empty
  std::vector<Item> in_;
  std::vector<Item> out_;  // belongs to the thread in step(); carried out up to `next_`
  std::size_t next_ = 0;
  Transfers transfers_;
};

PipeWorld::PipeWorld(Run run) : impl_(std::make_unique<Impl>(run)) {}
PipeWorld::~PipeWorld() = default;
bool PipeWorld::step() { return impl_->step(); }
void PipeWorld::cut(const Nid& a, const Nid& b) { impl_->cut(a, b); }

PipeLnd::PipeLnd(PipeWorld& world, Inlet& inlet) : world_(world), inlet_(inlet) {}
PipeLnd::~PipeLnd() { world_.impl_->forget(*this); }

Result<NiStarted> PipeLnd::start_ni(const NiSpec& spec) {
  if (spec.nid) return world_.impl_->start(*this, inlet_, spec, *spec.nid);
  const auto nid = Nid::parse(spec.interface + "@" + spec.net.to_string());
  if (!nid) return tl::unexpected(nid.error());
  return world_.impl_->start(*this, inlet_, spec, *nid);
}
void PipeLnd::stop_ni(core::NiId ni) { world_.impl_->stop(*this, ni); }
void PipeLnd::submit(Command&& command) { world_.impl_->submit(*this, inlet_, std::move(command)); }
void PipeLnd::submit_send(const core::Send& send) { world_.impl_->submit(*this, inlet_, send); }
void PipeLnd::flush() { world_.impl_->flush(); }

}  // namespace ulnet::lnd::pipe
