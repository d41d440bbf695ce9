/*
 * LNet's configuration in C99: the functions of Lustre's DLC API, for a node (ulnetd) that runs on
 * this machine, for programs that link Lustre's library today. ulnetctl and these functions use the
 * same client of the node. Source: spec/cli-lnetctl.md 13; their output and errors: 4 and 7.
 *
 * The node. lustre_lnet_config_lib_init() connects the process to one node: that of
 * ulnet_lnetconfig_use_node(), else that of the environment variable ULNET_CONTROL, else the only
 * one that runs. A node that was found in this last way can be shown but not changed (-EPERM). A
 * call after the node has ended returns -ECONNRESET; the next call connects again.
 *
 * Results. A call returns 0, or a negative errno (library codes are such errnos). After a failure
 * `*err_rc` has one more error (cYAML_build_error()). Output is added to `*show_rc` in the form
 * that ulnetctl prints, so several calls with one tree make one document. The caller owns both
 * trees, initialises them to NULL, and frees them with cYAML_free_tree(). Without output `*show_rc`
 * does not change. Either pointer may be NULL: not requested. `seq_no` becomes part of an error;
 * -1: none.
 *
 * Threads. Every call may be made from any thread. Calls of one process to the node run one after
 * the other, and each waits for the node; a ping may wait until its time-out. Trees and lists are
 * used by one thread at a time.
 *
 * Errors that every call may return besides its own: -ENOTCONN, lustre_lnet_config_lib_init() has
 * not succeeded; -ECONNRESET; -ENETDOWN, LNet is not configured; -EACCES and -EPERM, the caller has
 * no permission; -ENOMEM; -ENOSYS, the node does not support the call (yet), such as the functions
 * marked "[not yet]".
 */
#ifndef ULNET_LNETCONFIG_H
#define ULNET_LNETCONFIG_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "ulnet/cyaml.h"
#include "ulnet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Library codes (spec/cli-lnetctl.md 7). */
#define LUSTRE_LNET_NO_ERR 0
#define LUSTRE_LNET_BAD_PARAM (-EINVAL)
#define LUSTRE_LNET_MISSING_PARAM (-EFAULT)
#define LUSTRE_LNET_OUT_OF_RANGE_PARAM (-ERANGE)
#define LUSTRE_LNET_OUT_OF_MEM (-ENOMEM)
#define LUSTRE_LNET_GENERIC_ERR (-ENODATA)
#define LUSTRE_LNET_NO_MATCH (-ENOMSG)
#define LUSTRE_LNET_MATCH (-EXFULL)
#define LUSTRE_LNET_TARGET_FAILED (-1) /* ping, discover: a target did not answer */

/* ---- the library ---- */

/* Names the node: its control socket, or its name. NULL: back to the default. -EBUSY: after
 * lustre_lnet_config_lib_init(). */
ULNET_EXPORT int ulnet_lnetconfig_use_node(const char* control);
/* Connects to the node. Each call that returns 0 needs a lustre_lnet_config_lib_uninit(); the last
 * of these disconnects. -ENOENT, -ECONNREFUSED: no node runs there. -EEXIST: several nodes run and
 * no name was given. -EPROTO: the node speaks another version. */
ULNET_EXPORT int lustre_lnet_config_lib_init(void);
ULNET_EXPORT void lustre_lnet_config_lib_uninit(void);
/* The reason why this thread's last failed call failed, and a hint what to do, if the node has one:
 * text for users, never NULL, valid until the thread's next call. */
ULNET_EXPORT const char* ulnet_lnetconfig_last_error(void);
ULNET_EXPORT const char* ulnet_lnetconfig_last_hint(void);

/* ---- lists of interfaces, CPU partitions and addresses ---- */

#define LUSTRE_LNET_NAME_SIZE 65   /* bytes of an interface's or a net's name with its zero */
#define LUSTRE_LNET_NIDSTR_SIZE 64 /* bytes of a NID's text with its zero */
#define LUSTRE_LNET_CPTS_MAX 256
#define LUSTRE_LNET_PEER_NIDS_MAX 128 /* most NIDs of a peer in one call */

/* Numbers of CPU partitions; count 0: all. */
struct lustre_lnet_cpts {
  unsigned int count;
  uint32_t cpt[LUSTRE_LNET_CPTS_MAX];
};

