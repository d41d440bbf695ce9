#include "lnet/lnd/sock/sock_lnd.h"

#include <sched.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <map>
#include <mutex>
#include <vector>

#include "lnet/base/assert.h"
#include "lnet/base/placed.h"
#include "lnet/config/params.h"
#include "lnet/lnd/sock/engine/link_speed.h"
#include "lnet/lnd/sock/ni_tunables.h"
#include "lnet/lnd/sock/reactor/descriptor_limits.h"
#include "lnet/lnd/sock/reactor/device.h"
#include "lnet/lnd/sock/reactor/reactor.h"
#include "lnet/lnd/sock/reactor/reactor_placement.h"
#include "lnet/lnd/sock/reactor/reactors_unflushed.h"

namespace ulnet::lnd::sock {
namespace {

constexpr Duration kDefaultTimeout = std::chrono::seconds(50);  // spec/wire-socklnd.md 10
/// The number of reactors that an RxTicket can name.
constexpr unsigned kReactorsMax = 256;
/// The default number of reactors is one per this many CPUs of a partition, at most one per
/// hardware interface.
constexpr unsigned kCpusPerReactor = 4;

/// The number of reactors of a partition.
unsigned reactor_count(const SockTunables& tunables, unsigned partitions) {
  const unsigned most = std::max(1U, kReactorsMax / partitions);
  if (tunables.nscheds > 0) return std::min(static_cast<unsigned>(tunables.nscheds), most);
  const unsigned cpus = std::thread::hardware_concurrency() / partitions;
  return std::clamp(std::min(hardware_interfaces(), cpus / kCpusPerReactor), 1U, most);
}

std::uint64_t descriptors_allowed() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 1024;
}

std::uint64_t wall_clock_ns() {
  const auto since = std::chrono::system_clock::now().time_since_epoch();
  return static_cast<std::uint64_t>(
      std::chrono::duration_cast<std::chrono::nanoseconds>(since).count());
}

/// Checks the options of an NI. -EINVAL: the driver does not have such an option, or its tunable
/// cannot have the value.
Result<void> check_options(const NiOptions& options) {
  for (const auto& [name, value] : options) {
    if (std::ranges::find(kNiTunables, name, &conf::LndTunable::name) == kNiTunables.end())
      return fail(-EINVAL, "an NI of the tcp driver has no option '" + name + "'");
    if (auto ok = conf::check_param(name, std::to_string(value)); !ok)
      return tl::unexpected<Error>(ok.error());
  }
  return {};
}

std::int32_t option_or(const NiOptions& options, const conf::LndTunable& tunable,
                       std::int32_t otherwise) {
  const auto at = options.find(tunable.name);
  return at == options.end() ? otherwise : at->second;
}

}  // namespace

class SockLnd::Impl {
 public:
  Impl(Inlet& inlet, const SockTunables& tunables, Threads threads, std::uint64_t last_incarnation,
       const Placing& placing, ReportSink* reports, MemoryBudget* memory)
      : tunables_(tunables),
        last_incarnation_(last_incarnation),
        placement_(placing,
                   threads == Threads::kInline ? 1 : reactor_count(tunables, placing.partitions)),
        shares_(memory != nullptr ? *memory : unlimited_) {
    ULNET_ASSERT(threads == Threads::kOwn || placing.partitions == 1);
    const unsigned count = placement_.reactors();
    Reactor::ReactorOf place;
    if (count > 1)
      place = [this](core::NiId ni, const core::Hop& hop) { return &reactor_of(ni, hop.nid); };
    for (unsigned i = 0; i < count; ++i) {
      auto& here = placing.memory ? *placing.memory(placement_.partition_of(i))
                                  : *std::pmr::new_delete_resource();
      reactors_.push_back(make_placed<Reactor>(here, static_cast<std::uint8_t>(i), inlet,
                                               within_descriptors(tunables, descriptors_allowed()),
                                               place, shares_, here, reports));
    }
    if (threads == Threads::kInline) return;
    for (unsigned i = 0; i < count; ++i)
      reactors_[i]->start_thread([begin = placing.begin, partition = placement_.partition_of(i)] {
        if (begin) begin(partition);
      });
  }

