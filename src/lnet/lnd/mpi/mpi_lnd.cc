#include "lnet/lnd/mpi/mpi_lnd.h"

#include <mpi.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <stdexcept>
#include <thread>
#include <utility>

#include "lnet/base/assert.h"
#include "lnet/lnd/region.h"
#include "lnet/lnd/run_token.h"

namespace ulnet::lnd::mpi {
namespace {

Instant clock_now() {
  return Instant(
      std::chrono::duration_cast<Duration>(std::chrono::steady_clock::now().time_since_epoch()));
}

std::string words_of(int error) {
  char text[MPI_MAX_ERROR_STRING] = {};
  int length = 0;
  if (MPI_Error_string(error, text, &length) != MPI_SUCCESS)
    return "error " + std::to_string(error);
  return {text, static_cast<std::size_t>(length)};
}

/// The status of a message that failed with this error of MPI.
int status_of(int error) {
  int kind = MPI_SUCCESS;
  MPI_Error_class(error, &kind);
  if (kind == MPI_SUCCESS) return 0;
  return kind == MPI_ERR_TRUNCATE ? -EMSGSIZE : -EIO;
}

}  // namespace

class MpiLnd::Impl final : public Outlet {
 public:
  Impl(Inlet& inlet, std::vector<Group> groups, const Nid& self, const MpiOptions& options,
       std::uint64_t epoch)
      : inlet_(inlet),
        groups_(std::move(groups)),
        self_(self),
        options_(with_tags(options)),
        owner_(std::this_thread::get_id()),
        engine_(*this, options_.engine, epoch),
        discarded_(limits::kMtu) {
    for (std::uint32_t comm = 0; comm < groups_.size(); ++comm) {
      MPI_Comm_set_errhandler(comm_of(comm), MPI_ERRORS_RETURN);
      for (std::uint32_t place = 0; place < groups_[comm].hops.size(); ++place)
        places_.emplace(key(groups_[comm].hops[place]),
                        Place{comm, static_cast<std::int32_t>(place)});
      pools_.push_back(std::make_unique<Pool>(options_.engine));
      open(*pools_.back(), comm_of(comm));
    }
  }

  ~Impl() override {
    for (auto& pool : pools_)
      for (MPI_Request& request : pool->requests) {
        MPI_Cancel(&request);
        MPI_Status ignored;
        MPI_Wait(&request, &ignored);
        MPI_Request_free(&request);
      }
  }

  Result<NiStarted> start(const NiSpec& spec) {
    if (spec.net != self_.net())
      return fail(-EINVAL, spec.net.to_string() + " is not the net of this MPI job, " +
                               self_.net().to_string());
    const std::lock_guard hold(token_);
    if (running_) return fail(-EEXIST, "this NI is running already");
    running_ = true;
    engine_.at(clock_now());
    engine_.start(spec.id);
    NiStarted started;
    started.nid = self_;
    started.interface = "mpi";
    started.rdma_get = true;
    started.timeout = spec.timeout > Duration{} ? spec.timeout : Duration(std::chrono::seconds(50));
    started.limits.immediate = options_.engine.short_bytes - wire::kMpiShortBytesMin;
    return started;
  }

  void stop() {
    token_.lock();
    engine_.at(clock_now());
    engine_.stop();
    while (!engine_.idle()) pass();
    running_ = false;
    token_.unlock();
  }

  void submit(Command&& command) {
    const std::lock_guard hold(inbox_lock_);
    inbox_.push_back(std::move(command));
    pending_.store(true, std::memory_order_seq_cst);
  }

  /// Whether the calling thread may call MPI.
  bool may_call() const { return options_.any_thread || std::this_thread::get_id() == owner_; }

  void flush() {
    while (pending_.load(std::memory_order_seq_cst)) {
      if (!may_call() || !token_.try_lock()) return;
      drain();
      token_.unlock();
    }
  }

  bool progress(Duration wait) {
    const Instant end = wait == Duration{} ? Instant{} : clock_now() + wait;
    while (!look()) {
      const Instant now = clock_now();
      if (now >= end) return false;
      std::this_thread::sleep_for(std::min(may_sleep(), end - now));
    }
    return true;
  }

  /// Looks at once while there is traffic, then less and less often.
  Duration may_sleep() {
    if (pending_.load(std::memory_order_seq_cst)) return {};
    const Instant now = clock_now();
    const std::lock_guard hold(token_);
    const Duration idle = now - last_traffic_;
    if (idle < options_.spin) return {};
    const Duration due = std::max(engine_.next_deadline() - now, Duration{});
    return std::min({idle / 8, options_.longest_sleep, due});
  }

