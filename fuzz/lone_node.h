// One node without descriptors, threads or clock: the TCP driver's engine with a shard behind it,
// for a fuzzer that plays the network, the clock and the users. It keeps books about what the two
// promise each other (core/ports.h, lnd/sock/engine.h, spec/core-semantics.md 5, 9, 18); a promise
// broken is an assertion.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "core/api.h"
#include "core/config.h"
#include "core/shard.h"
#include "lnd/sock/engine.h"

namespace ulnet::fuzz {

inline constexpr core::NiId kLoNi{1}, kTcpNi{2}, kTcp1Ni{3};

/// A connection as its socket would see it.
struct Stream {
  Handle conn;
  bool dialling = false;  ///< neither connected nor failed yet
  bool live = true;       ///< the engine has not closed it
  bool opened = false;    ///< it carries messages
  bool paused = false;
  std::uint32_t version = 3;         ///< of the hello that the peer said last
  std::vector<std::byte> coming{};   ///< written by the peer, not yet arrived
  std::vector<std::byte> arrived{};  ///< and not read by the engine, because it does not want to
};

/// An MD of a user, with its memory, which is gone after the last event.
struct UserMd : EventSink {
  void on_event(const Event& event) override;

  std::vector<std::byte> bytes;
  iovec fragment{};
  MdHandle md;
  bool unlinked = false;
  std::uint32_t begun = 0;  ///< puts and gets
  std::uint32_t sent = 0;   ///< SEND events
};

class LoneNode : public lnd::sock::Outlet {
 public:
  LoneNode(const lnd::sock::SockTunables& tunables, const std::vector<Nid>& nids);
  ~LoneNode() override;

  // The network
  std::vector<Stream>& streams() { return streams_; }
  void accept(const lnd::sock::Endpoint& remote);
  /// The next `count` of the bytes that are coming arrive, read in calls of at most `chunk`.
  void arrive(std::size_t stream, std::size_t count, std::size_t chunk);
  /// The system takes at most `count` bytes of what the engine has to write.
  void write(std::size_t stream, std::size_t count);
  void answer_dial(std::size_t stream, int error);
  void end(std::size_t stream, int error);

  // The clock
  void advance(Duration by);

  // The users
  template <class Call>
  int call(Call body, Call* result = nullptr) {
    core::ApiCall api{std::move(body)};
    step(core::Api{&api});
    if (result != nullptr) *result = std::get<Call>(std::move(api.body));
    return api.status;
  }
  UserMd& add_md(std::uint32_t length);
  std::deque<UserMd>& mds() { return mds_; }
  /// With the credits and the interfaces' number of connections that are wanted from now on.
  void configure(std::int32_t peer_credits, std::int32_t credits, std::int32_t conns_per_peer);
  /// Cookies of descriptors that travelled in a request of ours: answers may name them.
  const std::vector<wire::WireHandle>& asked() const { return asked_; }

  /// Everything that waits for nobody happens: commands, timers, held back reads.
  void settle();
  /// Commands stay where they are while the network goes on: what a busy reactor does.
  void settle_lazily();
  /// What holds at any time.
  void check();
  /// The peers go, what is under way ends, the node shuts down: what holds then.
  void finish();

 private:
  // Outlet
  void deliver(const core::Input& input) override;
  void dial(Handle conn, const lnd::sock::DialOrder& order) override;
  void close(Handle conn) override;
  void pause(Handle conn, bool paused) override;
  void opened(Handle conn, wire::ConnType type, std::int32_t tos) override;
  std::uint32_t unacknowledged(Handle conn) override;
  bool hand_over(Handle, const core::Hop&, lnd::sock::Arrival&) override { return false; }

  void step(const core::Input& input);
  void take(core::Action& action);
  void landed(const core::PayloadLanded& landed);
  void run_commands();
  void read(Stream& stream, std::size_t chunk);
  Stream& stream_of(Handle conn);
  bool any_left() const;
  void end_streams();
  void wind_down();
  void check_idle();
  core::call::Show show();

  Instant now_{std::chrono::hours(1)};
  lnd::sock::Engine engine_;
  core::Shard shard_;
  std::shared_ptr<core::NodeConfig> config_;
  std::vector<lnd::sock::NiInfo> nis_;
  std::vector<Stream> streams_;
  std::deque<UserMd> mds_;
  std::deque<lnd::Command> commands_;
  std::deque<core::SendDone> from_lo_;
  std::vector<wire::WireHandle> asked_;

  // The books
  std::uint64_t headers_ = 0;  ///< that the engine reported
  std::uint64_t rejects_ = 0;  ///< by the shard
  std::uint64_t landings_failed_ = 0;
  std::uint64_t verdicts_ = 0;                   ///< on the header being delivered
  core::RxTicket judged_;                        ///< that header's
  std::set<std::uint64_t> sending_, landing_;    ///< message tickets
  std::map<std::uint64_t, std::uint64_t> held_;  ///< message ticket by rx ticket
  std::map<std::uint64_t, std::uint64_t>
      dropping_;                     ///< held, dropped; the driver has not heard of it
  std::set<std::uint32_t> drained_;  ///< NIs
};

}  // namespace ulnet::fuzz
