#include "admin/conf/daemon_section.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "admin/conf/diff.h"

namespace ulnet::conf {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

/// Returns "line: reason" for every problem.
std::vector<std::string> problems(const std::string& text) {
  std::vector<std::string> list;
  const Document document = read_yaml(text).value();
  for (const Item& item : document.items)
    if (const auto* problem = std::get_if<Problem>(&item.what))
      list.push_back(std::to_string(problem->place.line) + ": " + problem->reason);
  return list;
}

DaemonSettings settings_of(const std::string& text) {
  return to_config(read_yaml(text).value(), {}).value().daemon;
}

TEST(DaemonSection, SaysWhatTheOptionsSay) {
  const DaemonSettings all = settings_of(
      "daemon:\n    selftest: true\n    metrics: 9100\n    metrics-api: yes\n    log-level: debug\n"
      "    log-format: json\n    log-file: /var/log/ulnet/a.log\n    drain: 30\n    "
      "skip-unsupported: yes\n");
  EXPECT_THAT(described(all),
              ElementsAre("selftest true", "metrics 9100", "metrics-api true", "log-level debug",
                          "log-format json", "log-file /var/log/ulnet/a.log", "drain 30",
                          "skip-unsupported true"));
  EXPECT_THAT(described(settings_of("daemon:\n    selftest: no\n")), ElementsAre("selftest false"));
  EXPECT_THAT(described(settings_of("param:\n    accept: all\n")), IsEmpty());
}

TEST(DaemonSection, MistakesAreReportedWithTheirPlaces) {
  EXPECT_THAT(
      problems("daemon:\n    metrics: 65536\n    log-level: loud\n    selftest: perhaps\n"
               "    drain: -1\n    log-format: [json]\n    log-file: ''\n    colour: red\n"),
      ElementsAre("2: invalid value '65536' for key 'metrics'",
                  "3: invalid value 'loud' for key 'log-level'",
                  "4: invalid value 'perhaps' for key 'selftest'",
                  "5: invalid value '-1' for key 'drain'", HasSubstr("6: invalid value"),
                  HasSubstr("7: invalid value"), "8: invalid key 'colour'"));
  EXPECT_THAT(problems("daemon:\n    log_level: debug\n"),
              ElementsAre("2: invalid key 'log_level': did you mean 'log-level'?"));
  EXPECT_THAT(problems("daemon:\n    drain:\n"),
              ElementsAre("2: no value specified for key 'drain'"));
  EXPECT_THAT(problems("daemon: true\n"), ElementsAre(HasSubstr("for key 'daemon'")));
}

TEST(DaemonSettings, TheFirstCountsWhereBothSpeak) {
  const DaemonSettings command_line{.metrics = std::uint16_t{0}, .log_level = "debug"};
  const DaemonSettings file{.selftest = true, .log_level = "error"};
  EXPECT_THAT(described(merged(command_line, file)),
              ElementsAre("selftest true", "metrics 0", "log-level debug"));
  EXPECT_THAT(differing_keys(command_line, file), ElementsAre("selftest", "metrics", "log-level"));
  EXPECT_THAT(differing_keys(file, file), IsEmpty());
}

}  // namespace
}  // namespace ulnet::conf
