// An epoll reactor around one Engine; the only holder of descriptors. The thread that holds the run
// token runs the engine: the reactor's own thread, a thread in flush() (which does not wait for the
// token), or, inline, the polling thread. Source: DESIGN.md 3.
//
// It saves system calls in three ways. Connections that were busy a moment ago are read without
// asking epoll. Everything queued for a connection is written in one call. And when a flush()
// follows another closely, it leaves its message to the next pass, which comes anyway; the
// exception is a caller that is the reactor's own thread and would make that pass for this message
// alone.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <memory_resource>
#include <thread>
#include <vector>

#include "lnet/base/placed.h"
#include "lnet/lnd/duty_meter.h"
#include "lnet/lnd/lnd.h"
#include "lnet/lnd/report.h"
#include "lnet/lnd/run_token.h"
#include "lnet/lnd/sock/engine/engine.h"
#include "lnet/lnd/sock/reactor/driver_shares.h"
#include "lnet/lnd/sock/reactor/inbox.h"
#include "lnet/lnd/sock/reactor/sockets.h"
#include "lnet/lnd/sock/reactor/spin_policy.h"

namespace ulnet::lnd::sock {

class Reactor final : private Outlet {
 public:
  /// The reactor that a peer's connections belong to.
  using ReactorOf = std::function<Reactor*(core::NiId, const core::Hop&)>;

  /// `memory` is where the buffers are. `reports`: null, reports are discarded. `inlet`, `shares`,
  /// `memory` and `reports` must outlive the reactor; `tunables` is copied. Throws
  /// std::system_error if no descriptor is free.
  Reactor(std::uint8_t id, Inlet& inlet, const SockTunables& tunables, ReactorOf reactor_of,
          DriverShares& shares, std::pmr::memory_resource& memory, ReportSink* reports);
  ~Reactor() override;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// Starts the reactor's own thread, which first calls `begin`.
  void start_thread(std::function<void()> begin);
  /// Ends that thread. From then on bytes move only in flush(), progress() and run().
  void stop_thread();

  // Any thread
  /// Queues a command. `tag` names the peer that a message is for; 0: the command must not wait
  /// for others to be handled together with it.
  void submit(Command&& command, std::uint64_t tag);
  void submit(const core::Send& send, std::uint64_t tag);
  /// Handles what was submitted, on this thread; or leaves it to the thread that holds the token,
  /// or to the next pass. An exception from the engine ends the program, because the engine cannot
  /// continue after one.
  void flush() noexcept;
  /// Runs `job` under the token and returns when it is done; must not be called with the token
  /// held.
  void run(std::function<void(Engine&)> job);
  /// Replaces the tunables.
  void retune(const SockTunables& tunables);
  /// Claims `endpoint` for this node and, unless accept=none, listens on it, until
  /// remove_listener() has been called as often as add_listener(). Errors: of claim_endpoint() and
  /// listen_on().
  Result<void> add_listener(const Endpoint& endpoint);
  void remove_listener(const Endpoint& endpoint);

  // Inline mode, by the polling thread: as the functions of Lnd.
  bool progress(Duration wait);
  Duration may_sleep();
  int wait_descriptor() const { return epoll_.get(); }

  bool own_thread() const { return own_thread_; }
  /// How long the reactor's own thread works without a pause. Any thread.
  Duty duty() const { return duty_.duty(); }

 private:
  struct Socket {
    Descriptor fd;
    std::uint32_t generation = 0;
    std::uint32_t events = 0;  ///< the events for which epoll watches it
    bool watched = false;      ///< epoll knows it
    bool dialling = false;
    bool quick_ack = false;         ///< TCP acknowledges at once (eager_ack)
    bool unprivileged = false;      ///< dialled from a port above 1023
    bool hot = false;               ///< read without asking epoll
    std::uint16_t idle_rounds = 0;  ///< rounds since bytes were last read from a hot connection
    std::uint64_t direct_pass = 0;  ///< passes_ when flush() last wrote to it
    Instant direct_at{};            ///< when that was
    Instant acks_steered{};         ///< when set_quick_ack() was last called
  };
  struct Listener {
    Endpoint endpoint;
    Descriptor claim;
    Descriptor fd;       ///< empty with accept=none
    unsigned users = 0;  ///< add_listener() less remove_listener()
  };
  /// A connection that Outlet::leave() gave up; kept until reset_left().
  struct Left {
    core::NiId ni;
    Descriptor fd;
  };
  struct DialResult {
    Handle conn;
    int error = 0;  ///< 0, or a positive errno
  };

  // Outlet
  bool deliver(const core::Input& input) override;
  void dial(Handle conn, const DialOrder& order) override;
  void close(Handle conn) override;
  void abort(Handle conn) override;
  void leave(Handle conn, core::NiId ni) override;
  bool resends_soon() override { return tcp_resends_soon(); }
  void reset_left(core::NiId ni) override;
  void pause(Handle conn, bool paused) override;
  void opened(Handle conn, wire::ConnType type, std::int32_t tos) override;
  std::uint32_t unacknowledged(Handle conn) override;
  bool pass_to_owner(Handle conn, const core::Hop& peer, Arrival& arrival) override;
  void report(const Report& report) override {
    if (reports_ != nullptr) reports_->report(general_report(report));
  }
  Share take_connections(const Address& address, std::uint16_t count) override;
  void give_connections(const Address& address, std::uint16_t count) override {
    shares_.give_connections(address, count);
  }
  Share take_memory(const Address& address, std::size_t bytes) override {
    return shares_.take_memory(address, bytes);
  }
  void give_memory(const Address& address, std::size_t bytes) override {
    shares_.give_memory(address, bytes);
  }