/* An interface of a list: made and freed by the functions below. */
struct lustre_lnet_intf_descr {
  struct lustre_lnet_intf_descr* next;
  char name[LUSTRE_LNET_NAME_SIZE]; /* a device ("eth0", "eth0:0") or an address ("127.0.0.11") */
  struct lustre_lnet_cpts cpts;
};

/* A net, and the NIs of the net to which a call applies. */
struct lustre_lnet_nw_descr {
  char net[LUSTRE_LNET_NAME_SIZE];           /* "tcp", "tcp1" */
  char nid[LUSTRE_LNET_NIDSTR_SIZE];         /* the NI with this NID; empty: see `interfaces` */
  struct lustre_lnet_intf_descr* interfaces; /* the NIs on these; to delete, NULL: all */
};

/* An address range of an ip2nets rule: made and freed by the functions below. */
struct lustre_lnet_ip_range {
  struct lustre_lnet_ip_range* next;
  char pattern[256]; /* "192.168.[1-3].*", "2001:db8::/64" */
};
/* A rule of spec/cli-lnetctl.md 5.4. */
struct lustre_lnet_ip2nets {
  struct lustre_lnet_nw_descr nw;      /* without `nid` */
  struct lustre_lnet_ip_range* ranges; /* NULL: none */
};

/* The tunables of an NI; LUSTRE_LNET_NOT_GIVEN: the default (spec/cli-lnetctl.md 11.2). */
#define LUSTRE_LNET_NOT_GIVEN INT32_MIN
struct lustre_lnet_tunables {
  int32_t peer_timeout, peer_credits, peer_buffer_credits, credits;
  int32_t conns_per_peer, tos;
};
#define LUSTRE_LNET_TUNABLES_INIT                                                               \
  {                                                                                             \
    LUSTRE_LNET_NOT_GIVEN, LUSTRE_LNET_NOT_GIVEN, LUSTRE_LNET_NOT_GIVEN, LUSTRE_LNET_NOT_GIVEN, \
        LUSTRE_LNET_NOT_GIVEN, LUSTRE_LNET_NOT_GIVEN                                            \
  }

/* Makes the descriptor empty, without freeing its contents. */
ULNET_EXPORT void lustre_lnet_init_nw_descr(struct lustre_lnet_nw_descr* nw_descr);
/* Adds an interface behind the others; `cpts` NULL: all. -EINVAL: no name, too long a name. */
ULNET_EXPORT int lustre_lnet_add_intf_descr(struct lustre_lnet_intf_descr** list, const char* name,
                                            const struct lustre_lnet_cpts* cpts);
/* Adds the interfaces of "eth0,eth1[0,1]" to the descriptor, or none of them. -EINVAL: the text is
 * no such list; -ERANGE: no such CPU partition. */
ULNET_EXPORT int lustre_lnet_parse_interfaces(const char* text,
                                              struct lustre_lnet_nw_descr* nw_descr);
ULNET_EXPORT void lustre_lnet_free_intf_descr(struct lustre_lnet_intf_descr** list);
/* Adds a range behind the others. -EINVAL: the pattern is no range of addresses. */
ULNET_EXPORT int lustre_lnet_add_ip_range(struct lustre_lnet_ip_range** list, const char* pattern);
ULNET_EXPORT void lustre_lnet_free_ip_ranges(struct lustre_lnet_ip_range** list);

/* ---- NIDs (spec/cli-lnetctl.md 8) ---- */

/* Writes the NIDs that a list of NIDs and patterns names, at most `max` of them, each of
 * LUSTRE_LNET_NIDSTR_SIZE bytes. Returns their number; -1: the list does not parse or has more. */
ULNET_EXPORT int lustre_lnet_parse_nidstr(const char* text, char (*nids)[LUSTRE_LNET_NIDSTR_SIZE],
                                          int max);
/* A parsed list of NIDs and patterns, opaque. lustre_lnet_parse_nid_range() returns NULL if the
 * text does not parse. */
