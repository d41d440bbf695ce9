#include "network.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <set>
#include <thread>
#include <utility>
#include <variant>

#include "lnet/catalog/known_drivers.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/region.h"

namespace ulnet::ctl::test {

namespace in_memory {

/// A message on its way. The payload is a copy, so the sender's memory is free at once, as it is
/// when a socket has taken the bytes.
struct Packet {
  core::NiId ni;  ///< of the receiver
  core::Hop from;
  wire::LnetHeader header;
  std::vector<std::byte> payload;
};

/// What happens to a message that no node gets.
struct Unreached {
  int status = -EHOSTUNREACH;  ///< 0: it stalls
  std::string trouble;
};

class MemoryLnd;

/// Which node has which NID. Any thread.
class NidTable {
 public:
  Result<void> add(const Nid& nid, MemoryLnd& driver, core::NiId ni) {
    const std::lock_guard lock(mutex_);
    if (ends_.try_emplace(nid, End{&driver, ni}).second) return {};
    return fail(-EADDRINUSE, nid.to_string() + " is on the network already");
  }
  void remove(const Nid& nid) {
    const std::lock_guard lock(mutex_);
    ends_.erase(nid);
  }
  void set_unreached(const Nid& nid, Unreached how) {
    const std::lock_guard lock(mutex_);
    unreached_.insert_or_assign(nid, std::move(how));
  }
  std::string trouble(const Nid& nid) {
    const std::lock_guard lock(mutex_);
    const auto found = unreached_.find(nid);
    return found == unreached_.end() ? std::string() : found->second.trouble;
  }
  /// Gives the packet to the node that has the NID. Returns what happens to it if no node gets it.
  std::optional<Unreached> carry(const Nid& to, Packet&& packet);

 private:
  struct End {
    MemoryLnd* driver;
    core::NiId ni;
  };
  std::mutex mutex_;
  std::map<Nid, End> ends_;
  std::map<Nid, Unreached> unreached_;
};

/// The driver of one node. Its thread carries out the commands and delivers all inputs, so no
/// thread of another node enters this one.
class MemoryLnd final : public lnd::Lnd {
 public:
  MemoryLnd(NidTable& nids, lnd::Inlet& inlet, std::function<Interfaces()> interfaces)
      : nids_(nids),
        inlet_(inlet),
        interfaces_(std::move(interfaces)),
        thread_([this] { run(); }) {}
  ~MemoryLnd() override {
    {
      const std::lock_guard lock(mutex_);
      ending_ = true;
    }
    wakes_.notify_one();
    thread_.join();
  }
  MemoryLnd(const MemoryLnd&) = delete;
  MemoryLnd& operator=(const MemoryLnd&) = delete;

  Result<lnd::NiStarted> start_ni(const lnd::NiSpec& spec) override;
  void stop_ni(core::NiId ni) override;
  Result<lnd::NiStarted> tune_ni(core::NiId ni, const lnd::NiTuning& tuning) override;
  std::string trouble(const Nid& peer, int) override { return nids_.trouble(peer); }
  void submit(lnd::Command&& command) override { add(std::move(command)); }
  void flush() override { wakes_.notify_one(); }

  /// Another node's driver has sent this packet.
  void take(Packet&& packet) {
    add(std::move(packet));
    wakes_.notify_one();
  }

 private:
  struct Ni {
    lnd::NiStarted started;
    Pid pid;
  };
  /// A message whose header was delivered and that waits for the core's verdict.
  struct Received {
    Packet packet;
    std::optional<core::MsgTicket> held;
  };
  struct Stop {
    core::NiId ni;
    bool* done;
  };
  using Work = std::variant<lnd::Command, Packet, Stop>;

  template <class Any>
  void add(Any&& work) {
    const std::lock_guard lock(mutex_);
    work_.emplace_back(std::forward<Any>(work));
  }
  Result<std::pair<Nid, std::string>> address_of(const lnd::NiSpec& spec) const;
  std::optional<Ni> find(core::NiId ni) {
    const std::lock_guard lock(mutex_);
    const auto found = nis_.find(ni);
    return found == nis_.end() ? std::nullopt : std::optional(found->second);
  }

  void run();
  // On the driver's thread:
  void carry_out(Work& work);
  void carry_out(lnd::Command& command);
  void arrived(Packet&& packet);
  void stop(const Stop& asked);
  void on(const core::Send& send);
  void on(const core::Cancel& cancel) { end_stalled(-ECANCELED, cancel.tx); }
  void on(const core::Land& land);
  void on(const core::HoldPayload& hold);
  void on(const core::DropPayload& drop) { received_.erase(drop.rx.value); }
  void on(const core::Reject& reject) { received_.erase(reject.rx.value); }
  void ends(const core::Send& send, int status, core::Health health) {
    inlet_.deliver(core::SendDone{send.tx, status, health});
  }
  void end_stalled(int status, core::MsgTicket tx);
  void is_gone(core::MsgTicket msg) {
    inlet_.deliver(core::PayloadLanded{msg, -ECONNRESET, core::Health::kNetworkTimeout});
  }

