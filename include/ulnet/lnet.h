/*
 * LNet's programming interface in C99, with LNet's own call names, on a node inside the calling
 * process. Source: spec/core-semantics.md 2 to 7 and 15.
 *
 * The node. LNetNIInit() starts this process's default node (the only global of ulnet) and
 * LNetNIFini() ends it. Its nets come from ulnet_set_networks(), else from the environment variable
 * ULNET_NETWORKS (a `networks=` text, e.g. "tcp(eth0)" or "tcp(127.0.0.11)"), else "tcp". Module
 * parameters come from ulnet_set_param() or ULNET_PARAMS ("accept=trust accept_port=1988").
 *
 * Results. Every call returns 0 (or a count) or a negative errno, and ulnet_last_error() then says
 * why. Besides what a call lists: -ESHUTDOWN when the node is down, -EINVAL for a null pointer
 * where none is allowed. Handles are 64-bit cookies: a stale one gives -ENOENT.
 *
 * Threads. Every call may be made from any thread, and from inside an event handler unless it
 * waits: a waiting call (LNetEQWait, LNetEQPoll with a time-out, ulnet_ping, LNetNIInit,
 * LNetNIFini, ulnet_set_*) returns -EDEADLK there. A handler must neither block nor throw C++
 * exceptions: one that leaves it ends the program.
 *
 * Life. LNetNIFini() by its last user ends what is left: MDs, MEs and event queues go, no handler
 * is called any more, and a thread that waits in LNetEQWait or LNetEQPoll gets -ESHUTDOWN. No other
 * call may be under way then.
 *
 * fork(). The node does not live on in a child: its threads and connections belong to the parent.
 * In the child every call returns -ESHUTDOWN until LNetNIInit() starts a node of the child's own.
 * Fork before LNetNIInit(), or exec in the child. A handler may fork at any time, also while
 * LNetNIFini() waits for it; in the child it must not return, but exec or _exit().
 */
#ifndef ULNET_LNET_H
#define ULNET_LNET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ulnet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- identity ---- */

/* A NID in its extended form, as it travels: small (size 0) or large (size 12, IPv6). Type 0xff is
 * "any". */
struct lnet_nid {
  uint8_t nid_size;
  uint8_t nid_type;
  uint8_t nid_num[2]; /* big-endian */
  uint8_t nid_addr[16];
};

typedef uint32_t lnet_pid_t;
#define LNET_PID_LUSTRE 12345U
#define LNET_PID_ANY 0xffffffffU
#define LNET_PID_USERFLAG 0x80000000U

struct lnet_processid {
  struct lnet_nid nid;
  lnet_pid_t pid;
};

#define LNET_NIDSTR_SIZE 64

/* The wildcard. */
ULNET_EXPORT extern const struct lnet_nid LNET_ANY_NID;
/* "192.168.1.10@tcp", "2001:db8::1@tcp1", "*"; -EINVAL. */
ULNET_EXPORT int ulnet_nid_parse(struct lnet_nid* nid, const char* text);
/* Writes LNet's text form with its terminating zero into `text`, which has `size` bytes
 * (LNET_NIDSTR_SIZE are always enough; a longer text is cut); returns `text`. */
ULNET_EXPORT char* ulnet_nid_format(const struct lnet_nid* nid, char* text, size_t size);

/* A net as LNet numbers it: (type << 16) | number. */
#define LNET_NET_ANY 0xffffffffU
/* "tcp", "o2ib3"; LNET_NET_ANY when it is none. */
ULNET_EXPORT uint32_t ulnet_net_parse(const char* text);

/* ---- handles ---- */

typedef struct {
  uint64_t cookie;
} lnet_handle_me_t;
typedef struct {
  uint64_t cookie;
} lnet_handle_md_t;
typedef struct {
  uint64_t cookie;
} lnet_handle_eq_t;

/* The handle that names nothing. In an MD: no event queue. */
#define LNET_HANDLE_NONE 0

/* ---- memory descriptors ---- */

/* Of an ME: whether it goes with its MD. Of an MD: whether it unlinks itself when it is exhausted.
 */
