/*
 * Gives a running ulnetd a net and shows what it has become, as a program that configures LNet
 * through the DLC library does.
 *
 *   usage: shape NET INTERFACE    e.g.  shape tcp1 127.0.0.12
 *
 * ULNET_CONTROL names the node. Adds the NI, pings it, prints the node's configuration as a YAML
 * document that `ulnetctl import` takes, and deletes the NI again. Errors go to the standard error
 * as YAML, as ulnetctl prints them.
 */
#include <stdio.h>
#include <string.h>
#include <ulnet/lnetconfig.h>

/* The NID of the first NI that `net:` of this tree lists; NULL: there is none. */
static const char* first_nid(const struct cYAML* shown) {
  struct cYAML* net = NULL;
  struct cYAML* ni = NULL;
  const struct cYAML* nid;
  if (!cYAML_get_next_seq_item(cYAML_get_object_item(shown, "net"), &net)) return NULL;
  if (!cYAML_get_next_seq_item(cYAML_get_object_item(net, "local NI(s)"), &ni)) return NULL;
  nid = cYAML_get_object_item(ni, "nid");
  return nid == NULL ? NULL : nid->string;
}

/* Several shows with one tree make one document. */
static int print_configuration(struct cYAML** err) {
  struct cYAML* all = NULL;
  int rc = lustre_lnet_show_net(NULL, 0, -1, &all, err, true);
  if (rc == 0) rc = lustre_lnet_show_route(NULL, NULL, -1, -1, 1, -1, &all, err, true);
  if (rc == 0) rc = lustre_lnet_show_numa_range(-1, &all, err);
  if (rc == 0) rc = lustre_lnet_show_discovery(-1, &all, err);
  if (rc == 0) rc = cYAML_print_tree(all);
  cYAML_free_tree(all);
  return rc;
}

static int use_ni(const struct lustre_lnet_nw_descr* nw, struct cYAML** err) {
  struct cYAML* shown = NULL;
  const char* nid;
  int rc = lustre_lnet_show_net(nw->net, 0, -1, &shown, err, false);
  if (rc == 0) {
    nid = first_nid(shown);
    rc = lustre_lnet_ping_nid(nid, nid, 10, -1, NULL, err);
  }
  cYAML_free_tree(shown);
  return rc == 0 ? print_configuration(err) : rc;
}

static int shape(const char* net, const char* interfaces, struct cYAML** err) {
  struct lustre_lnet_tunables tunables = LUSTRE_LNET_TUNABLES_INIT;
  struct lustre_lnet_nw_descr nw;
  int rc;
  int gone;
  tunables.credits = 64;
  lustre_lnet_init_nw_descr(&nw);
  strncpy(nw.net, net, sizeof nw.net - 1);
  if (lustre_lnet_parse_interfaces(interfaces, &nw) != 0)
    return cYAML_build_error(LUSTRE_LNET_BAD_PARAM, -1, "add", "net", ulnet_lnetconfig_last_error(),
                             err);
  rc = lustre_lnet_config_ni(&nw, NULL, NULL, &tunables, -1, err);
  if (rc == 0) {
    rc = use_ni(&nw, err);
    gone = lustre_lnet_del_ni(&nw, -1, err);
    if (rc == 0) rc = gone;
  }
  lustre_lnet_free_intf_descr(&nw.interfaces);
  return rc;
}

int main(int argc, char** argv) {
  struct cYAML* err = NULL;
  int rc;
  if (argc != 3) {
    fprintf(stderr, "usage: %s NET INTERFACE\n", argv[0]);
    return 2;
  }
  if (lustre_lnet_config_lib_init() != 0) {
    fprintf(stderr, "%s: %s\n", argv[0], ulnet_lnetconfig_last_error());
    return 1;
  }
  rc = shape(argv[1], argv[2], &err);
  cYAML_print_tree2file(stderr, err);
  if (rc != 0 && *ulnet_lnetconfig_last_hint() != 0)
    fprintf(stderr, "# %s\n", ulnet_lnetconfig_last_hint());
  cYAML_free_tree(err);
  lustre_lnet_config_lib_uninit();
  return rc == 0 ? 0 : 1;
}
