#include "admin/ulnetctl/rails_picture.h"

#include <nlohmann/json.hpp>

#include "admin/client/tree_fields.h"
#include "text/chart/rails.h"
#include "ulnet/nid.hpp"

namespace ulnet::tools {

namespace {

using ctl::list_in;
using ctl::text_in;
using ctl::Tree;

/// Makes an end from an NI or a peer NI, which have the same keys. `state` is the key of its state,
/// "status" or "state".
chart::RailEnd end_of(const Tree& ni, const char* state) {
  const Tree& counts = ctl::field_in(ni, "statistics");
  chart::RailEnd end{.nid = text_in(ni, "nid"),
                     .net = {},
                     .down = text_in(ni, state) == "down",
                     .health = ctl::number_in(ctl::field_in(ni, "health stats"), "health value", 0),
                     .sent = ctl::count_in(counts, "send_count"),
                     .received = ctl::count_in(counts, "recv_count")};
  if (const auto nid = Nid::parse(end.nid)) end.net = nid->net().to_string();
  return end;
}

}  // namespace

std::string rails_picture(const Tree& peer, const Tree& nets) {
  chart::Rails rails;
  rails.title = "peer " + text_in(peer, "primary nid") +
                (ctl::bool_in(peer, "Multi-Rail") ? ", Multi-Rail" : "") + ", state " +
                std::to_string(ctl::number_in(peer, "peer state", 0));
  if (const std::string why = text_in(peer, "why"); !why.empty()) rails.note = "not used: " + why;
  for (const Tree& net : list_in(nets, "net"))
    for (const Tree& ni : list_in(net, "local NI(s)")) rails.local.push_back(end_of(ni, "status"));
  for (const Tree& ni : list_in(peer, "peer ni")) rails.peer.push_back(end_of(ni, "state"));
  return chart::draw_rails(rails);
}

}  // namespace ulnet::tools
