/*
 * LNet's programming interface in C99, with LNet's own call names, on a node inside the calling
 * process. Source: spec/core-semantics.md 2 to 7 and 15.
 *
 * The node. LNetNIInit() starts this process's default node (the only global of ulnet) and
 * LNetNIFini() ends it. Its nets come from ulnet_set_networks(), else from the environment variable
 * ULNET_NETWORKS (a `networks=` text, e.g. "tcp(eth0)" or "tcp(127.0.0.11)"), else "tcp". Module
 * parameters come from ulnet_set_param() or ULNET_PARAMS ("accept=trust accept_port=1988").
 *
 * Results. Every call returns 0 (or a count) or a negative errno. Handles are 64-bit cookies: a
 * stale one gives -ENOENT.
 *
 * Threads. Every call may be made from any thread, and from inside an event handler unless it
 * waits: a waiting call (LNetEQWait, LNetEQPoll with a time-out, ulnet_ping, LNetNIInit,
 * LNetNIFini) returns -EDEADLK there.
 *
 * fork(). The node does not live on in a child: its threads and connections belong to the parent.
 * In the child every call returns -ESHUTDOWN until LNetNIInit() starts a node of the child's own.
 * Fork before LNetNIInit(), or exec in the child.
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
/* Writes LNet's text form with its terminating zero into `text`, which has LNET_NIDSTR_SIZE bytes;
 * returns `text`. */
ULNET_EXPORT char* ulnet_nid_format(const struct lnet_nid* nid, char* text, size_t size);

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

enum lnet_unlink { LNET_RETAIN = 0, LNET_UNLINK = 1 };
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
#define LNET_MD_TRACK_RESPONSE (1U << 10)
#define LNET_MD_NO_TRACK_RESPONSE (1U << 11)
#define LNET_MD_DISCARD (1U << 14)

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
  uint32_t offset;
  uint64_t hdr_data;
  lnet_handle_md_t md_handle;
  void* md_start;
  void* md_user_ptr;
  uint32_t md_options;
};

/* Must not block. Calls for one MD never overlap; `event` is valid during the call. */
typedef void (*lnet_handler_t)(const struct lnet_event* event);

struct lnet_md {
  void* start;
  uint32_t length; /* bytes, or fragments with LNET_MD_KIOV */
  int threshold;   /* operations; LNET_MD_THRESH_INF */
  int max_size;    /* with LNET_MD_MAX_SIZE */
  uint32_t options;
  void* user_ptr;
  lnet_handler_t handler; /* NULL: none */
  lnet_handle_eq_t
      eq; /* cookie 0: none. An EQ may have a handler of its own; naming both here is -EINVAL */
};

/* ---- life cycle (spec 2) ---- */

/* Before the first LNetNIInit(): what it shall use. -EBUSY while the node is up. */
ULNET_EXPORT int ulnet_set_networks(const char* networks);
ULNET_EXPORT int ulnet_set_param(const char* name, const char* value);

/* Counts references: 0 for the first caller, else the previous count. -EINVAL, -ENOMEM, the
 * driver's error. */
ULNET_EXPORT int LNetNIInit(lnet_pid_t pid);
/* The last one ends the node. Always 0 (-EDEADLK inside a handler). */
ULNET_EXPORT int LNetNIFini(void);
/* Why the last failed call of this thread failed, in words; never NULL, valid until its next call.
 */
ULNET_EXPORT const char* ulnet_last_error(void);

ULNET_EXPORT int LNetGetId(unsigned int index, struct lnet_processid* id, bool large_nids);
/* Hops (0: me) or -EHOSTUNREACH; `src` and `order` may be NULL. */
ULNET_EXPORT int LNetDist(const struct lnet_nid* dst, struct lnet_nid* src, uint32_t* order);
ULNET_EXPORT bool LNetIsPeerLocal(const struct lnet_nid* nid);

/* ---- match entries and memory descriptors (spec 3, 4) ---- */

ULNET_EXPORT int LNetMEAttach(unsigned int portal, const struct lnet_processid* match_id,
                              uint64_t match_bits, uint64_t ignore_bits, enum lnet_unlink unlink,
                              enum lnet_ins_pos pos, lnet_handle_me_t* me);
/* On any error the ME is gone too. */
ULNET_EXPORT int LNetMDAttach(lnet_handle_me_t me, const struct lnet_md* md,
                              enum lnet_unlink unlink, lnet_handle_md_t* handle);
ULNET_EXPORT int LNetMDBind(const struct lnet_md* md, enum lnet_unlink unlink,
                            lnet_handle_md_t* handle);
ULNET_EXPORT int LNetMDUnlink(lnet_handle_md_t md);

/* ---- moving data (spec 6) ---- */

/* `self` may be NULL: LNet chooses the source. */
ULNET_EXPORT int LNetPut(const struct lnet_nid* self, lnet_handle_md_t md, enum lnet_ack_req ack,
                         const struct lnet_processid* target, unsigned int portal,
                         uint64_t match_bits, unsigned int offset, uint64_t hdr_data);
ULNET_EXPORT int LNetGet(const struct lnet_nid* self, lnet_handle_md_t md,
                         const struct lnet_processid* target, unsigned int portal,
                         uint64_t match_bits, unsigned int offset);

/* ---- event queues (spec 5.1) ---- */

/* Room for at least `count` events and/or a handler; both 0: -EINVAL. */
ULNET_EXPORT int LNetEQAlloc(unsigned int count, lnet_handler_t handler, lnet_handle_eq_t* eq);
ULNET_EXPORT int LNetEQFree(lnet_handle_eq_t eq);
/* 1: an event; 0: empty; -EOVERFLOW: an event, and events before it were lost; -ENOENT. */
ULNET_EXPORT int LNetEQGet(lnet_handle_eq_t eq, struct lnet_event* event);
ULNET_EXPORT int LNetEQWait(lnet_handle_eq_t eq, struct lnet_event* event);
/* Time-out 0: look once; negative: for ever. 0 when the time is over; `which` gets the index of the
 * queue. */
ULNET_EXPORT int LNetEQPoll(const lnet_handle_eq_t* eqs, int count, int timeout_ms,
                            struct lnet_event* event, int* which);

/* ---- portals (spec 7.1) and ping ---- */

ULNET_EXPORT int LNetSetLazyPortal(int portal);
ULNET_EXPORT int LNetClearLazyPortal(int portal);

/* Waits. Fills up to `count` NIDs of the peer, the primary one first, and returns how many it has.
 */
ULNET_EXPORT int ulnet_ping(const struct lnet_processid* target, int timeout_ms,
                            struct lnet_nid* nids, int count);

#ifdef __cplusplus
}
#endif

#endif
