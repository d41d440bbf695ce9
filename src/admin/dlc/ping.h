// The errors of a ping or a discovery for targets that did not answer. Source: spec/cli-lnetctl.md
// 4.7.
#pragma once

#include "admin/client/lnetconfig.h"
#include "ulnet/cyaml.h"

namespace ulnet::dlc {

/// Adds an error for each target that did not answer. Returns the call's result.
int failed_targets(const ctl::LnetConfig::PingResult& result, int seq_no, cYAML** err_rc);

}  // namespace ulnet::dlc
