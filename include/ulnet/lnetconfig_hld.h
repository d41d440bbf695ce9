/*
 * The DLC API of LNet's Multi-Rail design document, on top of ulnet/lnetconfig.h. If a current
 * function does the same, the design's function is an inline wrapper; the others are in the
 * library. The rules of lnetconfig.h for results, trees, threads and errors hold here too. Source:
 * spec/design-vs-today.md 2.2, 2.3, 2.5.
 *
 * The design's lustre_lnet_show_net() has the same name as the current function, which has one more
 * argument. So it is only available under its other name, lustre_lnet_show_ni().
 */
#ifndef ULNET_LNETCONFIG_HLD_H
#define ULNET_LNETCONFIG_HLD_H

#include <string.h>

#include "ulnet/lnetconfig.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- nets ---- */

/* Fills the descriptor; the caller frees its interfaces. */
static inline int ulnet_hld_describe(const char* net, const char* interfaces,
                                     struct lustre_lnet_nw_descr* nw) {
  lustre_lnet_init_nw_descr(nw);
  if (net != NULL && strlen(net) >= sizeof nw->net) return LUSTRE_LNET_BAD_PARAM;
  if (net != NULL) strcpy(nw->net, net);
  return interfaces == NULL ? LUSTRE_LNET_NO_ERR : lustre_lnet_parse_interfaces(interfaces, nw);
}

/* Adds NIs: `interfaces` is a list of interfaces, or `ip2net` a rule. Tunables:
 * LUSTRE_LNET_NOT_GIVEN, or below 0, is the default. `smp`: the CPU partitions of all these NIs,
 * "[0,1]"; NULL: all. */
static inline int lustre_lnet_config_net(const char* net, const char* interfaces,
                                         const char* ip2net, int peer_to, int peer_cr,
                                         int peer_buf_cr, int credits, const char* smp, int seq_no,
                                         struct cYAML** err_rc) {
  struct lustre_lnet_tunables tunables = LUSTRE_LNET_TUNABLES_INIT;
  struct lustre_lnet_nw_descr nw;
  struct lustre_lnet_nw_descr cpts;
  char named[LUSTRE_LNET_NAME_SIZE] = "x"; /* an interface's name, to which smp is appended */
  int rc = ulnet_hld_describe(net, interfaces, &nw);
  lustre_lnet_init_nw_descr(&cpts);
  if (smp != NULL && rc == 0) {
    if (strlen(smp) > sizeof named - 2) rc = LUSTRE_LNET_BAD_PARAM;
    if (rc == 0) rc = lustre_lnet_parse_interfaces(strcat(named, smp), &cpts);
  }
  if (rc != 0) {
    cYAML_build_error(rc, seq_no, "add", "net", ulnet_lnetconfig_last_error(), err_rc);
  } else {
    if (peer_to >= 0) tunables.peer_timeout = peer_to;
    if (peer_cr >= 0) tunables.peer_credits = peer_cr;
    if (peer_buf_cr >= 0) tunables.peer_buffer_credits = peer_buf_cr;
    if (credits >= 0) tunables.credits = credits;
    rc = lustre_lnet_config_ni(&nw, smp == NULL ? NULL : &cpts.interfaces->cpts, ip2net, &tunables,
                               seq_no, err_rc);
  }
  lustre_lnet_free_intf_descr(&nw.interfaces);
  lustre_lnet_free_intf_descr(&cpts.interfaces);
  return rc;
}

/* Deletes NIs; `interfaces` NULL: the whole net. */
static inline int lustre_lnet_del_net(const char* nw, const char* interfaces, int seq_no,
                                      struct cYAML** err_rc) {
  struct lustre_lnet_nw_descr descr;
  int rc = ulnet_hld_describe(nw, interfaces, &descr);
  if (rc != 0)
    cYAML_build_error(rc, seq_no, "del", "net", ulnet_lnetconfig_last_error(), err_rc);
  else
    rc = lustre_lnet_del_ni(&descr, seq_no, err_rc);
  lustre_lnet_free_intf_descr(&descr.interfaces);
  return rc;
}

static inline int lustre_lnet_show_ni(const char* nw, int detail, int seq_no,
                                      struct cYAML** show_rc, struct cYAML** err_rc) {
  return lustre_lnet_show_net(nw, detail, seq_no, show_rc, err_rc, false);
}

/* ---- peers ---- */

/* Adds the peer whose primary NID is the first of the list. */
ULNET_EXPORT int lustre_lnet_config_peer_nid(const char* nids, int seq_no, struct cYAML** err_rc);
/* Deletes the NIDs of the list from the peer that has the first of them; deleting the primary NID
 * deletes the peer. -ENOENT: no peer has the NID; else as lustre_lnet_modify_peer(). */