  std::string trouble(const Nid& peer) {
    const std::lock_guard hold(token_);
    for (const Group& group : groups_)
      for (const core::Hop& hop : group.hops)
        if (hop.nid == peer) return engine_.trouble(hop);
    return "no process of this MPI job has this NID";
  }

  std::vector<std::pair<std::string, std::uint64_t>> counters() {
    const std::lock_guard hold(token_);
    std::vector<std::pair<std::string, std::uint64_t>> all;
    for (std::size_t i = 0; i < static_cast<std::size_t>(Count::kKinds); ++i)
      all.emplace_back(to_string(static_cast<Count>(i)), engine_.count(static_cast<Count>(i)));
    all.emplace_back("mpi_errors", errors_);
    return all;
  }

  // Outlet
  bool deliver(const core::Input& input) override {
    ++delivered_;
    if (!std::holds_alternative<core::HeaderArrived>(input)) return inlet_.deliver(input);
    const bool done = inlet_.deliver(input);
    carry_out();
    return done;
  }
  std::optional<Place> place_of(const core::Hop& hop) const override {
    const auto at = places_.find(key(hop));
    return at == places_.end() ? std::nullopt : std::optional(at->second);
  }
  std::optional<core::Hop> hop_of(const Place& place) const override {
    if (place.comm >= groups_.size() || place.rank < 0) return std::nullopt;
    const auto& hops = groups_[place.comm].hops;
    const auto rank = static_cast<std::size_t>(place.rank);
    return rank < hops.size() ? std::optional(hops[rank]) : std::nullopt;
  }
  void send_short(OpId op, const Place& to, std::vector<std::byte>&& message) override {
    Request& request = make(op, Request::Kind::kSend);
    request.message = std::move(message);
    check(MPI_Isend(request.message.data(), static_cast<int>(request.message.size()), MPI_BYTE,
                    to.rank, static_cast<int>(kShortTag), comm_of(to.comm), &handles_.back()));
  }
  void send(OpId op, const Place& to, Tag tag, const core::Region& payload, bool posted) override {
    Request& request = make(op, Request::Kind::kSend);
    request.layout = layout_of(payload, payload.length);
    const Layout& l = request.layout;
    const auto call = posted ? MPI_Irsend : MPI_Isend;
    check(call(l.address, l.count, l.type, to.rank, static_cast<int>(tag), comm_of(to.comm),
               &handles_.back()));
  }
  void post(OpId op, const Place& from, Tag tag, const core::Region& sink,
            std::uint32_t length) override {
    Request& request = make(op, Request::Kind::kReceive);
    request.layout = layout_of(sink, length);
    const Layout& l = request.layout;
    check(MPI_Irecv(l.address, l.count, l.type, from.rank, static_cast<int>(tag),
                    comm_of(from.comm), &handles_.back()));
  }
  void cancel(OpId op) override {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (requests_[i].op != op) continue;
      if (requests_[i].kind == Request::Kind::kReceive) MPI_Cancel(&handles_[i]);
      requests_[i].cancelled = true;
      any_cancelled_ = true;
    }
  }
  void warn(const Place&, const std::string&) override {}

 private:
  /// Memory as MPI describes it: `count` elements of a type at an address.
  struct Layout {
    void* address = nullptr;
    int count = 0;
    MPI_Datatype type = MPI_BYTE;
    bool own_type = false;  ///< free_type() has to free it
  };

  static void free_type(Layout& layout) {
    if (std::exchange(layout.own_type, false)) MPI_Type_free(&layout.type);
  }
  struct Request {
    enum class Kind : std::uint8_t { kSend, kReceive } kind = Kind::kSend;
    OpId op;
    std::vector<std::byte> message;
    Layout layout;
    bool cancelled = false;
  };
  /// The receives for short messages of a communicator. MPI matches them in the order in which they
  /// were posted, so only the oldest is looked at.
  struct Pool {
    explicit Pool(const EngineOptions& options)
        : bytes(std::size_t{options.short_bytes} * options.pool), requests(options.pool) {}
    std::vector<std::byte> bytes;
    std::vector<MPI_Request> requests;
    std::size_t oldest = 0;
  };

  static MpiOptions with_tags(MpiOptions options) {
    void* value = nullptr;
    int found = 0;
    MPI_Comm_get_attr(MPI_COMM_SELF, MPI_TAG_UB, static_cast<void*>(&value), &found);
    if (found != 0) options.engine.tag_max = static_cast<Tag>(*static_cast<int*>(value));
    return options;
  }
  static std::pair<Nid, std::uint32_t> key(const core::Hop& hop) {
    return {hop.nid, hop.pid.value};
  }
  MPI_Comm comm_of(std::uint32_t comm) const {
    return *static_cast<const MPI_Comm*>(groups_[comm].comm);
  }