  ~Impl() {
    std::vector<core::NiId> left;
    for (const auto& [id, ni] : nis_) left.push_back(id);
    for (const core::NiId id : left) stop(id);
    for (auto& reactor : reactors_) reactor->stop_thread();
  }

  Result<NiStarted> start(const NiSpec& spec);
  void stop(core::NiId id);
  Result<NiStarted> tune(core::NiId id, const NiTuning& tuning);
  Result<void> set(std::string_view name, std::string_view value);

  Reactor& reactor_of(core::NiId ni, const Nid& peer) {
    return *reactors_[placement_.of(ni, peer)];
  }
  // The index of the reactor that a command is for
  std::size_t of(core::RxTicket rx) const { return (rx.value >> 24 & 0xff) % reactors_.size(); }
  std::size_t of(const core::Send& c) const { return placement_.of(c.ni, c.hop.nid); }
  std::size_t of(const core::Cancel& c) const { return placement_.of(c.ni, c.hop.nid); }
  std::size_t of(const core::Land& c) const { return of(c.rx); }
  std::size_t of(const core::HoldPayload& c) const { return of(c.rx); }
  std::size_t of(const core::DropPayload& c) const { return of(c.rx); }
  std::size_t of(const core::Reject& c) const { return of(c.rx); }

  std::vector<Placed<Reactor>>& reactors() { return reactors_; }
  SockTunables tunables() {
    const std::lock_guard hold(lock_);
    return tunables_;
  }
  std::uint64_t last_incarnation() {
    const std::lock_guard hold(lock_);
    return last_incarnation_;
  }

 private:
  /// A running NI, with the spec it was started with, so that changed tunables can be resolved
  /// again.
  struct RunningNi {
    NiInfo info;
    NiSpec spec;
    Device device;
    std::vector<Endpoint> listening;
    Reactor* acceptor = nullptr;
  };

  void resolve(RunningNi& ni) const;
  NiStarted describe(const RunningNi& ni) const;
  Result<void> listen(RunningNi& ni);
  void apply(const RunningNi& ni, bool fresh);

  std::mutex lock_;  ///< guards the next three; never taken by a reactor's thread
  SockTunables tunables_;
  std::uint64_t last_incarnation_;
  std::map<core::NiId, RunningNi> nis_;
  ReactorPlacement placement_;
  MemoryBudget unlimited_;
  DriverShares shares_;
  std::vector<Placed<Reactor>> reactors_;  // constant after construction
};

void SockLnd::Impl::resolve(RunningNi& ni) const {
  const std::int32_t conns = option_or(ni.spec.options, kConnsPerPeer, tunables_.conns_per_peer);
  ni.info.conns_per_peer = conns_per_peer(conns, ni.device.mbit_per_s);
  ni.info.tos = option_or(ni.spec.options, kTos, tunables_.tos);
  ni.info.timeout = ni.spec.timeout > Duration{} ? ni.spec.timeout
                    : tunables_.sock_timeout > 0
                        ? Duration(std::chrono::seconds(tunables_.sock_timeout))
                        : kDefaultTimeout;
}

NiStarted SockLnd::Impl::describe(const RunningNi& ni) const {
  NiStarted started;
  started.nid = ni.info.nid;
  started.interface = ni.device.name;
  started.timeout = ni.info.timeout;
  started.options.emplace(kConnsPerPeer.name, ni.info.conns_per_peer);
  started.options.emplace(kTos.name, ni.info.tos);
  if (tunables_.accept == Accept::kTrust) started.accept_note = "trust";
  return started;
}

void SockLnd::Impl::apply(const RunningNi& ni, bool fresh) {
  for (auto& reactor : reactors_)
    reactor->run(
        [&](Engine& engine) { fresh ? engine.add_ni(ni.info) : engine.change_ni(ni.info); });
}

