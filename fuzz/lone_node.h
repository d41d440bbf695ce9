// One node without descriptors, threads or clock: the TCP driver's engine and a shard, for a fuzzer
// that plays the network, the clock and the users. It records the duties of engine and shard to
// each other (ports.h, engine.h, spec/core-semantics.md 5, 9, 18), and asserts that both fulfil
// them.
#pragma once

#include <deque>
#include <map>
#include <memory>
#include <set>
#include <vector>

#include "lnet/core/contract/api.h"
#include "lnet/core/contract/config.h"
#include "lnet/core/flow/shard.h"
#include "lnet/lnd/sock/engine/engine.h"

namespace ulnet::fuzz {

inline constexpr core::NiId kLoNi{1}, kTcpNi{2}, kTcp1Ni{3};

/// A connection, as its socket would see it.
struct Stream {
  Handle conn;
  bool dialling = false;  ///< neither connected nor failed
  bool live = true;       ///< the engine has not closed it
  bool opened = false;    ///< the engine reported it as opened
  bool paused = false;
  std::uint32_t version = 3;         ///< of the peer's last hello
  std::vector<std::byte> coming{};   ///< written by the peer, not arrived
  std::vector<std::byte> arrived{};  ///< arrived, not read: the engine has paused
};

/// A user's MD and its memory, which is freed at the last event.
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

  // Network
  std::vector<Stream>& streams() { return streams_; }
  void accept(const lnd::sock::Endpoint& remote);
  /// The next `count` bytes under way arrive; the engine reads at most `chunk` at a time.
  void arrive(std::size_t stream, std::size_t count, std::size_t chunk);
  /// The socket takes at most `count` bytes that the engine has to write.
  void write(std::size_t stream, std::size_t count);
  void answer_dial(std::size_t stream, int error);
  void end(std::size_t stream, int error);

  // Clock
  void advance(Duration by);

  // Users
  template <class Call>
  int call(Call body, Call* result = nullptr) {
    core::ApiCall api{std::move(body)};
    step(core::Api{&api});
    if (result != nullptr) *result = std::get<Call>(std::move(api.body));
    return api.status;
  }
  UserMd& add_md(std::uint32_t length);
  std::deque<UserMd>& mds() { return mds_; }
  /// Publishes a configuration with these credits and this conns_per_peer.
  void configure(std::int32_t peer_credits, std::int32_t credits, std::int32_t conns_per_peer);
  /// Handles that were in requests of this node: responses of peers may name them.
  const std::vector<wire::WireHandle>& asked() const { return asked_; }

  /// Carries out all that needs no virtual time: commands, timers, reads that were paused.
  void run_to_rest();
  /// As run_to_rest(), but leaves commands in their queue, like a busy reactor.
  void run_lazily();
  /// Asserts what must hold at any time.
  void check();
  /// The peers go, all messages and connections end, the node shuts down; asserts the properties of
  /// a node at its end.
  void finish();

 private:
  // Outlet
  bool deliver(const core::Input& input) override;
  void dial(Handle conn, const lnd::sock::DialOrder& order) override;
  void close(Handle conn) override;
  void pause(Handle conn, bool paused) override;
  void opened(Handle conn, wire::ConnType type, std::int32_t tos) override;
  std::uint32_t unacknowledged(Handle conn) override;
  bool pass_to_owner(Handle, const core::Hop&, lnd::sock::Arrival&) override { return false; }

  void step(const core::Input& input);
  void carry_out(core::Action& action);
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

  // Records
  std::uint64_t headers_ = 0;  ///< reported by the engine
  std::uint64_t rejects_ = 0;  ///< Rejects by the shard
  std::uint64_t landings_failed_ = 0;
  std::uint64_t verdicts_ = 0;                 ///< number of verdicts on the header being delivered
  core::RxTicket judged_;                      ///< of that header
  bool done_ = false;                          ///< the message of that header has ended
  std::set<std::uint64_t> sending_, landing_;  ///< message tickets
  std::map<std::uint64_t, std::uint64_t> held_;  ///< message ticket by rx ticket
  std::map<std::uint64_t, std::uint64_t>
      dropping_;  ///< held messages with a DropPayload that the driver has not got yet
  std::set<std::uint32_t> drained_;  ///< NIs
};

}  // namespace ulnet::fuzz
