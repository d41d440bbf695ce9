#include "fgr/site/site_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgr/plan/hosts_in_fabric.h"
#include "fgr/site/reading.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::fgr {

tl::expected<plan::Site, conf::Problems> read_site(std::string_view text, SitePlaces* places,
                                                   ForChecks for_checks) {
  conf::Problems mistakes;
  SiteReading reading(mistakes, places, for_checks);
  text::read_document(text, "site", mistakes,
                      [&](const conf::YamlNode& root) { reading.read(root); });
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
  return reading.take();
}

namespace {

/// Returns the findings as mistakes, each with the place of its subject in the text.
conf::Problems mistakes_of(const SitePlaces& places, const std::vector<plan::Finding>& findings) {
  conf::Problems mistakes;
  for (const plan::Finding& finding : findings) {
    auto at = places.find(finding.where);
    if (at == places.end()) at = places.find(finding.subject);
    mistakes.push_back({at == places.end() ? conf::Place{} : at->second,
                        sentence_of(finding) + ". " + finding.hint});
  }
  return mistakes;
}

tl::expected<plan::Plan, conf::Problems> plan_of(const std::filesystem::path& file,
                                                 const std::string& fabric_file, bool sound) {
  const auto text = lab::file_text(file);
  if (!text) return tl::unexpected(conf::Problems{text.error()});
  SitePlaces places;
  auto site = read_site(*text, &places);
  if (!site) return tl::unexpected(first_in(file.string(), std::move(site.error())));
  conf::Parsed<plan::Fabric> fabric;
  if (!fabric_file.empty()) fabric = fabric_of_file(fabric_file);
  if (!fabric) return tl::unexpected(conf::Problems{fabric.error()});
  auto plan = fabric_file.empty() ? plan::make_plan(std::move(*site))
                                  : plan::make_plan(std::move(*site), *fabric);
  std::vector<plan::Finding> findings;
  if (!plan || sound) findings = errors_of(plan);
  if (findings.empty()) return std::move(*plan);
  return tl::unexpected(first_in(file.string(), mistakes_of(places, findings)));
}

}  // namespace

conf::Problems first_in(const std::string& file, conf::Problems mistakes) {
  constexpr std::size_t kMax = 1000;
  const std::size_t count = mistakes.size();
  mistakes = conf::in_file(std::move(mistakes), file);
  if (count <= kMax) return mistakes;
  mistakes.resize(kMax);
  mistakes.push_back({.reason = fmt::format("and {} more", count - kMax)});
  return mistakes;
}

std::vector<plan::Finding> errors_of(
    const tl::expected<plan::Plan, std::vector<plan::Finding>>& plan) {
  if (!plan) return plan.error();
  std::vector<plan::Finding> findings = plan::check_plan(plan::Planned(*plan));
  std::erase_if(findings, [](const plan::Finding& finding) {
    return finding.severity != plan::Severity::kError;
  });
  return findings;
}

tl::expected<plan::Plan, conf::Problems> plan_of_file(const std::filesystem::path& file,
                                                      const std::string& fabric) {
  return plan_of(file, fabric, false);
}

tl::expected<plan::Plan, conf::Problems> sound_plan_of_file(const std::filesystem::path& file,
                                                            const std::string& fabric) {
  return plan_of(file, fabric, true);
}

}  // namespace ulnet::tools::fgr
