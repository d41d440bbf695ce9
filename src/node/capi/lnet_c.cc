// The C interface (ulnet/lnet.h) over the default node: every call translates, asks, translates
// back.
#include <algorithm>
#include <cstdio>
#include <string>

#include "lnd/per_thread.h"
#include "node/capi/default_node.h"
#include "node/capi/translate.h"
#include "node/outer_loop.h"

namespace {

using ulnet::Error;
using ulnet::Event;
using ulnet::EventQueue;
using ulnet::Node;
using ulnet::Result;
using ulnet::capi::DefaultNode;
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
bool in_handler() { return ulnet::node::OuterLoop::current().running(); }
int would_deadlock() { return failed(-EDEADLK, "this call waits, and a handler must not"); }

template <class T>
int status_of(const Result<T>& result) {
  return result ? 0 : failed(result.error());
}

/// The MD as C++ describes it; `one` is where a single buffer is put. Not with handler and event
/// queue both.
Result<ulnet::MdSpec> spec_of(const lnet_md& md, iovec& one) {
  ulnet::MdSpec spec;
  if (md.options & LNET_MD_KIOV) {
    if (md.start == nullptr && md.length != 0)
      return ulnet::fail(-EINVAL, "fragments without an array");
    spec.fragments = {static_cast<const iovec*>(md.start), md.length};
  } else {
    one = {md.start, md.length};
    spec.fragments = {&one, 1};
  }
  spec.threshold = md.threshold;
  if (md.max_size < 0) return ulnet::fail(-EINVAL, "max_size is negative");
  spec.max_size = static_cast<std::uint32_t>(md.max_size);
  spec.options = md.options & ~LNET_MD_KIOV;
  spec.user_ptr = md.user_ptr;
  DefaultNode& home = DefaultNode::get();
  if (md.handler != nullptr && md.eq.cookie != 0)
    return ulnet::fail(-EINVAL, "an MD has a handler or an event queue, not both");
  if (md.handler != nullptr) spec.sink = &home.sinks().of(md.handler);
  if (md.eq.cookie != 0) {
    spec.sink = home.queues().find(md.eq.cookie);
    if (spec.sink == nullptr) return ulnet::fail(-ENOENT, "no such event queue");
  }
  return spec;
}

int got(EventQueue::Got what, const Event& event, lnet_event* out) {
  if (what == EventQueue::Got::kNothing) return 0;
  *out = to_c(event);
  return what == EventQueue::Got::kEventAfterLoss ? -EOVERFLOW : 1;
}

}  // namespace

extern "C" {

constinit const struct lnet_nid LNET_ANY_NID = to_c(ulnet::Nid::any());

int ulnet_nid_parse(struct lnet_nid* nid, const char* text) {
  const std::string_view words(text);
  const auto parsed =
      words == "*" ? Result<ulnet::Nid>(ulnet::Nid::any()) : ulnet::Nid::parse(words);
  if (!parsed) return failed(parsed.error());
  *nid = to_c(*parsed);
  return 0;
}

char* ulnet_nid_format(const struct lnet_nid* nid, char* text, size_t size) {
  std::snprintf(text, size, "%s", to_nid(*nid).to_string().c_str());
  return text;
}

int ulnet_set_networks(const char* networks) { return DefaultNode::get().set_networks(networks); }
int ulnet_set_param(const char* name, const char* value) {
  return DefaultNode::get().set_param(name, value);
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

int LNetGetId(unsigned int index, struct lnet_processid* id, bool large_nids) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  const auto found = node->get_id(index, large_nids);
  if (!found) return failed(found.error());
  *id = to_c(*found);
  return 0;
}

int LNetDist(const struct lnet_nid* dst, struct lnet_nid* src, uint32_t* order) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  const auto distance = node->dist(to_nid(*dst));
  if (!distance) return failed(distance.error());
  if (src != nullptr) *src = to_c(distance->source);
  if (order != nullptr) *order = distance->order;
  return distance->hops;
}

bool LNetIsPeerLocal(const struct lnet_nid* nid) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return false;
  const ulnet::NetId net = to_nid(*nid).net();
  for (unsigned index = 0;; ++index) {
    const auto id = node->get_id(index, true);
    if (!id) return false;
    if (id->nid.net() == net) return true;
  }
}

int LNetMEAttach(unsigned int portal, const struct lnet_processid* match_id, uint64_t match_bits,
                 uint64_t ignore_bits, enum lnet_unlink unlink, enum lnet_ins_pos pos,
                 lnet_handle_me_t* me) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  const auto made = node->me_attach({portal}, to_process(*match_id), {match_bits}, {ignore_bits},
                                    to_unlink(unlink), static_cast<ulnet::InsertPosition>(pos));
  if (!made) return failed(made.error());
  me->cookie = made->cookie;
  return 0;
}

