/*
 * LNet's programming interface in C99, with LNet's own call names, for a node inside the calling
 * process. Source: spec/core-semantics.md 2 to 7 and 15.
 *
 * The node. LNetNIInit() starts this process's default node and LNetNIFini() ends it. Its nets come
 * from ulnet_set_networks(), else from the environment variable ULNET_NETWORKS (a `networks=` text,
 * e.g. "tcp(eth0)" or "tcp(127.0.0.11)"), else "tcp". Module parameters come from ulnet_set_param()
 * or ULNET_PARAMS ("accept=trust accept_port=1988").
 *
 * Results. A call returns 0 (or a count), or a negative errno; then ulnet_last_error() returns the
 * reason. Every call may return, besides what it lists: -ESHUTDOWN when the node is down, -EINVAL
 * for a null pointer that is not allowed. Handles are 64-bit cookies. A handle whose object is gone
 * gives -ENOENT, never another object.
 *
 * Threads. Every call may be made from any thread, and from inside an event handler unless it
 * waits: a waiting call (LNetEQWait, LNetEQPoll with a time-out, ulnet_ping, LNetNIInit,
 * LNetNIFini, ulnet_set_*) returns -EDEADLK there. A handler must neither block nor throw a C++
 * exception: an exception that leaves a handler ends the program.
 *
 * Lifetime. The LNetNIFini() that releases the last reference ends everything: MDs, MEs and event
 * queues are freed, no handler is called any more, and a thread that waits in LNetEQWait or
 * LNetEQPoll gets -ESHUTDOWN. No other call may be under way then.
 *
 * fork(). The node does not exist in a child: its threads and connections belong to the parent. In
 * the child every call returns -ESHUTDOWN until LNetNIInit() starts another node there. Fork before
 * LNetNIInit(), or exec in the child. A handler may fork at any time, also while LNetNIFini() waits
 * for it; in the child it must not return, but exec or _exit().
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

/* A NID in its extended form, as on the wire: small (size 0) or large (size 12, IPv6). Type 0xff is
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

/* The NID "any". */
ULNET_EXPORT extern const struct lnet_nid LNET_ANY_NID;
/* Reads a NID: "192.168.1.10@tcp", "2001:db8::1@tcp1", "*". -EINVAL: the text is no NID. */
ULNET_EXPORT int ulnet_nid_parse(struct lnet_nid* nid, const char* text);
/* Writes LNet's text form with its terminating zero into `text`, which has `size` bytes
 * (LNET_NIDSTR_SIZE are always enough; a longer text is cut); returns `text`. */
ULNET_EXPORT char* ulnet_nid_format(const struct lnet_nid* nid, char* text, size_t size);

/* The number of a net in LNet: (type << 16) | number. */
#define LNET_NET_ANY 0xffffffffU
/* Reads a net: "tcp", "o2ib3". LNET_NET_ANY: the text is no net. */
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

/* The cookie that names no object. As an MD's `eq`: no event queue. */
#define LNET_HANDLE_NONE 0

/* ---- memory descriptors ---- */

/* For an ME: whether it is removed with its MD. For an MD: whether it unlinks itself when it is
 * exhausted. */
enum lnet_unlink { LNET_RETAIN = 0, LNET_UNLINK = 1 };
/* Where an ME enters its portal's list, which is searched from the head: at the head (BEFORE); at
 * the tail (AFTER); at the tail, in the table of the caller's CPU partition (LOCAL, AFTER_CPU). */
enum lnet_ins_pos {
  LNET_INS_BEFORE = 0,
  LNET_INS_AFTER = 1,
  LNET_INS_LOCAL = 2,
  LNET_INS_AFTER_CPU = 2
};
enum lnet_ack_req { LNET_NOACK_REQ = 0, LNET_ACK_REQ = 1 };

/* Options of an MD; one with any other bit is refused (-EINVAL). */
#define LNET_MD_OP_PUT (1U << 0)        /* PUTs may write into it; attached MDs only */
#define LNET_MD_OP_GET (1U << 1)        /* GETs may read from it; attached MDs only */
#define LNET_MD_MANAGE_REMOTE (1U << 2) /* the initiator's offset counts, not the MD's own */
#define LNET_MD_TRUNCATE (1U << 4)      /* a message that is too long is cut, not dropped */
#define LNET_MD_ACK_DISABLE (1U << 5)   /* no PUT is answered with an ACK */
#define LNET_MD_MAX_SIZE (1U << 7)      /* max_size limits each message; exhausted with less left */
#define LNET_MD_KIOV \
  (1U << 8) /* `start` is an array of struct iovec, `length` its number of elements */
