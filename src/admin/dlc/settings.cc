// The global settings and the counters. Source: spec/cli-lnetctl.md 3.7, 3.12, 4.5, 4.6, 11.1.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"
#include "admin/dlc/library.h"
#include "ulnet/lnetconfig.h"

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

/// Returns "retry count" for "retry_count", as lnetctl's sentences have it.
std::string spoken(std::string name) {
  std::ranges::replace(name, '_', ' ');
  return name;
}

/// Returns lnetctl's error for a value that the node refuses. Its code is not the node's. Its words
/// are lnetctl's too, unless the node's reason begins with them already. Other errors stay as they
/// are.
Error refusal_of(const char* name, const Error& error) {
  if (error.code == -ECONNRESET || error.code == -ENETDOWN) return error;
  if (error.reason.starts_with("cannot configure ")) return {-ENODATA, error.reason};
  return {-ENODATA, "cannot configure " + spoken(name) + ": " + std::strerror(-error.code)};
}

int set(const char* name, int value, int seq_no, cYAML** err_rc) {
  return change({"add", name, seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    const auto set = lnet.change(SetGlobals{{{name, value}}});
    if (!set) return tl::unexpected(refusal_of(name, set.error()));
    return {};
  });
}

int show_one(const char* name, int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", name, seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) {
    auto all = lnet.show_globals();
    if (!all) return all;
    const Tree& value = ctl::field_in(ctl::field_in(*all, "global"), name);
    return Result<Tree>(Tree{{"global", {{name, value}}}});
  });
}

}  // namespace

extern "C" {

int lustre_lnet_config_numa_range(int range, int seq_no, cYAML** err_rc) {
  return set("numa_range", range, seq_no, err_rc);
}
int lustre_lnet_config_max_intf(int max, int seq_no, cYAML** err_rc) {
  return set("max_interfaces", max, seq_no, err_rc);
}
int lustre_lnet_config_discovery(int enable, int seq_no, cYAML** err_rc) {
  return set("discovery", enable, seq_no, err_rc);
}
int lustre_lnet_config_drop_asym_route(int drop, int seq_no, cYAML** err_rc) {
  return set("drop_asym_route", drop, seq_no, err_rc);
}
int lustre_lnet_config_retry_count(int count, int seq_no, cYAML** err_rc) {
  return set("retry_count", count, seq_no, err_rc);
}
int lustre_lnet_config_transaction_to(int timeout, int seq_no, cYAML** err_rc) {
  return set("transaction_timeout", timeout, seq_no, err_rc);
}
int lustre_lnet_config_hsensitivity(int sensitivity, int seq_no, cYAML** err_rc) {
  return set("health_sensitivity", sensitivity, seq_no, err_rc);
}
int lustre_lnet_config_recov_intrv(int interval, int seq_no, cYAML** err_rc) {
  return set("recovery_interval", interval, seq_no, err_rc);
}
int lustre_lnet_config_rtr_sensitivity(int percentage, int seq_no, cYAML** err_rc) {
  return set("router_sensitivity", percentage, seq_no, err_rc);
}
int lustre_lnet_config_response_tracking(int value, int seq_no, cYAML** err_rc) {
  if (value < 0 || value > 3)
    return failed({"add", "response_tracking", seq_no, err_rc},
                  {-EINVAL, "Valid values are: 0, 1, 2, or 3"});
  return set("response_tracking", value, seq_no, err_rc);
}
int lustre_lnet_config_recovery_limit(int seconds, int seq_no, cYAML** err_rc) {
  return set("recovery_limit", seconds, seq_no, err_rc);
}
int lustre_lnet_config_max_recovery_ping_interval(int seconds, int seq_no, cYAML** err_rc) {
  return set("max_recovery_ping_interval", seconds, seq_no, err_rc);
}

int lustre_lnet_show_numa_range(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("numa_range", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_max_intf(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("max_interfaces", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_discovery(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("discovery", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_drop_asym_route(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("drop_asym_route", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_retry_count(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("retry_count", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_transaction_to(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("transaction_timeout", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_hsensitivity(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("health_sensitivity", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_recov_intrv(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("recovery_interval", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_rtr_sensitivity(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("router_sensitivity", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_lnd_timeout(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("lnd_timeout", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_response_tracking(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("response_tracking", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_recovery_limit(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("recovery_limit", seq_no, show_rc, err_rc);
}
int lustre_lnet_show_max_recovery_ping_interval(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show_one("max_recovery_ping_interval", seq_no, show_rc, err_rc);
}

int lustre_lnet_show_stats(int seq_no, cYAML** show_rc, cYAML** err_rc) {
  return show({"show", "stats", seq_no, err_rc}, show_rc,
              [](LnetConfig& lnet) { return lnet.show_stats(); });
}
int lustre_lnet_reset_stats(int seq_no, cYAML** err_rc) {
  return change({"set", "stats", seq_no, err_rc},
                [](LnetConfig& lnet) { return lnet.change(ResetStats{}); });
}

}  // extern "C"
