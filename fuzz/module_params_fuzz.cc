// Texts of networks=, ip2nets= and routes=, and lists in options.
#include "admin/conf/yaml_in.h"
#include "input.h"
#include "lnet/config/cpt_list.h"
#include "lnet/config/modparams.h"
#include "lnet/config/params.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = fuzz::text_of(data, size);
  const conf::LocalInterface eth0{.name = "eth0",
                                  .addresses = {Nid::parse("10.0.0.1@tcp").value()}};
  if (const auto nets = conf::parse_networks(text)) {
    ULNET_ASSERT(!nets->empty());
    for (const conf::NetItem& net : *nets) ULNET_ASSERT(!net.net.is_any());
  }
  if (const auto rules = conf::parse_ip2nets(text)) {
    for (const auto& rule : *rules) ULNET_ASSERT(!rule.nets.empty() && !rule.patterns.empty());
    static_cast<void>(conf::match_ip2nets(*rules, {&eth0, 1}));
  }
  const conf::PlainText in(text);
  if (const auto rules = conf::read_routes(in, in.text())) {
    for (const auto& rule : *rules) ULNET_ASSERT(!rule.nets.empty() && !rule.gateways.empty());
  }
  if (const auto resolved = conf::resolve_networks(text, {}, {&eth0, 1})) {
    for (const conf::NetItem& net : *resolved)
      for (const conf::NiItem& ni : net.nis) ULNET_ASSERT(!ni.interface.empty());
  }
  if (const auto cpts = conf::parse_cpt_list(text)) {
    ULNET_ASSERT(!cpts->empty() && cpts->size() <= 256);
    for (const std::uint32_t cpt : *cpts) ULNET_ASSERT(cpt < 256);
  }
  if (const auto nis = conf::parse_interface_list(text)) {
    for (const conf::NiItem& ni : *nis) ULNET_ASSERT(!ni.interface.empty());
  }
  for (const conf::Param& param : conf::all_params()) {
    const auto value = conf::check_param(param, text);
    if (value) ULNET_ASSERT(conf::check_param(param, *value).value() == *value);
  }
  return 0;
}
