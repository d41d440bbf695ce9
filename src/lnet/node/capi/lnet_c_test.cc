// The C interface on a live node over loopback: life cycle, event queues, refusals.
#include <poll.h>

#include <array>
#include <atomic>
#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "lnet/node/capi/lnet_c_fixture.h"

namespace ulnet::capi::test {
namespace {

// spec/core-semantics.md 2.1, 2.2
TEST_F(LnetC, CountsItsUsers) {
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 1);
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 2);
  EXPECT_EQ(ulnet_set_networks("tcp"), -EBUSY);
  EXPECT_EQ(LNetNIFini(), 0);
  EXPECT_EQ(LNetNIFini(), 0);
  lnet_processid id{};
  EXPECT_EQ(LNetGetId(0, &id, true), 0);  // the first user's reference keeps it up
  EXPECT_EQ(LNetNIFini(), 0);
  EXPECT_EQ(LNetGetId(0, &id, true), -ESHUTDOWN);
  EXPECT_NE(std::string(ulnet_last_error()).find("LNetNIInit"), std::string::npos);
}

TEST_F(LnetC, SaysWhoItIs) {
  std::array<char, LNET_NIDSTR_SIZE> text{};
  EXPECT_STREQ(ulnet_nid_format(&self_.nid, text.data(), text.size()), "127.0.78.1@tcp");
  EXPECT_EQ(self_.pid, LNET_PID_LUSTRE);
  lnet_processid nobody{};
  EXPECT_EQ(LNetGetId(2, &nobody, true), -ENOENT);
  std::uint32_t order = 0;
  EXPECT_EQ(LNetDist(&self_.nid, nullptr, &order), 0);
  EXPECT_TRUE(LNetIsPeerLocal(&self_.nid));
  lnet_nid far{};
  ASSERT_EQ(ulnet_nid_parse(&far, "10.0.0.1@o2ib"), 0);
  EXPECT_FALSE(LNetIsPeerLocal(&far));
  EXPECT_EQ(LNetDist(&far, nullptr, nullptr), -EHOSTUNREACH);
  EXPECT_EQ(ulnet_nid_parse(&far, "10.0.0.300@tcp"), -EINVAL);
}

// spec/core-semantics.md 5.1
TEST_F(LnetC, AQueueHoldsEventsUntilTheyAreFetched) {
  std::array<char, 16> in{}, out{"over"};
  const lnet_handle_eq_t eq = queue(16);
  const lnet_handle_md_t to = target(in.data(), in.size(), eq);
  const lnet_handle_md_t from = source(out.data(), out.size(), eq);
  EXPECT_EQ(LNetEQFree(eq), -EBUSY);
  pollfd watched{ulnet_eq_descriptor(eq), POLLIN, 0};
  ASSERT_GE(watched.fd, 0) << ulnet_last_error();
  EXPECT_EQ(poll(&watched, 1, 0), 0);
  ASSERT_EQ(put(from), 0);
  EXPECT_EQ(poll(&watched, 1, -1), 1);
  int seen[LNET_EVENT_UNLINK + 1] = {};
  for (int i = 0; i < 3; ++i) {
    lnet_event event{};
    ASSERT_EQ(LNetEQWait(eq, &event), 1);
    ++seen[event.type];
    if (event.type == LNET_EVENT_PUT) {
      EXPECT_EQ(event.hdr_data, 42U);
      EXPECT_EQ(event.mlength, out.size());
    }
  }
  EXPECT_EQ(seen[LNET_EVENT_PUT], 1);
  EXPECT_EQ(seen[LNET_EVENT_SEND], 1);
  EXPECT_EQ(seen[LNET_EVENT_ACK], 1);
  EXPECT_EQ(in, out);
  lnet_event none{};
  EXPECT_EQ(LNetEQGet(eq, &none), 0);
  EXPECT_EQ(LNetEQPoll(&eq, 1, 0, &none, nullptr), 0);
  EXPECT_EQ(poll(&watched, 1, 0), 0);

  EXPECT_EQ(LNetMDUnlink(from), 0);
  EXPECT_EQ(LNetMDUnlink(to), 0);
  EXPECT_EQ(LNetMDUnlink(to), -ENOENT);
  EXPECT_EQ(LNetEQFree(eq), 0);
  EXPECT_EQ(LNetEQGet(eq, &none), -ENOENT);
  EXPECT_EQ(ulnet_eq_descriptor(eq), -ENOENT);
}

