// For tests: processes with an engine each, and between them an MPI of a few lists. A message
// arrives in the order in which its sender sent it; a transfer is matched by source and tag.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "lnet/lnd/mpi/engine/engine.h"
#include "lnet/lnd/region.h"

namespace ulnet::lnd::mpi {

/// Processes of one communicator: rank r has the NID r@mpi.
class Fabric {
 public:
  explicit Fabric(std::size_t ranks, const EngineOptions& options = {}) {
    for (std::size_t rank = 0; rank < ranks; ++rank) add(options);
  }

  struct Ended {
    core::SendDone done;
    bool reply_landed = false;
    std::uint32_t reply_bytes = 0;
  };
  /// A message that came in, and what the test decided.
  struct Message {
    wire::LnetHeader header;
    core::RxTicket rx;
    bool whole = false;
    std::vector<std::byte> immediate;
  };

  class Process final : public Outlet {
   public:
    Process(Fabric& fabric, std::int32_t rank, const EngineOptions& options, std::uint64_t epoch)
        : engine(*this, options, epoch), fabric_(fabric), rank_(rank) {
      engine.start({1});
    }

    bool deliver(const core::Input& input) override {
      if (const auto* arrived = std::get_if<core::HeaderArrived>(&input)) {
        messages.push_back({*arrived->header,
                            arrived->rx,
                            arrived->whole,
                            {arrived->immediate.begin(), arrived->immediate.end()}});
        return policy(*this, *arrived);
      }
      if (const auto* done = std::get_if<core::SendDone>(&input)) {
        EXPECT_FALSE(ended[done->tx.slot].done.tx.generation) << "ended twice";
        ended[done->tx.slot].done = *done;
      } else if (const auto* reply = std::get_if<core::ReplyLanded>(&input)) {
        ended[reply->tx.slot].reply_landed = true;
        ended[reply->tx.slot].reply_bytes = reply->mlength;
      } else if (const auto* landed_one = std::get_if<core::PayloadLanded>(&input)) {
        landed.push_back(*landed_one);
      } else if (std::holds_alternative<core::PeerUp>(input)) {
        ++ups;
      } else if (const auto* down = std::get_if<core::PeerDown>(&input)) {
        ++downs;
        resets += down->reset;
      }
      return false;
    }
    std::optional<Place> place_of(const core::Hop& hop) const override {
      const std::int32_t rank = static_cast<std::int32_t>(hop.nid.address4());
      if (rank < 0 || static_cast<std::size_t>(rank) >= fabric_.size()) return std::nullopt;
      return Place{0, rank};
    }
    std::optional<core::Hop> hop_of(const Place& place) const override {
      if (place.rank < 0 || static_cast<std::size_t>(place.rank) >= fabric_.size())
        return std::nullopt;
      return Fabric::hop(static_cast<std::uint32_t>(place.rank));
    }
    void send_short(OpId op, const Place& to, std::vector<std::byte>&& message) override {
      ++shorts;
      fabric_.shorts_.push_back({rank_, to.rank, op, std::move(message)});
    }
    void send(OpId op, const Place& to, Tag tag, const core::Region& payload,
              bool posted) override {
      if (posted) {
        EXPECT_TRUE(fabric_.is_posted(to.rank, rank_, tag)) << "a ready send without a receive";
      }
      fabric_.sends_.push_back({rank_, to.rank, tag, op, payload, 0});
    }
    void post(OpId op, const Place& from, Tag tag, const core::Region& sink,
              std::uint32_t length) override {
      EXPECT_FALSE(fabric_.is_posted(rank_, from.rank, tag)) << "a tag is used twice";
      fabric_.posts_.push_back({from.rank, rank_, tag, op, sink, length});
    }
    void cancel(OpId op) override { fabric_.cancelled_.push_back({rank_, op}); }
    void warn(const Place&, const std::string& text) override { warnings.push_back(text); }

    Engine engine;
    std::function<bool(Process&, const core::HeaderArrived&)> policy =
        [](Process&, const core::HeaderArrived& in) {
          return in.header->type() != wire::MsgType::kGet;
        };
    std::map<std::uint32_t, Ended> ended;  ///< by the slot of the ticket
    std::vector<Message> messages;
    std::vector<core::PayloadLanded> landed;
    std::vector<std::string> warnings;
    int ups = 0, downs = 0, resets = 0, shorts = 0;