#define LNET_MD_BULK_HANDLE (1U << 9) /* no effect: a bound MD is in its caller's CPU partition */
#define LNET_MD_TRACK_RESPONSE (1U << 10)    /* wait for the ACK or REPLY with a time-out */
#define LNET_MD_NO_TRACK_RESPONSE (1U << 11) /* wait for the ACK or REPLY without a time-out */
#define LNET_MD_GNILND (1U << 12)            /* no effect: for a driver that ulnet does not have */
#define LNET_MD_GPU_ADDR (1U << 13)          /* no effect: the memory is used like any other */
#define LNET_MD_DISCARD (1U << 14) /* the payload may be discarded; events are as if it came */
#define ULNET_MD_CPT (1U << 31)    /* `cpt` is the memory's partition; ulnet only */

#define LNET_MD_THRESH_INF (-1) /* any number of operations */
#define LNET_MAX_IOV 256        /* fragments of an MD at most */
#define LNET_MTU (1U << 20)     /* bytes of one message at most */
#define LNET_MAX_PORTALS 64     /* portals are 0 to 63; 0 is LNet's own */

/* At the target: GET, the data for a GET was sent; PUT, the data of a PUT is in memory. At the
 * initiator: REPLY, the data of its GET is in memory; ACK, the target has accepted its PUT; SEND,
 * its PUT or GET was sent, or has failed and nothing follows. UNLINK: an idle MD was unlinked by
 * call. */
enum lnet_event_kind {
  LNET_EVENT_GET = 1,
  LNET_EVENT_PUT = 2,
  LNET_EVENT_REPLY = 3,
  LNET_EVENT_ACK = 4,
  LNET_EVENT_SEND = 5,
  LNET_EVENT_UNLINK = 6
};

/* What happened to an MD. Fields that do not apply to an event of its type are zero or "any". */
struct lnet_event {
  enum lnet_event_kind type;
  int status;                      /* 0 or a negative errno */
  int unlinked;                    /* 1 in the last event of an MD: its memory may be reused */
  uint32_t msg_type;               /* SEND: the message's type on the wire, 1 PUT, 2 GET */
  uint64_t sequence;               /* grows with each event of the same CPU partition */
  struct lnet_processid target;    /* SEND: the destination; else the local process */
  struct lnet_processid initiator; /* primary NID and PID of the sender; SEND: this node's PID */
  struct lnet_nid source;          /* the NID that the message was sent from */
  struct lnet_nid sender;          /* the neighbour that the message came from */
  uint32_t pt_index;               /* SEND, PUT, GET: the portal */
  uint64_t match_bits;             /* SEND, PUT, GET, ACK */
  uint32_t rlength;                /* bytes requested */
  uint32_t mlength;                /* bytes moved */
  uint32_t offset;   /* PUT, GET: bytes from the start of the MD; SEND: the offset requested */
  uint64_t hdr_data; /* SEND and PUT of a PUT: as given to LNetPut() */
  lnet_handle_md_t md_handle;
  void* md_start; /* the first byte of the MD's memory */
  void* md_user_ptr;
  uint32_t md_options;
};

/* An event handler. It must not block. LNet never runs two calls for one MD at once; `event` is
 * valid during the call. docs/API.md lists what a handler may do. */
typedef void (*lnet_handler_t)(const struct lnet_event* event);

/* The specification of an MD for LNetMDAttach() and LNetMDBind(), which read it before they return.
 * The memory stays in use until the event with `unlinked`. */
struct lnet_md {
  void* start;
  uint32_t length; /* bytes, or fragments with LNET_MD_KIOV */
  /* Operations left, or LNET_MD_THRESH_INF. A PUT with ACK counts as two, and so does a GET. */
  int threshold;
  int max_size; /* bytes, with LNET_MD_MAX_SIZE; else unused */
  uint32_t options;
  void* user_ptr;         /* returned in the MD's events */
  lnet_handler_t handler; /* NULL: none */
  /* Cookie 0: none. A queue may have its own handler. `handler` and `eq` both: -EINVAL. */
  lnet_handle_eq_t eq;
  /* With ULNET_MD_CPT, else unused: the CPU partition of the memory. NIs near it are preferred for
   * sending. Without it the node finds out where the first page lies. */
  int cpt;
};