enum lnet_unlink { LNET_RETAIN = 0, LNET_UNLINK = 1 };
/* Where an ME enters its portal's list, which is searched from the head: at the head; at the tail;
 * at the tail, in the table of the caller's CPU partition. */
enum lnet_ins_pos {
  LNET_INS_BEFORE = 0,
  LNET_INS_AFTER = 1,
  LNET_INS_LOCAL = 2,
  LNET_INS_AFTER_CPU = 2
};
enum lnet_ack_req { LNET_NOACK_REQ = 0, LNET_ACK_REQ = 1 };

#define LNET_MD_OP_PUT (1U << 0)
#define LNET_MD_OP_GET (1U << 1)
#define LNET_MD_MANAGE_REMOTE (1U << 2)
#define LNET_MD_TRUNCATE (1U << 4)
#define LNET_MD_ACK_DISABLE (1U << 5)
#define LNET_MD_MAX_SIZE (1U << 7)
#define LNET_MD_KIOV \
  (1U << 8) /* `start` is an array of struct iovec, `length` its number of elements */
#define LNET_MD_BULK_HANDLE (1U << 9) /* no effect: an MD is at the partition of its caller */
#define LNET_MD_TRACK_RESPONSE (1U << 10)
#define LNET_MD_NO_TRACK_RESPONSE (1U << 11)
#define LNET_MD_GNILND (1U << 12)   /* no effect: for a driver that ulnet does not have */
#define LNET_MD_GPU_ADDR (1U << 13) /* no effect: the memory is used like any other */
#define LNET_MD_DISCARD (1U << 14)
/* An MD with any other bit is refused (-EINVAL). */

#define LNET_MD_THRESH_INF (-1)
#define LNET_MAX_IOV 256
#define LNET_MTU (1U << 20)
#define LNET_MAX_PORTALS 64

enum lnet_event_kind {
  LNET_EVENT_GET = 1,
  LNET_EVENT_PUT = 2,
  LNET_EVENT_REPLY = 3,
  LNET_EVENT_ACK = 4,
  LNET_EVENT_SEND = 5,
  LNET_EVENT_UNLINK = 6
};

struct lnet_event {
  enum lnet_event_kind type;
  int status;   /* 0 or a negative errno */
  int unlinked; /* 1 in the last event of an MD: its memory may be reused */
  uint32_t msg_type;
  uint64_t sequence;
  struct lnet_processid target;
  struct lnet_processid initiator;
  struct lnet_nid source;
  struct lnet_nid sender;
  uint32_t pt_index;
  uint64_t match_bits;
  uint32_t rlength; /* bytes asked for */
  uint32_t mlength; /* bytes moved */
  uint32_t offset;  /* bytes from the start of the target MD */
  uint64_t hdr_data;
  lnet_handle_md_t md_handle;
  void* md_start;
  void* md_user_ptr;
  uint32_t md_options;
};

/* Must not block. Calls for one MD never overlap; `event` is valid during the call. docs/API.md
 * says what a handler may do. */
typedef void (*lnet_handler_t)(const struct lnet_event* event);

struct lnet_md {
  void* start;
  uint32_t length; /* bytes, or fragments with LNET_MD_KIOV */
  int threshold;   /* operations left; LNET_MD_THRESH_INF. A PUT with ACK is two, a GET is two */
  int max_size;    /* bytes, with LNET_MD_MAX_SIZE; else not looked at */
  uint32_t options;
  void* user_ptr;
  lnet_handler_t handler; /* NULL: none */
  lnet_handle_eq_t
      eq; /* cookie 0: none. An EQ may have a handler of its own; naming both here is -EINVAL */
};

/* ---- life cycle (spec 2) ---- */

/* Before the first LNetNIInit(): what it shall use. NULL takes back what was set. What cannot be
 * right is refused at once and changes nothing: -EINVAL for a text or value, -ENOENT for a
 * parameter that does not exist. -EBUSY while the node is up. */
ULNET_EXPORT int ulnet_set_networks(const char* networks);
ULNET_EXPORT int ulnet_set_param(const char* name, const char* value);
/* Where the node's log lines go, level 0 (debug) to 3 (error); NULL: nowhere. Called by any thread,
 * until LNetNIFini() has returned; must not call LNet. -EBUSY while the node is up. */
