// The C interface (ulnet/lnet.h) over the default node: each call translates its arguments, asks
// the node and translates the answer.
#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "lnet/base/limits.h"
#include "lnet/lnd/per_thread.h"
#include "lnet/node/capi/default_node.h"
#include "lnet/node/capi/translate.h"
#include "lnet/node/runtime/outer_loop.h"

namespace {

using ulnet::Error;
using ulnet::Event;
using ulnet::EventQueue;
using ulnet::Node;
using ulnet::Result;
using ulnet::capi::DefaultNode;
using ulnet::capi::EventQueues;
using ulnet::capi::to_c;
using ulnet::capi::to_nid;
using ulnet::capi::to_process;
using ulnet::capi::to_unlink;

struct LastError {
  std::string reason;
};

int failed(int code, std::string reason) {
  ulnet::lnd::per_thread<LastError>().reason = std::move(reason);
  return code;
}
int failed(const Error& error) { return failed(error.code, error.reason); }
int down() { return failed(-ESHUTDOWN, "LNet is down in this process: call LNetNIInit() first"); }
int is_null(const char* what) { return failed(-EINVAL, std::string(what) + " is NULL"); }
bool in_handler() { return ulnet::node::OuterLoop::current().running(); }
int would_deadlock() { return failed(-EDEADLK, "this call waits, which a handler must not do"); }
/// The error for a handle that names no queue: -ESHUTDOWN if the node and its queues have ended.
int no_queue() {
  return DefaultNode::get().node() == nullptr ? down() : failed(-ENOENT, "no such event queue");
}

template <class T>
int status_of(const Result<T>& result) {
  return result ? 0 : failed(result.error());
}
/// Calls `fn` with the default node, if it is up.
template <class Fn>
int with_node(Fn fn) {
  Node* node = DefaultNode::get().node();
  return node == nullptr ? down() : fn(*node);
}
template <class Fn>
bool true_of_node(Fn fn) {
  Node* node = DefaultNode::get().node();
  return node != nullptr && fn(*node);
}

/// Changes a setting for the next start. Waits for an LNetNIFini() under way, which may itself wait
/// for a handler: so no handler may call this.
template <class Fn>
int set(Fn fn) {
  return in_handler() ? would_deadlock() : status_of(fn(DefaultNode::get()));
}

/// An MD as the C++ interface describes it, and the memory that must live until the MD is made.
struct Described {
  ulnet::MdSpec spec;
  iovec one{};  ///< a single buffer
  EventQueues::Ref queue;
};

/// Translates the description of an MD. -EINVAL when it has both a handler and an event queue.
Result<void> describe(const lnet_md& md, Described& made) {
  ulnet::MdSpec& spec = made.spec;
  if (md.options & LNET_MD_KIOV) {
    if (md.start == nullptr && md.length != 0)
      return ulnet::fail(-EINVAL, "fragments without an array");
    spec.fragments = {static_cast<const iovec*>(md.start), md.length};
  } else {
    made.one = {md.start, md.length};
    spec.fragments = {&made.one, 1};
  }
  spec.threshold = md.threshold;
  if ((md.options & LNET_MD_MAX_SIZE) != 0) {
    if (md.max_size < 0) return ulnet::fail(-EINVAL, "max_size is negative");
    spec.max_size = static_cast<std::uint32_t>(md.max_size);
  }
  if ((md.options & ULNET_MD_CPT) != 0) {
    if (md.cpt < 0) return ulnet::fail(-ERANGE, "invalid CPT value");
    spec.cpt = md.cpt;
  }
  spec.options = md.options & ~(LNET_MD_KIOV | ULNET_MD_CPT);
  spec.user_ptr = md.user_ptr;
  DefaultNode& node = DefaultNode::get();
  if (md.handler != nullptr && md.eq.cookie != 0)
    return ulnet::fail(-EINVAL, "an MD has a handler or an event queue, not both");
  if (md.handler != nullptr) spec.sink = &node.sinks().of(md.handler);
  if (md.eq.cookie != 0) {
    made.queue = node.queues().find(md.eq.cookie);
    if (made.queue == nullptr) return ulnet::fail(-ENOENT, "no such event queue");
    spec.sink = made.queue.get();
  }
  return {};
}

int got(EventQueue::Got what, const Event& event, lnet_event* out) {
  switch (what) {
    case EventQueue::Got::kNothing:
      return 0;
    case EventQueue::Got::kNodeGone:
      return down();
    case EventQueue::Got::kEvent:
    case EventQueue::Got::kEventAfterLoss:
      break;
  }
  *out = to_c(event);
  if (what == EventQueue::Got::kEvent) return 1;
  return failed(-EOVERFLOW, "events before this one were lost: the event queue was full");
}

}  // namespace

