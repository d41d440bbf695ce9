#include "fgr/site/site_file.h"

#include <fmt/format.h>

#include <algorithm>

#include "fgr/plan/hosts_in_fabric.h"
#include "fgr/site/fabric_file.h"
#include "fgr/site/reading.h"
#include "lab/topology/reader.h"

namespace ulnet::tools::fgr {

tl::expected<plan::Site, Mistakes> read_site(std::string_view text, SitePlaces* places,
                                             ForChecks for_checks) {
  Mistakes mistakes;
  SiteReading reading(mistakes, places, for_checks);
  text::read_document(text, "site", mistakes,
                      [&](const conf::YamlNode& root) { reading.read(root); });
  if (!mistakes.empty()) return tl::unexpected(std::move(mistakes));
  return reading.take();
}

namespace {

/// Returns the first thousand lines, and how many more there are. Nobody reads more, and a file may
/// have hundreds of thousands of mistakes.
std::string first_lines(std::string text) {
  constexpr std::ptrdiff_t kMax = 1000;
  const auto lines = std::ranges::count(text, '\n');
  if (lines <= kMax) return text;
  std::size_t end = 0;
  for (std::ptrdiff_t i = 0; i < kMax; ++i) end = text.find('\n', end) + 1;
  text.resize(end);
  return text + fmt::format("and {} more\n", lines - kMax);
}

/// Returns the findings as mistakes, each with the place of its subject in the text.
Mistakes mistakes_of(const SitePlaces& places, const std::vector<plan::Finding>& findings) {
  Mistakes mistakes;
  for (const plan::Finding& finding : findings) {
    auto at = places.find(finding.where);
    if (at == places.end()) at = places.find(finding.subject);
    mistakes.push_back(
        {at == places.end() ? conf::Place{} : at->second,
         finding.where + ": " + finding.what + (finding.cure.empty() ? "" : ". " + finding.cure)});
  }
  return mistakes;
}

tl::expected<plan::Plan, std::string> plan_of(const std::filesystem::path& file,
                                              const std::string& fabric_file, bool sound) {
  const auto text = lab::file_text(file);
  if (!text) return tl::unexpected(description(file.string(), text.error()));
  SitePlaces places;
  auto site = read_site(*text, &places);
  if (!site) return tl::unexpected(description(file.string(), site.error()));
  Result<plan::Fabric> fabric;
  if (!fabric_file.empty()) fabric = fabric_of_file(fabric_file);
  if (!fabric) return tl::unexpected(fabric.error().reason + "\n");
  auto plan = fabric_file.empty() ? plan::make_plan(std::move(*site))
                                  : plan::make_plan(std::move(*site), *fabric);
  std::vector<plan::Finding> findings;
  if (!plan || sound) findings = errors_of(plan);
  if (findings.empty()) return std::move(*plan);
  return tl::unexpected(description(file.string(), mistakes_of(places, findings)));
}

}  // namespace

std::string description(const std::string& file, const Mistakes& mistakes) {
  return first_lines(lab::description(file, mistakes));
}

std::vector<plan::Finding> errors_of(
    const tl::expected<plan::Plan, std::vector<plan::Problem>>& plan) {
  std::vector<plan::Finding> findings;
  if (plan) {
    findings = plan::check_plan(plan::Planned(*plan));
    std::erase_if(findings, [](const plan::Finding& finding) {
      return finding.severity != plan::Severity::kError;
    });
    return findings;
  }
  for (const plan::Problem& problem : plan.error())
    findings.push_back({.rule = problem.rule,
                        .severity = plan::Severity::kError,
                        .file = {},
                        .spot = {},
                        .where = problem.where,
                        .subject = problem.subject,
                        .what = problem.what,
                        .cure = problem.cure.empty() ? std::string(plan::info_of(problem.rule).cure)
                                                     : problem.cure});
  return findings;
}

tl::expected<plan::Plan, std::string> plan_of_file(const std::filesystem::path& file,
                                                   const std::string& fabric) {
  return plan_of(file, fabric, false);
}

tl::expected<plan::Plan, std::string> sound_plan_of_file(const std::filesystem::path& file,
                                                         const std::string& fabric) {
  return plan_of(file, fabric, true);
}

}  // namespace ulnet::tools::fgr
