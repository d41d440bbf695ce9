// One RPC at the node that serves it: data first if there are any, then the reply, then it is free
// for the next. Source: spec/wire-selftest.md 1.2, 4.2.
#pragma once

#include <memory>
#include <vector>

#include "core/life_cycle.h"
#include "svc/selftest/bulk.h"
#include "svc/selftest/intake.h"

namespace ulnet::svc::selftest {

/// kServing: it is thought about. kMoving: data are under way. kEnding: the reply is, or nothing is
/// left to do.
enum class ServedState : std::uint8_t { kFree, kServing, kMoving, kEnding, kCount };
/// kOver: LNet has let go of the memory.
enum class ServedEvent : std::uint8_t { kTake, kMove, kEnd, kOver, kCount };
extern const core::LifeCycle<ServedState, ServedEvent> kServedLife;
const char* to_string(ServedState state);
const char* to_string(ServedEvent event);

class Served final : private EventSink, private Alarm {
 public:
  /// Whom it belongs to.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// The data have moved (status 0) or failed. Calls reply() or drop().
    virtual void moved(Served& served, int status) = 0;
    /// It is free; its memory is its owner's again.
    virtual void freed(Served& served) = 0;
  };

  Served(Shop& shop, Owner& owner) : shop_(shop), owner_(owner) {}

  /// For a free one: the request that is served from now on, until freed().
  void take(const Arrived& request);
  const Arrived& request() const { return request_; }
  /// Puts `data` to the requester, or gets them from him; then moved(), never inside this call.
  void send(std::uint64_t bulkid, ByteSpan data);
  /// What has not come after `patience` has failed.
  void fetch(std::uint64_t bulkid, ByteSpan data, Duration patience);
  /// Ends it with an answer; freed() follows, never inside this call.
  void reply(const wire::LstMessage& message);
  /// Ends it without: the requester's time runs out.
  void drop();
  /// What is under way ends soon, with an error.
  void abort();

  Bulk bulk;  ///< the owner's, for the data

 private:
  void on_event(const Event& event) override;
  void ring() override;
  void begun(int status);
  void over();
  void step(ServedEvent event) { state_ = kServedLife.after(state_, event); }

  Shop& shop_;
  Owner& owner_;
  ServedState state_ = ServedState::kFree;
  int status_ = 0;           ///< the first error
  std::size_t to_come_ = 0;  ///< bytes that are fetched
  MdHandle md_;
  Arrived request_;
  MessageBytes reply_;
};

/// As many as were ever needed at once.
class ServedPool {
 public:
  ServedPool(Shop& shop, Served::Owner& owner) : shop_(shop), owner_(owner) {}
  /// Null when `limit` are busy.
  Served* take(const Arrived& request, std::size_t limit);
  void give(Served& served) { free_.push_back(&served); }
  void abort_all();
  std::size_t busy() const { return all_.size() - free_.size(); }

 private:
  Shop& shop_;
  Served::Owner& owner_;
  std::vector<std::unique_ptr<Served>> all_;
  std::vector<Served*> free_;
};

/// What every test server checks first: 0, or the status of the reply that refuses (2.2, 2.3).
std::uint32_t judge_test_request(const wire::LstMessage& request);
/// The reply's frame to a test request.
wire::LstMessage test_reply(const wire::LstMessage& request, wire::LstBody body);

}  // namespace ulnet::svc::selftest
