// The only holder of descriptors: an epoll reactor around one Engine. Its machines are run by
// whoever holds the run token: its own thread, a thread in flush() (which only tries), or the
// owner's polling thread. Source: DESIGN.md 3.
//
// To save system calls, connections that were busy a moment ago are read without asking epoll,
// everything queued for a connection goes out in one call, and a flush() right after another leaves
// its message to the pass that comes anyway.
#pragma once

#include <sys/epoll.h>

#include <array>
#include <condition_variable>
#include <functional>
#include <map>
#include <memory>
#include <memory_resource>
#include <thread>
#include <vector>

#include "base/placed.h"
#include "lnd/duty_meter.h"
#include "lnd/lnd.h"
#include "lnd/run_token.h"
#include "lnd/sock/engine.h"
#include "lnd/sock/inbox.h"
#include "lnd/sock/sockets.h"
#include "lnd/sock/spin_policy.h"

namespace ulnet::lnd::sock {

class Reactor final : private Outlet {
 public:
  /// Where a peer's connections belong.
  using HomeOf = std::function<Reactor*(core::NiId, const core::Hop&)>;

  /// `memory` is where its buffers are, and must outlive it.
  /// `reports`: null, nobody hears them. Throws std::system_error when no descriptor is free.
  Reactor(std::uint8_t id, Inlet& inlet, const SockTunables& tunables, HomeOf home_of,
          std::pmr::memory_resource& memory, ReportSink* reports);
  ~Reactor() override;
  Reactor(const Reactor&) = delete;
  Reactor& operator=(const Reactor&) = delete;

  /// `begin` is the first thing that it does.
  void start_thread(std::function<void()> begin);
  /// Afterwards only flush(), progress() and run() of others move anything.
  void stop_thread();

  // Any thread
  /// `tag` names the peer that a message is for; 0: anything that cannot wait for company.
  void submit(Command&& command, std::uint64_t tag);
  void flush();
  /// Runs `job` under the token and returns when it is done.
  void run(std::function<void(Engine&)> job);
  void retune(const SockTunables& tunables);
  /// Listens there until it was removed as often as it was added.
  Result<void> add_listener(const Endpoint& endpoint);
  void remove_listener(const Endpoint& endpoint);

  /// The polling thread of inline mode.
  bool progress(Duration wait);
  int poll_descriptor() const { return epoll_.get(); }

  bool own_thread() const { return own_thread_; }
  /// Of the thread of its own; any thread.
  Duty duty() const { return duty_.duty(); }

 private:
  struct Socket {
    Descriptor fd;
    std::uint32_t generation = 0;
    std::uint32_t events = 0;  ///< what epoll watches it for
    bool watched = false;
    bool dialling = false;
    bool quick_ack = false;
    bool unprivileged = false;
    bool hot = false;               ///< read without asking epoll
    std::uint16_t idle_rounds = 0;  ///< since a hot one gave something
    std::uint64_t direct_pass = 0;  ///< the pass after which it was last written by flush()
    Instant direct_at{};
    Instant acks_steered{};
  };
  struct Listener {
    Endpoint endpoint;
    Descriptor fd;
    unsigned users = 0;
  };
  struct DialResult {
    Handle conn;
    int error = 0;
  };

  // Outlet
  void deliver(const core::Input& input) override;
  void dial(Handle conn, const DialOrder& order) override;
  void close(Handle conn) override;
  void abort(Handle conn) override;
  void pause(Handle conn, bool paused) override;
  void opened(Handle conn, wire::ConnType type, std::int32_t tos) override;
  std::uint32_t unacknowledged(Handle conn) override;
  bool hand_over(Handle conn, const core::Hop& peer, Arrival& arrival) override;
  void report(const Report& report) override {
    if (reports_ != nullptr) reports_->report(report);
  }

  /// What a pass found.
  struct Passed {
    bool busy = false;
    bool delivered = false;
    Instant now{};
    Instant until = kNever;  ///< when the next pass is due
  };