int LNetMDAttach(lnet_handle_me_t me, const struct lnet_md* md, enum lnet_unlink unlink,
                 lnet_handle_md_t* handle) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  iovec one{};
  auto spec = spec_of(*md, one);
  // On any error the ME goes too: a description that says neither PUT nor GET is refused by the
  // node.
  if (!spec) (void)node->md_attach({me.cookie}, ulnet::MdSpec{}, ulnet::UnlinkMode::kRetain);
  if (!spec) return failed(spec.error());
  const auto made = node->md_attach({me.cookie}, *spec, to_unlink(unlink));
  if (!made) return failed(made.error());
  handle->cookie = made->cookie;
  return 0;
}

int LNetMDBind(const struct lnet_md* md, enum lnet_unlink unlink, lnet_handle_md_t* handle) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  iovec one{};
  const auto spec = spec_of(*md, one);
  if (!spec) return failed(spec.error());
  const auto made = node->md_bind(*spec, to_unlink(unlink));
  if (!made) return failed(made.error());
  handle->cookie = made->cookie;
  return 0;
}

int LNetMDUnlink(lnet_handle_md_t md) {
  Node* node = DefaultNode::get().node();
  return node == nullptr ? down() : status_of(node->md_unlink({md.cookie}));
}

int LNetPut(const struct lnet_nid* self, lnet_handle_md_t md, enum lnet_ack_req ack,
            const struct lnet_processid* target, unsigned int portal, uint64_t match_bits,
            unsigned int offset, uint64_t hdr_data) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  ulnet::PutRequest request;
  request.md = {md.cookie};
  request.target = to_process(*target);
  request.portal = {portal};
  request.match_bits = {match_bits};
  request.offset = offset;
  request.hdr_data = hdr_data;
  request.ack = ack == LNET_ACK_REQ ? ulnet::AckRequest::kAck : ulnet::AckRequest::kNoAck;
  if (self != nullptr) request.self = to_nid(*self);
  return status_of(node->put(request));
}

int LNetGet(const struct lnet_nid* self, lnet_handle_md_t md, const struct lnet_processid* target,
            unsigned int portal, uint64_t match_bits, unsigned int offset) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  ulnet::GetRequest request;
  request.md = {md.cookie};
  request.target = to_process(*target);
  request.portal = {portal};
  request.match_bits = {match_bits};
  request.offset = offset;
  if (self != nullptr) request.self = to_nid(*self);
  return status_of(node->get(request));
}

int LNetEQAlloc(unsigned int count, lnet_handler_t handler, lnet_handle_eq_t* eq) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  const auto made = DefaultNode::get().queues().add(*node, count, handler);
  if (!made) return failed(made.error());
  eq->cookie = *made;
  return 0;
}

int LNetEQFree(lnet_handle_eq_t eq) { return DefaultNode::get().queues().remove(eq.cookie); }

int LNetEQGet(lnet_handle_eq_t eq, struct lnet_event* event) {
  EventQueue* queue = DefaultNode::get().queues().find(eq.cookie);
  if (queue == nullptr) return failed(-ENOENT, "no such event queue");
  Event found;
  return got(queue->get(found), found, event);
}

int LNetEQWait(lnet_handle_eq_t eq, struct lnet_event* event) {
  int which = 0;
  return LNetEQPoll(&eq, 1, -1, event, &which);
}

int LNetEQPoll(const lnet_handle_eq_t* eqs, int count, int timeout_ms, struct lnet_event* event,
               int* which) {
  constexpr int kMaxQueues = 64;
  if (count < 1 || count > kMaxQueues)
    return failed(-EINVAL, "between 1 and 64 event queues can be polled together");
  if (timeout_ms != 0 && in_handler()) return would_deadlock();
  EventQueue* queues[kMaxQueues];
  for (int i = 0; i < count; ++i) {
    queues[i] = DefaultNode::get().queues().find(eqs[i].cookie);
    if (queues[i] == nullptr) return failed(-ENOENT, "no such event queue");
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
}

int LNetSetLazyPortal(int portal) {
  Node* node = DefaultNode::get().node();
  return node == nullptr ? down()
                         : status_of(node->set_lazy_portal({static_cast<std::uint32_t>(portal)}));
}

int LNetClearLazyPortal(int portal) {
  Node* node = DefaultNode::get().node();
  return node == nullptr ? down()
                         : status_of(node->clear_lazy_portal({static_cast<std::uint32_t>(portal)}));
}

int ulnet_ping(const struct lnet_processid* target, int timeout_ms, struct lnet_nid* nids,
               int count) {
  Node* node = DefaultNode::get().node();
  if (node == nullptr) return down();
  ulnet::PingRequest request;
  request.target = to_process(*target);
  request.timeout = std::chrono::milliseconds(timeout_ms);
  const auto reply = node->ping(request);
  if (!reply) return failed(reply.error());
  const int known = static_cast<int>(reply->nids.size());
  // The primary NID first, the others in the peer's order.
  int filled = 0;
  if (count > 0) nids[filled++] = to_c(reply->primary);
  for (const ulnet::Nid& nid : reply->nids)
    if (!(nid == reply->primary) && filled < count) nids[filled++] = to_c(nid);
  return std::max(known, 1);
}

}  // extern "C"
