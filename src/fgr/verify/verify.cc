#include "fgr/verify/verify.h"

#include "fgr/verify/verify_diagnosis.h"

namespace ulnet::plan {

std::string_view to_string(VerifySuspect::Kind kind) {
  switch (kind) {
    case VerifySuspect::Kind::kCable:
      return "cable";
    case VerifySuspect::Kind::kPort:
      return "port";
    case VerifySuspect::Kind::kHost:
      return "host";
    case VerifySuspect::Kind::kFile:
      return "file";
  }
  return "host";
}

VerifyVerdict diagnose(const VerifyChecks& checks, const std::vector<HostSeen>& seen,
                       const std::vector<SeenCable>& cables) {
  const Observations of(checks, seen);
  Suspects suspects(seen.size());
  judge_interfaces(of, suspects);
  judge_addresses(of, suspects);
  judge_cables(of, cables, suspects);
  judge_nets(of, suspects);
  judge_routing(of, suspects);
  const std::set<std::size_t> lack_routes = judge_routes(of, suspects);
  judge_ports(of, lack_routes, suspects);
  judge_answers(of, suspects);
  judge_route_states(of, suspects);
  judge_routed_pings(of, suspects);
  judge_unasked(of, suspects);
  VerifyVerdict verdict{.suspects = suspects.take()};
  for (const HostSeen& host : seen) {
    verdict.asked += host.asked() ? 1 : 0;
    verdict.pings += host.pings.size();
    for (const SeenPing& ping : host.pings) {
      verdict.answered += ping.answered ? 1 : 0;
      verdict.again += ping.answered && ping.asked > 1 ? 1 : 0;
    }
  }
  return verdict;
}

}  // namespace ulnet::plan