// spec/core-semantics.md 5.1: the queue keeps the oldest events and reports the loss once
TEST_F(LnetC, AFullQueueLosesTheNewestAndSaysSo) {
  std::array<char, 16> in{}, out{};
  const lnet_handle_eq_t small = queue(2);
  const lnet_handle_eq_t acks = queue(64);
  const lnet_handle_md_t to = target(in.data(), in.size(), small);
  const lnet_handle_md_t from = source(out.data(), out.size(), acks);
  lnet_event event{};
  const auto put_and_wait = [&] {
    ASSERT_EQ(put(from), 0);
    do ASSERT_EQ(LNetEQWait(acks, &event), 1);
    while (event.type != LNET_EVENT_ACK);
  };
  for (int i = 0; i < 4; ++i) put_and_wait();
  EXPECT_EQ(LNetEQWait(small, &event), 1);
  EXPECT_EQ(LNetEQWait(small, &event), 1);
  put_and_wait();
  EXPECT_EQ(LNetEQWait(small, &event), -EOVERFLOW);
  put_and_wait();
  EXPECT_EQ(LNetEQWait(small, &event), 1);
  EXPECT_EQ(LNetMDUnlink(from), 0);
  EXPECT_EQ(LNetMDUnlink(to), 0);
}

std::atomic<int> ping_result{1}, setting_result{1};

TEST_F(LnetC, AHandlerMustNotWait) {
  ping_result = 1;
  const lnet_handle_eq_t eq = queue(0, [](const lnet_event* event) {
    if (event->type != LNET_EVENT_PUT) return;
    lnet_processid me{};
    LNetGetId(1, &me, true);
    lnet_nid nid{};
    setting_result = ulnet_set_param("accept", "all");  // LNetNIFini() may wait for this handler
    ping_result = ulnet_ping(&me, 1000, &nid, 1);
    ping_result.notify_all();
  });
  std::array<char, 16> in{}, out{};
  const lnet_handle_md_t to = target(in.data(), in.size(), eq);
  const lnet_handle_md_t from = source(out.data(), out.size(), lnet_handle_eq_t{});
  ASSERT_EQ(put(from), 0);
  ping_result.wait(1);
  EXPECT_EQ(ping_result, -EDEADLK);
  EXPECT_EQ(setting_result, -EDEADLK);
  EXPECT_EQ(LNetMDUnlink(from), 0);
  EXPECT_EQ(LNetMDUnlink(to), 0);
}

TEST_F(LnetC, RefusesNonsense) {
  const lnet_processid any = anybody();
  lnet_handle_me_t me{};
  EXPECT_EQ(LNetMEAttach(64, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me), -EINVAL);
  lnet_handle_eq_t eq{};
  EXPECT_EQ(LNetEQAlloc(0, nullptr, &eq), -EINVAL);
  EXPECT_EQ(LNetSetLazyPortal(-1), -EINVAL);
  EXPECT_EQ(LNetSetLazyPortal(7), 0);
  EXPECT_EQ(LNetClearLazyPortal(7), 0);
  std::array<char, 8> memory{};
  lnet_md md{};
  md.start = memory.data();
  md.length = memory.size();
  md.handler = [](const lnet_event*) {};
  md.eq = queue(4);
  lnet_handle_md_t handle{};
  EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), -EINVAL);  // a handler or a queue, not both
  md.handler = nullptr;
  md.eq.cookie = 77;
  EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), -ENOENT);
  md.eq.cookie = LNET_HANDLE_NONE;
  md.max_size = -1;
  EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), 0) << "max_size has no meaning without MAX_SIZE";
  EXPECT_EQ(LNetMDUnlink(handle), 0);
  md.options = LNET_MD_MAX_SIZE;
  EXPECT_EQ(LNetMDBind(&md, LNET_RETAIN, &handle), -EINVAL);
}

TEST_F(LnetC, ThePartitionOfMemoryCountsOnlyWithItsOptionAndMustExist) {
  std::array<char, 8> memory{};
  lnet_md md{};
  md.start = memory.data();
  md.length = memory.size();
  lnet_handle_md_t handle{};
  const auto bound = [&](unsigned options, int cpt) {
    md.options = options;
    md.cpt = cpt;
    const int rc = LNetMDBind(&md, LNET_RETAIN, &handle);
    EXPECT_EQ(rc == 0 ? LNetMDUnlink(handle) : 0, 0);
    return rc;
  };
  EXPECT_EQ(bound(0, -7), 0);
  EXPECT_EQ(bound(ULNET_MD_CPT, 0), 0);
  for (const int none : {-1, 1 << 20}) EXPECT_EQ(bound(ULNET_MD_CPT, none), -ERANGE) << none;
  EXPECT_STREQ(ulnet_last_error(), "invalid CPT value");
}