typedef void (*ulnet_log_t)(void* context, int level, const char* line);
ULNET_EXPORT int ulnet_set_log(ulnet_log_t log, void* context);

/* Counts references: 0 for the first caller, else the previous count. Waits. -EINVAL; -EAGAIN,
 * -EMFILE, -ENOMEM: no thread, descriptor, memory; the driver's error. */
ULNET_EXPORT int LNetNIInit(lnet_pid_t pid);
/* The last one ends the node. Waits. Always 0 (-EDEADLK inside a handler). */
ULNET_EXPORT int LNetNIFini(void);
/* Why the last failed call of this thread failed, in words; never NULL, valid until its next call.
 */
ULNET_EXPORT const char* ulnet_last_error(void);

/* The `index`-th NID of this node, 0@lo first. `large_nids` false: IPv6 NIDs are passed over.
 * -ENOENT past the last one. */
ULNET_EXPORT int LNetGetId(unsigned int index, struct lnet_processid* id, bool large_nids);
/* Hops (0: me) or -EHOSTUNREACH; `src` and `order` may be NULL. */
ULNET_EXPORT int LNetDist(const struct lnet_nid* dst, struct lnet_nid* src, uint32_t* order);
/* False when it is on no net of this node, is NULL, or the node is down. */
ULNET_EXPORT bool LNetIsPeerLocal(const struct lnet_nid* nid);

/* ---- nets, NIDs and peers (spec 15) ---- */

/* Whether this node has an NI on that net (ulnet_net_parse()). */
ULNET_EXPORT bool LNetHasLocalNet(uint32_t net);
/* The first NID of this node that can be used, other than 0@lo. -ENOENT: there is none. */
ULNET_EXPORT int LNetLocalPrimaryNID(struct lnet_nid* nid);
/* Replaces a NID of a peer by the peer's primary NID, as far as it is known here; asks nobody. */
ULNET_EXPORT int LNetPrimaryNID(struct lnet_nid* nid);
/* Fills up to `count` NIDs of this node, 0@lo first, and whether each can be used; returns how many
 * there are. `up` may be NULL, `nids` with a count of 0. */
ULNET_EXPORT int LNetFetchNIDs(struct lnet_nid* nids, bool* up, int count);
/* `changed` is called, as a handler is, after an NI was added or removed or its link came or went;
 * in the place of the one before. NULL ends it: a call that has begun may still be running then. */
ULNET_EXPORT int LNetRegisterNIDUpdates(void (*changed)(void* context), void* context);
/* The setting `discovery`; false when the node is down. */
ULNET_EXPORT bool LNetGetPeerDiscoveryStatus(void);
/* Declares a peer with these NIDs, the first its primary one. -E2BIG: more than 4096, which is how
 * many a peer may tell of itself (lnet_interfaces_max). -ENOSYS: not built yet. */
ULNET_EXPORT int LNetAddPeer(const struct lnet_nid* nids, uint32_t count);
/* 1: what is known of the peer is up to date; -EAGAIN, -EALREADY, -EHOSTUNREACH, -ENETRESET.
 * -ENOSYS: not built yet. */
ULNET_EXPORT int LNetPeerDiscovered(const struct lnet_nid* nid);
/* Logs what is known of a peer (ulnet_set_log(), level 1). */
ULNET_EXPORT void LNetDebugPeer(const struct lnet_processid* id);
/* The next `threshold` messages to `nid` (LNET_ANY_NID: to everybody) fail with -EIO, those that
 * come from it are dropped; each CPU partition counts its own. -1: for ever; 0: no more. -EINVAL:
 * less. */
ULNET_EXPORT int LNetFail(const struct lnet_nid* nid, int threshold);

/* ---- match entries and memory descriptors (spec 3, 4) ---- */

/* -EINVAL: no such portal. -EPERM: the portal is LNet's own (0), or its entries are of the other
 * kind (all for one process each with no bit ignored, or all others). -ENOMEM: too many. */
ULNET_EXPORT int LNetMEAttach(unsigned int portal, const struct lnet_processid* match_id,
                              uint64_t match_bits, uint64_t ignore_bits, enum lnet_unlink unlink,
                              enum lnet_ins_pos pos, lnet_handle_me_t* me);
