#include "admin/http/host_header.h"

#include <gtest/gtest.h>

namespace ulnet::http {
namespace {

TEST(HostHeader, NamesOfThisMachineAlone) {
  for (const char* host :
       {"127.0.0.1", "127.0.0.1:9100", "127.1.2.3", "[::1]", "[::1]:9100", "[0:0:0:0:0:0:0:1]:1",
        "localhost", "localhost:9100", "LOCALHOST", "LocalHost:0", "127.0.0.1:65535"})
    EXPECT_TRUE(names_loopback(host)) << host;
}

TEST(HostHeader, NamesThatADnsServerCanGive) {
  for (const char* host : {"",
                           "evil.example",
                           "127.evil.example",
                           "127.0.0.1.evil.example",
                           "127.0.0.1.",
                           "127.1",
                           "127.0.0.01.x",
                           "[::1].evil",
                           "[::1",
                           "[::1]x",
                           "[::1]:",
                           "[::1]:x",
                           "[::2]",
                           "[127.0.0.1]",
                           "::1",
                           "localhost.evil.example",
                           "xlocalhost",
                           "localhost:",
                           "localhost:x",
                           "localhost:65536",
                           "localhost:80:80",
                           "127.0.0.1:-1",
                           "127.0.0.1: 80",
                           "128.0.0.1",
                           "10.0.0.1",
                           ":80",
                           "0.0.0.0",
                           " 127.0.0.1"})
    EXPECT_FALSE(names_loopback(host)) << host;
}

}  // namespace
}  // namespace ulnet::http