  void open(Pool& pool, MPI_Comm comm) {
    const std::size_t each = options_.engine.short_bytes;
    for (std::size_t i = 0; i < pool.requests.size(); ++i) {
      const int error =
          MPI_Recv_init(pool.bytes.data() + i * each, static_cast<int>(each), MPI_BYTE,
                        MPI_ANY_SOURCE, static_cast<int>(kShortTag), comm, &pool.requests[i]);
      if (error != MPI_SUCCESS) throw std::runtime_error("MPI_Recv_init: " + words_of(error));
      check(MPI_Start(&pool.requests[i]));
    }
  }

  bool check(int error) {
    if (error == MPI_SUCCESS) return true;
    ++errors_;
    if (options_.abort_on_error) MPI_Abort(MPI_COMM_WORLD, 1);
    return false;
  }

  Request& make(OpId op, Request::Kind kind) {
    handles_.push_back(MPI_REQUEST_NULL);
    Request& made = requests_.emplace_back();
    made.op = op;
    made.kind = kind;
    return made;
  }

  /// Describes the region to MPI, and after it as many discarded bytes as `length` asks for.
  Layout layout_of(const core::Region& region, std::uint32_t length) {
    std::vector<int> lengths;
    std::vector<MPI_Aint> places;
    const auto add = [&](void* at, std::size_t bytes) {
      MPI_Aint address = 0;
      MPI_Get_address(at, &address);
      places.push_back(address);
      lengths.push_back(static_cast<int>(bytes));
    };
    RegionCursor cursor(region);
    for (ByteSpan piece = cursor.front(); !piece.empty(); piece = cursor.front()) {
      add(piece.data(), piece.size());
      cursor.advance(piece.size());
    }
    if (region.length < length) add(discarded_.data(), length - region.length);
    if (places.empty()) return {discarded_.data(), 0, MPI_BYTE, false};
    if (places.size() == 1) {
      RegionCursor first(region);
      void* at = region.length != 0 ? static_cast<void*>(first.front().data())
                                    : static_cast<void*>(discarded_.data());
      return {at, lengths[0], MPI_BYTE, false};
    }
    Layout layout{MPI_BOTTOM, 1, MPI_BYTE, true};
    MPI_Type_create_hindexed(static_cast<int>(places.size()), lengths.data(), places.data(),
                             MPI_BYTE, &layout.type);
    MPI_Type_commit(&layout.type);
    return layout;
  }

  /// Gives the engine the commands that were submitted.
  void carry_out() {
    if (!pending_.load(std::memory_order_seq_cst)) return;
    std::vector<Command> taken;
    {
      const std::lock_guard hold(inbox_lock_);
      pending_.store(false, std::memory_order_seq_cst);
      taken.swap(inbox_);
    }
    for (Command& command : taken) engine_.command(std::move(command));
  }
  void drain() {
    now_ = clock_now();
    engine_.at(now_);
    carry_out();
    engine_.work();
  }

  /// Looks once, and returns whether something was delivered.
  bool look() {
    token_.lock();
    const std::uint64_t before = delivered_;
    if (pass()) last_traffic_ = now_;
    const bool any = delivered_ != before;
    token_.unlock();
    flush();
    return any;
  }
  /// Does what can be done without waiting. True if MPI moved something.
  bool pass() {
    drain();
    bool moved = false;
    for (std::uint32_t comm = 0; comm < pools_.size(); ++comm) moved |= receive(comm);
    moved |= end_requests();
    if (moved) engine_.work();
    return moved;
  }

  bool receive(std::uint32_t comm) {
    Pool& pool = *pools_[comm];
    const std::size_t each = options_.engine.short_bytes;
    bool any = false;
    for (std::size_t i = 0; i < pool.requests.size(); ++i) {
      int done = 0;
      MPI_Status status;
      MPI_Request& oldest = pool.requests[pool.oldest];
      const int error = MPI_Test(&oldest, &done, &status);
      if (!check(error) || done == 0) break;
      any = true;
      int bytes = 0;
      MPI_Get_count(&status, MPI_BYTE, &bytes);
      engine_.arrived(
          {comm, status.MPI_SOURCE},
          ByteView(pool.bytes)
              .subspan(pool.oldest * each, static_cast<std::size_t>(std::max(bytes, 0))));
      check(MPI_Start(&oldest));
      pool.oldest = (pool.oldest + 1) % pool.requests.size();
    }
    return any;
  }