struct lustre_lnet_nid_range;
ULNET_EXPORT struct lustre_lnet_nid_range* lustre_lnet_parse_nid_range(const char* text);
ULNET_EXPORT void lustre_lnet_free_list(struct lustre_lnet_nid_range* list);
/* LUSTRE_LNET_MATCH when `nid` is in the list, else LUSTRE_LNET_NO_MATCH; -EINVAL: `nid` is no NID.
 * With `nid` NULL shows the NIDs of the list, at most 128: `nidlist: - NID`; -E2BIG. */
ULNET_EXPORT int lustre_lnet_debug_nidlist(const struct lustre_lnet_nid_range* list,
                                           const char* nid, int seq_no, struct cYAML** show_rc,
                                           struct cYAML** err_rc);

/* ---- LNet and its NIs (spec/cli-lnetctl.md 3.1 to 3.5) ---- */

/* `lnet configure`, with `load_ni_from_mod` also the nets of the module parameters, or `lnet
 * unconfigure`. -EBUSY: LNet is in use and stays up. */
ULNET_EXPORT int lustre_lnet_config_ni_system(bool up, bool load_ni_from_mod, int seq_no,
                                              struct cYAML** err_rc);
/* Adds the NIs of the descriptor, or those of the ip2nets text (spec/cli-lnetctl.md 9.3; then
 * `nw_descr` may be NULL), until one fails. `global_cpts`: for interfaces without their own; it and
 * `tunables` may be NULL. -EFAULT: no net; -EEXIST: the NI exists; -ENETDOWN: the interface is
 * missing or down; -EINVAL, -ERANGE, -ENOSPC: see `descr`. */
ULNET_EXPORT int lustre_lnet_config_ni(const struct lustre_lnet_nw_descr* nw_descr,
                                       const struct lustre_lnet_cpts* global_cpts,
                                       const char* ip2net,
                                       const struct lustre_lnet_tunables* tunables, int seq_no,
                                       struct cYAML** err_rc);
/* Adds the NIs that a rule selects on this machine (spec/cli-lnetctl.md 5.4). -EINVAL: no NI
 * matches. */
ULNET_EXPORT int lustre_lnet_config_ip2nets(const struct lustre_lnet_ip2nets* ip2nets,
                                            const struct lustre_lnet_tunables* tunables,
                                            const struct lustre_lnet_cpts* global_cpts, int seq_no,
                                            struct cYAML** err_rc);
/* Writes the NIDs of the NIs that a rule selects on this machine, at most `*count`; then `*count`
 * is their number. -EINVAL: no NI matches; `err_str` has the reason, cut to `err_size` bytes.
 * -E2BIG: more. The call needs no node. */
ULNET_EXPORT int lustre_lnet_resolve_ip2nets_rule(const struct lustre_lnet_ip2nets* ip2nets,
                                                  char (*nids)[LUSTRE_LNET_NIDSTR_SIZE],
                                                  unsigned int* count, char* err_str,
                                                  size_t err_size);
/* Deletes the net, or its NIs that the descriptor names, until one fails. -ENOENT, -ESRCH: no such
 * net; -EBUSY. */
ULNET_EXPORT int lustre_lnet_del_ni(const struct lustre_lnet_nw_descr* nw_descr, int seq_no,
                                    struct cYAML** err_rc);
/* Shows `net:`; `net` NULL: all nets. `detail`: the level of verbosity, 0 to 5. `backup`: only
 * configuration. -ENOENT: not the name of a net; -ESRCH: not configured. */
ULNET_EXPORT int lustre_lnet_show_net(const char* net, int detail, int seq_no,
                                      struct cYAML** show_rc, struct cYAML** err_rc, bool backup);
/* Sets the health, 0 to 1000, of the NI with this NID, or of all. An unknown NID is accepted. */
ULNET_EXPORT int lustre_lnet_config_ni_healthv(int value, bool all, const char* ni_nid, int seq_no,
                                               struct cYAML** err_rc);
/* Sets the number of connections per peer, 0 to 127, of the NI with this NID, or of all. */
ULNET_EXPORT int lustre_lnet_config_ni_conns_per_peer(int value, bool all, const char* ni_nid,
                                                      int seq_no, struct cYAML** err_rc);
/* Sets the LND time-out, in seconds, of the nets of the type of `net`; 0: the global value. */
ULNET_EXPORT int lustre_lnet_config_lnd_timeout(int timeout, const char* net, int seq_no,
                                                struct cYAML** err_rc);
