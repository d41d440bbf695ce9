// The framework services of a test node: what consoles ask of it. Requests are served in the order
// in which they came. Source: spec/wire-selftest.md 2.3, 3, 7.
#pragma once

#include <functional>
#include <list>
#include <memory>

#include "svc/selftest/served.h"
#include "svc/selftest/session.h"

namespace ulnet::svc::selftest {

class Framework final : private Intake::Server, private Served::Owner {
 public:
  /// What the session asks of the rest of the node.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// A test server is to have buffers for so many requests to `service`.
    virtual void want_buffers(wire::LstService service, std::uint32_t requests) = 0;
    /// The session is over: no more than at first.
    virtual void session_over() = 0;
  };
  /// Serves JOIN (3.7), which only consoles do: `features` are those of the request.
  using Join = std::function<wire::LstJoinReply(const ProcessId& from, std::uint32_t features,
                                                const wire::LstJoin& request)>;

  Framework(Shop& shop, BulkPool& bulks, Owner& owner);
  Intake& intake() { return intake_; }
  void on_join(Join serve) { join_ = std::move(serve); }
  /// Ends the session and its tests, and what is being served.
  void stop();
  /// Null when there is none. For who shows it; changes with the next request.
  const Session* session() const { return session_.get(); }
  /// The n-th test, from 1, of a batch of that session. Null when there is none, or when this node
  /// only serves in it.
  const Test* client_test(const wire::LstSessionId& session, std::uint64_t batch,
                          std::uint32_t index) const;
  /// Sessions that are over and whose tests have not all stopped.
  std::uint32_t zombies() const;
  bool idle() const { return session_ == nullptr && zombies() == 0 && served_.busy() == 0; }

 private:
  static constexpr std::size_t kAtOnce = 64;
  struct Expiry final : Alarm {
    explicit Expiry(Framework& owner) : framework(owner) {}
    void ring() override { framework.end_session(); }
    Framework& framework;
  };
  /// Frees sessions that are over, when none of their tests is being called.
  struct Sweep final : Alarm {
    explicit Sweep(Framework& owner) : framework(owner) {}
    void ring() override { framework.sweep(); }
    Framework& framework;
  };

  bool serve(const Arrived& request) override;
  void moved(Served& served, int status) override;
  void freed(Served& served) override;

  void fetch_destinations(Served& served, const wire::LstTest& test);
  wire::LstMakeSessionReply answer(const wire::LstMakeSession& request, std::uint32_t features);
  wire::LstRemoveSessionReply answer(const wire::LstRemoveSession& request);
  wire::LstDebugReply answer(const wire::LstDebug& request);
  wire::LstStatReply answer(const wire::LstStat& request);
  void tell_latency(Served& served, const wire::LstStat& request);
  wire::LstBatchReply answer(const wire::LstBatch& request);
  std::uint32_t add_test(const wire::LstTest& request, const std::vector<ProcessId>* destinations);
  std::uint32_t judge(const wire::LstTest& request);
  void reply(Served& served, wire::LstBody body);
  void begin_session(const wire::LstMakeSession& request, std::uint32_t features);
  void end_session();
  void sweep();
  void stay_alive();
  bool is_ours(const wire::LstSessionId& id) const { return session_ && session_->id == id; }
  wire::LstSessionId current() const { return session_ ? session_->id : wire::LstSessionId{}; }

  Shop& shop_;
  BulkPool& bulks_;
  Owner& owner_;
  Intake intake_;
  ServedPool served_;
  bool fetching_ = false;  ///< a list of destinations: what comes behind it waits
  std::vector<std::byte> list_;
  Join join_;
  Expiry expiry_{*this};
  Sweep sweep_{*this};
  std::unique_ptr<Session> session_;
  std::list<std::unique_ptr<Session>> over_;
};

}  // namespace ulnet::svc::selftest
