// The buffers in which requests arrive: large MDs that take one request after the other and are
// posted anew when they are full. Test services have MDs on every CPU partition, so that a request
// finds one on the partition where it comes in. Framework requests are few and have to stay in
// order. While requests wait to be served no MD is posted anew, so that further requests wait in
// LNet's lazy portal and cost nothing here. Source: spec/wire-selftest.md 1.1, 1.2;
// spec/core-semantics.md 4.5, 7.1.
#pragma once

#include <deque>
#include <memory>
#include <vector>

#include "selftest/service/context.h"

namespace ulnet::svc::selftest {

/// A request that was decoded.
struct Arrived {
  ProcessId from;  ///< the requester, which gets the reply
  Nid self;        ///< the NID to which it was sent and from which the reply is sent
  wire::LstMessage message;
};

class RequestBuffers {
 public:
  /// Serves the requests. serve() returns false if it cannot serve the request now; offer() then
  /// passes the request again.
  class Server {
   public:
    virtual ~Server() = default;
    /// Reports that a request has arrived. serve() follows, at once or when the requests before it
    /// have been served.
    virtual void came(const Arrived&) {}
    virtual bool serve(const Arrived& request) = 0;
  };

  /// Makes the buffers of the framework services.
  RequestBuffers(Context& context, Server& server)
      : RequestBuffers(context, {{wire::kLstFrameworkPortal}, {}, {kServices}, {kServicesIgnore}},
                       server) {}
  /// Makes the buffers of one test service.
  RequestBuffers(Context& context, wire::LstService service, Server& server)
      : RequestBuffers(context,
                       {{wire::kLstTestPortal}, {}, {static_cast<std::uint64_t>(service)}, {}, 0},
                       server) {}

  /// Takes requests from now on, with buffers for at least this many, evenly over the partitions. A
  /// later open() with a smaller number does not remove buffers.
  void open(std::uint32_t requests);
  /// Goes back to the number of buffers of the first open().
  void shrink();
  /// Takes no more requests. The descriptors end when their last events have come.
  void close();
  /// Passes waiting requests to the server. Call this when the server can take a request again.
  void offer();
  std::size_t waiting() const { return waiting_.size(); }

 private:
  static constexpr std::uint32_t kChunkRequests = 64;
  // The match bits of the framework services are 0 to 6; no service has 7.
  static constexpr std::uint64_t kServices = 0, kServicesIgnore = 7;
  struct Chunk final : EventSink {
    Chunk(RequestBuffers& owner, std::size_t number)
        : buffers(owner), cpt(static_cast<std::uint32_t>(number % owner.cpts_)) {}
    void on_event(const Event& event) override { buffers.taken(*this, event); }
    RequestBuffers& buffers;
    const std::uint32_t cpt;
    MdHandle md;
    std::array<std::byte, kChunkRequests * wire::kLstMessageBytes> memory;
  };

  RequestBuffers(Context& context, const Context::Entry& entry, Server& server)
      : context_(context),
        entry_(entry),
        server_(server),
        cpts_(entry.cpt ? context.lnet.cpts() : 1) {}
  void post(Chunk& chunk);
  void post_all();
  void taken(Chunk& chunk, const Event& event);
  void arrived(const Event& event, ByteView bytes);

  Context& context_;
  const Context::Entry entry_;
  Server& server_;
  const std::uint32_t cpts_;  ///< how many partitions have buffers
  std::vector<std::unique_ptr<Chunk>> chunks_;
  std::size_t wanted_ = 0;  ///< how many of the chunks are to be posted
  std::size_t at_first_ = 0;
  std::deque<Arrived> waiting_;
};

}  // namespace ulnet::svc::selftest
