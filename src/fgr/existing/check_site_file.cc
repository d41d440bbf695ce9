#include <utility>

#include "fgr/existing/report.h"
#include "fgr/plan/hosts_in_fabric.h"
#include "fgr/site/site_file.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::fgr {
namespace {

void add(CheckReport& report, std::vector<plan::Finding> findings) {
  for (plan::Finding& finding : findings) report.findings.push_back(std::move(finding));
}

/// Sets files and places of findings: findings about the fabric as a whole get its file; those
/// about the site get the site's file, with the place of their subject.
void place(CheckReport& report, const std::string& site, const SitePlaces& places,
           const std::string& fabric) {
  for (plan::Finding& finding : report.findings) {
    if (!finding.file.empty()) continue;
    if (finding.where == plan::kTheFabric) {
      finding.file = fabric;
      continue;
    }
    finding.file = site;
    if (const auto at = places.find(finding.subject); at != places.end())
      finding.place = at->second;
  }
}

}  // namespace

tl::expected<CheckReport, conf::Problems> check_site_text(const std::string& site,
                                                          const std::string& text,
                                                          const ExistingFilesOptions& options) {
  SitePlaces places;
  auto read = read_site(text, &places, ForChecks::kLeft);
  if (!read) return tl::unexpected(first_in(site, std::move(read.error())));
  conf::Parsed<plan::Fabric> fabric;
  if (!options.fabric.empty()) fabric = fabric_of_file(options.fabric);
  if (!fabric) return tl::unexpected(conf::Problems{fabric.error()});
  CheckReport report;
  const auto plan =
      options.fabric.empty() ? plan::make_plan(*read) : plan::make_plan(*read, *fabric);
  add(report, plan::check_site(*read, plan ? std::vector<plan::Finding>{} : plan.error()));
  if (plan) {
    const plan::Planned planned(*plan);
    add(report, plan::check_plan(planned));
    add(report, plan::check_fabric(*plan));
    const ExistingFiles existing = read_existing(planned, options);
    if (!existing.mistakes.empty()) return tl::unexpected(existing.mistakes);
    add(report, plan::check_files(planned, existing.files));
    report.hosts = planned.hosts().size();
    report.files = existing.files.size();
    for (const plan::Actual& file : existing.files)
      report.routes += file.as_planned ? planned.routes_of(file.hosts).size() : file.routes.size();
    if (existing.files.empty())
      for (const plan::PlannedHost& host : planned.hosts())
        report.routes += host.config.routes.size();
  }
  place(report, site, places, options.fabric);
  return report;
}

tl::expected<CheckReport, conf::Problems> check_site_file(const std::string& site,
                                                          const ExistingFilesOptions& options) {
  const auto text = lab::file_text(site);
  if (!text) return tl::unexpected(conf::Problems{text.error()});
  return check_site_text(site, *text, options);
}

}  // namespace ulnet::tools::fgr