  bool end_requests() {
    if (handles_.empty()) return false;
    int count = 0;
    done_.resize(handles_.size());
    statuses_.resize(handles_.size());
    const int error = MPI_Testsome(static_cast<int>(handles_.size()), handles_.data(), &count,
                                   done_.data(), statuses_.data());
    if (count == MPI_UNDEFINED) count = 0;
    const bool failed = error != MPI_SUCCESS;
    if (failed && error != MPI_ERR_IN_STATUS) check(error);
    ended_.clear();
    for (int i = 0; i < count; ++i) {
      const auto at = static_cast<std::size_t>(done_[static_cast<std::size_t>(i)]);
      const MPI_Status& status = statuses_[static_cast<std::size_t>(i)];
      ended_.push_back(ended(at, status, failed ? status.MPI_ERROR : MPI_SUCCESS));
      requests_[at].op = {};
    }
    if (std::exchange(any_cancelled_, false)) end_cancelled();
    if (ended_.empty()) return false;
    remove_ended();
    for (const Ended& end : std::exchange(ended_, {})) {
      if (end.receive)
        engine_.received(end.op, end.status, end.bytes);
      else
        engine_.sent(end.op, end.status);
    }
    return true;
  }

  struct Ended {
    OpId op;
    bool receive = false;
    int status = 0;
    std::uint32_t bytes = 0;
  };
  Ended ended(std::size_t at, const MPI_Status& status, int error) {
    Request& request = requests_[at];
    Ended end{request.op, request.kind == Request::Kind::kReceive, status_of(error), 0};
    if (!check(error)) return end;
    if (!end.receive) return end;
    int cancelled = 0;
    MPI_Test_cancelled(&status, &cancelled);
    if (cancelled != 0) {
      end.status = -ECANCELED;
      return end;
    }
    MPI_Count bytes = 0;
    MPI_Get_elements_x(&status, request.layout.type, &bytes);
    end.bytes = static_cast<std::uint32_t>(bytes);
    return end;
  }
  /// Sends cannot be cancelled. Their peer is gone, or will be: MPI is left alone with them.
  void end_cancelled() {
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      Request& request = requests_[i];
      if (!request.cancelled || request.kind != Request::Kind::kSend || !request.op) continue;
      ended_.push_back({request.op, false, -ECANCELED, 0});
      if (!request.message.empty()) orphans_.push_back(std::move(request.message));
      MPI_Request_free(&handles_[i]);
      request.op = {};
    }
  }
  void remove_ended() {
    std::size_t kept = 0;
    for (std::size_t i = 0; i < requests_.size(); ++i) {
      if (!requests_[i].op) {
        free_type(requests_[i].layout);
        continue;
      }
      if (kept != i) {
        requests_[kept] = std::move(requests_[i]);
        handles_[kept] = handles_[i];
      }
      ++kept;
    }
    requests_.resize(kept);
    handles_.resize(kept);
  }

  Inlet& inlet_;
  const std::vector<Group> groups_;
  const Nid self_;
  const MpiOptions options_;
  const std::thread::id owner_;
  std::map<std::pair<Nid, std::uint32_t>, Place> places_;
  RunToken token_;
  // Guarded by token_:
  Engine engine_;
  bool running_ = false;
  Instant now_{};
  Instant last_traffic_{};
  std::uint64_t delivered_ = 0, errors_ = 0;
  std::vector<std::unique_ptr<Pool>> pools_;
  std::vector<Request> requests_;
  std::vector<MPI_Request> handles_;  ///< of requests_
  std::vector<int> done_;
  std::vector<MPI_Status> statuses_;
  std::vector<Ended> ended_;
  bool any_cancelled_ = false;
  std::vector<std::byte> discarded_;  ///< where unwanted bytes go
  /// Short messages that MPI may still read, though their peer is gone.
  std::vector<std::vector<std::byte>> orphans_;

  std::mutex inbox_lock_;  ///< guards inbox_
  std::vector<Command> inbox_;
  std::atomic<bool> pending_{false};
};

MpiLnd::MpiLnd(Inlet& inlet, std::vector<Group> groups, const Nid& self, const MpiOptions& options,
               std::uint64_t epoch)
    : impl_(std::make_unique<Impl>(inlet, std::move(groups), self, options, epoch)) {}
MpiLnd::~MpiLnd() = default;

Result<NiStarted> MpiLnd::start_ni(const NiSpec& spec) { return impl_->start(spec); }
void MpiLnd::stop_ni(core::NiId) { impl_->stop(); }
void MpiLnd::submit(Command&& command) { impl_->submit(std::move(command)); }
void MpiLnd::flush() { impl_->flush(); }
bool MpiLnd::progress(Duration wait) { return impl_->progress(wait); }
Duration MpiLnd::may_sleep() { return impl_->may_sleep(); }
std::string MpiLnd::trouble(const Nid& peer, int) { return impl_->trouble(peer); }
std::vector<std::pair<std::string, std::uint64_t>> MpiLnd::counters() { return impl_->counters(); }

}  // namespace ulnet::lnd::mpi