/// The error that each call returns for a null pointer to a required argument.
TEST_F(LnetC, NullPointersAreRefused) {
  const auto refused = [](int rc) { return rc == -EINVAL && *ulnet_last_error() != '\0'; };
  const lnet_processid any = anybody();
  std::array<char, 8> memory{};
  lnet_md md{};
  md.start = memory.data();
  md.length = memory.size();
  lnet_handle_me_t me{};
  lnet_handle_md_t handle{};
  const lnet_handle_eq_t eq = queue(4);
  lnet_event event{};
  lnet_nid nid{};
  EXPECT_TRUE(refused(ulnet_nid_parse(nullptr, "1@tcp")));
  EXPECT_TRUE(refused(ulnet_nid_parse(&nid, nullptr)));
  EXPECT_TRUE(refused(ulnet_set_param(nullptr, "x")));
  EXPECT_TRUE(refused(LNetGetId(0, nullptr, true)));
  EXPECT_TRUE(refused(LNetDist(nullptr, nullptr, nullptr)));
  EXPECT_FALSE(LNetIsPeerLocal(nullptr));
  EXPECT_TRUE(refused(LNetMEAttach(5, nullptr, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me)));
  EXPECT_TRUE(refused(LNetMEAttach(5, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, nullptr)));
  ASSERT_EQ(LNetMEAttach(5, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me), 0);
  EXPECT_TRUE(refused(LNetMDAttach(me, nullptr, LNET_RETAIN, &handle)));
  md.options = LNET_MD_OP_PUT;
  EXPECT_EQ(LNetMDAttach(me, &md, LNET_RETAIN, &handle), -ENOENT);  // the error unlinked the ME
  ASSERT_EQ(LNetMEAttach(5, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me), 0);
  EXPECT_TRUE(refused(LNetMDAttach(me, &md, LNET_RETAIN, nullptr)));
  md.options = 0;
  EXPECT_TRUE(refused(LNetMDBind(nullptr, LNET_RETAIN, &handle)));
  EXPECT_TRUE(refused(LNetMDBind(&md, LNET_RETAIN, nullptr)));
  EXPECT_TRUE(refused(LNetPut(nullptr, handle, LNET_NOACK_REQ, nullptr, 5, 1, 0, 0)));
  EXPECT_TRUE(refused(LNetGet(nullptr, handle, nullptr, 5, 1, 0)));
  EXPECT_TRUE(refused(LNetEQAlloc(4, nullptr, nullptr)));
  EXPECT_TRUE(refused(LNetEQGet(eq, nullptr)));
  EXPECT_TRUE(refused(LNetEQWait(eq, nullptr)));
  EXPECT_TRUE(refused(LNetEQPoll(nullptr, 1, 0, &event, nullptr)));
  EXPECT_TRUE(refused(LNetEQPoll(&eq, 1, 0, nullptr, nullptr)));
  EXPECT_TRUE(refused(ulnet_ping(nullptr, 10, &nid, 1)));
  EXPECT_TRUE(refused(ulnet_ping(&self_, 10, nullptr, 1)));
  EXPECT_TRUE(refused(LNetLocalPrimaryNID(nullptr)));
  EXPECT_TRUE(refused(LNetPrimaryNID(nullptr)));
  EXPECT_TRUE(refused(LNetFetchNIDs(nullptr, nullptr, 1)));
  EXPECT_TRUE(refused(LNetAddPeer(nullptr, 1)));
  EXPECT_TRUE(refused(LNetPeerDiscovered(nullptr)));
  EXPECT_TRUE(refused(LNetDiscover(nullptr, false)));
  EXPECT_TRUE(refused(ulnet_which_nid(nullptr, 1)));
  EXPECT_TRUE(refused(LNetFail(nullptr, 1)));
  LNetDebugPeer(nullptr);
}