  /// The result of a pass.
  struct Passed {
    bool busy = false;       ///< bytes moved, or something was delivered or submitted
    bool delivered = false;  ///< inputs were delivered
    Instant now{};           ///< when the pass began
    Instant until = kNever;  ///< when the next pass is due
  };

  // With the token held
  static Instant clock();
  void begin();
  /// Does everything that can be done without waiting. True if bytes moved, or something was
  /// delivered or submitted.
  bool pass() noexcept;
  void flush_pass();
  bool about_to_sleep() const;
  bool may_leave() const;
  void drain();
  void look();
  std::size_t ask_epoll();
  void handle(const epoll_event& event);
  bool read(Handle conn);
  bool read_once(Handle conn, Socket& socket, std::size_t& bytes, bool& full);
  void steer_acks(Socket& socket);
  bool read_hot();
  void end(Handle conn, int error);
  void cool_all();
  void warm(Handle conn, Socket& socket);
  void finish_dial(Handle conn, Socket& socket);
  void report_dials();
  void write_queued(bool from_flush);
  bool may_write_now(Handle conn, Socket& socket);
  void write(Handle conn);
  Result<Listener> open_listener(const Endpoint& endpoint) const;
  void accept_from(Listener& listener);
  bool refuse_without_descriptor(Listener& listener);
  void rest_listeners();
  void watch(Handle conn, Socket& socket, std::uint32_t events);
  Socket* find(Handle conn) {
    if (conn.slot >= sockets_.size()) return nullptr;
    Socket* socket = &sockets_[conn.slot];
    return socket->generation == conn.generation ? socket : nullptr;
  }
  Socket& attach(Handle conn, Descriptor fd);

  // The reactor's own thread, or the polling thread
  void loop();
  Passed pass_under_token();
  /// Sleeps until a descriptor is ready, or until `until`, or until wake().
  void sleep(Instant until);
  /// Announces that the thread is about to sleep. False: it must not, because another thread has
  /// left something to do.
  bool announce_sleep();
  void wake();
  void spin_once(Instant now);

  static constexpr std::size_t kReadBuffer = 64 << 10;
  static constexpr std::size_t kScratch = 64 << 10;
  static constexpr std::size_t kVectors = 256;

  Inlet& inlet_;
  DriverShares& shares_;
  ReportSink* const reports_;
  SockTunables tunables_;  // guarded by token_
  const ReactorOf reactor_of_;
  RunToken token_;
  Inbox inbox_;
  Engine engine_;  // this and what follows: guarded by token_

  Descriptor epoll_;
  Descriptor wake_fd_;
  Descriptor spare_;  ///< closed for a moment to accept and refuse, when no descriptor is free
  /// Indexed by the slot of the connection's handle; the elements do not move.
  std::deque<Socket> sockets_;
  std::vector<Left> left_;
  std::vector<std::unique_ptr<Listener>> listeners_;
  Instant listeners_rest_until_{};
  bool listeners_rest_ = false;  ///< epoll does not watch the listeners until listeners_rest_until_
  std::vector<Command> commands_;
  std::vector<Job*> jobs_;
  std::vector<Handover> handovers_;
  std::vector<DialResult> dial_results_;
  std::vector<Handle> hot_;  ///< those with Socket::hot
  /// While a connection ends: it and its siblings, which are read to their end.
  std::vector<Handle> ending_;
  std::vector<Handle> writing_;  ///< the connections that write_queued() goes through
  Placed<std::array<std::byte, kReadBuffer>> read_buffer_;
  Placed<std::array<std::byte, kScratch>> scratch_;
  Instant now_{};                   ///< when this pass began
  Instant planned_until_ = kNever;  ///< when the next pass is due
  bool retuned_ = true;             ///< spin_ and duty_ do not have the new tunables yet
  bool epoll_first_ = false;     ///< at the last look, epoll reported connections that are not hot
  std::uint64_t delivered_ = 0;  ///< inputs delivered, in all
  /// Reads, writes and events, in all; pass() compares it with an earlier value.
  std::uint64_t moved_ = 0;
  std::uint64_t batch_tag_ = 0;  ///< the tag of the commands last taken
  std::vector<Command> nested_;  ///< commands that the thread submitted while it delivered a header
  std::uint64_t passes_ = 0;
  std::uint32_t rounds_ = 0;    ///< rounds of hot reading since epoll was last asked
  int looks_before_write_ = 1;  ///< rounds of hot reading in a pass that has something to write

  std::atomic<bool> left_over_{false};      ///< flush() left something to the next pass
  std::atomic<bool> sleeping_{false};       ///< the thread sleeps in epoll_wait(), or is about to
  std::atomic<std::uint64_t> lone_tag_{0};  ///< the tag of the peer that flush() last wrote to
  std::atomic<std::uint64_t> lone_at_{0};   ///< when flush() last wrote to it, in ticks()
  std::atomic<bool> stop_{false};
  std::mutex jobs_lock_;  // guards Job::done
  std::condition_variable jobs_done_;
  bool own_thread_ = false;  // changes only while no other thread calls
  // Used by the reactor's own thread only (inline: by the polling thread)
  SpinPolicy spin_;
  DutyMeter duty_;  // measures the reactor's own thread
  std::array<epoll_event, 64> events_{};
  std::size_t ready_ = 0;     ///< how many of events_ the last sleep() got
  bool slept_ = false;        ///< sleep() has just asked epoll
  bool sleeps_next_ = false;  ///< the own thread sleeps after what it does now
  Instant due_ = kNever;      ///< inline: when the next pass is due
  std::thread thread_;
};

}  // namespace ulnet::lnd::sock
