// The ulnet side of the benchmarks: the runs of bench/raw, with PUTs through the public
// interface. One loop serves every mode: handlers do the work, and the main thread polls (inline)
// or sleeps (shared).
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "ulnet/node.hpp"

namespace bench {

struct Options {
  bool serve = false;
  std::string host;  ///< this side's address; its NID is host@net
  std::string peer;  ///< drive: the other side's address; its NID is peer@peer_net
  std::string net = "tcp", peer_net = "tcp";
  std::string port = "0";  ///< accept_port at both sides
  std::size_t size = 8;
  double seconds = 1.0;
  std::uint64_t count = 0;  ///< if not 0: ends after this many messages, not after `seconds`
  int cpu = -1;             ///< pin to this CPU before any thread starts
  bool polled = false;      ///< mode=inline, else shared
  unsigned outstanding = 8;
  unsigned buffers = 8;  ///< bandwidth: buffers that each side uses in turn; at most `outstanding`
  std::string test = "ping", check = "none";  ///< lst: or read, write; or full
  bool ack = false;                           ///< a buffer is free at its ACK, else at its SEND
  unsigned nets = 1;                          ///< ping: nets of this node
  /// All other keys: module parameters of the node.
  std::map<std::string, std::string> params;
};

inline constexpr ulnet::Portal kPortal{20};
inline constexpr ulnet::MatchBits kData{1}, kFinish{2}, kDone{3};

double now();
double cpu_seconds();

/// An event handler as a function.
class Handler : public ulnet::EventSink {
 public:
  std::function<void(const ulnet::Event&)> on;
  void on_event(const ulnet::Event& event) override { on(event); }
};

/// The node of one side, with what every loop needs. When a call fails it ends the process with a
/// message: a benchmark cannot recover.
class Side {
 public:
  explicit Side(const Options& options);
  ~Side();

  /// Attaches a buffer for PUTs with these match bits, at the offset that the sender names.
  void receive(ulnet::MatchBits bits, std::vector<char>& memory, ulnet::EventSink& sink);
  /// Binds a buffer for any number of PUTs.
  ulnet::MdHandle source(std::vector<char>& memory, ulnet::EventSink& sink);
  void put(ulnet::MdHandle md, const ulnet::Nid& to, ulnet::MatchBits bits,
           std::uint32_t offset = 0, bool ack = false, std::uint64_t hdr_data = 0);
  /// Waits until `done()` is true: polls, or sleeps until a handler calls wake().
  template <class Condition>
  void run_until(Condition done) {
    while (!done()) {
      if (options_.polled) {
        node_->progress(std::chrono::seconds(1));
      } else {
        const std::uint32_t seen = wakes_.load();
        if (!done()) wakes_.wait(seen);
      }
    }
  }
  /// The same, for at most this many seconds.
  template <class Condition>
  void run_until(Condition done, double seconds) {
    for (const double end = now() + seconds; !done() && now() < end;) a_moment();
  }
  void wake() {
    if (options_.polled) return;
    wakes_.fetch_add(1);
    wakes_.notify_one();
  }
  /// Lets the node open all its connections before the time starts.
  void wait_for_connections();
  ulnet::Node& node() { return *node_; }
  std::shared_ptr<ulnet::Node> shared() { return node_; }
  ulnet::Nid self() const;
  ulnet::Nid peer() const;

 private:
  /// Polls, or sleeps, for 10 ms.
  void a_moment();

  const Options& options_;
  std::shared_ptr<ulnet::Node> node_;
  std::atomic<std::uint32_t> wakes_{0};
};

/// Reports to bench/run that this side can be reached.
void ready();
/// Prints one line of JSON, like bench/raw.
void report(std::uint64_t messages, std::uint64_t bytes, double seconds, double cpu);

/// The server's part in the end of a run: the driver reports how many messages it sent, and the
/// server answers when all have arrived.
class Farewell {
 public:
  explicit Farewell(Side& side);
  bool said() const { return total_ != kUnknown; }
  /// The number that the driver reported; before that the largest possible.
  std::uint64_t total() const { return total_; }
  /// Reports to the driver that everything has arrived, waits for its ACK, and stops the node. The
  /// SEND event would not suffice: the node closes its connections as it stops. If the driver sees
  /// the end of one of them before it has read the message on another, it closes that one too
  /// (spec/wire-socklnd.md 10). The driver stops as well, so its ACK may be lost in the same way:
  /// the server waits for it for at most two seconds.
  void answer();

 private:
  static constexpr std::uint64_t kUnknown = ~0ULL;
  Side& side_;
  std::vector<char> note_;
  Handler finish_, acked_;
  ulnet::Nid driver_;
  std::atomic<std::uint64_t> total_{kUnknown};
  std::atomic<bool> answered_{false};
};

/// The server of bandwidth and rate: counts PUTs, and answers the driver when all have arrived.
void count_and_answer(Side& side, const Options& options);
/// The driver's part in the end of these loops: reports how many messages it sent, and waits for
/// the answer.
void finish(Side& side, std::uint64_t total);
/// PUTs a message and waits for its ACK, which shows that both nodes and the path are up.
void greet(Side& side);

int bandwidth(const Options& options);
int latency(const Options& options);
int rate(const Options& options);
int idle(const Options& options);
int ping(const Options& options);
int lst_test(const Options& options);

}  // namespace bench