/* ---- starting and ending (spec 2) ---- */

/* Set the nets, or a module parameter, with which the first LNetNIInit() starts the node. NULL
 * removes an earlier setting. A wrong value is refused at once and changes nothing: -EINVAL for a
 * text or value, -ENOENT for an unknown parameter. -EBUSY while the node is up. */
ULNET_EXPORT int ulnet_set_networks(const char* networks);
ULNET_EXPORT int ulnet_set_param(const char* name, const char* value);
/* Sets the function that gets the node's log lines, `level` 0 (debug) to 3 (error); NULL: none.
 * Any thread may call it, until LNetNIFini() has returned. It must not call LNet; `line` is valid
 * during the call. -EBUSY while the node is up. */
typedef void (*ulnet_log_t)(void* context, int level, const char* line);
ULNET_EXPORT int ulnet_set_log(ulnet_log_t log, void* context);

/* Starts the node with this PID, or adds a reference to the running node. Returns 0 for the first
 * reference, else the number of references before. -EINVAL: a bad setting. -EAGAIN, -EMFILE,
 * -ENOMEM: the system has no thread, descriptor or memory. Else the driver's error. Waits. */
ULNET_EXPORT int LNetNIInit(lnet_pid_t pid);
/* Releases a reference; the last one ends the node. Returns 0; -EDEADLK inside a handler. Waits. */
ULNET_EXPORT int LNetNIFini(void);
/* Returns the reason, as text, why this thread's last failed call failed. Never NULL; valid until
 * this thread's next call. */
ULNET_EXPORT const char* ulnet_last_error(void);

/* The `index`-th NID of this node, 0@lo first. With `large_nids` false, IPv6 NIDs are not
 * counted. -ENOENT: there are fewer. */
ULNET_EXPORT int LNetGetId(unsigned int index, struct lnet_processid* id, bool large_nids);
/* The distance to a NID in hops: 0 for a NID of this node (1 with the parameter
 * local_nid_dist_zero=0), 1 for a NID on one of its nets, more for a NID that routes lead to.
 * `*src`: the local NID that would be used. `*order`: among NIDs at the same distance, the one with
 * the smallest order is preferred. `src` and `order` may be NULL. -EHOSTUNREACH: `dst` is on no net
 * of this node, and no route leads to it. */
ULNET_EXPORT int LNetDist(const struct lnet_nid* dst, struct lnet_nid* src, uint32_t* order);
/* The index of the nearest of `count` NIDs of one node. Among equally near ones the one with the
 * smallest order wins, then the first. -EHOSTUNREACH: none is on a net of this node, and no route
 * leads to one. */
ULNET_EXPORT int ulnet_which_nid(const struct lnet_nid* nids, int count);
/* True if this node has an NI on the NID's net. False for NULL, and when the node is down. */
ULNET_EXPORT bool LNetIsPeerLocal(const struct lnet_nid* nid);

/* ---- nets, NIDs and peers (spec 15) ---- */

/* True if this node has an NI on this net (a number of ulnet_net_parse()). */
ULNET_EXPORT bool LNetHasLocalNet(uint32_t net);
/* The first usable NID of this node other than 0@lo. -ENOENT: no NID is usable. */
ULNET_EXPORT int LNetLocalPrimaryNID(struct lnet_nid* nid);
/* Replaces the NID of a peer by that peer's primary NID. An unknown NID becomes a new peer. With
 * the parameter lock_prim_nid, the default, the NID returned stays the peer's primary NID, and
 * discovery runs in the background. With lock_prim_nid=0 this call waits for discovery, unless a
 * handler makes it. */
ULNET_EXPORT int LNetPrimaryNID(struct lnet_nid* nid);
/* Fills up to `count` NIDs of this node, 0@lo first, and for each whether its NI can be used;
 * returns the number of its NIDs. `up` may be NULL; so may `nids` when `count` is 0. */
ULNET_EXPORT int LNetFetchNIDs(struct lnet_nid* nids, bool* up, int count);
/* Registers a function that LNet calls, like an event handler, after an NI was added or removed, or
 * its link went up or down. It replaces the function registered before; NULL only removes that. A
 * call of the previous function that has begun may still be running when this call returns. */