Result<void> SockLnd::Impl::listen(RunningNi& ni) {
  ni.acceptor = &reactor_of(ni.info.id, ni.info.nid);
  for (const auto& [id, other] : nis_)  // another NI with this address has the listeners
    if (other.info.address == ni.info.address) ni.acceptor = other.acceptor;
  for (const std::int32_t port : {tunables_.accept_port, tunables_.accept_port_bulk}) {
    const Endpoint endpoint{ni.info.address, static_cast<std::uint16_t>(port)};
    if (std::find(ni.listening.begin(), ni.listening.end(), endpoint) != ni.listening.end())
      continue;
    if (const auto added = ni.acceptor->add_listener(endpoint); !added) return added;
    ni.listening.push_back(endpoint);
  }
  return {};
}

Result<NiStarted> SockLnd::Impl::start(const NiSpec& spec) {
  const std::lock_guard hold(lock_);
  if (spec.net.type != NetType::kTcp)
    return fail(-EINVAL, spec.net.to_string() + " is not a net of the tcp driver");
  if (nis_.contains(spec.id)) return fail(-EEXIST, "this NI is running already");
  if (const auto ok = check_options(spec.options); !ok) return tl::unexpected(ok.error());
  if (const auto ok = check_congestion(tunables_.congestion); !ok)
    return tl::unexpected(ok.error());
  auto device = find_device(spec);
  if (!device) return tl::unexpected(device.error());

  RunningNi ni;
  ni.spec = spec;
  ni.device = std::move(*device);
  ni.info.id = spec.id;
  ni.info.pid = spec.pid;
  ni.info.address = ni.device.address;
  ni.info.nid = nid_at(spec.net, ni.info.address);
  for (const auto& [id, other] : nis_)
    if (other.info.nid == ni.info.nid)
      return fail(-EEXIST, ni.info.nid.to_string() + " is running already");
  // It must grow even if the wall clock was set back (spec/wire-socklnd.md 8).
  ni.info.incarnation = last_incarnation_ = std::max(wall_clock_ns(), last_incarnation_ + 1);
  resolve(ni);
  placement_.bind(spec.id, spec.cpts);
  apply(ni, true);
  if (const auto listening = listen(ni); !listening) {
    for (const Endpoint& endpoint : ni.listening) ni.acceptor->remove_listener(endpoint);
    for (auto& reactor : reactors_)
      reactor->run([&](Engine& engine) { engine.remove_ni(spec.id); });
    placement_.forget(spec.id);
    return tl::unexpected(listening.error());
  }
  return describe(nis_.emplace(spec.id, std::move(ni)).first->second);
}

void SockLnd::Impl::stop(core::NiId id) {
  const std::lock_guard hold(lock_);
  const auto found = nis_.find(id);
  if (found == nis_.end()) return;
  for (const Endpoint& endpoint : found->second.listening)
    found->second.acceptor->remove_listener(endpoint);
  for (auto& reactor : reactors_) reactor->run([&](Engine& engine) { engine.remove_ni(id); });
  placement_.forget(id);
  nis_.erase(found);
}

Result<NiStarted> SockLnd::Impl::tune(core::NiId id, const NiTuning& tuning) {
  const std::lock_guard hold(lock_);
  const auto found = nis_.find(id);
  if (found == nis_.end()) return fail(-ENOENT, "no such NI");
  if (auto ok = check_options(tuning.options); !ok) return tl::unexpected<Error>(ok.error());
  RunningNi& ni = found->second;
  for (const auto& [name, value] : tuning.options) ni.spec.options.insert_or_assign(name, value);
  if (tuning.timeout) ni.spec.timeout = *tuning.timeout;
  resolve(ni);
  apply(ni, false);
  return describe(ni);
}

Result<void> SockLnd::Impl::set(std::string_view name, std::string_view value) {
  const std::lock_guard hold(lock_);
  SockTunables changed = tunables_;
  if (const auto ok = sock::set_tunable(changed, name, value); !ok) return ok;
  if (const conf::Param* param = conf::find_param(name); param->start_only && !nis_.empty())
    return fail(-EBUSY, std::string(name) + " counts only before the first NI starts");
  if (const auto ok = check_congestion(changed.congestion); !ok) return ok;
  tunables_ = changed;
  const SockTunables in_force = within_descriptors(changed, descriptors_allowed());
  for (auto& reactor : reactors_) reactor->retune(in_force);
  for (auto& [id, ni] : nis_) {
    resolve(ni);
    apply(ni, false);
  }
  return {};
}