extern "C" {

constinit const struct lnet_nid LNET_ANY_NID = to_c(ulnet::Nid::any());

int ulnet_nid_parse(struct lnet_nid* nid, const char* text) {
  if (nid == nullptr) return is_null("nid");
  if (text == nullptr) return is_null("text");
  const std::string_view words(text);
  const auto parsed =
      words == "*" ? Result<ulnet::Nid>(ulnet::Nid::any()) : ulnet::Nid::parse(words);
  if (!parsed) return failed(parsed.error());
  *nid = to_c(*parsed);
  return 0;
}

char* ulnet_nid_format(const struct lnet_nid* nid, char* text, size_t size) {
  if (text == nullptr || size == 0) return text;
  std::snprintf(text, size, "%s", nid == nullptr ? "<?>" : to_nid(*nid).to_string().c_str());
  return text;
}

uint32_t ulnet_net_parse(const char* text) {
  const auto parsed = ulnet::NetId::parse(text == nullptr ? "" : text);
  if (parsed) return parsed->value();
  (void)failed(parsed.error());
  return LNET_NET_ANY;
}

// ---- life cycle

int ulnet_set_networks(const char* networks) {
  return set([&](DefaultNode& node) { return node.set_networks(networks); });
}
int ulnet_set_param(const char* name, const char* value) {
  if (name == nullptr) return is_null("name");
  return set([&](DefaultNode& node) { return node.set_param(name, value); });
}
int ulnet_set_log(ulnet_log_t log, void* context) {
  return set([&](DefaultNode& node) { return node.set_log(log, context); });
}
const char* ulnet_last_error(void) { return ulnet::lnd::per_thread<LastError>().reason.c_str(); }

int LNetNIInit(lnet_pid_t pid) {
  if (in_handler()) return would_deadlock();
  const Result<int> count = DefaultNode::get().init(ulnet::Pid{pid});
  return count ? *count : failed(count.error());
}

int LNetNIFini(void) {
  if (in_handler()) return would_deadlock();
  DefaultNode::get().fini();
  return 0;
}

// ---- identity, reach, peers

int LNetGetId(unsigned int index, struct lnet_processid* id, bool large_nids) {
  if (id == nullptr) return is_null("id");
  return with_node([&](Node& node) {
    const auto found = node.get_id(index, large_nids);
    if (!found) return failed(found.error());
    *id = to_c(*found);
    return 0;
  });
}

int LNetDist(const struct lnet_nid* dst, struct lnet_nid* src, uint32_t* order) {
  if (dst == nullptr) return is_null("dst");
  return with_node([&](Node& node) {
    const auto distance = node.dist(to_nid(*dst));
    if (!distance) return failed(distance.error());
    if (src != nullptr) *src = to_c(distance->source);
    if (order != nullptr) *order = distance->order;
    return distance->hops;
  });
}

bool LNetIsPeerLocal(const struct lnet_nid* nid) {
  return nid != nullptr && true_of_node([&](Node& n) { return n.is_peer_local(to_nid(*nid)); });
}

bool LNetHasLocalNet(uint32_t net) {
  const ulnet::NetId id{static_cast<ulnet::NetType>(net >> 16 & 0xff),
                        static_cast<std::uint16_t>(net)};
  return id.value() == net && true_of_node([&](Node& node) { return node.has_local_net(id); });
}

bool LNetGetPeerDiscoveryStatus(void) {
  return true_of_node([](Node& node) { return node.discovery_on(); });
}

int LNetLocalPrimaryNID(struct lnet_nid* nid) {
  if (nid == nullptr) return is_null("nid");
  return with_node([&](Node& node) {
    const auto found = node.local_primary_nid();
    if (!found) return failed(found.error());
    *nid = to_c(*found);
    return 0;
  });
}

int LNetPrimaryNID(struct lnet_nid* nid) {
  if (nid == nullptr) return is_null("nid");
  return with_node([&](Node& node) {
    const auto found = node.primary_nid(to_nid(*nid));
    if (!found) return failed(found.error());
    *nid = to_c(*found);
    return 0;
  });
}

int LNetFetchNIDs(struct lnet_nid* nids, bool* up, int count) {
  if (nids == nullptr && count > 0) return is_null("nids");
  return with_node([&](Node& node) {
    const auto found = node.local_nids();
    if (!found) return failed(found.error());
    const int known = static_cast<int>(found->size());
    for (int i = 0; i < std::min(known, count); ++i) {
      const ulnet::LocalNid& local = (*found)[static_cast<std::size_t>(i)];
      nids[i] = to_c(local.nid);
      if (up != nullptr) up[i] = local.up;
    }
    return known;
  });
}

int LNetRegisterNIDUpdates(void (*changed)(void* context), void* context) {
  return with_node([&](Node& node) {
    if (changed == nullptr) return status_of(node.on_local_nids({}));
    return status_of(node.on_local_nids([=] { changed(context); }));
  });
}

int LNetAddPeer(const struct lnet_nid* nids, uint32_t count) {
  if (nids == nullptr) return is_null("nids");
  constexpr std::uint32_t kMax = ulnet::limits::kMaxInterfaces;
  if (count > kMax) return failed(-E2BIG, "a peer has at most " + std::to_string(kMax) + " NIDs");
  return with_node([&](Node& node) {
    std::vector<ulnet::Nid> all(count);
    std::transform(nids, nids + count, all.begin(), &to_nid);
    return status_of(node.add_peer(all));
  });
}

int LNetPeerDiscovered(const struct lnet_nid* nid) {
  if (nid == nullptr) return is_null("nid");
  return with_node([&](Node& node) {
    const auto known = node.peer_discovered(to_nid(*nid));
    return known ? 1 : failed(known.error());
  });
}

int LNetDiscover(const struct lnet_nid* nid, bool force) {
  if (nid == nullptr) return is_null("nid");
  return with_node([&](Node& node) {
    const auto found = node.discover(to_nid(*nid), force);
    return found ? 0 : failed(found.error());
  });
}

int ulnet_which_nid(const struct lnet_nid* nids, int count) {
  if (nids == nullptr && count > 0) return is_null("nids");
  return with_node([&](Node& node) {
    std::vector<ulnet::Nid> all(static_cast<std::size_t>(std::max(count, 0)));
    std::transform(nids, nids + all.size(), all.begin(), &to_nid);
    const auto best = node.which_nid(all);
    return best ? static_cast<int>(*best) : failed(best.error());
  });
}

void LNetDebugPeer(const struct lnet_processid* id) {
  Node* node = DefaultNode::get().node();
  if (id != nullptr && node != nullptr) node->debug_peer(to_nid(id->nid));
}

int LNetFail(const struct lnet_nid* nid, int threshold) {
  if (nid == nullptr) return is_null("nid");
  return with_node(
      [&](Node& node) { return status_of(node.simulate_failure(to_nid(*nid), threshold)); });
}

int ulnet_ping(const struct lnet_processid* target, int timeout_ms, struct lnet_nid* nids,
               int count) {
  if (target == nullptr) return is_null("target");
  if (nids == nullptr && count > 0) return is_null("nids");
  return with_node([&](Node& node) {
    ulnet::PingRequest request;
    request.target = to_process(*target);
    request.timeout = std::chrono::milliseconds(timeout_ms);
    const auto reply = node.ping(request);
    if (!reply) return failed(reply.error());
    const int known = static_cast<int>(reply->nids.size());
    // The primary NID first, the others in the peer's order.
    int filled = 0;
    if (count > 0) nids[filled++] = to_c(reply->primary);
    for (const ulnet::Nid& nid : reply->nids)
      if (!(nid == reply->primary) && filled < count) nids[filled++] = to_c(nid);
    return std::max(known, 1);
  });
}

// ---- match entries and memory descriptors

int LNetMEAttach(unsigned int portal, const struct lnet_processid* match_id, uint64_t match_bits,
                 uint64_t ignore_bits, enum lnet_unlink unlink, enum lnet_ins_pos pos,
                 lnet_handle_me_t* me) {
  if (match_id == nullptr) return is_null("match_id");
  if (me == nullptr) return is_null("me");
  return with_node([&](Node& node) {
    const auto made = node.me_attach({portal}, to_process(*match_id), {match_bits}, {ignore_bits},
                                     to_unlink(unlink), static_cast<ulnet::InsertPosition>(pos));
    if (!made) return failed(made.error());
    me->cookie = made->cookie;
    return 0;
  });
}

int LNetMDAttach(lnet_handle_me_t me, const struct lnet_md* md, enum lnet_unlink unlink,
                 lnet_handle_md_t* handle) {
  return with_node([&](Node& node) {
    const auto refuse = [&](const Error& error) {
      // On any error the ME goes too. The node unlinks the ME when it refuses an MD, here one that
      // allows neither PUT nor GET.
      (void)node.md_attach({me.cookie}, ulnet::MdSpec{}, ulnet::UnlinkMode::kRetain);
      return failed(error);
    };
    if (md == nullptr) return refuse({-EINVAL, "md is NULL"});
    if (handle == nullptr) return refuse({-EINVAL, "handle is NULL"});
    Described described;
    if (auto fit = describe(*md, described); !fit) return refuse(fit.error());
    const auto made = node.md_attach({me.cookie}, described.spec, to_unlink(unlink));
    if (!made) return failed(made.error());
    handle->cookie = made->cookie;
    return 0;
  });
}

int LNetMDBind(const struct lnet_md* md, enum lnet_unlink unlink, lnet_handle_md_t* handle) {
  if (md == nullptr) return is_null("md");
  if (handle == nullptr) return is_null("handle");
  return with_node([&](Node& node) {
    Described described;
    if (auto fit = describe(*md, described); !fit) return failed(fit.error());
    const auto made = node.md_bind(described.spec, to_unlink(unlink));
    if (!made) return failed(made.error());
    handle->cookie = made->cookie;
    return 0;
  });
}

int LNetMDUnlink(lnet_handle_md_t md) {
  return with_node([&](Node& node) { return status_of(node.md_unlink({md.cookie})); });
}

// ---- moving data

int LNetPut(const struct lnet_nid* self, lnet_handle_md_t md, enum lnet_ack_req ack,
            const struct lnet_processid* target, unsigned int portal, uint64_t match_bits,
            unsigned int offset, uint64_t hdr_data) {
  if (target == nullptr) return is_null("target");
  return with_node([&](Node& node) {
    ulnet::PutRequest request;
    request.md = {md.cookie};
    request.target = to_process(*target);
    request.portal = {portal};
    request.match_bits = {match_bits};
    request.offset = offset;
    request.hdr_data = hdr_data;
    request.ack = ack == LNET_ACK_REQ ? ulnet::AckRequest::kAck : ulnet::AckRequest::kNoAck;
    if (self != nullptr) request.self = to_nid(*self);
    return status_of(node.put(request));
  });
}

int LNetGet(const struct lnet_nid* self, lnet_handle_md_t md, const struct lnet_processid* target,
            unsigned int portal, uint64_t match_bits, unsigned int offset) {
  if (target == nullptr) return is_null("target");
  return with_node([&](Node& node) {
    ulnet::GetRequest request;
    request.md = {md.cookie};
    request.target = to_process(*target);
    request.portal = {portal};
    request.match_bits = {match_bits};
    request.offset = offset;
    if (self != nullptr) request.self = to_nid(*self);
    return status_of(node.get(request));
  });
}

int LNetSetLazyPortal(int portal) {
  return with_node([&](Node& node) {
    return status_of(node.set_lazy_portal({static_cast<std::uint32_t>(portal)}));
  });
}

int LNetClearLazyPortal(int portal) {
  return with_node([&](Node& node) {
    return status_of(node.clear_lazy_portal({static_cast<std::uint32_t>(portal)}));
  });
}

// ---- event queues

int LNetEQAlloc(unsigned int count, lnet_handler_t handler, lnet_handle_eq_t* eq) {
  if (eq == nullptr) return is_null("eq");
  return with_node([&](Node& node) {
    const auto made = DefaultNode::get().queues().add(node, count, handler);
    if (!made) return failed(made.error());
    eq->cookie = *made;
    return 0;
  });
}

int LNetEQFree(lnet_handle_eq_t eq) {
  return with_node([&](Node&) {
    const int status = DefaultNode::get().queues().remove(eq.cookie);
    if (status == -ENOENT) return no_queue();
    return status == 0 ? 0 : failed(status, "an MD names the event queue, or another call uses it");
  });
}

int LNetEQGet(lnet_handle_eq_t eq, struct lnet_event* event) {
  if (event == nullptr) return is_null("event");
  return with_node([&](Node&) {
    const EventQueues::Ref queue = DefaultNode::get().queues().find(eq.cookie);
    if (queue == nullptr) return no_queue();
    Event found;
    return got(queue->get(found), found, event);
  });
}

int ulnet_eq_descriptor(lnet_handle_eq_t eq) {
  return with_node([&](Node&) {
    const EventQueues::Ref queue = DefaultNode::get().queues().find(eq.cookie);
    if (queue == nullptr) return no_queue();
    const auto descriptor = queue->descriptor();
    return descriptor ? *descriptor : failed(descriptor.error());
  });
}

int LNetEQWait(lnet_handle_eq_t eq, struct lnet_event* event) {
  int which = 0;
  return LNetEQPoll(&eq, 1, -1, event, &which);
}

int LNetEQPoll(const lnet_handle_eq_t* eqs, int count, int timeout_ms, struct lnet_event* event,
               int* which) {
  constexpr int kMaxQueues = 64;
  if (eqs == nullptr) return is_null("eqs");
  if (event == nullptr) return is_null("event");
  if (count < 1 || count > kMaxQueues)
    return failed(-EINVAL, "between 1 and 64 event queues can be polled together");
  if (timeout_ms != 0 && in_handler()) return would_deadlock();
  return with_node([&](Node&) {
    EventQueues::Ref refs[kMaxQueues];
    EventQueue* queues[kMaxQueues];
    for (int i = 0; i < count; ++i) {
      refs[i] = DefaultNode::get().queues().find(eqs[i].cookie);
      queues[i] = refs[i].get();
      if (queues[i] == nullptr) return no_queue();
    }
    const auto timeout = timeout_ms < 0
                             ? EventQueue::kForever
                             : std::chrono::nanoseconds(std::chrono::milliseconds(timeout_ms));
    Event found;
    std::size_t index = 0;
    const auto what =
        EventQueue::poll({queues, static_cast<std::size_t>(count)}, timeout, found, index);
    if (which != nullptr) *which = static_cast<int>(index);
    return got(what, found, event);
  });
}

}  // extern "C"
