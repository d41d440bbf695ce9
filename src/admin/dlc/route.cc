// Routes and routing. Source: spec/cli-lnetctl.md 3.6, 3.7, 4.3, 4.4.
#include <cerrno>
#include <nlohmann/json.hpp>

#include "admin/dlc/library.h"
#include "ulnet/lnetconfig.h"

using namespace ulnet;
using namespace ulnet::dlc;

namespace {

Result<void> check_mandatory(const char* net, const char* gateway) {
  if (net == nullptr || gateway == nullptr)
    return fail(-EFAULT, "missing mandatory parameters:'net , gateway'");
  return {};
}

}  // namespace

extern "C" {

int lustre_lnet_config_route(const char* net, const char* gateway, int hops, int priority,
                             int seq_no, cYAML** err_rc) {
  return change({"add", "route", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (const auto there = check_mandatory(net, gateway); !there) return there;
    if (hops != -1 && (hops < 1 || hops > 255))
      return fail(-EINVAL, "invalid hop count must be between 1 and 255");
    conf::RouteEntry route{net, gateway, {}, {}};
    if (hops != -1) route.hop = hops;
    if (priority != -1) route.priority = priority;
    return lnet.make(api::request_to_add(route));
  });
}

int lustre_lnet_del_route(const char* net, const char* gateway, int seq_no, cYAML** err_rc) {
  return change({"del", "route", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (const auto there = check_mandatory(net, gateway); !there) return there;
    return lnet.make(api::request_to_delete({net, gateway, {}, {}}));
  });
}

int lustre_lnet_show_route(const char* net, const char* gateway, int, int, int detail, int seq_no,
                           cYAML** show_rc, cYAML** err_rc, bool backup) {
  return show({"show", "route", seq_no, err_rc}, show_rc, [&](LnetConfig& lnet) -> Result<Tree> {
    return lnet.show_route({text_of(net), text_of(gateway), detail > 0, backup});
  });
}

int lustre_lnet_config_routing(int enable, int seq_no, cYAML** err_rc) {
  return change({"set", "routing", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (enable != 0 && enable != 1) return fail(-EINVAL, "routing is 0 or 1");
    return lnet.change(SetRouting{enable == 1});
  });
}

int lustre_lnet_config_buffers(int tiny, int small, int large, int seq_no, cYAML** err_rc) {
  return change({"set", "buffers", seq_no, err_rc}, [&](LnetConfig& lnet) -> Result<void> {
    if (tiny < -1 || small < -1 || large < -1)
      return fail(-EINVAL, "numbers of buffers must be 0 or more");
    SetRouting set;
    const int counts[] = {tiny, small, large};
    for (std::size_t pool = 0; pool < set.buffers.size(); ++pool)
      if (counts[pool] >= 0) set.buffers[pool] = counts[pool];
    return lnet.change(set);
  });
}

int lustre_lnet_show_routing(int seq_no, cYAML** show_rc, cYAML** err_rc, bool backup) {
  return show({"show", "routing", seq_no, err_rc}, show_rc,
              [&](LnetConfig& lnet) -> Result<Tree> { return lnet.show_routing(backup); });
}

}  // extern "C"