/* Shows `global:` with lnd_timeout. */
ULNET_EXPORT int lustre_lnet_show_lnd_timeout(int seq_no, struct cYAML** show_rc,
                                              struct cYAML** err_rc);
/* Shows the NIs in recovery, `Local NI recovery:`. */
ULNET_EXPORT int lustre_lnet_show_local_ni_recovq(int seq_no, struct cYAML** show_rc,
                                                  struct cYAML** err_rc);

/* ---- routes and routing (spec/cli-lnetctl.md 3.6, 3.7) ---- */

/* Adds a route to `net` through `gateway`. If that is a list or a pattern of NIDs, adds a route
 * through each of them or, after an error, through none. `hops` -1: undefined, else 1 to 255;
 * `priority` -1: not given. */
ULNET_EXPORT int lustre_lnet_config_route(const char* net, const char* gateway, int hops,
                                          int priority, int seq_no, struct cYAML** err_rc);
/* Deletes the route to `net` through `gateway`. -ENOENT: there is no such route. */
ULNET_EXPORT int lustre_lnet_del_route(const char* net, const char* gateway, int seq_no,
                                       struct cYAML** err_rc);
/* Shows `route:`: the routes to `net` through `gateway` (NIDs or patterns), if these are not NULL.
 * `hops` and `prio` are ignored, as LNet does. */
ULNET_EXPORT int lustre_lnet_show_route(const char* net, const char* gateway, int hops, int prio,
                                        int detail, int seq_no, struct cYAML** show_rc,
                                        struct cYAML** err_rc, bool backup);
/* Turns routing off (0) or on (1). -EBUSY: it is being turned off. */
ULNET_EXPORT int lustre_lnet_config_routing(int enable, int seq_no, struct cYAML** err_rc);
/* Sets the numbers of router buffers of the whole node; -1: unchanged, 0: the default. */
ULNET_EXPORT int lustre_lnet_config_buffers(int tiny, int small, int large, int seq_no,
                                            struct cYAML** err_rc);
/* Shows `routing:` and `buffers:`. */
ULNET_EXPORT int lustre_lnet_show_routing(int seq_no, struct cYAML** show_rc, struct cYAML** err_rc,
                                          bool backup);

/* ---- settings (spec/cli-lnetctl.md 11.1 has the ranges) ----
 *
 * A value that the node refuses is LUSTRE_LNET_GENERIC_ERR. A show function adds its setting to
 * `global:`. */