   private:
    Fabric& fabric_;
    const std::int32_t rank_;
  };

  std::size_t size() const { return processes_.size(); }
  Process& operator[](std::size_t rank) { return *processes_[rank]; }
  static core::Hop hop(std::uint32_t rank) {
    return {Nid::small({NetType::kMpi, 0}, rank), Pid::lustre()};
  }
  /// The process forgets everything, like one that was started anew in the place of another.
  void restart(std::size_t rank, const EngineOptions& options = {}) {
    const auto of = static_cast<std::int32_t>(rank);
    std::erase_if(posts_, [&](const Transfer& each) { return each.to == of; });
    std::erase_if(sends_, [&](const Transfer& each) { return each.from == of; });
    processes_[rank] = std::make_unique<Process>(*this, of, options, epochs_ += 1000);
  }

  /// Moves what can move until nothing does. Messages to a process in `deaf` stay.
  void run() {
    for (bool any = true; any;) {
      any = false;
      for (auto& each : processes_) {
        each->engine.at(now);
        each->engine.work();
      }
      any = move_short() || match() || end_cancelled();
    }
  }
  void advance(Duration time) {
    now += time;
    run();
  }

  core::MsgTicket put(std::size_t from, std::uint32_t to, const core::Region& payload,
                      Instant deadline = kNever) {
    core::Send send = make(from, to, deadline);
    send.header.payload_length = payload.length;
    send.header.part = wire::PutPart{{}, 7, 0, 5, 0};
    send.payload = payload;
    return submit(from, send);
  }
  core::MsgTicket get(std::size_t from, std::uint32_t to, const core::Region& sink,
                      Instant deadline = kNever) {
    core::Send send = make(from, to, deadline);
    send.header.part = wire::GetPart{{}, 7, 5, 0, sink.length};
    send.sink = sink;
    return submit(from, send);
  }
  /// Answers the GET `rx` that came in at `from`.
  core::MsgTicket reply(std::size_t from, std::uint32_t to, core::RxTicket rx,
                        const core::Region& payload) {
    core::Send send = make(from, to, kNever);
    send.header.payload_length = payload.length;
    send.header.part = wire::ReplyPart{};
    send.payload = payload;
    send.answers = rx;
    return submit(from, send);
  }

  /// Takes the only posted receive.
  OpId only_post() {
    EXPECT_EQ(posts_.size(), 1U);
    const OpId op = posts_.front().op;
    posts_.clear();
    return op;
  }

  Instant now{std::chrono::seconds(1)};
  std::vector<std::int32_t> deaf;  ///< ranks that neither receive nor match

 private:
  struct Short {
    std::int32_t from, to;
    OpId op;
    std::vector<std::byte> message;
  };
  struct Transfer {
    std::int32_t from, to;
    Tag tag;
    OpId op;
    core::Region region;
    std::uint32_t length = 0;  ///< of a post
  };
  struct Cancelled {
    std::int32_t rank;
    OpId op;
  };

