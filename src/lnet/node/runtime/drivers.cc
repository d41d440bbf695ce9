#include "lnet/node/runtime/drivers.h"

#include <algorithm>
#include <array>

#include "lnet/lnd/lo/lo_lnd.h"
#include "lnet/lnd/sock/reactor/sockets.h"
#include "lnet/lnd/sock/sock_lnd.h"
#include "lnet/lnd/sock/trial_lnd.h"

namespace ulnet::node {
namespace {

std::unique_ptr<lnd::Lnd> make_lo(const DriverParts& parts) {
  return std::make_unique<lnd::lo::LoLnd>(parts.inlet);
}

std::unique_ptr<lnd::Lnd> make_tcp(const DriverParts& parts) {
  using lnd::sock::Threads;
  return std::make_unique<lnd::sock::SockLnd>(parts.inlet, lnd::sock::tunables_of(parts.params),
                                              parts.polled ? Threads::kInline : Threads::kOwn,
                                              parts.last_incarnation, parts.placing, parts.reports,
                                              &parts.memory);
}

Result<void> check_tcp_tunable(std::string_view name, std::string_view value) {
  lnd::sock::SockTunables trial;
  return lnd::sock::set_tunable(trial, name, value);
}

std::string greet_tcp(const conf::ParamValues& params) {
  return "Accept " + params.text("accept") + ", port " + params.text("accept_port");
}

Result<void> check_tcp_address(const Nid& nid) {
  const auto address = lnd::sock::address_of(nid);
  return address ? lnd::sock::check_local(*address) : Result<void>();
}

int tcp_port_error(const Nid& nid, std::uint16_t port) {
  const auto address = lnd::sock::address_of(nid);
  return address ? lnd::sock::bind_error({*address, port}) : 0;
}

const std::array kDrivers{
    DriverRow{.nets = NetType::kLo, .make = make_lo},
    DriverRow{.nets = NetType::kTcp,
              .make = make_tcp,
              .check_tunable = check_tcp_tunable,
              .greeting = greet_tcp,
              .check_address = check_tcp_address,
              .port_error = tcp_port_error},
};

}  // namespace

std::span<const DriverRow> all_drivers() { return kDrivers; }

std::vector<DriverRow> trial_drivers(MakeTrialDriver tcp) {
  std::vector<DriverRow> rows(kDrivers.begin(), kDrivers.end());
  DriverRow& row = *std::ranges::find(rows, NetType::kTcp, &DriverRow::nets);
  row.make = [tcp = std::move(tcp)](const DriverParts& parts) -> std::unique_ptr<lnd::Lnd> {
    if (tcp) return tcp(parts.inlet);
    return std::make_unique<lnd::sock::TrialLnd>(parts.inlet, parts.params.text("congestion"));
  };
  return rows;
}

const DriverRow* find_driver(NetType nets) {
  const auto* at = std::ranges::find(kDrivers, nets, &DriverRow::nets);
  return at == kDrivers.end() ? nullptr : at;
}

Result<void> check_tunable(std::string_view name, std::string_view value) {
  for (const DriverRow& driver : kDrivers) {
    if (driver.check_tunable == nullptr) continue;
    if (auto fit = driver.check_tunable(name, value); !fit && fit.error().code != -ENOENT)
      return fit;
  }
  return {};
}

}  // namespace ulnet::node
