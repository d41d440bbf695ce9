/* Compiled as C99: both headers of the DLC API, and the inline functions of the second. Returns 0
 * when every inline function gives the error that a library without a node has to give. */
#include "ulnet/lnetconfig_hld.h"

int dlc_inline_functions_from_c(void);

int dlc_inline_functions_from_c(void) {
  int rc = 0;
  rc |= lustre_lnet_config_net("tcp", "eth0", NULL, -1, -1, -1, 8, "[0]", -1, NULL) != -ENOTCONN;
  rc |= lustre_lnet_config_net("tcp", "eth0[", NULL, -1, -1, -1, 8, NULL, -1, NULL) != -EINVAL;
  rc |= lustre_lnet_config_net("tcp", "eth0", NULL, -1, -1, -1, 8, "[0", -1, NULL) != -EINVAL;
  rc |= lustre_lnet_del_net("tcp", NULL, -1, NULL) != -ENOTCONN;
  rc |= lustre_lnet_show_ni("tcp", 0, -1, NULL, NULL) != -ENOTCONN;
  rc |= lustre_lnet_config_peer("10.0.0.1@tcp", -1, NULL) != -ENOTCONN;
  rc |= lustre_lnet_del_peer("10.0.0.1@tcp", -1, NULL) != -ENOTCONN;
  rc |= lustre_lnet_add_selection("net", "tcp", NULL, 0, -1, NULL) != -ENOTCONN;
  rc |= lustre_lnet_add_selection("router", "tcp", NULL, 0, -1, NULL) != -EINVAL;
  rc |= lustre_lnet_set_dynamic_discover(1, -1, NULL) != -ENOTCONN;
  return rc;
}