// ---- the driver ---------------------------------------------------------------------------------

SockLnd::SockLnd(Inlet& inlet, const SockTunables& tunables, Threads threads,
                 std::uint64_t last_incarnation, Placing placing, ReportSink* reports,
                 MemoryBudget* memory)
    : impl_(std::make_unique<Impl>(inlet, tunables, threads, last_incarnation, placing, reports,
                                   memory)) {}
SockLnd::~SockLnd() = default;

Result<NiStarted> SockLnd::start_ni(const NiSpec& spec) { return impl_->start(spec); }
void SockLnd::stop_ni(core::NiId ni) { impl_->stop(ni); }
void SockLnd::link_changed(core::NiId ni, bool up) {
  for (auto& reactor : impl_->reactors())
    reactor->run([&](Engine& engine) { engine.link_changed(ni, up); });
}
Result<NiStarted> SockLnd::tune_ni(core::NiId ni, const NiTuning& tuning) {
  return impl_->tune(ni, tuning);
}
Result<void> SockLnd::set_tunable(std::string_view name, std::string_view value) {
  return impl_->set(name, value);
}
SockTunables SockLnd::tunables() const { return impl_->tunables(); }
std::uint64_t SockLnd::last_incarnation() const { return impl_->last_incarnation(); }

Reactor& SockLnd::to_flush(std::size_t index) {
  auto& reactors = impl_->reactors();
  if (reactors.size() > 1) Unflushed::of_this_thread().add(this, index);
  return *reactors[index];
}

void SockLnd::submit(Command&& command) {
  if (const auto* send = std::get_if<core::Send>(&command)) return submit_send(*send);
  const std::size_t index = std::visit([this](const auto& c) { return impl_->of(c); }, command);
  to_flush(index).submit(std::move(command), 0);
}

void SockLnd::submit_send(const core::Send& send) {
  const std::uint64_t tag = NidHash{}(send.hop.nid) << 8 | (send.ni.value & 0x7f) << 1 | 1;
  to_flush(impl_->of(send)).submit(send, tag);
}

void SockLnd::flush() {
  auto& reactors = impl_->reactors();
  if (reactors.size() == 1) return reactors.front()->flush();
  for (std::size_t reactor = 0; Unflushed::of_this_thread().take(this, reactor);)
    if (reactor < reactors.size()) reactors[reactor]->flush();
}

void SockLnd::flush_all() {
  for (auto& reactor : impl_->reactors()) reactor->flush();
}

Progress SockLnd::progress_kind() const {
  return impl_->reactors().front()->own_thread() ? Progress::kOwnThreads : Progress::kPolled;
}
bool SockLnd::progress(Duration wait) { return impl_->reactors().front()->progress(wait); }
int SockLnd::wait_descriptor() const { return impl_->reactors().front()->wait_descriptor(); }
Duration SockLnd::may_sleep() { return impl_->reactors().front()->may_sleep(); }

std::string SockLnd::trouble(const Nid& peer, int status) {
  std::string text;
  for (auto& reactor : impl_->reactors())
    if (text.empty()) reactor->run([&](Engine& engine) { text = engine.trouble(peer, status); });
  return text;
}

std::vector<std::pair<std::string, std::uint64_t>> SockLnd::counters() {
  std::vector<std::pair<std::string, std::uint64_t>> sums;
  for (std::size_t i = 0; i < kCountKinds; ++i)
    sums.emplace_back(to_string(static_cast<Count>(i)), 0);
  for (auto& reactor : impl_->reactors())
    reactor->run([&](Engine& engine) {
      for (std::size_t i = 0; i < kCountKinds; ++i)
        sums[i].second += engine.counters().of(static_cast<Count>(i));
    });
  return sums;
}

std::vector<ThreadDuty> SockLnd::duties() {
  std::vector<ThreadDuty> duties;
  for (auto& reactor : impl_->reactors())
    if (reactor->own_thread())
      duties.push_back({"tcp " + std::to_string(duties.size()), reactor->duty()});
  return duties;
}

}  // namespace ulnet::lnd::sock
