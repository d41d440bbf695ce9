// One RPC at the node that serves it: first the data, if the RPC has any, then the reply. After
// that the object is free for the next RPC. Source: spec/wire-selftest.md 1.2, 4.2.
#pragma once

#include <memory>
#include <vector>

#include "lnet/base/life_cycle.h"
#include "selftest/service/bulk.h"
#include "selftest/service/request_buffers.h"

namespace ulnet::svc::selftest {

/// kServing: its owner decides what follows. kMoving: data are under way. kEnding: the reply is
/// under way, or nothing is left to do.
enum class ServedState : std::uint8_t { kFree, kServing, kMoving, kEnding, kCount };
/// kOver: LNet has released the memory.
enum class ServedEvent : std::uint8_t { kTake, kMove, kEnd, kOver, kCount };
extern const LifeCycle<ServedState, ServedEvent> kServedLifeCycle;
const char* to_string(ServedState state);
const char* to_string(ServedEvent event);

class Served final : private EventSink, private Alarm {
 public:
  /// The server to which the object belongs.
  class Owner {
   public:
    virtual ~Owner() = default;
    /// Reports that the data have moved (status 0) or failed. The owner calls reply() or drop().
    virtual void moved(Served& served, int status) = 0;
    /// Reports that `served` is free. The owner may reuse `bulk`.
    virtual void freed(Served& served) = 0;
  };

  Served(Context& context, Owner& owner) : context_(context), owner_(owner) {}

  /// Begins to serve `request`, and keeps it until freed(). The object must be free.
  void take(const Arrived& request);
  const Arrived& request() const { return request_; }
  /// Sends `data` to the requester by PUT. Calls moved() afterwards, never inside this call.
  void send(std::uint64_t bulkid, ByteSpan data);
  /// Fetches `data` from the requester by GET. Calls moved() afterwards, as send() does. Fails when
  /// the data have not come after `patience`.
  void fetch(std::uint64_t bulkid, ByteSpan data, Duration patience);
  /// Ends the RPC with a reply. freed() follows, never inside this call.
  void reply(const wire::LstMessage& message);
  /// Ends the RPC without a reply: the requester's time-out ends it there.
  void drop();
  /// Makes the operation under way end soon, with an error.
  void abort();

  Bulk bulk;  ///< memory for the data, taken and given back by the owner

 private:
  void on_event(const Event& event) override;
  void ring() override;
  void begun(int status);
  void over();
  void step(ServedEvent event) { state_ = kServedLifeCycle.after(state_, event); }

  Context& context_;
  Owner& owner_;
  ServedState state_ = ServedState::kFree;
  int status_ = 0;           ///< the first error
  std::size_t to_come_ = 0;  ///< bytes that have not been fetched yet
  MdHandle md_;
  Arrived request_;
  MessageBytes reply_;
};

/// The Served objects of a server. Their number is the most that were ever needed at once.
class ServedPool {
 public:
  ServedPool(Context& context, Served::Owner& owner) : context_(context), owner_(owner) {}
  /// Returns a free object that serves `request`. Null when `limit` objects are busy.
  Served* take(const Arrived& request, std::size_t limit);
  void give(Served& served) { free_.push_back(&served); }
  void abort_all();
  std::size_t busy() const { return all_.size() - free_.size(); }

 private:
  Context& context_;
  Served::Owner& owner_;
  std::vector<std::unique_ptr<Served>> all_;
  std::vector<Served*> free_;
};

/// Makes the first check of every test server. Returns 0, or the status with which the server
/// refuses the request (2.2, 2.3).
std::uint32_t judge_test_request(const wire::LstMessage& request);
/// Makes the reply to a test request: its frame with this body.
wire::LstMessage test_reply(const wire::LstMessage& request, wire::LstBody body);

}  // namespace ulnet::svc::selftest
