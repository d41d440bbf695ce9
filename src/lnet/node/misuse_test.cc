// Mistakes of embedding programs: calls in the wrong order or in the wrong place, descriptors and
// queues that outlive their node, ends inside handlers, calls with invalid arguments. None of it
// hangs, or crashes without a message. Source: docs/API.md, spec/core-semantics.md 4.6, 5.1, 6, 15.
#include <atomic>
#include <optional>
#include <stdexcept>
#include <thread>

#include "lnet/node/node_fixture.h"
#include "ulnet/event_queue.hpp"
#include "ulnet/handles.hpp"

namespace ulnet::node {
namespace {

class Misuse : public TwoNodes {
 protected:
  static ProcessId self() { return {Nid::loopback(), Pid::lustre()}; }
  /// Sends from `md` to the node itself; the handler of the SEND has run when this returns.
  static void put_to_self(Node& node, MdHandle md) {
    EXPECT_TRUE(node.put(put(md, self(), AckRequest::kNoAck)));
  }
  /// The error of a call that the node must refuse, with a reason.
  template <class T>
  static int refused(const Result<T>& result) {
    EXPECT_FALSE(result);
    EXPECT_FALSE(!result && result.error().reason.empty());
    return result ? 0 : result.error().code;
  }
  std::vector<std::byte> bytes_ = std::vector<std::byte>(8);
};
INSTANTIATE_TEST_SUITE_P(Modes, Misuse, testing::Values(Mode::kInline, Mode::kShared), mode_name);

/// Tests for nodes with threads of their own.
class ThreadedMisuse : public Misuse {};
INSTANTIATE_TEST_SUITE_P(Modes, ThreadedMisuse, testing::Values(Mode::kShared), mode_name);

// ---- objects that outlive their node

TEST_P(Misuse, DescriptorsMayOutliveTheirNode) {
  const auto owned = std::make_shared<int>(1);
  int events = 0;
  auto bound = MemoryDescriptor::bind(*a_, std::span(bytes_), {}, [&](const Event&) { ++events; });
  auto attached = MemoryDescriptor::attach(*a_, {.portal = kPortal}, std::span(bytes_),
                                           {.options = kOpPut}, [&](const Event&) { ++events; });
  auto released =
      MemoryDescriptor::bind(*a_, std::span(bytes_), {}, [keep = owned](const Event&) {});
  ASSERT_TRUE(bound && attached && released);
  released->release();
  a_.reset();
  EXPECT_FALSE(*bound);
  EXPECT_FALSE(bound->handle());
  EXPECT_EQ(owned.use_count(), 1) << "the handler of a descriptor given away went with the node";
  bound->reset();
  attached = tl::unexpected(Error{});
  EXPECT_EQ(events, 0);
}

TEST_P(Misuse, AQueueMayOutliveItsNodeAndSaysThatItIsGone) {
  auto queue = *EventQueue::create(*a_, 4);
  const MdHandle md =
      a_->md_bind(spec({bytes_.data(), bytes_.size()}, *queue), UnlinkMode::kRetain).value();
  put_to_self(*a_, md);
  a_.reset();
  EXPECT_FALSE(queue->in_use());
  Event event;
  EXPECT_EQ(queue->get(event), EventQueue::Got::kEvent)
      << "events in the queue can still be fetched";
  EXPECT_EQ(event.type, EventType::kSend);
  EXPECT_EQ(queue->get(event), EventQueue::Got::kNodeGone);
  EXPECT_EQ(queue->wait(event), EventQueue::Got::kNodeGone);
}

TEST_P(ThreadedMisuse, AThreadThatWaitsOnAQueueIsWokenWhenTheNodeGoes) {
  auto queue = *EventQueue::create(*a_, 4);
  auto outcome = EventQueue::Got::kNothing;
  std::thread waiter([&] {
    Event event;
    outcome = queue->wait(event);
  });
  a_.reset();
  waiter.join();
  EXPECT_EQ(outcome, EventQueue::Got::kNodeGone);
}

// ---- ends inside handlers

TEST_P(Misuse, ADescriptorMayBeDestroyedInsideItsOwnHandler) {
  std::optional<MemoryDescriptor> source;
  auto owned = std::make_shared<std::string>("captured");
  const std::weak_ptr<std::string> watched = owned;
  std::string outcome;
  auto made = MemoryDescriptor::bind(*a_, std::span(bytes_), {},
                                     [&, keep = std::move(owned)](const Event& event) {
                                       source.reset();
                                       outcome += *keep + (event.unlinked ? ", last" : ", ");
                                     });
  ASSERT_TRUE(made);
  source = *std::move(made);
  put_to_self(*a_, source->handle());
  ASSERT_TRUE(until([&] { return watched.expired(); }));
  EXPECT_EQ(outcome, "captured, captured, last");
}

TEST_P(Misuse, ADescriptorMayBeDestroyedInsideTheHandlerOfItsLastEvent) {
  std::optional<MemoryDescriptor> source;
  auto owned = std::make_shared<int>(0);
  const std::weak_ptr<int> watched = owned;
  auto made = MemoryDescriptor::bind(*a_, std::span(bytes_),
                                     {.threshold = 1, .unlink = UnlinkMode::kUnlink},
                                     [&, keep = std::move(owned)](const Event& event) {
                                       EXPECT_TRUE(event.unlinked);
                                       source.reset();
                                       ++*keep;
                                     });
  ASSERT_TRUE(made);
  source = *std::move(made);
  put_to_self(*a_, source->handle());
  EXPECT_TRUE(until([&] { return watched.expired(); }));
}

TEST_P(Misuse, WaitingCallsInsideAHandlerSaySo) {  // spec/core-semantics.md 5.1
  auto queue = *EventQueue::create(*a_, 4);
  int stopped = 0, added = 0;
  auto waited = EventQueue::Got::kEvent;
  auto source = MemoryDescriptor::bind(*a_, std::span(bytes_), {}, [&](const Event& event) {
    if (event.type != EventType::kSend) return;
    EXPECT_TRUE(a_->in_handler());
    const auto stop = a_->stop(std::chrono::seconds(1));
    stopped = stop ? 1 : stop.error().code;
    EXPECT_EQ(stop.error().reason, "a waiting call inside a handler");
    const auto add = a_->add_networks("tcp9(127.0.0.1)");
    added = add ? 1 : add.error().code;
    Event none;
    waited = queue->wait(none);
  });
  ASSERT_TRUE(source);
  EXPECT_FALSE(a_->in_handler());
  put_to_self(*a_, source->handle());
  EXPECT_EQ(stopped, -EDEADLK);
  EXPECT_EQ(added, -EDEADLK);
  EXPECT_EQ(waited, EventQueue::Got::kNothing);
  put_to_self(*a_, source->handle());  // the node goes on
}

TEST_P(Misuse, ANodeMayBeDestroyedInsideAHandlerOfACallThatIsMadeOfIt) {
  auto queue = *EventQueue::create(*a_, 4);
  bool after = false;
  auto source = MemoryDescriptor::bind(*a_, std::span(bytes_), {}, [&](const Event& event) {
    if (event.type != EventType::kSend) return;
    Node& node = *a_;
    a_.reset();
    after = node.get_id(0, false).has_value();  // the node goes on until the handler has returned
  });
  ASSERT_TRUE(source);
  put_to_self(*a_, source->handle());
  EXPECT_TRUE(after);
  Event event;
  EXPECT_EQ(queue->get(event), EventQueue::Got::kNodeGone);
  EXPECT_FALSE(*source);
}

TEST_P(ThreadedMisuse, ANodeMayBeDestroyedInsideAHandlerOnAThreadOfItsOwn) {
  auto queue = *EventQueue::create(*b_, 4);
  auto sink = MemoryDescriptor::attach(*b_, {.portal = kPortal, .match = {1}}, std::span(bytes_),
                                       {.options = kOpPut}, [&](const Event&) { b_.reset(); });
  ASSERT_TRUE(sink);
  auto source = MemoryDescriptor::bind(*a_, std::span(bytes_));
  ASSERT_TRUE(a_->put(put(source->handle(), id_b_, AckRequest::kNoAck)));
  Event event;
  EXPECT_EQ(queue->wait(event), EventQueue::Got::kNodeGone);
  EXPECT_FALSE(*sink);
}

TEST_P(Misuse, AnExceptionThatLeavesAHandlerEndsTheProgram) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  auto source = MemoryDescriptor::bind(*a_, std::span(bytes_), {}, [](const Event& event) {
    if (event.type == EventType::kSend) throw std::runtime_error("thrown by the handler");
  });
  ASSERT_TRUE(source);
  EXPECT_DEATH(put_to_self(*a_, source->handle()), "thrown by the handler");
}

// ---- calls with invalid arguments

TEST_P(Misuse, RefusalsAreExplained) {  // spec/core-semantics.md 3, 6.1
  Recorder recorder(bell_);
  const MdHandle md =
      a_->md_bind(spec({bytes_.data(), bytes_.size()}, recorder), UnlinkMode::kRetain).value();
  const auto put_of = [&](auto change) {
    PutRequest request = put(md, id_b_, AckRequest::kNoAck);
    change(request);
    GetRequest get;
    get.md = request.md;
    get.target = request.target;
    get.portal = request.portal;
    const int code = refused(a_->put(request));
    EXPECT_EQ(refused(a_->get(get)), code);
    return code;
  };
  EXPECT_EQ(put_of([](PutRequest& r) { r.portal.index = 70; }), -EINVAL);
  EXPECT_EQ(put_of([](PutRequest& r) { r.target.nid = Nid::any(); }), -EINVAL);
  EXPECT_EQ(put_of([](PutRequest& r) { r.target.pid = Pid::any(); }), -EINVAL);
  EXPECT_EQ(put_of([](PutRequest& r) { r.md.cookie = 77; }), -ENOENT);
  const auto attach = [&](std::uint32_t portal) {
    return refused(
        a_->me_attach({portal}, {}, {}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter));
  };
  EXPECT_EQ(attach(0), -EPERM);
  EXPECT_EQ(attach(64), -EINVAL);
  EXPECT_EQ(refused(a_->set_lazy_portal({64})), -EINVAL);
  EXPECT_EQ(refused(a_->md_unlink({77})), -ENOENT);
  EXPECT_EQ(refused(a_->get_id(9, true)), -ENOENT);
  EXPECT_EQ(refused(a_->dist(*Nid::parse("10.0.0.1@tcp7"))), -EHOSTUNREACH);
  EXPECT_EQ(refused(a_->ping({})), -EINVAL);
  EXPECT_EQ(refused(a_->ping({.target = {*Nid::parse("10.0.0.1@tcp7"), Pid::lustre()}})),
            -EHOSTUNREACH);
  EXPECT_LT(refused(a_->ping({.target = {*Nid::parse(own_address(77) + "@tcp"), Pid::lustre()},
                              .timeout = std::chrono::milliseconds(200)})),
            0);
  EXPECT_EQ(refused(a_->simulate_failure(Nid::any(), -2)), -EINVAL);
  EXPECT_EQ(refused(a_->add_peer({})), -EINVAL);
  EXPECT_EQ(refused(a_->add_peer({&id_a_.nid, 1})), -EINVAL);
  EXPECT_EQ(refused(a_->peer_discovered(Nid::any())), -EINVAL);
  EXPECT_EQ(refused(a_->discover(Nid::any(), false)), -EINVAL);
  EXPECT_EQ(refused(a_->which_nid({})), -EINVAL);
}

// docs/API.md: the calls of a stopped node answer -ESHUTDOWN, and its MDs can be unlinked.
// first-use-3 20
TEST_P(Misuse, AStoppedNodeRefusesEveryCallAndUnlinksItsMds) {
  const iovec memory{bytes_.data(), bytes_.size()};
  Recorder events(bell_);
  const auto bound = a_->md_bind(spec(memory, events), UnlinkMode::kRetain);
  const auto attach = [&] {
    return a_->me_attach({9}, {}, {}, {}, UnlinkMode::kUnlink, InsertPosition::kAfter);
  };
  const auto entry = attach();
  ASSERT_TRUE(bound && entry);
  stop_both();

  EXPECT_EQ(refused(attach()), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->me_attach_at(0, {9}, {}, {}, {}, UnlinkMode::kUnlink)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->md_attach(*entry, spec(memory, events, kOpPut), UnlinkMode::kUnlink)),
            -ESHUTDOWN);
  EXPECT_EQ(refused(a_->md_bind(spec(memory, events), UnlinkMode::kUnlink)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->put(put(*bound, id_b_, AckRequest::kNoAck))), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->get(GetRequest{.md = *bound, .target = id_b_})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->set_lazy_portal({9})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->clear_lazy_portal({9})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->ping({.target = id_b_})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->discover(id_b_.nid, false)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->get_id(0, true)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->dist(id_b_.nid)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->which_nid({&id_b_.nid, 1})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->local_primary_nid()), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->primary_nid(id_b_.nid)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->local_nids()), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->on_local_nids([] {})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->add_peer({&id_b_.nid, 1})), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->peer_discovered(id_b_.nid)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->simulate_failure(id_b_.nid, 1)), -ESHUTDOWN);
  EXPECT_EQ(refused(a_->add_networks("tcp8")), -ESHUTDOWN);

  EXPECT_TRUE(a_->md_unlink(*bound));
  EXPECT_EQ(events.count(EventType::kUnlink), 1U);
}

TEST_P(Misuse, ANetworkThatCannotStartIsExplained) {
  const auto added = a_->add_networks("tcp8(127.0.0.300)");
  ASSERT_FALSE(added);
  EXPECT_EQ(added.error().code, -ENETDOWN);
  EXPECT_EQ(added.error().reason, "tcp8(127.0.0.300): there is no interface '127.0.0.300'");
}

}  // namespace
}  // namespace ulnet::node
