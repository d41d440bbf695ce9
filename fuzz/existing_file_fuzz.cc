// Existing files of hosts, as `ulnet-fgr check` and `diff` read them. Any text is of a kind, and
// gives its configuration or a problem at a place in it. A configuration gives findings with places
// in it.
#include <algorithm>
#include <array>
#include <string>
#include <vector>

#include "fgr/existing/difference.h"
#include "fgr/existing/existing_files.h"
#include "fgr/existing/read_actual.h"
#include "fgr/existing/report.h"
#include "fgr/site/new_site.h"
#include "fgr/site/site_file.h"
#include "input.h"

using namespace ulnet;

namespace {

/// Larger configurations show nothing new, and each run of one takes long.
constexpr std::size_t kSmall = 2'000;

const plan::Planned& planned() {
  static const plan::Plan kPlan = *plan::make_plan(*tools::fgr::read_site(
      *tools::fgr::new_site({.ssus = 6, .cluster = "snx", .net = {NetType::kO2ib, 6000}})));
  static const plan::Planned kPlanned(kPlan);
  return kPlanned;
}

/// The corpus uses these names, and names that belong to no host.
constexpr auto kNames = std::to_array<const char*>(
    {"clients-xe.conf", "routers-xe.conf", "servers-home.conf", "router00003.yaml", "snxn004.yaml",
     "snxn005.routes", "export.yaml", "ip2nets"});

bool is_small(const plan::Actual& actual) {
  std::size_t patterns = 0;
  for (const plan::ActualNet& net : actual.nets) patterns += net.patterns.size();
  return actual.routes.size() + patterns + actual.nets.size() <= kSmall;
}

void look_at_place(std::string_view text, int line, int column) {
  ULNET_ASSERT(line >= 0 && column >= 0);
  ULNET_ASSERT(line <= 1 + std::count(text.begin(), text.end(), '\n'));
  ULNET_ASSERT(line == 0 || column > 0);
}

}  // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  // The first byte chooses the name of the file.
  const std::string_view text = fuzz::text_of(data, size).substr(1);
  const std::string name = kNames[data[0] % kNames.size()];
  auto actual = tools::fgr::check_text(name, text);
  if (!actual) {
    ULNET_ASSERT(!actual.error().reason.empty() && actual.error().code < 0);
    look_at_place(text, actual.error().place.line, actual.error().place.column);
    return 0;
  }
  if (!is_small(*actual)) return 0;
  actual->hosts = tools::fgr::hosts_of(planned(), name, *actual);
  actual->shared = actual->shared || actual->hosts.size() > 1;
  const std::vector<plan::Actual> files = {std::move(*actual)};
  tools::fgr::CheckReport report;
  report.findings = plan::check_files(planned(), files);
  for (const plan::Finding& finding : report.findings) {
    ULNET_ASSERT(!finding.reason.empty() && !finding.hint.empty() && finding.file == name);
    look_at_place(text, finding.place.line, finding.place.column);
  }
  ULNET_ASSERT(!tools::fgr::text_of(report).empty());
  ULNET_ASSERT(!tools::fgr::sarif_of(report).empty());
  const auto hosts = tools::fgr::differences(planned(), files);
  // A host in the report of diff is not in the list of good hosts of check.
  ULNET_ASSERT(!tools::fgr::diff_json(hosts).empty());
  const bool differs = std::ranges::any_of(
      hosts, [](const auto& host) { return !host.minus.empty() || !host.plus.empty(); });
  ULNET_ASSERT(!differs || !report.findings.empty());
  return 0;
}