TEST_F(LnetC, NodeSettingsAreCheckedAtOnceAndCanBeReset) {
  EXPECT_EQ(ulnet_set_param("accept", "all"), -EBUSY);
  EXPECT_EQ(ulnet_set_networks("tcp"), -EBUSY);
  LNetNIFini();
  EXPECT_EQ(ulnet_set_param("acept", "trust"), -ENOENT);
  EXPECT_STREQ(ulnet_last_error(), "no parameter 'acept'. Did you mean 'accept'?");
  EXPECT_EQ(ulnet_set_param("peer_credits", "many"), -EINVAL);
  EXPECT_NE(*ulnet_last_error(), '\0');
  EXPECT_EQ(ulnet_set_networks("tcp(eth0"), -EINVAL);
  EXPECT_NE(*ulnet_last_error(), '\0');
  // The start reports a mistake that only the start can find, and the program can correct it as
  // well.
  ASSERT_EQ(ulnet_set_param("cpu_pattern", "nonsense"), 0);
  EXPECT_LT(LNetNIInit(LNET_PID_LUSTRE), 0);
  EXPECT_NE(*ulnet_last_error(), '\0');
  ASSERT_EQ(ulnet_set_param("cpu_pattern", nullptr), 0);
  ASSERT_EQ(ulnet_set_networks("tcp(127.0.0.300)"), 0);
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), -ENETDOWN);
  EXPECT_STREQ(ulnet_last_error(), "tcp(127.0.0.300): there is no interface '127.0.0.300'");
  ASSERT_EQ(ulnet_set_networks((std::string("tcp(") + kAddress + ")").c_str()), 0);
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 0) << ulnet_last_error();
}

// spec/core-semantics.md 15
TEST_F(LnetC, NetsNidsAndPeers) {
  EXPECT_TRUE(LNetHasLocalNet(ulnet_net_parse("tcp")));
  EXPECT_FALSE(LNetHasLocalNet(ulnet_net_parse("tcp7")));
  EXPECT_FALSE(LNetHasLocalNet(LNET_NET_ANY));
  EXPECT_EQ(ulnet_net_parse("nonsense"), LNET_NET_ANY);
  EXPECT_EQ(ulnet_net_parse("tcp3"), 0x20003U);
  lnet_nid nid{};
  ASSERT_EQ(LNetLocalPrimaryNID(&nid), 0);
  EXPECT_EQ(std::memcmp(&nid, &self_.nid, sizeof nid), 0);
  ASSERT_EQ(LNetPrimaryNID(&nid), 0);
  EXPECT_EQ(std::memcmp(&nid, &self_.nid, sizeof nid), 0);
  std::array<lnet_nid, 4> nids{};
  std::array<bool, 4> up{};
  EXPECT_EQ(LNetFetchNIDs(nids.data(), up.data(), 4), 2);
  EXPECT_EQ(std::memcmp(&nids[1], &self_.nid, sizeof nid), 0);
  EXPECT_TRUE(up[1]);
  EXPECT_EQ(LNetFetchNIDs(nullptr, nullptr, 0), 2);
  EXPECT_TRUE(LNetGetPeerDiscoveryStatus());
  EXPECT_EQ(LNetRegisterNIDUpdates([](void*) {}, nullptr), 0);
  EXPECT_EQ(LNetRegisterNIDUpdates(nullptr, nullptr), 0);
  EXPECT_EQ(LNetAddPeer(&nid, 1), -EINVAL) << "it is this node";
  EXPECT_EQ(LNetAddPeer(&nid, 0), -EINVAL);
  const std::vector<lnet_nid> most(4096, nid);
  EXPECT_EQ(LNetAddPeer(most.data(), 4096), -EINVAL);
  EXPECT_EQ(LNetAddPeer(most.data(), 4097), -E2BIG) << "none of them is read";
  EXPECT_EQ(LNetAddPeer(most.data(), UINT32_MAX), -E2BIG);
  EXPECT_STREQ(ulnet_last_error(), "a peer has at most 4096 NIDs");
  EXPECT_EQ(LNetPeerDiscovered(&nid), 1) << "a node knows all of its own NIDs";
}

// spec/core-semantics.md 15, spec/upstream-tests.md F 213
TEST_F(LnetC, PeersAreDeclaredAndDiscovered) {  // spec/core-semantics.md 2.4
  std::array<lnet_nid, 2> nids{};
  ASSERT_EQ(ulnet_nid_parse(&nids[0], "127.0.0.77@tcp"), 0);
  ASSERT_EQ(ulnet_nid_parse(&nids[1], "10.0.0.77@tcp7"), 0);
  ASSERT_EQ(LNetAddPeer(nids.data(), 2), 0) << ulnet_last_error();
  lnet_nid primary = nids[1];
  ASSERT_EQ(LNetPrimaryNID(&primary), 0);
  EXPECT_EQ(std::memcmp(&primary, &nids[0], sizeof primary), 0);
  std::swap(nids[0], nids[1]);
  EXPECT_EQ(LNetAddPeer(nids.data(), 2), -EALREADY) << "its primary NID is locked";
  EXPECT_EQ(ulnet_which_nid(nids.data(), 2), 1) << "the other one is on no net of this node";
  EXPECT_EQ(ulnet_which_nid(nids.data(), 1), -EHOSTUNREACH);
  EXPECT_EQ(ulnet_which_nid(nids.data(), 0), -EINVAL);
  EXPECT_EQ(LNetDiscover(&self_.nid, false), 0);
  EXPECT_EQ(LNetDiscover(&LNET_ANY_NID, false), -EINVAL);
}

