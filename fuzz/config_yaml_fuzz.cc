// lnetctl's YAML: any text gives a document or a reason, and what a document contains is valid.
#include "admin/conf/diff.h"
#include "admin/conf/yaml_in.h"
#include "admin/conf/yaml_out.h"
#include "input.h"

using namespace ulnet;

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto document = conf::read_yaml(fuzz::text_of(data, size));
  if (!document) {
    ULNET_ASSERT(document.error().code < 0 && !document.error().reason.empty());
    ULNET_ASSERT(document.error().place.line >= 0);
    return 0;
  }
  for (const conf::Problem& note : document->notes)
    ULNET_ASSERT(note.place.line >= 1 && note.place.column >= 1 && !note.reason.empty());
  for (const conf::Item& item : document->items) {
    ULNET_ASSERT(item.place.line >= 1 && item.place.column >= 1);
    if (const auto* problem = std::get_if<conf::Problem>(&item.what)) {
      ULNET_ASSERT(problem->code < 0 && !problem->reason.empty());
      ULNET_ASSERT(problem->place == item.place);
      static_cast<void>(conf::error_framed("add", "import", problem->code, problem->reason));
    }
    if (const auto* net = std::get_if<conf::NetEntry>(&item.what)) {
      for (const conf::NiItem& ni : net->item.nis) ULNET_ASSERT(ni.nid || !ni.interface.empty());
    }
  }
  const conf::LocalInterface eth0{.name = "eth0",
                                  .addresses = {Nid::parse("10.0.0.1@tcp").value()}};
  if (const auto config = conf::to_config(*document, {&eth0, 1})) {
    ULNET_ASSERT(conf::difference(*config, *config).empty());
    for (const conf::NetItem& net : config->nets)
      for (const conf::NiItem& ni : net.nis)
        ULNET_ASSERT(ni.nid.has_value() == ni.interface.empty());
  } else {
    ULNET_ASSERT(!config.error().empty());
  }
  return 0;
}