ULNET_EXPORT int lustre_lnet_del_peer_nid(const char* nids, int seq_no, struct cYAML** err_rc);

static inline int lustre_lnet_config_peer(const char* nids, int seq_no, struct cYAML** err_rc) {
  return lustre_lnet_config_peer_nid(nids, seq_no, err_rc);
}
static inline int lustre_lnet_del_peer(const char* nids, int seq_no, struct cYAML** err_rc) {
  return lustre_lnet_del_peer_nid(nids, seq_no, err_rc);
}

/* Shows the first `max` peers, 0: none, below 0: all. */
ULNET_EXPORT int lustre_lnet_show_peers(int max, int detail, int seq_no, struct cYAML** show_rc,
                                        struct cYAML** err_rc);

/* ---- selection rules: another form of the policies of lustre_lnet_add_udsp() ----
 *
 * A net rule is for nets of this node, a nid rule for NIDs of this node and of peers. A peer rule
 * prefers NIDs `local` of this node as sources for NIDs `remote` of peers; its priority is kept and
 * shown, and changes no choice. Each rule has an id, which lustre_lnet_net_selection_rule() and the
 * two similar functions show. */

/* Add a rule; `priority` 0 is preferred to all others. A rule with the same match gets the new
 * priority. -EFAULT: nothing to match; -EINVAL, -E2BIG: nets instead of NIDs or the reverse, an
 * invalid pattern, or a priority above INT32_MAX; -EALREADY: the rule exists; -ENOSPC: too many
 * rules. */
ULNET_EXPORT int lustre_lnet_config_net_selection_rule(const char* net, unsigned int priority,
                                                       int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_nid_selection_rule(const char* nid, unsigned int priority,
                                                       int seq_no, struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_config_peer_selection_rule(const char* local, const char* remote,
                                                        unsigned int priority, int seq_no,
                                                        struct cYAML** err_rc);
/* Delete a rule by its id (-1: any), by its match (NULL: any), or by both. -EINVAL: id and match
 * are of different rules. -EFAULT: neither, or half of a peer rule. -ENOENT: no such rule of the
 * type. */
ULNET_EXPORT int lustre_lnet_del_net_selection_rule(const char* net, int id, int seq_no,
                                                    struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_del_nid_selection_rule(const char* nid, int id, int seq_no,
                                                    struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_del_peer_selection_rule(const char* local, const char* remote, int id,
                                                     int seq_no, struct cYAML** err_rc);
/* Show the rules of the type as `selection:`; with a pattern, net or NID that is not NULL only the
 * rules that have or match it. */
ULNET_EXPORT int lustre_lnet_net_selection_rule(const char* net, int seq_no, struct cYAML** show_rc,
                                                struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_nid_selection_rule(const char* nid, int seq_no, struct cYAML** show_rc,
                                                struct cYAML** err_rc);
ULNET_EXPORT int lustre_lnet_peer_selection_rule(const char* local, const char* remote, int seq_no,
                                                 struct cYAML** show_rc, struct cYAML** err_rc);

/* Adds a rule of any type: `type` is "net", "nid" or "peer". */
static inline int lustre_lnet_add_selection(const char* type, const char* first, const char* remote,
                                            unsigned int priority, int seq_no,
                                            struct cYAML** err_rc) {
  if (type != NULL && strcmp(type, "net") == 0)
    return lustre_lnet_config_net_selection_rule(first, priority, seq_no, err_rc);
  if (type != NULL && strcmp(type, "nid") == 0)
    return lustre_lnet_config_nid_selection_rule(first, priority, seq_no, err_rc);
  if (type != NULL && strcmp(type, "peer") == 0)
    return lustre_lnet_config_peer_selection_rule(first, remote, priority, seq_no, err_rc);
  return cYAML_build_error(LUSTRE_LNET_BAD_PARAM, seq_no, "add", "selection",
                           "the type of a rule is net, nid or peer", err_rc);
}

/* ---- settings ---- */

static inline int lustre_lnet_set_dynamic_discover(int enable, int seq_no, struct cYAML** err_rc) {
  return lustre_lnet_config_discovery(enable, seq_no, err_rc);
}
/* Sets the module parameter use_tcp_bonding, which has no effect. The node answers -EBUSY, because
 * it can be set only at the start. */
ULNET_EXPORT int lustre_lnet_set_use_tcp_bonding(int enable, int seq_no, struct cYAML** err_rc);

#ifdef __cplusplus
}
#endif

#endif
