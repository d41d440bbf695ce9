#include "lnet/config/params.h"

#include <gtest/gtest.h>

#include <set>

namespace ulnet::conf {
namespace {

constexpr std::int64_t kAnyMax = INT32_MAX;

/// A numeric parameter of the TCP driver.
struct Number {
  const char* name;
  std::int64_t standard, low, high;
  bool start_only = false;
};
// spec/wire-socklnd.md 2.1, 11
constexpr Number kNumbers[] = {
    {"sock_timeout", 0, 0, kAnyMax},
    {"credits", 256, 1, kAnyMax, true},
    {"peer_credits", 8, 1, kAnyMax, true},
    {"peer_buffer_credits", 0, 0, kAnyMax, true},
    {"peer_timeout", 180, -1, kAnyMax, true},
    {"nscheds", 0, 0, 1024, true},
    {"nconnds", 4, 1, 65536},
    {"nconnds_max", 64, 1, 65536},
    {"min_reconnectms", 1000, 1, kAnyMax},
    {"max_reconnectms", 60000, 1, kAnyMax},
    {"eager_ack", 0, 0, 15},
    {"typed_conns", 1, 0, 1},
    {"min_bulk", 1024, 0, kAnyMax},
    {"tx_buffer_size", 0, 0, kAnyMax},
    {"rx_buffer_size", 0, 0, kAnyMax},
    {"nagle", 0, 0, 1},
    {"round_robin", 1, 0, 1},
    {"keepalive", 30, -1, kAnyMax},
    {"keepalive_idle", 30, 0, 32767},
    {"keepalive_intvl", 5, 0, 32767},
    {"keepalive_count", 5, 0, 127},
    {"enable_csum", 0, 0, 1},
    {"inject_csum_error", 0, 0, kAnyMax},
    {"nonblk_zcack", 1, 0, 1},
    {"zc_min_payload", 16384, 2048, kAnyMax},
    {"zc_recv", 0, 0, 1, true},
    {"zc_recv_min_nfrags", 16, 0, kAnyMax, true},
    {"conns_per_peer", 0, 0, 255},
    {"tos", -1, -1, 255},
    {"enable_irq_affinity", 0, 0, 1, true},
    {"accept_port", 988, 1, 65535, true},
    {"accept_port_bulk", 988, 1, 65535, true},
    {"accept_backlog", 127, 1, 65535, true},
    {"accept_timeout", 5, 1, kAnyMax},
    {"accept_pending", 4096, 1, 1048576},
    {"accept_open", 0, 0, kAnyMax},
    {"accept_open_per_address", 0, 0, kAnyMax},
    {"unprivileged_connect", 1, 0, 1},
    {"spin_us", 50, 0, 1000000},
    {"long_cycle_ms", 10, 0, 3600000},
    {"zc_request", 0, 0, 1},
};

// spec/cli-lnetctl.md 11.4; spec/wire-socklnd.md 2, 11
TEST(Parameters, TcpParametersHaveDefaultsAndRanges) {
  for (const Number& number : kNumbers) {
    const Param* param = find_param(number.name);
    ASSERT_NE(param, nullptr) << number.name;
    EXPECT_EQ(param->start_only, number.start_only) << number.name;
    EXPECT_EQ(param->initial, std::to_string(number.standard)) << number.name;
    EXPECT_EQ(param->min, number.low) << number.name;
    EXPECT_EQ(param->max, number.high) << number.name;
  }
}

TEST(Params, EveryRowIsConsistent) {  // spec/cli-lnetctl.md 11.3; spec/multirail.md 12
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

TEST(Params, ValuesAreCheckedAndMadeCanonical) {  // spec/cli-lnetctl.md 11.3; spec/multirail.md 12
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
                "portal_rotor: '" + std::string(given) + "' is not one of OFF|ON|RR_RT|HASH_RT");
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

TEST(Params, TheDeprecatedOnesWarn) {  // spec/cli-lnetctl.md 11.3
  EXPECT_NE(find_param("use_tcp_bonding")->warning.find("tcp(eth0,eth1) makes two NIs"),
            std::string_view::npos);
  EXPECT_TRUE(find_param("credits")->warning.empty());
}

}  // namespace
}  // namespace ulnet::conf