  NidTable& nids_;
  lnd::Inlet& inlet_;
  const std::function<Interfaces()> interfaces_;
  std::mutex mutex_;  // guards the next four
  std::condition_variable wakes_, stopped_;
  std::deque<Work> work_;
  std::map<core::NiId, Ni> nis_;
  bool ending_ = false;
  // The driver's thread alone uses these.
  std::map<std::uint64_t, Received> received_;
  std::set<std::uint64_t> ended_;  ///< held messages that ended with their NI
  std::uint64_t last_rx_ = 0;
  std::vector<core::Send> stalled_;
  std::thread thread_;
};

Result<std::pair<Nid, std::string>> MemoryLnd::address_of(const lnd::NiSpec& spec) const {
  const Interfaces interfaces = interfaces_ ? interfaces_() : Interfaces();
  const std::string at_net = "@" + spec.net.to_string();
  if (spec.nid) {
    const std::string text = spec.nid->to_string();
    const std::string address = text.substr(0, text.find('@'));
    for (const auto& [name, has] : interfaces)
      if (has == address) return std::pair(*spec.nid, name);
    return std::pair(*spec.nid, address);
  }
  const auto named = interfaces.find(spec.interface);
  const std::string& address = named == interfaces.end() ? spec.interface : named->second;
  if (const auto nid = Nid::parse(address + at_net)) return std::pair(*nid, spec.interface);
  return fail(-ENODEV, "there is no interface '" + spec.interface + "'");
}

namespace {

/// Sets these options; with 0 connections the link's speed would count, and this link has none.
void set_options(const lnd::NiOptions& options, lnd::NiStarted& ni) {
  for (const auto& [name, value] : options) ni.options.insert_or_assign(name, value);
  if (ni.options["conns_per_peer"] == 0) ni.options["conns_per_peer"] = 1;
}

}  // namespace

Result<lnd::NiStarted> MemoryLnd::start_ni(const lnd::NiSpec& spec) {
  const auto address = address_of(spec);
  if (!address) return tl::unexpected(address.error());
  const auto& [nid, interface] = *address;
  Ni ni{.started = {.nid = nid, .interface = interface}, .pid = spec.pid};
  ni.started.timeout =
      spec.timeout > Duration{} ? spec.timeout : Duration(std::chrono::seconds(50));
  for (const conf::LndTunable& tunable : lnd::ni_tunables(NetType::kTcp))
    ni.started.options.emplace(tunable.name, tunable.initial);
  set_options(spec.options, ni.started);
  {
    const std::lock_guard lock(mutex_);
    for (const auto& [id, other] : nis_)
      if (other.started.nid == nid) return fail(-EEXIST, nid.to_string() + " is running already");
    nis_.emplace(spec.id, ni);
  }
  if (const auto added = nids_.add(nid, *this, spec.id); !added) {
    const std::lock_guard lock(mutex_);
    nis_.erase(spec.id);
    return tl::unexpected(added.error());
  }
  return ni.started;
}

Result<lnd::NiStarted> MemoryLnd::tune_ni(core::NiId ni, const lnd::NiTuning& tuning) {
  const std::lock_guard lock(mutex_);
  const auto found = nis_.find(ni);
  if (found == nis_.end()) return fail(-ENOENT, "no such NI");
  set_options(tuning.options, found->second.started);
  if (tuning.timeout) found->second.started.timeout = *tuning.timeout;
  return found->second.started;
}

void MemoryLnd::stop_ni(core::NiId ni) {
  const auto known = find(ni);
  if (!known) return;
  nids_.remove(known->started.nid);
  bool done = false;
  std::unique_lock lock(mutex_);
  work_.emplace_back(Stop{ni, &done});
  wakes_.notify_one();
  stopped_.wait(lock, [&] { return done; });
  nis_.erase(ni);
}

void MemoryLnd::run() {
  std::unique_lock lock(mutex_);
  while (true) {
    wakes_.wait(lock, [&] { return ending_ || !work_.empty(); });
    if (work_.empty()) return;
    std::deque<Work> batch;
    batch.swap(work_);
    lock.unlock();
    for (Work& work : batch) carry_out(work);
    inlet_.after_batch();
    lock.lock();
  }
}

void MemoryLnd::carry_out(Work& work) {
  if (auto* command = std::get_if<lnd::Command>(&work)) return carry_out(*command);
  if (auto* packet = std::get_if<Packet>(&work)) return arrived(std::move(*packet));
  stop(std::get<Stop>(work));
}

void MemoryLnd::carry_out(lnd::Command& command) {
  std::visit([this](const auto& one) { on(one); }, command);
}

void MemoryLnd::arrived(Packet&& packet) {
  if (!find(packet.ni)) return;  // the NI was stopped meanwhile
  const core::RxTicket rx{++last_rx_};
  const Packet& kept = received_[rx.value].packet = std::move(packet);
  const bool is_done =
      inlet_.deliver(core::Input(std::in_place_type<core::HeaderArrived>, kept.ni, kept.from,
                                 &kept.header, rx, ByteView(kept.payload), true));
  if (is_done) received_.erase(rx.value);
}

void MemoryLnd::on(const core::Send& send) {
  const auto from = find(send.ni);
  if (!from) return ends(send, -ESHUTDOWN, core::Health::kLocalAborted);
  Packet packet{.from = {from->started.nid, from->pid}, .header = send.header};
  packet.payload.resize(send.payload.length);
  lnd::RegionCursor(send.payload).drain(packet.payload);
  const auto unreached = nids_.carry(send.hop.nid, std::move(packet));
  if (!unreached) return ends(send, 0, core::Health::kOk);
  if (unreached->status == 0) return stalled_.push_back(send);
  ends(send, unreached->status, core::Health::kRemoteDropped);
}

void MemoryLnd::end_stalled(int status, core::MsgTicket tx) {
  const auto found = std::find_if(stalled_.begin(), stalled_.end(),
                                  [&](const core::Send& send) { return send.tx == tx; });
  if (found == stalled_.end()) return;
  const core::Send send = *found;
  stalled_.erase(found);
  ends(send, status, core::Health::kLocalDropped);
}

void MemoryLnd::on(const core::Land& land) {
  if (ended_.erase(land.rx.value) != 0) return;
  const auto found = received_.find(land.rx.value);
  if (found == received_.end()) return is_gone(land.msg);
  lnd::RegionCursor(land.sink).fill(found->second.packet.payload);
  received_.erase(found);
  inlet_.deliver(core::PayloadLanded{land.msg, 0, core::Health::kOk});
}

void MemoryLnd::on(const core::HoldPayload& hold) {
  if (ended_.contains(hold.rx.value)) return;
  const auto found = received_.find(hold.rx.value);
  if (found == received_.end()) return is_gone(hold.msg);
  found->second.held = hold.msg;
}

void MemoryLnd::stop(const Stop& asked) {
  std::vector<core::MsgTicket> sends, held;
  for (const core::Send& send : stalled_)
    if (send.ni == asked.ni) sends.push_back(send.tx);
  for (const core::MsgTicket tx : sends) end_stalled(-ESHUTDOWN, tx);
  for (const auto& [rx, message] : received_) {
    if (message.packet.ni != asked.ni || !message.held) continue;
    held.push_back(*message.held);
    ended_.insert(rx);
  }
  std::erase_if(received_, [&](const auto& each) { return each.second.packet.ni == asked.ni; });
  for (const core::MsgTicket msg : held) is_gone(msg);
  const std::lock_guard lock(mutex_);
  *asked.done = true;
  stopped_.notify_all();
}

std::optional<Unreached> NidTable::carry(const Nid& to, Packet&& packet) {
  const std::lock_guard lock(mutex_);
  if (const auto how = unreached_.find(to); how != unreached_.end()) return how->second;
  const auto end = ends_.find(to);
  if (end == ends_.end()) return Unreached{};
  packet.ni = end->second.ni;
  end->second.driver->take(std::move(packet));
  return {};
}

}  // namespace in_memory

namespace {

Nid nid_of(const std::string& text) { return Nid::parse(text).value(); }

}  // namespace

Network::Network() : nids_(std::make_unique<in_memory::NidTable>()) {}
Network::~Network() = default;

node::MakeTrialDriver Network::driver(std::function<Interfaces()> interfaces) {
  return [this, interfaces = std::move(interfaces)](lnd::Inlet& inlet) {
    return std::make_unique<in_memory::MemoryLnd>(*nids_, inlet, interfaces);
  };
}

node::Node& Network::host(const std::vector<std::string>& nids,
                          const std::map<std::string, std::string>& params) {
  node::NodeOptions options;
  options.params = params;
  auto node =
      node::Node::start_trial(options, {.synthetic = "pu:1", .net_devices = ""}, driver({}));
  EXPECT_TRUE(node) << node.error().reason;
  hosts_.push_back(*std::move(node));
  for (const std::string& nid : nids) {
    conf::NiItem ni;
    ni.nid = nid_of(nid);
    const auto added = hosts_.back()->change(conf::change::AddNi{ni.nid->net(), ni});
    EXPECT_TRUE(added) << added.error().reason;
  }
  return *hosts_.back();
}

void Network::refuse(const std::string& nid, int status, const std::string& trouble) {
  nids_->set_unreached(nid_of(nid), {status, trouble});
}

void Network::stall(const std::string& nid) { nids_->set_unreached(nid_of(nid), {0, {}}); }

}  // namespace ulnet::ctl::test
