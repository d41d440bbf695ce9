// The framework services of a test node: the requests of consoles, served in the order in which
// they arrive. Source: spec/wire-selftest.md 2.3, 3, 7.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "selftest/service/served.h"
#include "selftest/service/session.h"

namespace ulnet::svc::selftest {

class Framework final : private RequestBuffers::Server, private Served::Owner {
 public:
  /// The functions that a session needs from the other parts of the node.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Reports that a server of a test needs buffers for this many requests to `service`.
    virtual void want_buffers(wire::LstService service, std::uint32_t requests) = 0;
    /// Reports that the session is over: the test services need only the buffers of the start
    /// again.
    virtual void session_over() = 0;
  };
  /// Serves JOIN (3.7); only the node of a console does that. `features` are those of the request.
  using Join = std::function<wire::LstJoinReply(const ProcessId& from, std::uint32_t features,
                                                const wire::LstJoin& request)>;

  Framework(Context& context, BulkPool& bulks, Owner& owner);
  RequestBuffers& request_buffers() { return buffers_; }
  void on_join(Join serve) { join_ = std::move(serve); }
  /// Ends the session, its tests and the requests that are being served.
  void stop();
  /// Returns the session; null: there is no session. For displays only: the next request can change
  /// it.
  const Session* session() const { return session_.get(); }
  /// Returns test number `index`, from 1, of a batch of that session. Null: there is no such test,
  /// or this node is only a server of it.
  const Test* client_test(const wire::LstSessionId& session, std::uint64_t batch,
                          std::uint32_t index) const;
  /// Returns how many sessions have ended with tests that have not all stopped.
  std::uint32_t zombies() const;
  /// Returns how many requests have arrived and wait to be served.
  std::size_t waiting() const { return buffers_.waiting(); }
  bool idle() const { return session_ == nullptr && zombies() == 0 && served_.busy() == 0; }

 private:
  static constexpr std::size_t kAtOnce = 64;

  void came(const Arrived& request) override;
  bool serve(const Arrived& request) override;
  void moved(Served& served, int status) override;
  void freed(Served& served) override;

  void fetch_destinations(Served& served, const wire::LstTest& test);
  bool may_lead(const Nid& nid);
  bool is_nonsense(const wire::LstBody& body) const;
  bool is_unauthorized(const Arrived& request);
  wire::LstBody refusal_for(const Arrived& request);
  wire::LstMakeSessionReply answer(const wire::LstMakeSession& request, const Arrived& arrived);
  wire::LstRemoveSessionReply answer(const wire::LstRemoveSession& request);
  wire::LstDebugReply answer(const wire::LstDebug& request);
  wire::LstStatReply answer(const wire::LstStat& request);
  void send_latency(Served& served, const wire::LstStat& request);
  wire::LstBatchReply answer(const wire::LstBatch& request);
  std::uint32_t add_server(const wire::LstTest& request);
  std::uint32_t judge(const wire::LstTest& request);
  std::uint32_t add_client(const wire::LstTest& request, const Arrived& arrived, ByteView list);
  std::uint32_t no_memory(std::string_view what, std::uint64_t bytes);
  void reply(Served& served, wire::LstBody body);
  void begin_session(const wire::LstMakeSession& request, const Arrived& arrived);
  void end_session();
  void sweep();
  void heard();
  void stay_alive();
  bool is_ours(const wire::LstSessionId& id) const { return session_ && session_->id == id; }
  wire::LstSessionId current() const { return session_ ? session_->id : wire::LstSessionId{}; }

  Context& context_;
  BulkPool& bulks_;
  Owner& owner_;
  RequestBuffers buffers_;
  ServedPool served_;
  bool fetching_ = false;  ///< a list of destinations is being fetched: later requests wait
  std::size_t list_bytes_ = 0;
  Join join_;
  AlarmOf<Framework, &Framework::end_session> expiry_{*this};
  /// Frees ended sessions from a timer, because then no function of their tests is being called.
  AlarmOf<Framework, &Framework::sweep> sweep_{*this};
  std::unique_ptr<Session> session_;
  std::list<std::unique_ptr<Session>> over_;
};

}  // namespace ulnet::svc::selftest
