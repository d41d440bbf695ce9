// Files of the field, and of lnetctl 2.11 to 2.15 (cases 05 and 11): the reader takes them as it
// did then.
#include <gtest/gtest.h>

#include "admin/conf/yaml_fixture.h"

namespace ulnet::conf {
namespace {

/// Returns the text of the only note, if nothing is wrong.
std::string note_of(const std::string& text) {
  const auto document = read_yaml(text);
  if (!document || document->notes.size() != 1) return "?";
  for (const auto& item : document->items)
    if (const auto* wrong = std::get_if<Problem>(&item.what)) return "problem " + wrong->reason;
  return document->notes.front().reason;
}

TEST(YamlFormer, FormsOfFormerReleasesAreRead) {
  for (const char* section : {"net", "peer", "global", "ip2nets", "numa", "udsp", "routing",
                              "buffers", "selection", "param", "daemon", "ping", "discover"})
    EXPECT_EQ(note_of(section + std::string(":\n")),
              "section '" + std::string(section) + "' is empty");
  EXPECT_EQ(note_of("global:\n  max_intf: 200\n  discovery: 1\n"),
            "'max_intf' is the old name of 'max_interfaces'");
  const auto renamed = only<GlobalEntry>("global:\n  max_intf: 200\n").values.at(0);
  EXPECT_EQ(renamed.name, "max_interfaces");
  EXPECT_EQ(renamed.value, 200);
  const auto both = only<GlobalEntry>("global:\n  max_interfaces: 7\n  max_intf: 200\n").values;
  ASSERT_EQ(both.size(), 1U);
  EXPECT_EQ(both[0].value, 7) << "today's name wins";
}

TEST(YamlFormer, ANidBesideInterfacesMayBelongToAnotherMachine) {
  const std::string begin = "net:\n  - net type: tcp1\n    local NI(s):\n      - ";
  const std::string interfaces = "interfaces: {0: eth0}";
  for (const char* nid : {"ansible_eth0.ipv4.address@tcp1", "10.77.1.200@tcp2"}) {
    const std::string key = "nid: " + std::string(nid), next = "\n        ";
    EXPECT_NE(note_of(begin + key + next + interfaces + "\n").find("ignored beside 'interfaces'"),
              std::string::npos);
    EXPECT_NE(note_of(begin + interfaces + next + key + "\n").find("ignored beside 'interfaces'"),
              std::string::npos)
        << "in any order";
    EXPECT_NE(problem_of(begin + key + "\n"), "") << "alone it names the NI";
  }
}

}  // namespace
}  // namespace ulnet::conf