TEST_F(LnetC, AFailureMayBeSimulated) {  // spec/core-semantics.md 15
  std::array<char, 8> out{};
  const lnet_handle_md_t from = source(out.data(), out.size(), lnet_handle_eq_t{});
  ASSERT_EQ(LNetFail(&LNET_ANY_NID, -1), 0);
  EXPECT_EQ(put(from), -EIO);
  EXPECT_STREQ(ulnet_last_error(), "simulated failure");
  ASSERT_EQ(LNetFail(&LNET_ANY_NID, 0), 0);
  EXPECT_EQ(put(from), 0);
  EXPECT_EQ(LNetFail(&LNET_ANY_NID, -2), -EINVAL);
  EXPECT_EQ(LNetMDUnlink(from), 0);
}

TEST_F(LnetC, APeerIsDescribedInTheLog) {  // spec/core-semantics.md 15
  LNetNIFini();
  std::string lines;  // only this thread writes it, because the log is called on this thread
  ASSERT_EQ(ulnet_set_log(
                [](void* context, int, const char* line) {
                  if (std::strncmp(line, "peer ", 5) == 0)
                    *static_cast<std::string*>(context) += line;
                },
                &lines),
            0);
  ASSERT_EQ(LNetNIInit(LNET_PID_LUSTRE), 0) << ulnet_last_error();
  LNetDebugPeer(&self_);
  EXPECT_EQ(lines, "peer 127.0.78.1@tcp: the node does not know it");
  LNetNIFini();
  ASSERT_EQ(ulnet_set_log(nullptr, nullptr), 0);
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 0);
}

// spec/core-semantics.md 5.1: handles may be freed while other threads use them
TEST_F(LnetC, AQueueIsFreedWhileOthersUseItsHandle) {
  std::atomic<std::uint64_t> cookie{queue(4).cookie};
  std::atomic<bool> over{false};
  std::atomic<unsigned> rounds{0};
  std::vector<std::thread> users;
  for (int t = 0; t < 3; ++t)
    users.emplace_back([&] {
      std::array<char, 8> memory{};
      for (; !over; ++rounds) {
        const lnet_handle_eq_t eq{cookie};
        lnet_md md = md_over(memory.data(), memory.size());
        md.eq = eq;
        lnet_handle_md_t handle{};
        const int bound = LNetMDBind(&md, LNET_RETAIN, &handle);
        EXPECT_TRUE(bound == 0 || bound == -ENOENT) << bound;
        if (bound == 0) {
          EXPECT_EQ(LNetMDUnlink(handle), 0);
        }
        lnet_event event{};
        int which = 0;
        const int got = LNetEQPoll(&eq, 1, 0, &event, &which);
        EXPECT_TRUE(got == 0 || got == 1 || got == -EOVERFLOW || got == -ENOENT) << got;
      }
    });
  for (unsigned freed = 0; freed < 1000 || rounds < 3000;) {
    const int rc = LNetEQFree({cookie});
    EXPECT_TRUE(rc == 0 || rc == -EBUSY) << rc;
    if (rc != 0) {
      std::this_thread::yield();
      continue;
    }
    ++freed;
    cookie = queue(4).cookie;
  }
  over = true;
  for (std::thread& user : users) user.join();
  EXPECT_EQ(LNetEQFree({cookie}), 0);
}

TEST_F(LnetC, AThreadThatWaitsIsWokenWhenTheNodeGoes) {
  const lnet_handle_eq_t eq = queue(4);
  std::atomic<bool> begun{false};
  int result = 0;
  std::thread waiter([&] {
    begun = true;
    begun.notify_all();
    lnet_event event{};
    result = LNetEQWait(eq, &event);
  });
  begun.wait(false);
  EXPECT_EQ(LNetNIFini(), 0);
  waiter.join();
  EXPECT_EQ(result, -ESHUTDOWN);
  EXPECT_EQ(LNetNIInit(LNET_PID_LUSTRE), 0);
}

TEST_F(LnetC, PingsItself) {
  std::array<lnet_nid, 4> nids{};
  ASSERT_EQ(ulnet_ping(&self_, 60000, nids.data(), 4), 1) << ulnet_last_error();
  EXPECT_EQ(std::memcmp(&nids[0], &self_.nid, sizeof(lnet_nid)), 0);
}

}  // namespace
}  // namespace ulnet::capi::test
