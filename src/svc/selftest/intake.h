// Where requests arrive: large memory descriptors that take one request behind the
// other and are posted anew when they are full. Those of test services are on every CPU partition,
// so that a request finds one where it comes in; framework requests are few and are wanted in
// order. While requests wait to be served nothing is posted
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

  /// Of the framework services.
  Intake(Shop& shop, Server& server)
      : Intake(shop, {{wire::kLstFrameworkPortal}, {}, {kServices}, {kServicesIgnore}}, server) {}
  /// Of one test service.
  Intake(Shop& shop, wire::LstService service, Server& server)
      : Intake(shop, {{wire::kLstTestPortal}, {}, {static_cast<std::uint64_t>(service)}, {}, 0},
               server) {}

  /// Takes requests from now on; buffers for at least so many, evenly over the partitions, and what
  /// was asked for before.
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
  // Match bits of all framework services: 0 to 6; nobody is 7.
  static constexpr std::uint64_t kServices = 0, kServicesIgnore = 7;
  struct Chunk final : EventSink {
    Chunk(Intake& owner, std::size_t number)
        : home(owner), cpt(static_cast<std::uint32_t>(number % owner.cpts_)) {}
    void on_event(const Event& event) override { home.taken(*this, event); }
    Intake& home;
    const std::uint32_t cpt;
    MdHandle md;
    std::array<std::byte, kChunkRequests * wire::kLstMessageBytes> memory;
  };

  Intake(Shop& shop, const Shop::Entry& entry, Server& server)
      : shop_(shop), entry_(entry), server_(server), cpts_(entry.cpt ? shop.lnet.cpts() : 1) {}
  void post(Chunk& chunk);
  void post_all();
  void taken(Chunk& chunk, const Event& event);
  void arrived(const Event& event, ByteView bytes);

  Shop& shop_;
  const Shop::Entry entry_;
  Server& server_;
  const std::uint32_t cpts_;  ///< that have buffers
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t wanted_ = 0;  ///< of them, posted
  std::size_t at_first_ = 0;
  std::deque<Arrived> waiting_;
};

}  // namespace ulnet::svc::selftest
