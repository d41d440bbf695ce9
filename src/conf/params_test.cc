#include "conf/params.h"

#include <gtest/gtest.h>

#include <set>

namespace ulnet::conf {
namespace {

TEST(Params, EveryRowIsConsistent) {
  std::set<std::string_view> names;
  for (const Param& param : all_params()) {
    EXPECT_TRUE(names.insert(param.name).second) << param.name << " is there twice";
    EXPECT_FALSE(param.help.empty()) << param.name;
    EXPECT_EQ(check_param(param, param.initial).value_or("?"), param.initial) << param.name;
    if (!param.global.empty()) {
      EXPECT_NE(find_global(param.global), nullptr) << param.name;
    }
  }
}

TEST(Params, ValuesAreCheckedAndMadeCanonical) {
  EXPECT_EQ(check_param("accept_timeout", "7").value(), "7");
  EXPECT_EQ(check_param("accept_timeout", "007").value(), "7");
  EXPECT_EQ(check_param("nagle", "yes").value(), "1");
  EXPECT_EQ(check_param("nagle", "off").value(), "0");
  EXPECT_EQ(check_param("accept", "trust").value(), "trust");
  EXPECT_EQ(check_param("wait", "spin").value(), "spin");
  EXPECT_EQ(check_param("nosuch", "1").error().code, -ENOENT);
  for (const auto& [name, value] : std::initializer_list<std::pair<const char*, const char*>>{
           {"accept", "some"},
           {"accept", ""},
           {"accept_port", "0"},
           {"accept_port", "65536"},
           {"tos", "256"},
           {"tos", "-2"},
           {"nagle", "2"},
           {"credits", ""},
           {"credits", "8x"},
           {"credits", "99999999999999999999"},
           {"wait", "spin|adaptive"}}) {
    const auto checked = check_param(name, value);
    ASSERT_FALSE(checked.has_value()) << name << "=" << value;
    EXPECT_EQ(checked.error().code, -EINVAL);
    EXPECT_TRUE(checked.error().reason.starts_with(name)) << "the reason names the parameter";
  }
  EXPECT_FALSE(check_param("cpu_pattern", std::string(5000, 'N')).has_value());
}

TEST(Params, ANameMayBeAbbreviatedInLettersOfEitherCase) {  // spec/core-semantics.md 7.3
  const std::pair<const char*, const char*> rows[] = {
      {"OFF", "OFF"}, {"off", "OFF"},      {"on", "ON"},     {"r", "RR_RT"}, {"rr_rt", "RR_RT"},
      {"Of", "OFF"},  {"hash", "HASH_RT"}, {"H", "HASH_RT"}, {"o", ""},      {"", ""},
      {"RR_RT2", ""}, {"HASH RT", ""},     {"3", ""},        {"OFF|ON", ""}};
  for (const auto& [given, meant] : rows) {
    const auto checked = check_param("portal_rotor", given);
    EXPECT_EQ(checked.value_or(""), meant) << given;
    if (!checked) {
      EXPECT_EQ(checked.error().code, -EINVAL);
      EXPECT_EQ(checked.error().reason,
                "portal_rotor: '" + std::string(given) + "' is none of OFF|ON|RR_RT|HASH_RT");
    }
  }
}

TEST(Params, TheDesignsNamesOfThePartitionParametersAreTaken) {  // spec/design-vs-today.md
  ParamValues values;
  EXPECT_TRUE(values.set("npartitions", "2").has_value());
  EXPECT_TRUE(values.set("cpu_patterns", "0[0] 1[1]").has_value());
  EXPECT_EQ(values.number("cpu_npartitions"), 2);
  EXPECT_EQ(values.text("cpu_pattern"), "0[0] 1[1]");
  EXPECT_EQ(values.given().size(), 2U);
}

TEST(Params, ASetOverTheDefaults) {
  ParamValues values;
  EXPECT_TRUE(values.set("accept", "trust").has_value());
  EXPECT_TRUE(values.set("credits", "64").has_value());
  EXPECT_FALSE(values.set("credits", "none").has_value());
  EXPECT_EQ(values.text("accept"), "trust");
  EXPECT_EQ(values.number("credits"), 64);
  EXPECT_EQ(values.number("peer_credits"), 8);
  EXPECT_TRUE(values.flag("round_robin"));
  EXPECT_EQ(values.given().size(), 2U);
}

TEST(Params, TheDeprecatedOnesWarn) {
  EXPECT_NE(find_param("use_tcp_bonding")->warning.find("tcp(eth0,eth1) makes two NIs"),
            std::string_view::npos);
  EXPECT_TRUE(find_param("credits")->warning.empty());
}

}  // namespace
}  // namespace ulnet::conf