/* -EINVAL: neither OP_PUT nor OP_GET, more than LNET_MAX_IOV fragments, memory that is NULL,
 * max_size longer than it, a threshold below -1, handler and event queue both. -ENOENT: no such ME
 * or event queue. -ENOMEM: too many. -EBUSY: the ME has an MD and keeps it; on any other error the
 * ME is gone too. */
ULNET_EXPORT int LNetMDAttach(lnet_handle_me_t me, const struct lnet_md* md,
                              enum lnet_unlink unlink, lnet_handle_md_t* handle);
/* -EINVAL: OP_PUT or OP_GET, more than LNET_MTU bytes, and what LNetMDAttach() refuses. */
ULNET_EXPORT int LNetMDBind(const struct lnet_md* md, enum lnet_unlink unlink,
                            lnet_handle_md_t* handle);
/* An idle MD's UNLINK event is delivered before this returns, but follows when the handler has
 * returned inside which it is called. A busy one ends with its last operation's event. -ENOENT: no
 * such MD, or it is being unlinked. */
ULNET_EXPORT int LNetMDUnlink(lnet_handle_md_t md);

/* ---- moving data (spec 6) ---- */

/* 0: it has begun, and ends with events of the MD. -ENOENT: no such MD, or it is attached or used
 * up. -EINVAL: no such portal, or a target with NID or PID "any". -EIO: LNetFail(). `self` may be
 * NULL: LNet chooses the source. `offset`: bytes into a target with MANAGE_REMOTE. */
ULNET_EXPORT int LNetPut(const struct lnet_nid* self, lnet_handle_md_t md, enum lnet_ack_req ack,
                         const struct lnet_processid* target, unsigned int portal,
                         uint64_t match_bits, unsigned int offset, uint64_t hdr_data);
/* As LNetPut(); as many bytes are asked for as the MD has. */
ULNET_EXPORT int LNetGet(const struct lnet_nid* self, lnet_handle_md_t md,
                         const struct lnet_processid* target, unsigned int portal,
                         uint64_t match_bits, unsigned int offset);

/* ---- event queues (spec 5.1) ---- */

/* Room for at least `count` events and/or a handler; both 0: -EINVAL. -ENOMEM: no memory, or more
 * than 4096 queues. */
ULNET_EXPORT int LNetEQAlloc(unsigned int count, lnet_handler_t handler, lnet_handle_eq_t* eq);
/* -EBUSY while an MD names it or another thread's call uses it; -ENOENT. */
ULNET_EXPORT int LNetEQFree(lnet_handle_eq_t eq);
/* 1: an event; 0: empty; -EOVERFLOW: an event, and events before it were lost; -ENOENT. */
ULNET_EXPORT int LNetEQGet(lnet_handle_eq_t eq, struct lnet_event* event);
/* The same, but waits for an event. */
ULNET_EXPORT int LNetEQWait(lnet_handle_eq_t eq, struct lnet_event* event);
/* The first event of 1 to 64 queues (else -EINVAL). Time-out 0: look once; negative: for ever.
 * Returns as LNetEQGet(), 0 when the time is over; `which`, which may be NULL, gets the index of
 * the queue. */
ULNET_EXPORT int LNetEQPoll(const lnet_handle_eq_t* eqs, int count, int timeout_ms,
                            struct lnet_event* event, int* which);

/* ---- portals (spec 7.1) and ping ---- */

/* PUTs that find no MD on the portal wait for one. -EINVAL: no such portal. */
ULNET_EXPORT int LNetSetLazyPortal(int portal);
/* ... no more; those that wait are dropped. -EINVAL. */
ULNET_EXPORT int LNetClearLazyPortal(int portal);

/* Waits. Fills up to `count` NIDs of the peer, the primary one first, and returns how many it has.
 * `nids` may be NULL with a count of 0. -ETIMEDOUT: no answer. -EHOSTUNREACH: no way there.
 * -EPROTO: the answer makes no sense. -EINVAL, the driver's error. */
ULNET_EXPORT int ulnet_ping(const struct lnet_processid* target, int timeout_ms,
                            struct lnet_nid* nids, int count);

#ifdef __cplusplus
}
#endif

#endif