  void add(const EngineOptions& options) {
    const auto rank = static_cast<std::int32_t>(processes_.size());
    processes_.push_back(std::make_unique<Process>(*this, rank, options, epochs_ += 1000));
  }
  bool is_deaf(std::int32_t rank) const { return std::ranges::count(deaf, rank) != 0; }
  bool is_posted(std::int32_t at, std::int32_t from, Tag tag) const {
    return std::ranges::any_of(posts_, [&](const Transfer& post) {
      return post.to == at && post.from == from && post.tag == tag;
    });
  }
  core::Send make(std::size_t from, std::uint32_t to, Instant deadline) {
    core::Send send;
    send.ni = {1};
    send.hop = hop(to);
    send.header.src_nid = hop(static_cast<std::uint32_t>(from)).nid;
    send.header.dest_nid = hop(to).nid;
    send.header.src_pid = send.header.dest_pid = Pid::lustre();
    send.tx = {++tickets_, 1};
    send.deadline = deadline;
    return send;
  }
  core::MsgTicket submit(std::size_t from, const core::Send& send) {
    (*this)[from].engine.at(now);
    (*this)[from].engine.command(Command(send));
    return send.tx;
  }
  bool move_short() {
    const auto next = std::ranges::find_if(shorts_, [&](const Short& s) { return !is_deaf(s.to); });
    if (next == shorts_.end()) return false;
    const Short moved = std::move(*next);
    shorts_.erase(next);
    (*this)[static_cast<std::size_t>(moved.to)].engine.arrived({0, moved.from}, moved.message);
    (*this)[static_cast<std::size_t>(moved.from)].engine.sent(moved.op, 0);
    return true;
  }
  bool match() {
    for (std::size_t i = 0; i < sends_.size(); ++i) {
      const Transfer send = sends_[i];
      const auto post = std::ranges::find_if(posts_, [&](const Transfer& p) {
        return p.from == send.from && p.to == send.to && p.tag == send.tag;
      });
      if (post == posts_.end() || is_deaf(send.to)) continue;
      const Transfer received = *post;
      posts_.erase(post);
      sends_.erase(sends_.begin() + static_cast<std::ptrdiff_t>(i));
      copy_region(send.region, received.region);
      const bool fits = send.region.length <= received.length;
      (*this)[static_cast<std::size_t>(send.from)].engine.sent(send.op, 0);
      (*this)[static_cast<std::size_t>(send.to)].engine.received(
          received.op, fits ? 0 : -EMSGSIZE, std::min(send.region.length, received.length));
      return true;
    }
    return false;
  }
  bool end_cancelled() {
    if (cancelled_.empty()) return false;
    const Cancelled next = cancelled_.front();
    cancelled_.pop_front();
    Engine& engine = (*this)[static_cast<std::size_t>(next.rank)].engine;
    const auto of = [&](std::int32_t rank, OpId op) { return rank == next.rank && op == next.op; };
    if (std::erase_if(posts_, [&](const Transfer& t) { return of(t.to, t.op); }) != 0)
      engine.received(next.op, -ECANCELED, 0);
    else if (std::erase_if(sends_, [&](const Transfer& t) { return of(t.from, t.op); }) != 0 ||
             std::erase_if(shorts_, [&](const Short& s) { return of(s.from, s.op); }) != 0)
      engine.sent(next.op, -ECANCELED);
    return true;
  }

  std::vector<std::unique_ptr<Process>> processes_;
  std::deque<Short> shorts_;
  std::vector<Transfer> sends_, posts_;
  std::deque<Cancelled> cancelled_;
  std::uint32_t tickets_ = 0;
  std::uint64_t epochs_ = 0;
};

/// Memory of one fragment.
struct Memory {
  explicit Memory(std::size_t length, unsigned seed = 0)
      : bytes(length), vector{bytes.data(), length} {
    for (std::size_t i = 0; i < length && seed != 0; ++i)
      bytes[i] = static_cast<std::byte>((i * 7 + seed) % 251);
  }
  core::Region region() const { return {&vector, 1, 0, static_cast<std::uint32_t>(bytes.size())}; }
  std::vector<std::byte> bytes;
  iovec vector;
};

inline EngineOptions options() {
  EngineOptions made;
  made.short_bytes = 1024;
  return made;
}

/// Two processes.
struct Mpi : testing::Test {
  /// Lands every message of `at` in `sink`, at most `most` bytes of it.
  void land(std::size_t at, Memory& sink, std::uint32_t most = UINT32_MAX) {
    mpi[at].policy = [&sink, most](Fabric::Process& process, const core::HeaderArrived& in) {
      core::Land land{{1}, in.rx, {++tickets, 1}, sink.region(), in.header->payload_length};
      land.sink.length = std::min({in.header->payload_length, most, land.sink.length});
      process.engine.command(Command(land));
      return false;
    };
  }
  void hold(std::size_t at) {
    mpi[at].policy = [](Fabric::Process& process, const core::HeaderArrived& in) {
      process.engine.command(Command(core::HoldPayload{{1}, in.rx, {++tickets, 1}}));
      return false;
    };
  }
  int status(std::size_t at, core::MsgTicket tx) { return mpi[at].ended.at(tx.slot).done.status; }
  bool has_ended(std::size_t at, core::MsgTicket tx) { return mpi[at].ended.contains(tx.slot); }
  /// Nothing is left in any engine.
  void expect_nothing_left() {
    for (std::size_t rank = 0; rank < mpi.size(); ++rank)
      EXPECT_EQ(mpi[rank].engine.pending(), 0U) << "rank " << rank;
  }

  static inline std::uint32_t tickets = 1000;
  Fabric mpi{2, options()};
};

}  // namespace ulnet::lnd::mpi