ULNET_EXPORT int LNetRegisterNIDUpdates(void (*changed)(void* context), void* context);
/* The setting `discovery`; false when the node is down. */
ULNET_EXPORT bool LNetGetPeerDiscoveryStatus(void);
/* Declares a peer with these NIDs. It has multi-rail. The first is its primary NID, which never
 * changes with the parameter lock_prim_nid, the default. Other NIDs that discovery finds are
 * merged. -EINVAL: no NIDs, or one that no peer can have. -E2BIG: more than lnet_interfaces_max
 * (4096), the most NIDs of a peer. -EEXIST: a NID of a peer that an administrator has configured
 * with other NIDs. -EALREADY: the first one is a NID of a peer with another, locked primary NID. */
ULNET_EXPORT int LNetAddPeer(const struct lnet_nid* nids, uint32_t count);
/* 1: the information on the peer is up to date. -EAGAIN: discovery begins now. -EALREADY: discovery
 * is under way. -ENETRESET: the information is out of date, and discovery begins now.
 * -EHOSTUNREACH: the last discovery has failed. */
ULNET_EXPORT int LNetPeerDiscovered(const struct lnet_nid* nid);
/* Discovers a peer: fetches its NIDs by a ping, and pushes this node's NIDs to it. `force`: a known
 * peer is discovered again, for services that believe its NIDs to be out of date; if an
 * administrator has configured that peer, the log says that the configuration may be wrong. -EPERM:
 * the peer is configured, and advertises other NIDs; the configured NIDs stay. -ETIMEDOUT: no
 * answer. -EHOSTUNREACH: no route. -EPROTO: the answer is invalid. -ENOENT: the peer was deleted
 * meanwhile. -EDEADLK inside a handler. Else the driver's error. Waits. */
ULNET_EXPORT int LNetDiscover(const struct lnet_nid* nid, bool force);
/* Logs this node's state of a peer (ulnet_set_log(), level 1). */
ULNET_EXPORT void LNetDebugPeer(const struct lnet_processid* id);
/* Fault injection: the next `threshold` messages to or from `nid` fail: those to it with -EIO, and
 * those from it are dropped. LNET_ANY_NID: every peer. Each CPU partition counts its own messages.
 * -1: all messages. 0: no more. -EINVAL: less than -1. */
ULNET_EXPORT int LNetFail(const struct lnet_nid* nid, int threshold);

/* ---- match entries and memory descriptors (spec 3, 4) ---- */

/* Puts an ME on a portal. It matches messages from `match_id` (or any) whose match bits equal
 * `match_bits` wherever `ignore_bits` has a 0. It matches no message before LNetMDAttach() gives it
 * an MD. -EINVAL: no such portal. -EPERM: the portal is LNet's own (0), or its MEs are of the other
 * kind (one kind: each for one process, with no bit ignored; the other kind: all others). -ENOMEM:
 * too many MEs. */
ULNET_EXPORT int LNetMEAttach(unsigned int portal, const struct lnet_processid* match_id,
                              uint64_t match_bits, uint64_t ignore_bits, enum lnet_unlink unlink,
                              enum lnet_ins_pos pos, lnet_handle_me_t* me);
/* Gives an ME its MD. -EINVAL: neither OP_PUT nor OP_GET, more than LNET_MAX_IOV fragments, memory
 * that is NULL, max_size longer than the memory, a threshold below -1, handler and event queue
 * both. -ENOENT: no such ME or event queue. -ENOMEM: too many MDs. -EBUSY: the ME has an MD, and
 * keeps it. Any other error also removes the ME. */
ULNET_EXPORT int LNetMDAttach(lnet_handle_me_t me, const struct lnet_md* md,
                              enum lnet_unlink unlink, lnet_handle_md_t* handle);
/* Makes an MD to send from, or to receive a GET's bytes in. -EINVAL: OP_PUT or OP_GET, more than
 * LNET_MTU bytes, or an MD that LNetMDAttach() refuses. -ENOENT: no such event queue. -ENOMEM: too
 * many MDs. */
ULNET_EXPORT int LNetMDBind(const struct lnet_md* md, enum lnet_unlink unlink,
                            lnet_handle_md_t* handle);
