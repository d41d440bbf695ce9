// For tests of recovery: a node with two NIs and a peer with two NIs, one of which may lose its
// cable. Second 0 of a recording is second 1000 here.
#pragma once

#include <chrono>
#include <utility>
#include <vector>

#include "lnet/core/flow/push_fixture.h"

namespace ulnet::core::test {

using std::chrono::milliseconds;
using std::chrono::seconds;

inline const Nid kFar1 = tcp(2), kFar2 = tcp(2, 1), kNear2 = tcp(1, 1);

enum class Cable : std::uint8_t {
  kIn,
  kOut,      ///< what is sent to kFar2 ends with NETWORK_TIMEOUT after 3 s
  kSwallows  ///< what is sent to kFar2 counts as sent, but is lost
};

/// a and b have an NI on tcp and one on tcp1. a knows both NIDs of b, and has heard each.
struct TwoRails : Pipe {
  TwoRails() : Pipe({tcp(1), kNear2}, {kFar1, kFar2}) {
    push_to_a(*this, encode(info_with({kFar1, kFar2})), kFar1);
    md = bind(a, memory, &events, kThresholdInfinite, kNoTrackResponse);
    attach(b, there, nullptr);
    put_there(a, md, kFar1, AckRequest::kAck);
    put_there(a, md, kFar2, AckRequest::kAck);
    a.hold_sends = true;
    set([](Globals& globals) { globals.max_recovery_ping_interval = 8; });
  }
  template <class Fn>
  void set(Fn&& fn) {
    fn(a.config->globals);
    configure(a);
    serve();
  }
  /// Lets the drivers work.
  void serve() {
    for (bool again = true; again;) {
      again = false;
      std::vector<Send> sends;
      sends.swap(a.sends);
      for (const Send& send : sends) {
        again = true;
        if (send.hop.nid != kFar2) {
          a.sends.push_back(send);
          continue;
        }
        if (const auto* get = std::get_if<wire::GetPart>(&send.header.part)) {
          pings.push_back(std::chrono::floor<seconds>(now - Instant(seconds(1000))).count());
          gets.push_back(*get);
        }
        if (cable == Cable::kOut)
          stuck.emplace_back(now + seconds(3), send);
        else if (cable == Cable::kSwallows)
          finish_send(a, send, 0);
        else
          a.sends.push_back(send);
      }
      release_sends(a);
      while (!stuck.empty() && stuck.front().first <= now) {
        const Send send = stuck.front().second;
        stuck.erase(stuck.begin());
        finish_send(a, send, -ETIMEDOUT, Health::kNetworkTimeout);
        again = true;
      }
    }
  }
  /// Runs until this time after second 1000.
  void run_to(Duration until) {
    while (now < Instant(seconds(1000) + until)) {
      tick(milliseconds(100));
      serve();
    }
  }
  /// Recording r01: a PUT is under way when the cable is pulled.
  void loses_its_cable() {
    cable = Cable::kOut;
    run_to(milliseconds(764'300));
    put_there(a, md, kFar2);
    serve();
  }
  /// Recording r02: the cable is out before there is a connection. One of two pings takes the good
  /// rail, the other one the dead rail.
  void has_no_cable() {
    cable = Cable::kOut;
    run_to(milliseconds(1'180'600));
    for (const std::uint64_t ticket : {1, 2}) {
      ping(ticket);
      serve();
    }
    pings.clear();
    gets.clear();
  }
  PeerNiShow far2() {
    for (const PeerShow& peer : show(a).peers)
      for (const PeerNiShow& ni : peer.nis)
        if (ni.nid == kFar2) return ni;
    ADD_FAILURE() << "it is not shown";
    return {};
  }
  void ping(std::uint64_t ticket) {
    call::Ping ping;
    ping.request.target = process(kFar1);
    ping.request.timeout = seconds(9);
    ping.ticket = ticket;
    call(a, std::move(ping));
  }
  std::vector<int> ends() const {
    std::vector<int> all;
    for (const Done& done : a.dones) all.push_back(done.status);
    return all;
  }
  NiStats near2() { return show(a).nis.at(2).stats; }
  std::vector<Nid> queue(bool local) { return call(a, call::ShowRecovery{local}).nids; }
  void report_status(bool up) {
    const ShardMsg shard_msg{shard_msg::PeerNiReported{kFar2, up}};
    input(a, FromShard{kControlShard, &shard_msg});
    settle();
  }

  std::vector<std::byte> memory = bytes(8), there = bytes(64);
  Recorder events;
  MdHandle md;
  Cable cable = Cable::kIn;
  std::vector<std::pair<Instant, Send>> stuck;
  std::vector<std::int64_t> pings;  ///< GETs to kFar2: the seconds in which they were sent
  std::vector<wire::GetPart> gets;  ///< and the GETs themselves
};

}  // namespace ulnet::core::test
