#include "lab/live/record.h"

#include <gtest/gtest.h>

namespace ulnet::tools::lab {
namespace {

Record record_of_a_pair() {
  Record record{.name = "pair",
                .number = 77,
                .port = 12345,
                .version = "1",
                .text = "nodes: {a: tcp, b: tcp}\n"};
  record.file = "/x/pair.yaml";
  record.ready = true;
  record.processes = {{"a", {12, 34}}, {"b", {13, 35}}};
  record.down = {"a:0"};
  record.rates = {{"b:0", 1000}};
  return record;
}

TEST(LabRecord, IsReadAsItWasWritten) {
  const std::string text = record_text(record_of_a_pair());
  const auto read = parse_record(text);
  ASSERT_TRUE(read);
  EXPECT_EQ(record_text(*read), text);
  EXPECT_EQ(read->processes, record_of_a_pair().processes);
  EXPECT_EQ(read->down, record_of_a_pair().down);
}

TEST(LabRecord, DamagedOnesAreRefused) {
  const std::string text = record_text(record_of_a_pair());
  for (std::size_t length = 0; length + 1 < text.size(); ++length)
    EXPECT_FALSE(parse_record(std::string_view(text).substr(0, length))) << length;
  EXPECT_FALSE(parse_record("[]"));
  EXPECT_FALSE(parse_record(R"({"record": 2})"));
}

TEST(LabRecord, ItsTopologyHasTheAddressesOfItsNodes) {
  Record record = record_of_a_pair();
  auto topology = topology_of(record);
  ASSERT_TRUE(topology);
  EXPECT_EQ(topology->name, "pair");
  EXPECT_EQ(topology->nid_of(topology->nodes[1].rails[0]).to_string(), "127.77.0.2@tcp");
  EXPECT_EQ(rail_name(*topology, 1, 0), "b:0");
  record.spaces = true;
  topology = topology_of(record);
  EXPECT_EQ(topology->nid_of(topology->nodes[0].rails[0]).to_string(), "10.77.0.1@tcp");
}

}  // namespace
}  // namespace ulnet::tools::lab