ULNET_EXPORT int lustre_lnet_config_numa_range(int range, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_max_intf(int max, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_discovery(int enable, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_drop_asym_route(int drop, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_retry_count(int count, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_transaction_to(int timeout, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_hsensitivity(int sensitivity, int seq_no,
                                                 struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_recov_intrv(int interval, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_rtr_sensitivity(int percentage, int seq_no,
                                                    struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_response_tracking(int value, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_recovery_limit(int seconds, int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_max_recovery_ping_interval(int seconds, int seq_no,
                                                               struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_numa_range(int seq_no, struct cYAML** show_rc,
                                             struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_max_intf(int seq_no, struct cYAML** show_rc,
                                           struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_discovery(int seq_no, struct cYAML** show_rc,
                                            struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_drop_asym_route(int seq_no, struct cYAML** show_rc,
                                                  struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_retry_count(int seq_no, struct cYAML** show_rc,
                                              struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_transaction_to(int seq_no, struct cYAML** show_rc,
                                                 struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_hsensitivity(int seq_no, struct cYAML** show_rc,
                                               struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_recov_intrv(int seq_no, struct cYAML** show_rc,
                                              struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_rtr_sensitivity(int seq_no, struct cYAML** show_rc,
                                                  struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_response_tracking(int seq_no, struct cYAML** show_rc,
                                                    struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_recovery_limit(int seq_no, struct cYAML** show_rc,
                                                 struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_show_max_recovery_ping_interval(int seq_no, struct cYAML** show_rc,
                                                             struct cYAML** err_rc);

/* ---- peers (spec/cli-lnetctl.md 3.8, 3.9) ---- */

enum lustre_lnet_peer_cmd { LUSTRE_LNET_PEER_ADD = 0, LUSTRE_LNET_PEER_DEL = 1 };

/* Adds a peer, or NIDs to it, or deletes NIDs of it; `nids` NULL or empty: deletes the whole peer.
 * `is_mr`: the added peer is Multi-Rail. `force_lock`: when adding, locks the primary NID; when
 * deleting, deletes even a locked one. -EFAULT: no primary NID; -E2BIG: more than
 * LUSTRE_LNET_PEER_NIDS_MAX. When adding: -EEXIST, one of the NIDs is of another configured peer,
 * or of this node. When deleting: -ENOENT, unknown; -ENODEV, not its primary NID; -ECHILD, a NID of
 * another peer; -EBUSY. */
ULNET_EXPORT int lustre_lnet_modify_peer(const char* prim_nid, const char* nids, bool is_mr,
                                         enum lustre_lnet_peer_cmd cmd, bool force_lock, int seq_no,
                                         struct cYAML** err_rc);
/* Shows `peer:`; `nid` NULL: all peers. -ENOENT: no peer has that NID. */
ULNET_EXPORT int lustre_lnet_show_peer(const char* nid, int detail, int seq_no,
                                       struct cYAML** show_rc, struct cYAML** err_rc, bool backup);
/* Shows `peer list:`, the primary NIDs. */
ULNET_EXPORT int lustre_lnet_list_peer(int seq_no, struct cYAML** show_rc, struct cYAML** err_rc);
/* The node logs its state of the peer. */
ULNET_EXPORT int lustre_lnet_show_peer_debug_info(const char* peer_nid, int seq_no,
                                                  struct cYAML** err_rc);
/* Sets the bits of the peer's state (spec/multirail.md 1.1), for debugging. -ENOENT: no peer has
 * the NID. */
ULNET_EXPORT int lustre_lnet_set_peer_state(int state, const char* peer_nid, int seq_no,
                                            struct cYAML** err_rc);
/* Sets the health, 0 to 1000, of the peer NI, or of all. -ENOENT: no peer has the NID. */
ULNET_EXPORT int lustre_lnet_config_peer_ni_healthv(int value, bool all, const char* peer_nid,
                                                    int seq_no, struct cYAML** err_rc);
/* Shows the peer NIs in recovery, `Peer NI recovery:`. */
ULNET_EXPORT int lustre_lnet_show_peer_ni_recovq(int seq_no, struct cYAML** show_rc,
                                                 struct cYAML** err_rc);

/* ---- ping and discovery (spec/cli-lnetctl.md 3.10, 3.11, 4.7) ---- */

/* Pings a list of at most 1024 NIDs, patterns and host names, from `src_nid` if that is not NULL,
 * for `timeout` seconds each (not 1 to 180: 180). Shows `ping:` for those that answered;
 * LUSTRE_LNET_TARGET_FAILED: an error for each other target. */
ULNET_EXPORT int lustre_lnet_ping_nid(const char* nids, const char* src_nid, int timeout,
                                      int seq_no, struct cYAML** show_rc, struct cYAML** err_rc);
/* Discovers the peers that have the NIDs of such a list, in which each NID names its net; `force`:
 * known peers too. Shows `discover:` for those that answered; LUSTRE_LNET_TARGET_FAILED: an error
 * for each other target. */
ULNET_EXPORT int lustre_lnet_discover_nid(const char* nids, bool force, int seq_no,
                                          struct cYAML** show_rc, struct cYAML** err_rc);

/* ---- counters (spec/cli-lnetctl.md 3.12, 4.5) ---- */

ULNET_EXPORT int lustre_lnet_show_stats(int seq_no, struct cYAML** show_rc, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_reset_stats(int seq_no, struct cYAML** err_rc);

/* ---- selection policies (spec/cli-lnetctl.md 3.14, 4.8) ---- */

/* Adds a rule. Criteria that are not given are NULL. `type`: "priority", which uses `priority`, 0
 * being preferred to all others, or "pref". `idx`: the rule before which the new rule is put; -1:
 * at the end. A rule with the same criteria gets the new priority. -EFAULT: no criterion; -EINVAL,
 * -E2BIG: an invalid pattern, combination, priority (above INT32_MAX) or index; -EALREADY: the rule
 * exists; -ENOSPC: 1024 rules exist. */
ULNET_EXPORT int lustre_lnet_add_udsp(const char* src, const char* dst, const char* rte,
                                      const char* type, unsigned int priority, int idx, int seq_no,
                                      struct cYAML** err_rc);
/* Deletes the rule with this index; -1: all. -ENOENT: no such rule. */
ULNET_EXPORT int lustre_lnet_del_udsp(int idx, int seq_no, struct cYAML** err_rc);
/* Shows `udsp:`, the rule with this index, or all (-1). */
ULNET_EXPORT int lustre_lnet_show_udsp(int idx, int seq_no, struct cYAML** show_rc,
                                       struct cYAML** err_rc);

/* ---- YAML documents of `length` bytes (spec/cli-lnetctl.md 5) ----
 *
 * A document is one request: the node applies its changes together. Every item is carried out, even
 * after another has failed; the functions return the first error's errno. */

ULNET_EXPORT int lustre_yaml_config(const char* text, size_t length, int seq_no,
                                    struct cYAML** err_rc);
ULNET_EXPORT int lustre_yaml_del(const char* text, size_t length, int seq_no,
                                 struct cYAML** err_rc);
/* Shows the objects that the document names. */
ULNET_EXPORT int lustre_yaml_show(const char* text, size_t length, int seq_no,
                                  struct cYAML** show_rc, struct cYAML** err_rc);
/* Carries out `ping:` and `discover:`. */
ULNET_EXPORT int lustre_yaml_exec(const char* text, size_t length, int seq_no,
                                  struct cYAML** show_rc, struct cYAML** err_rc);

/* ---- others ---- */

/* [not yet] The service id of the acceptor's port. */
ULNET_EXPORT int lustre_lnet_calc_service_id(uint64_t* service_id, int seq_no,
                                             struct cYAML** err_rc);
/* [not yet] Source routing of this machine's interfaces; kernel parameters for large networks. */
ULNET_EXPORT int lustre_lnet_setup_mrrouting(int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_setup_sysctl(int seq_no, struct cYAML** err_rc);

/* `lnet configure` (UP; with ALL also the nets of the module parameters, with LARGE preferring
 * large NIDs) or, without UP, `lnet unconfigure`. `*message`: as ulnet_lnetconfig_last_error();
 * NULL after a success. */
#define YAML_LNET_UP 1U
#define YAML_LNET_ALL 2U
#define YAML_LNET_LARGE 4U
ULNET_EXPORT int yaml_lnet_configure(unsigned int flags, const char** message);

/* Fault rules (spec/cli-lnetctl.md 3.15). */
enum yaml_lnet_fault_op {
  YAML_LNET_FAULT_ADD = 0,
  YAML_LNET_FAULT_DEL = 1,   /* the rules with exactly `src` and `dst`; both NULL: all */
  YAML_LNET_FAULT_RESET = 2, /* the counters of all rules */
  YAML_LNET_FAULT_SHOW = 3   /* shows `fault:` */
};
struct yaml_lnet_fault_attr {
  bool delay;              /* a rule that delays; else one that drops */
  uint64_t portal_mask;    /* 0: any portal */
  uint32_t message_mask;   /* ACK 1, PUT 2, GET 4, REPLY 8; 0: any */
  uint32_t rate, interval; /* one of the two is 0 */
  uint32_t latency;        /* delay: seconds */
  /* drop: the health errors that are simulated: local_interrupt 2, local_dropped 4, local_aborted
   * 8, local_no_route 16, local_timeout 32, local_error 64, remote_dropped 128, remote_error 256,
   * remote_timeout 512, network_timeout 1024; any of them at random 1 */
  uint32_t health_mask;
  bool random, drop_all; /* drop */
};
/* SHOW adds its output to `results`, as other functions to `show_rc`. ADD uses `attr`, DEL and
 * RESET its `delay`; for DEL, RESET and SHOW it may be NULL. ulnet_lnetconfig_last_error() has an
 * error's reason. */
ULNET_EXPORT int yaml_lnet_fault_rule(struct cYAML** results, enum yaml_lnet_fault_op op,
                                      const char* src, const char* dst, const char* local_nid,
                                      const struct yaml_lnet_fault_attr* attr);

#ifdef __cplusplus
}
#endif

#endif
