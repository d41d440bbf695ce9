// Where requests arrive: large memory descriptors that take one request behind the
// other and are posted anew when they are full. While requests wait to be served nothing is posted
// anew, so that those who ask too much wait in LNet's lazy portal and cost us nothing. Source:
// spec/wire-selftest.md 1.1, 1.2; spec/core-semantics.md 4.5, 7.1.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "svc/selftest/shop.h"

namespace ulnet::svc::selftest {

/// A request that was understood.
struct Arrived {
  ProcessId from;  ///< whom to answer
  Nid self;        ///< the NID that it was sent to, from which it is answered
  wire::LstMessage message;
};

class Intake {
 public:
  /// Who serves. False: not now; it is offered again in offer().
  class Server {
   public:
    virtual ~Server() = default;
    virtual bool serve(const Arrived& request) = 0;
  };

  /// Of the services whose number is `match` but for the bits of `ignore`.
  Intake(Shop& shop, Portal portal, std::uint64_t match, std::uint64_t ignore, Server& server)
      : shop_(shop), portal_(portal), match_{match}, ignore_{ignore}, server_(server) {}
  /// Of one test service.
  Intake(Shop& shop, wire::LstService service, Server& server)
      : Intake(shop, {wire::kLstTestPortal}, static_cast<std::uint64_t>(service), 0, server) {}

  /// Takes requests from now on; buffers for at least so many, and what was asked for before.
  void open(std::uint32_t requests);
  /// As many as it was opened with at first.
  void shrink();
  /// Takes no more. Its descriptors end when their events have come.
  void close();
  /// The server has room again.
  void offer();
  std::size_t waiting() const { return waiting_.size(); }

 private:
  static constexpr std::uint32_t kChunkRequests = 64;
  struct Chunk final : EventSink {
    explicit Chunk(Intake& owner) : home(owner) {}
    void on_event(const Event& event) override { home.taken(*this, event); }
    Intake& home;
    MdHandle md;
    std::array<std::byte, kChunkRequests * wire::kLstMessageBytes> memory;
  };

  void post(Chunk& chunk);
  void post_all();
  void taken(Chunk& chunk, const Event& event);
  void arrived(const Event& event, ByteView bytes);

  Shop& shop_;
  const Portal portal_;
  const MatchBits match_, ignore_;
  Server& server_;
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t wanted_ = 0;  ///< of them, posted
  std::size_t at_first_ = 0;
  std::deque<Arrived> waiting_;
};

}  // namespace ulnet::svc::selftest