  // Under the token
  static Instant clock();
  void begin();
  /// Everything that can be done without waiting. True when bytes moved, something was delivered or
  /// asked for.
  bool pass();
  void flush_pass();
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
  void warm(Handle conn, Socket& socket);
  void finish_dial(Handle conn, Socket& socket);
  void report_dials();
  void write_dirty(bool from_flush);
  bool may_write_now(Handle conn, Socket& socket);
  void write(Handle conn);
  void accept_from(Listener& listener);
  bool refuse_without_descriptor(Listener& listener);
  void rest_listeners();
  void watch(Handle conn, Socket& socket, std::uint32_t events);
  Socket* find(Handle conn) {
    if (conn.slot >= sockets_.size()) return nullptr;
    Socket* socket = sockets_[conn.slot].get();
    return socket->generation == conn.generation ? socket : nullptr;
  }
  Socket& attach(Handle conn, Descriptor fd);

  // The thread
  void loop();
  Passed pass_under_token();
  /// Sleeps until something is ready, `until`, or wake().
  void sleep(Instant until);
  void wake();
  void spin_once(Instant now);

  static constexpr std::size_t kReadBuffer = 64 << 10;
  static constexpr std::size_t kScratch = 64 << 10;
  static constexpr std::size_t kVectors = 256;

  Inlet& inlet_;
  ReportSink* const reports_;
  SockTunables tunables_;  // guarded by token_
  const HomeOf home_of_;
  RunToken token_;
  Inbox inbox_;
  Engine engine_;  // this and what follows: guarded by token_

  Descriptor epoll_;
  Descriptor wake_fd_;
  Descriptor spare_;  ///< given up for a moment when no descriptor is left
  std::vector<std::unique_ptr<Socket>> sockets_;  ///< by the slot of the connection
  std::vector<std::unique_ptr<Listener>> listeners_;
  Instant listeners_rest_until_{};
  bool listeners_rest_ = false;
  std::vector<Command> commands_;
  std::vector<Job*> jobs_;
  std::vector<Handover> handovers_;
  std::vector<DialResult> dial_results_;
  std::vector<Handle> hot_;
  std::vector<Handle> ending_;  ///< siblings of a connection that ended, being read to their end
  std::vector<Handle> writing_;
  Placed<std::array<std::byte, kReadBuffer>> read_buffer_;
  Placed<std::array<std::byte, kScratch>> scratch_;
  Instant now_{};
  Instant planned_until_ = kNever;  ///< when the next pass is due
  bool retuned_ = true;             ///< the thread's policy is to be renewed
  bool epoll_first_ = false;        ///< connections that are not hot were busy
  std::uint64_t delivered_ = 0;
  std::uint64_t moved_ = 0;      ///< bytes or events, for pass()
  std::uint64_t batch_tag_ = 0;  ///< of the commands last taken
  std::vector<Command> nested_;  ///< submitted by the thread that delivers a header, from within
  std::uint64_t passes_ = 0;
  std::uint32_t rounds_ = 0;  ///< of hot reading since epoll was asked

  std::atomic<bool> left_over_{false};  ///< flush() left something to the next pass
  std::atomic<bool> sleeping_{false};
  std::atomic<std::uint64_t> lone_tag_{0};  ///< whom flush() wrote to last
  std::atomic<std::uint64_t> lone_at_{0};   ///< when, in ticks()
  std::atomic<bool> stop_{false};
  std::mutex jobs_lock_;  // guards Job::done
  std::condition_variable jobs_done_;
  bool own_thread_ = false;  // constant while anybody but the owner calls
  // The thread's own (in inline mode the polling thread's)
  SpinPolicy spin_;
  DutyMeter duty_;  // of a thread of its own only
  std::array<epoll_event, 64> events_{};
  std::size_t ready_ = 0;  ///< of events_, from a sleep
  bool slept_ = false;     ///< epoll has just been asked
  std::uint32_t spin_rounds_ = 0;
  std::thread thread_;
};

}  // namespace ulnet::lnd::sock