/* Unlinks an MD. An idle MD gets its UNLINK event before this call returns; inside a handler, that
 * event follows when the handler has returned. A busy MD ends with the last event of its
 * operations, which has `unlinked`. -ENOENT: no such MD, or it is being unlinked. */
ULNET_EXPORT int LNetMDUnlink(lnet_handle_md_t md);

/* ---- moving data (spec 6) ---- */

/* Begins to send all bytes of `md`. 0: it has begun; events of the MD report how it ends. -ENOENT:
 * no such MD, or it is attached or exhausted. -EINVAL: no such portal, or `target` has a NID or PID
 * of "any". -EIO: LNetFail(). `self` may be NULL: LNet chooses the source NID. `offset`: bytes into
 * a target MD with MANAGE_REMOTE; elsewhere unused. */
ULNET_EXPORT int LNetPut(const struct lnet_nid* self, lnet_handle_md_t md, enum lnet_ack_req ack,
                         const struct lnet_processid* target, unsigned int portal,
                         uint64_t match_bits, unsigned int offset, uint64_t hdr_data);
/* Begins to fetch as many bytes as `md` has. Results: as LNetPut(). */
ULNET_EXPORT int LNetGet(const struct lnet_nid* self, lnet_handle_md_t md,
                         const struct lnet_processid* target, unsigned int portal,
                         uint64_t match_bits, unsigned int offset);

/* ---- event queues (spec 5.1) ---- */

/* Makes a queue with room for at least `count` events, or with a handler, or both. -EINVAL:
 * neither. -ENOMEM: no memory, or more than 4096 queues. */
ULNET_EXPORT int LNetEQAlloc(unsigned int count, lnet_handler_t handler, lnet_handle_eq_t* eq);
/* Frees a queue. -EBUSY: an MD names it, or a call of another thread uses it. -ENOENT: no such
 * queue. */
ULNET_EXPORT int LNetEQFree(lnet_handle_eq_t eq);
/* Fetches the oldest event. 1: an event; 0: the queue is empty; -EOVERFLOW: an event, and events
 * before it were lost; -ENOENT: no such queue. */
ULNET_EXPORT int LNetEQGet(lnet_handle_eq_t eq, struct lnet_event* event);
/* As LNetEQGet(), but waits until there is an event. */
ULNET_EXPORT int LNetEQWait(lnet_handle_eq_t eq, struct lnet_event* event);
/* Fetches the first event of 1 to 64 queues (else -EINVAL), which are checked in this order.
 * `timeout_ms` 0: check once; negative: wait forever. Returns what LNetEQGet() returns, and 0 after
 * the time-out. `*which`: the index of the event's queue; `which` may be NULL. */
ULNET_EXPORT int LNetEQPoll(const lnet_handle_eq_t* eqs, int count, int timeout_ms,
                            struct lnet_event* event, int* which);
/* A descriptor for poll(), epoll or an event loop: it can be read (POLLIN) as long as LNetEQGet()
 * would return an event. The program only watches it, neither reads nor closes it, and stops
 * watching it before LNetEQFree() or LNetNIFini(), which close it. -EINVAL: a queue without room
 * for events. -ENOENT: no such queue. -EMFILE, -ENFILE, -ENOMEM. */
ULNET_EXPORT int ulnet_eq_descriptor(lnet_handle_eq_t eq);

/* ---- portals (spec 7.1) and ping ---- */

/* From now on PUTs that find no MD on the portal wait for one. -EINVAL: no such portal. */
ULNET_EXPORT int LNetSetLazyPortal(int portal);
/* From now on PUTs that find no MD on the portal are dropped; those that wait are dropped now.
 * -EINVAL: no such portal. */
ULNET_EXPORT int LNetClearLazyPortal(int portal);

/* Pings a peer and waits for its ping info, at most `timeout_ms`. Fills up to `count` NIDs of the
 * peer, the primary one first, and returns the number of its NIDs. `nids` may be NULL when `count`
 * is 0. -ETIMEDOUT: no answer. -EHOSTUNREACH: the peer is on no net of this node. -EPROTO: the
 * answer is invalid. -EINVAL: a target NID of "any". -EIO: LNetFail(). Else the driver's error. */
ULNET_EXPORT int ulnet_ping(const struct lnet_processid* target, int timeout_ms,
                            struct lnet_nid* nids, int count);

#ifdef __cplusplus
}
#endif

#endif
