#include "selftest/ulst/run/measure.h"

#include <algorithm>

#include "admin/client/tree_fields.h"

namespace ulnet::tools::lst::run {

namespace {

using ctl::count_in;
std::uint32_t number32(const Tree& object, const char* key) {
  return static_cast<std::uint32_t>(count_in(object, key));
}

}  // namespace

// The counters of a client show how many RPCs it began. Only the console's own node also reports
// how many RPCs ended.
std::uint64_t rpcs_between(const Step& step, Role role, const Counts& from, const Counts& to) {
  const std::uint32_t bad = to.bad - from.bad;
  if (role == Role::kClient && to.rpcs) return *to.rpcs - from.rpcs.value_or(0);
  const std::uint32_t sent = to.sent - from.sent;
  if (role == Role::kClient) return sent - std::min(sent, bad);
  if (step.size != 0) return (to.moved - from.moved) / step.size;
  // The counter includes the console's own requests.
  const std::uint32_t received = to.received - from.received;
  return received - std::min<std::uint64_t>(received, to.asked - from.asked);
}

void set_rates(Flow& flow, const Step& step, std::uint64_t rpcs) {
  if (flow.seconds <= 0) return;
  flow.rpcs_per_s = static_cast<double>(rpcs) / flow.seconds;
  flow.bytes_per_s = flow.rpcs_per_s * step.size;
}

Counts counts_of(const Tree& node, std::uint64_t asked) {
  const Tree& all = ctl::field_in(node, "counters");
  Counts counts{.running_ms = number32(all, "running_ms"),
                .sent = number32(all, "rpc_sent"),
                .received = number32(all, "rpc_received"),
                .bad = number32(all, "brw_errors") + number32(all, "ping_errors"),
                .failed = number32(all, "rpc_errors") + number32(all, "rpc_expired"),
                .batches = number32(all, "active_batches"),
                .moved = count_in(all, "bulk_get_bytes") + count_in(all, "bulk_put_bytes"),
                .asked = asked};
  if (ctl::field_in(node, "rpcs").is_number_integer()) counts.rpcs = count_in(node, "rpcs");
  return counts;
}

std::optional<Percentiles> percentiles_of(const Tree& latency) {
  if (!latency.is_object() || count_in(latency, "rpcs") == 0) return std::nullopt;
  const auto us = [&](const char* key) {
    return static_cast<double>(count_in(latency, key)) / 1e3;
  };
  return Percentiles{us("p50_ns"), us("p99_ns"), us("p999_ns")};
}

const char* to_string(Role role) { return role == Role::kClient ? "client" : "server"; }

Flow flow_between(const Step& step, bool checked, Role role, const Counts& from, const Counts& to) {
  Flow flow{.role = role};
  flow.seconds = static_cast<std::uint32_t>(to.running_ms - from.running_ms) / 1e3;
  flow.rpcs = rpcs_between(step, role, from, to);
  const std::uint32_t failed = to.failed - from.failed;
  flow.errors = failed;
  if (role == Role::kClient) {
    flow.errors = static_cast<std::uint32_t>(to.bad - from.bad);
    // If an RPC failed although no message failed, its data were wrong.
    if (checked) flow.wrong = flow.errors - std::min<std::uint64_t>(flow.errors, failed);
  }
  set_rates(flow, step, flow.rpcs);
  return flow;
}

Flow sum_of(const std::vector<Flow>& clients) {
  Flow sum{.role = Role::kClient, .rated = false};
  for (const Flow& one : clients) {
    sum.rated = sum.rated || one.rated;
    sum.seconds = std::max(sum.seconds, one.seconds);
    sum.rpcs_per_s += one.rpcs_per_s;
    sum.bytes_per_s += one.bytes_per_s;
    sum.rpcs += one.rpcs;
    sum.errors += one.errors;
    sum.wrong += one.wrong;
  }
  return sum;
}

}  // namespace ulnet::tools::lst::run
