// Wrong sites: none gets a plan, and each mistake is one line with its place and what to do.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>

#include "fgr/existing/report.h"
#include "fgr/site/site_file.h"
#include "lnet/base/limits.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::fgr {
namespace {

/// A right text: clients on a net of numbers and on a net of addresses, and two file systems with
/// equal names of switches.
constexpr const char* kRight = R"(about: a test
clients:
    xe:
        net: gni1
        addresses: "10.128.*.*"
        kind: xe
        routers:
            - {host: nid00068, nid: 68, address: 10.10.100.101, switch: left0, file system: home, for: metadata}
            - {host: "nid[00750-00753]", nid: "[750-753]", address: "10.10.100.[103-106]", switch: left0, file system: home}
            - {host: "nid[00618-00621]", nid: "[618-621]", address: "10.10.100.[111-114]", switch: right0, file system: home}
            - {host: "nid[00760-00761]", nid: "[760-761]", address: "10.10.101.[103-104]", switch: left0, file system: work, for: both}
            - {host: "nid[00762-00763]", nid: "[762-763]", address: "10.10.101.[105-106]", switch: right0, file system: work}
    tc:
        net: tcp1
        addresses: "10.129.*.*"
        kind: generic
        GB per s: 5.0
        routers:
            - {host: "tr[1-2]", nid: "10.129.0.[1-2]", address: "10.10.100.[121-122]", switch: left0, file system: home, for: both}
            - {host: "tr[3-4]", nid: "10.129.0.[3-4]", address: "10.10.100.[123-124]", switch: right0, file system: home}
file systems:
    home: {cluster: snx11001, net: o2ib6000, kind: sonexion-1600, SSUs: 2, first address: 10.10.100.2}
    work:
        net: o2ib7000
        kind: generic
        GB per s: 1.5
        servers:
            - {host: wm, role: mgs, address: 10.10.101.2, switch: left0}
            - {host: "w[0-2/2]", address: "10.10.101.[4-6/2]", switch: left0}
            - {host: "w[1-3/2]", address: "10.10.101.[5-7/2]", switch: right0}
)";

struct WrongSite {
  std::string_view right, wrong;  ///< the text of the site that is replaced, and its replacement
  std::string_view said;          ///< lines without the file and its colon
};
constexpr WrongSite kWrongSites[] = {
    {"net: gni1", "net: gmi1", "4:9: 'gmi1' is no net: 'gmi1' is not a network type\n"},
    {"net: gni1", "net: [gni1]", "4:9: '(a list)' is no net: '' is not a network type\n"},
    {"        net: gni1\n", "", "4:9: a system of clients without 'net'\n"},
    {"net: tcp1", "net: gni1",
     "19:15: '10.129.0.1' is no address on gni1\n20:15: '10.129.0.3' is no address on gni1\n"},
    {"net: tcp1", "net: o2ib6002",
     "22:5: home: home has the net of tc: o2ib6002. Give one of them another base ('net'), whose "
     "groups' numbers are free, or another 'net among servers'.\n"},
    {"net: o2ib7000", "net: o2ib6000",
     "23:5: work: work has the nets of home: o2ib6000, o2ib6002, o2ib6003. Give one of them "
     "another base ('net'), whose groups' numbers are free, or another 'net among servers'.\n"},
    {"net: o2ib7000", "net: o2ib6001",
     "23:5: work: work has the net of home: o2ib6003. Give one of them another base ('net'), whose "
     "groups' numbers are free, or another 'net among servers'.\n"},
    {"net: o2ib7000", "net: o2ib65534",
     "23:5: work, group 002: its net would have the number 65536, and 65535 is the largest. Choose "
     "a smaller base ('net') for the file system.\n"},
    {"net: o2ib7000", "net: gni7",
     "24:9: gni7 is no net of servers: they have IPv4 addresses, as on o2ib6000\n"},
    {"GB per s: 5.0", "GB per s: 0",
     "17:9: '0' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"GB per s: 5.0", "GB per s: -2.6",
     "17:9: '-2.6' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"GB per s: 5.0", "GB per s: 1000000000000",
     "17:9: '1000000000000' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"        GB per s: 5.0\n", "", "13:5: 'GB per s' is missing: what each host moves at peak\n"},
    {"GB per s: 5.0", "GB per s: 0.0000001",
     "17:9: '0.0000001' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"GB per s: 5.0",
     "GB per s:", "17:9: '' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"GB per s: 1.5", "GB per s: 0",
     "26:9: '0' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"GB per s: 1.5", "GB per s: 100000",
     "3:5: work, group 002: 2 routers of xe at switch work/left0 carry 5.2 GB/s, and 2 OSSs move "
     "200000.0 GB/s at peak. Plug 76922 more routers of xe into switch work/left0, or ask for less "
     "('share of clients', or a number of 'routers per group').\n3:5: work, group 003: 2 routers "
     "of xe at switch work/right0 carry 5.2 GB/s, and 2 OSSs move 200000.0 GB/s at peak. Plug "
     "76922 more routers of xe into switch work/right0, or ask for less ('share of clients', or a "
     "number of 'routers per group').\n"},
    {"kind: xe", "kind: xf",
     "6:9: 'xf' is no known kind: xe, xc30-single-hca, xc30-dual-hca, generic\n"},
    {"kind: xe", "kind: sonexion-1600",
     "6:9: 'sonexion-1600' is no known kind: xe, xc30-single-hca, xc30-dual-hca, generic\n"},
    {"kind: sonexion-1600", "kind: xe", "22:46: 'xe' is no known kind: sonexion-1600, generic\n"},
    {"kind: xe", "kind: [xe, xc30-single-hca]",
     "6:9: '(a list)' is no known kind: xe, xc30-single-hca, xc30-dual-hca, generic\n"},
    {"kind: xe", "knid: xe",
     "3:5: 'GB per s' is missing: what each host moves at peak\n"
     "6:9: unknown key 'knid' of a system of clients: did you mean 'kind'?\n"},
    {"kind: sonexion-1600, SSUs", "kind: , SSUs",
     "22:46: '' is no known kind: sonexion-1600, generic\n"},
    {"SSUs: 2", "SSUs: 0", "22:67: SSUs: 0 is not from 1 to 2000\n"},
    {"SSUs: 2", "SSUs: 2.5", "22:67: SSUs: '2.5' is not a whole number from 1 to 2000\n"},
    {"SSUs: 2", "SSUs: 2001", "22:67: SSUs: 2001 is not from 1 to 2000\n"},
    {"SSUs: 2", "SSU: 2",
     "22:5: there are no servers: list 'servers', or for a Sonexion say 'SSUs' and 'first address' "
     "(that of its MGS)\n22:67: unknown key 'SSU' of a file system: did you mean 'SSUs'?\n"},
    {"SSUs: 2,", "",
     "22:5: there are no servers: list 'servers', or for a Sonexion say 'SSUs' and 'first address' "
     "(that of its MGS)\n"},
    {"SSUs: 2", "SSUs: -1", "22:67: SSUs: '-1' is not a whole number from 1 to 2000\n"},
    {"first address: 10.10.100.2", "first address: 10.10.100.300",
     "22:76: '10.10.100.300' is no IPv4 address of a host, as 10.10.100.2\n"},
    {"first address: 10.10.100.2", "first address: 10.10.100.96",
     "8:15: nid00068 has the address of snx11001n007, 10.10.100.101\n"},
    {"first address: 10.10.100.2", "first address: 10.10.100.[2-3]",
     "22:101: end of map flow not found (a '{' is not closed, or a word with a bracket is not in "
     "quotes)\n"},
    {", first address: 10.10.100.2", "",
     "22:5: there are no servers: list 'servers', or for a Sonexion say 'SSUs' and 'first address' "
     "(that of its MGS)\n"},
    {"cluster: snx11001, ", "",
     "22:5: 'cluster' is missing: the beginning of the servers' host names\n"},
    {"cluster: snx11001", "cluster: \"snx 1\"",
     "22:5: cluster: 'snx 1' is no name: up to 128 letters a to z, digits, '-', '_' and '.', the "
     "first a letter or digit\n"},
    {"cluster: snx11001", "cluster: snéx",
     "22:5: cluster: 'sn??x' is no name: up to 128 letters a to z, digits, '-', '_' and '.', the "
     "first a letter or digit\n"},
    {"host: nid00068", "host: nid00750", "9:15: host nid00750 is there already\n"},
    {"host: nid00068", "host: wm", "8:15: host wm is there already\n"},
    {"host: nid00068", "host: snx11001n002", "8:15: host snx11001n002 is there already\n"},
    {"host: nid00068, ", "", "8:15: a router without 'host'\n"},
    {"host: nid00068", "host: \"nid[68\"",
     "8:16: 'nid[68': one bracket of numbers, as in nid[1-4]\n"},
    {"host: nid00068", "host: \"nid68]\"",
     "8:16: 'nid68]' is no name: up to 128 letters a to z, digits, '-', '_' and '.', the first a "
     "letter or digit\n"},
    {"host: nid00068", "host: \"nid[]\"", "8:16: '': a number is missing\n"},
    {"host: nid00068", "host: \"nid[9-1]\"", "8:16: '9-1': the range runs backwards\n"},
    {"host: nid00068", "host: \"nïd\"",
     "8:16: 'n??d' is no name: up to 128 letters a to z, digits, '-', '_' and '.', the first a "
     "letter or digit\n"},
    {"host: nid00068", "host: \"\"",
     "8:16: 'host' is empty: it is a word, or several as in nid[1-4]\n"},
    {"host: nid00068", "host: [a, b]",
     "8:16: 'host' is (a list): it is a word, or several as in nid[1-4]\n"},
    {"host: nid00068", "hots: nid00068",
     "8:15: a router without 'host'\n8:16: unknown key 'hots' of a router: did you mean 'host'?\n"},
    {"nid: 68", "nid: 750", "9:15: NID 750@gni1 is there already\n"},
    {"nid: 68", "nid: n68", "8:15: 'n68' is no address on gni1\n"},
    {"nid: 68", "nid: 10.128.0.1", "8:15: '10.128.0.1' is no address on gni1\n"},
    {"nid: 68", "nid: 68@gni1", "8:15: '68@gni1' is no address on gni1\n"},
    {"nid: \"[750-753]\"", "nid: \"[750-752]\"",
     "9:42: '[750-752]' is 3 words for 4 hosts: give one for each host, or one for all\n"},
    {"nid: \"10.129.0.[1-2]\"", "nid: \"10.10.100.[2-3]\"",
     "19:15: tr1 has the address of snx11001n002 as its NID, 10.10.100.2@tcp1\n19:15: tr2 has the "
     "address of snx11001n003 as its NID, 10.10.100.3@tcp1\n"},
    {"nid: \"10.129.0.[1-2]\"", "nid: \"[1-2]\"", "19:15: '1' is no address on tcp1\n"},
    {"nid: \"10.129.0.[1-2]\"", "nid: \"10.10.100.[103-104]\"",
     "19:15: tr1 has the address of nid00750 as its NID, 10.10.100.103@tcp1\n19:15: tr2 has the "
     "address of nid00751 as its NID, 10.10.100.104@tcp1\n"},
    {"address: 10.10.100.101", "address: 10.10.100.103",
     "9:15: nid00750 has the address of nid00068, 10.10.100.103\n"},
    {"address: 10.10.100.101", "address: 10.10.100.4",
     "8:15: nid00068 has the address of snx11001n004, 10.10.100.4\n"},
    {"address: 10.10.100.101", "address: 10.10.100.1000",
     "8:41: '10.10.100.1000' is no IPv4 address of a host, as 10.10.100.2\n"},
    {"address: 10.10.100.101", "address: 10.128.0.7",
     "3:5: xe: the clients' pattern '10.128.*.*' also matches addresses on the servers' fabric: "
     "nid00068. Write 'addresses' so that it matches only the clients of xe.\n"},
    {"address: 10.10.100.101, ", "", "8:15: a router without 'address'\n"},
    {"address: 10.10.100.101", "address: [10.10.100.101, 10.10.100.101]",
     "8:15: nid00068 has the address 10.10.100.101 twice\n"},
    {"address: 10.10.100.101", "address: [10.10.100.101, 10.10.100.102, 10.10.100.107]",
     "8:15: a router has one address or two\n"},
    {"address: 10.10.100.101", "address: {a: b}",
     "8:41: '(a mapping)' is no addresses for 1 host\n"},
    {"\"10.10.100.[103-106]\"", "\"10.10.100.[103-105]\"",
     "9:60: '10.10.100.[103-105]' is 3 addresses for 4 hosts\n"},
    {"\"10.10.100.[103-106]\"", "10.10.100.103",
     "9:60: '10.10.100.103' is 1 address for 4 hosts\n"},
    {"address: 10.10.100.101", "address: 0.0.0.0",
     "8:41: '0.0.0.0' is no IPv4 address of a host, as 10.10.100.2\n"},
    {"address: 10.10.100.101", "address: []", "8:41: 'address' is an empty list\n"},
    {"address: 10.10.100.101", "address: fe80::1",
     "8:41: 'fe80::1' is no IPv4 address of a host, as 10.10.100.2\n"},
    {"address: 10.10.100.101", "address: 255.255.255.255",
     "8:41: '255.255.255.255' is no IPv4 address of a host, as 10.10.100.2\n"},
    {"address: 10.10.100.101", "address: 224.0.0.1",
     "8:41: '224.0.0.1' is no IPv4 address of a host, as 10.10.100.2\n"},
    {"switch: left0, file system: home, for: metadata",
     "switch: lefto, file system: home, for: metadata",
     "8:15: home, switch lefto: no server of home is plugged into it, and 'switches' does not have "
     "it (did you mean 'left0'?). Correct the switch's name in the site file, or declare the "
     "switch in 'switches'.\n"},
    {"switch: right0, file system: home}\n            - {host: \"nid[00760",
     "switch: rigth0, file system: home}\n            - {host: \"nid[00760",
     "10:15: home, switch rigth0: no server of home is plugged into it, and 'switches' does not "
     "have it (did you mean 'right0'?). Correct the switch's name in the site file, or declare the "
     "switch in 'switches'.\n"},
    {"switch: left0, file system: home}\n            - {host: \"nid[00618",
     "switch: home/left1, file system: home}\n            - {host: \"nid[00618",
     "9:15: home, switch home/left1: no server of home is plugged into it, and 'switches' does not "
     "have it (did you mean 'left0'?). Correct the switch's name in the site file, or declare the "
     "switch in 'switches'.\n"},
    {"switch: left0, file system: home, for: metadata",
     "switch: work/left0, file system: home, for: metadata",
     "8:15: home, switch work/left0: no server of home is plugged into it, and 'switches' does not "
     "have it. Correct the switch's name in the site file, or declare the switch in 'switches'.\n"},
    {"switch: left0, file system: home, for: metadata", "file system: home, for: metadata",
     "8:15: nid00068: it has no 'switch'. Say 'switch' of the host, or give the output of "
     "ibnetdiscover (--ibnetdiscover FILE).\n"},
    {"switch: left0, file system: home}\n            - {host: \"nid[00618",
     "switch: right0, file system: home}\n            - {host: \"nid[00618",
     "9:15: home, group 002: 0 routers of xe at switch home/left0 carry 0.0 GB/s, and 2 OSSs move "
     "6.0 GB/s at peak. Plug 3 more routers of xe into switch home/left0 (spare: nid00753 at "
     "switch home/right0, nid00618 at switch home/right0, nid00619 at switch home/right0, nid00620 "
     "at switch home/right0, nid00621 at switch home/right0), or ask for less ('share of clients', "
     "or a number of 'routers per group').\n"},
    {"for: metadata", "for: metdata",
     "8:99: 'metdata' is not one of OSSs, metadata, both (did you mean 'metadata'?)\n"},
    {"for: metadata", "for: [metadata]", "8:99: '(a list)' is not one of OSSs, metadata, both\n"},
    {"for: metadata", "for: OSSs",
     "3:5: home, group 000: no router of xe is for metadata. Say 'for: metadata' or 'for: both' of "
     "one that leads to home.\n"},
    {"for: metadata", "role: metadata", "8:99: unknown key 'role' of a router\n"},
    {"file system: home, for: metadata", "file system: hmoe, for: metadata",
     "8:80: there is no file system 'hmoe' (did you mean 'home'?)\n"},
    {"file system: home, for: metadata", "file system: [home, home], for: metadata",
     "8:100: file system home is there already\n"},
    {"file system: home, for: metadata", "file system: {home: 0, work: 1}, for: metadata",
     "8:94: '0' is no weight: from 0.001 to 1000, as 2 beside 1 of another\n"},
    {"file system: home, for: metadata", "file system: [home, work], for: metadata",
     "8:15: home and work, switch left0: home and work have a switch of that name each: say which, "
     "as 'home/left0', or declare it in 'switches' if it is one. Correct the switch's name in the "
     "site file, or declare the switch in 'switches'.\n"},
    {", file system: home, for: metadata", ", for: metadata",
     "8:15: 'file system' is missing: to which file system does the router lead?\n"},
    {"file system: home, for: metadata", "file system: [], for: metadata",
     "8:80: 'file system' names none\n"},
    {"file system: home, for: metadata", "file system: {home: 2, home: 1}, for: metadata",
     "8:103: file system home is there already\n"},
    {"file system: home, for: metadata", "file system: [[home]], for: metadata",
     "8:94: there is no file system '(a list)': there are home, work\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"10.*.*.*\"",
     "3:5: xe: the clients' pattern '10.*.*.*' also matches addresses on the servers' fabric: "
     "nid00068, nid00750, nid00751, nid00752 and 24 more. Write 'addresses' so that it matches "
     "only the clients of xe.\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"*.*.*.*\"",
     "3:5: xe: the clients' pattern '*.*.*.*' also matches addresses on the servers' fabric: "
     "nid00068, nid00750, nid00751, nid00752 and 24 more. Write 'addresses' so that it matches "
     "only the clients of xe.\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"10.128.*\"",
     "5:9: '10.128.*' is not an address of four octets: patterns as 10.128.*.*, with blanks "
     "between\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"\"",
     "3:5: 'addresses' is missing: the addresses of its nodes, as ip2nets writes them\n"},
    {"        addresses: \"10.128.*.*\"\n", "",
     "3:5: 'addresses' is missing: the addresses of its nodes, as ip2nets writes them\n"},
    {"addresses: \"10.128.*.*\"", "adresses: \"10.128.*.*\"",
     "3:5: 'addresses' is missing: the addresses of its nodes, as ip2nets writes them\n"
     "5:9: unknown key 'adresses' of a system of clients: did you mean 'addresses'?\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"10.128.[0-300].*\"",
     "5:9: '0-300': not a range of numbers from 0 to 255: patterns as 10.128.*.*, with blanks "
     "between\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"10.128.*.*, 10.130.*.*\"",
     "5:9: '*,': not a number from 0 to 255, nor a list in brackets: patterns as 10.128.*.*, with "
     "blanks between\n"},
    {"addresses: \"10.128.*.*\"", "addresses: [\"10.128.*.*\"]",
     "5:9: 'addresses' is (a list), and one value is expected\n"},
    {"addresses: \"10.128.*.*\"", "addresses: 10.128.*.*@gni1",
     "5:9: '*@gni1': not a number from 0 to 255, nor a list in brackets: patterns as 10.128.*.*, "
     "with blanks between\n"},
    {"addresses: \"10.128.*.*\"", "addresses: *all",
     "5:20: the referenced anchor is not defined (put text that begins with * in quotes)\n"},
    {"addresses: \"10.128.*.*\"", "addresses: \"10.128.0.0/16\"",
     "5:9: '0/16': not a number from 0 to 255, nor a list in brackets: patterns as 10.128.*.*, "
     "with blanks between\n"},
    {"SSUs: 2,", "SSUs: 2, groups by: side,",
     "22:76: 'side' is not one of sides, switches, none (did you mean 'sides'?)\n"},
    {"SSUs: 2,", "SSUs: 2, OSSs per group: 0,",
     "22:76: OSSs per group: 0 is not from 1 to 10000\n"},
    {"SSUs: 2,", "SSUs: 2, routers per group: 0,",
     "22:76: '0' is not a whole number from 1 to 10000\n"},
    {"SSUs: 2,", "SSUs: 2, routers per group: {xf: 2},",
     "22:96: there are no clients 'xf': there are xe, tc\n"},
    {"SSUs: 2,", "SSUs: 2, routers per group: [2],",
     "22:76: '(a list)' is not a whole number from 1 to 10000\n"},
    {"SSUs: 2,", "SSUs: 2, share of clients: {xe: 1.5},",
     "22:95: '1.5' is no share: from 0.001 to 1, as 0.5\n"},
    {"SSUs: 2,", "SSUs: 2, share of clients: {xf: 0.5},",
     "22:95: there are no clients 'xf': there are xe, tc\n"},
    {"SSUs: 2,", "SSUs: 2, share of clients: {xe: 0},",
     "22:95: '0' is no share: from 0.001 to 1, as 0.5\n"},
    {"SSUs: 2,", "SSUs: 2, share of clients: 0.5,",
     "22:76: shares of clients are {NAME: 0.5, ...}\n"},
    {"SSUs: 2,", "SSUs: 2, share of clients: {},",
     "22:76: it names no clients: {NAME: ..., ...}\n"},
    {"SSUs: 2,", "SSUs: 2, routers per group: {},",
     "22:76: it names no clients: {NAME: ..., ...}\n"},
    {"SSUs: 2,", "SSUs: 2, routers per group: 1,",
     "22:5: home: a group of its routers carries less than one OSS moves. Give the groups more "
     "routers ('routers per group').\n"},
    {"SSUs: 2,", "SSUs: 2, secondary routes: maybe,",
     "22:76: secondary routes: 'maybe' is neither yes nor no\n"},
    {"SSUs: 2,", "SSUs: 2, net among servers: o2ib6002,",
     "22:76: home, net among servers: o2ib6002 is already the net of home, group 002. Take a net "
     "that nobody else has.\n"},
    {"SSUs: 2,", "SSUs: 2, net among servers: o2ib7000,",
     "22:76: home, net among servers: o2ib7000 is already the net of work, group 000. Take a net "
     "that nobody else has.\n"},
    {"SSUs: 2,", "SSUs: 2, net among servers: tcp5,",
     "22:76: tcp5 is of another type than 'net', o2ib6000: servers have both on the same "
     "interface\n"},
    {"SSUs: 2,", "SSUs: 2, ISL GB per s: 0,",
     "22:76: '0' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"SSUs: 2,", "SSUs: 2, SSUs: 3,", "22:76: key 'SSUs' twice\n"},
    {"SSUs: 2,", "SSUs: 2, secondary route: no,",
     "22:76: unknown key 'secondary route' of a file system: did you mean 'secondary routes'?\n"},
    {"SSUs: 2,", "SSUs: 2, servers: [{host: a1, address: 10.1.1.1, switch: left0}],",
     "22:67: 'SSUs' describes a Sonexion, and the servers follow from it: leave out 'SSUs', or "
     "'servers'\n22:133: 'first address' describes a Sonexion, and the servers follow from it: "
     "leave out 'first address', or 'servers'\n"},
    {"host: \"w[0-2/2]\"", "host: \"w[0-2/2]x\"",
     "29:15: w0x has no number at its end: say 'number' (even: left, odd: right), or 'role' if it "
     "is no OSS\n29:15: w2x has no number at its end: say 'number' (even: left, odd: right), or "
     "'role' if it is no OSS\n"},
    {"role: mgs", "role: mgt", "28:26: 'mgt' is not one of oss, mds, mgs (did you mean 'mgs'?)\n"},
    {"role: mgs, ", "",
     "28:15: wm has no number at its end: say 'number' (even: left, odd: right), or 'role' if it "
     "is no OSS\n"},
    {"            - {host: wm, role: mgs, address: 10.10.101.2, switch: left0}\n", "",
     "23:5: work, group 000: there is neither an MGS nor an MDS. List the MGS and the MDS of the "
     "file system.\n"},
    {"\"10.10.101.[5-7/2]\", switch: right0", "\"10.10.101.[5-7/2]\", switch: left0",
     "12:15: work, switch right0: no server of work is plugged into it, and 'switches' does not "
     "have it. Correct the switch's name in the site file, or declare the switch in 'switches'.\n"},
    {"\"10.10.101.[5-7/2]\", switch: right0", "\"10.10.101.[5-7/2]\", switch: right",
     "12:15: work, switch right0: no server of work is plugged into it, and 'switches' does not "
     "have it (did you mean 'right'?). Correct the switch's name in the site file, or declare the "
     "switch in 'switches'.\n"},
    {"\"10.10.101.[5-7/2]\", switch: right0", "\"10.10.101.[5-7/2]\"",
     "30:15: w1: it has no 'switch', nor has 1 other host. Say 'switch' of the host, or give the "
     "output of ibnetdiscover (--ibnetdiscover FILE).\n"},
    {"host: \"w[1-3/2]\"", "host: \"w[0-2/2]\"",
     "30:15: host w0 is there already\n30:15: host w2 is there already\n"},
    {"\"w[1-3/2]\", address", "\"w[1-3/2]\", number: 5, address",
     "30:15: w3 has the number 5 of another OSS\n"},
    {"\"w[1-3/2]\", address", "\"w[1-3/2]\", number: 0, address",
     "30:15: w1 has the number 0 of another OSS\n30:15: w3 has the number 0 of another OSS\n"},
    {"address: \"10.10.101.[5-7/2]\"", "address: \"10.10.101.[4-6/2]\"",
     "30:15: w1 has the address of w0, 10.10.101.4\n30:15: w3 has the address of w2, "
     "10.10.101.6\n"},
    {"address: 10.10.101.2", "address: [10.10.101.2, 10.10.101.3]",
     "28:15: a server has one address on the fabric; its groups share it\n"},
    {"about: a test", "about: [1]", "1:1: 'about' is (a list), and one value is expected\n"},
    {"about: a test", "abuot: a test",
     "1:1: unknown key 'abuot' of a site: did you mean 'about'?\n"},
    {"about: a test", "about: a test\nabout: b", "2:1: key 'about' twice\n"},
    {"about: a test", "switches: [left0]", "1:1: a switch is NAME: {}\n"},
    {"about: a test", "switches: {left0: 1}", "1:12: a switch is NAME: {}\n"},
    {"about: a test", "switches: {left0: {}, left0: {}}", "1:23: switch left0 is there already\n"},
    {"about: a test", "switches:", "1:1: a switch is NAME: {}\n"},
    {"about: a test", "switches: {lefto: {}}",
     "1:12: switches, lefto: no host is plugged into it (did you mean 'left0'?). Correct its name, "
     "or leave it out of 'switches'.\n"},
    {"clients:", "client:",
     "1:1: a site without 'clients'\n2:1: unknown key 'client' of a site: did you mean "
     "'clients'?\n"},
    {"clients:", "clients: []\nx:",
     "2:1: a system of clients is NAME: {...}\n3:1: unknown key 'x' of a site\n"},
    {"file systems:", "filesystems:",
     "1:1: a site without 'file systems'\n21:1: unknown key 'filesystems' of a site: did you mean "
     "'file systems'?\n"},
    {"file systems:", "file systems: {}\nx:",
     "21:1: there are no file systems: NAME: {net: ..., ...}\n22:1: unknown key 'x' of a site\n"},
    {"clients:", "clients: {}\nx:",
     "2:1: there are no clients: NAME: {net: ..., ...}\n3:1: unknown key 'x' of a site\n"},
    {"    tc:", "    xe:", "13:5: clients xe are there already\n"},
    {"    tc:", "    \"t c\":",
     "13:5: 't c' is no name: up to 128 letters a to z, digits, '-', '_' and '.', the first a "
     "letter or digit\n"},
    {"    tc:", "    tc: 7\n    td:", "13:5: a system of clients is NAME: {net: ..., ...}\n"},
    {"    tc:\n", "    <<: *xe\n    td:\n",
     "13:9: the referenced anchor is not defined (put text that begins with * in quotes)\n"},
    {"        routers:\n            - {host: \"tr",
     "        routers: []\n        x:\n            - {host: \"tr",
     "18:9: the list of routers is empty: without them these clients reach no server\n19:9: "
     "unknown key 'x' of a system of clients\n"},
    {"        routers:\n            - {host: \"tr", "        router:\n            - {host: \"tr",
     "14:9: a system of clients without 'routers'\n18:9: unknown key 'router' of a system of "
     "clients: did you mean 'routers'?\n"},
    {"        routers:\n            - {host: \"tr",
     "        routers: {}\n        rooters:\n            - {host: \"tr",
     "18:9: routers are a list: - {host: ..., nid: ..., address: ..., switch: ...}\n19:9: unknown "
     "key 'rooters' of a system of clients: did you mean 'routers'?\n"},
    {"    xe:\n        net", "    xe: &a\n        net",
     "3:9: aliases and anchors are not allowed (put text that begins with * or & in quotes)\n"},
    {"            - {host: nid00068", "\t    - {host: nid00068",
     "8:1: a tab: YAML is indented by spaces only\n"},
    {"address: 10.10.100.101, switch", "address: 10.10.100.101, switch: left0, switch",
     "8:80: key 'switch' twice\n"},
    {"for: metadata}", "for: metadata",
     "10:13: illegal block entry (a bracket or quotes above are not closed, or the list is not "
     "indented as its first line)\n"},
    {"about: a test", "about: \"a test",
     "5:21: end of map not found (quotes above are not closed, or the line is not indented as its "
     "neighbours)\n"},
    {"about: a test", "- a\n- b",
     "1:1: a site: expected 'key: value' lines\n3:1: a second YAML document: a file has only one: "
     "site\n"},
    {"about: a test", "%YAML 9", "1:1: bad YAML version: 9\n"},
    {"            - {host: nid00068", "            - nid00068\n            - {host: nid00069",
     "8:15: a router is {host: ..., nid: ..., ...}\n"},
    {"            - {host: nid00068", "            -\n            - {host: nid00068",
     "9:13: a router is {host: ..., nid: ..., ...}\n"},
    {"net: gni1", "net: lo", "4:9: lo is no net of clients: it does not leave the host\n"},
    {"kind: xe", "kind: xe\n        GB per s: 0",
     "7:9: '0' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"kind: xe", "kind: generic", "3:5: 'GB per s' is missing: what each host moves at peak\n"},
    {"kind: xe", "kind: XE",
     "6:9: 'XE' is no known kind: xe, xc30-single-hca, xc30-dual-hca, generic\n"},
    {"kind: xe", "kind: xc30",
     "6:9: 'xc30' is no known kind: xe, xc30-single-hca, xc30-dual-hca, generic\n"},
    {"GB per s: 5.0", "gb per s: 5.0",
     "13:5: 'GB per s' is missing: what each host moves at peak\n"
     "17:9: unknown key 'gb per s' of a system of clients: did you mean 'GB per s'?\n"},
    {"GB per s: 5.0", "GB per s: 5,0",
     "17:9: '5,0' is no bandwidth: gigabytes a second, from 0.001 to 100000, as 2.6\n"},
    {"GB per s: 5.0", "GB per s: 0.01",
     "13:5: home, group 002: 2 routers of tc at switch home/left0 carry 0.0 GB/s, and 2 OSSs move "
     "6.0 GB/s at peak. Plug 598 more routers of tc into switch home/left0, or ask for less "
     "('share of clients', or a number of 'routers per group').\n13:5: home, group 003: 2 routers "
     "of tc at switch home/right0 carry 0.0 GB/s, and 2 OSSs move 6.0 GB/s at peak. Plug 598 more "
     "routers of tc into switch home/right0, or ask for less ('share of clients', or a number of "
     "'routers per group').\n"},
    {"        routers:\n            - {host: \"tr[1-2]\", nid: \"10.129.0.[1-2]\", address: "
     "\"10.10.100.[121-122]\", switch: left0, file system: home, for: both}\n            - {host: "
     "\"tr[3-4]\", nid: \"10.129.0.[3-4]\", address: \"10.10.100.[123-124]\", switch: right0, file "
     "system: home}\n",
     "        routers: []\n",
     "18:9: the list of routers is empty: without them these clients reach no server\n"},
};

class WrongSites : public testing::Test {
 protected:
  /// The errors of `ulnet-fgr plan` for the text, without the file's name; empty: no error.
  std::string said_of(std::string_view text) {
    std::ofstream(file_, std::ios::binary) << text;
    const auto plan = sound_plan_of_file(file_);
    if (plan) return "";
    std::string said = conf::lines_of(plan.error());
    for (std::size_t at = 0; (at = said.find(file_ + ":", at)) != std::string::npos;)
      said.erase(at, file_.size() + 1);
    return said;
  }
  /// Whether `ulnet-fgr check` finds no error and does not refuse the text.
  bool checked_as_good(std::string_view text) {
    const auto report = check_site_text(file_, std::string(text), {});
    return report && report->count(plan::Severity::kError) == 0;
  }

  const TempFolder folder_;
  const std::string file_ = folder_ / "site.yaml";
};

TEST_F(WrongSites, EachMistakeIsSaidWithItsPlaceAndCure) {
  ASSERT_EQ(said_of(kRight), "");
  ASSERT_TRUE(checked_as_good(kRight));
  for (const WrongSite& each : kWrongSites) {
    SCOPED_TRACE(each.wrong);
    std::string text = kRight;
    ASSERT_NE(text.find(each.right), std::string::npos) << each.right;
    text.replace(text.find(each.right), each.right.size(), each.wrong);
    EXPECT_EQ(said_of(text), each.said);
    EXPECT_FALSE(checked_as_good(text));
  }
  EXPECT_GE(std::size(kWrongSites), 60U);
}

TEST_F(WrongSites, BinaryDataIsRefusedWithItsPlace) {
  const std::string right = kRight;
  EXPECT_EQ(said_of(right + std::string("about: \0", 8)),
            "31:8: a byte of zero: the file is no text\n");
  EXPECT_EQ(said_of("about: \xff\n" + right), "1:8: the text is not UTF-8\n");
  EXPECT_EQ(said_of(""), "1:1: the file is empty\n");
  EXPECT_EQ(said_of(right + std::string(limits::kConfigTextMax, '#')),
            " the text is longer than 16 MiB\n");
  const std::string deep = right + "x: " + std::string(100'000, '[');
  EXPECT_NE(said_of(deep).find("nested too deep"), std::string::npos);
}

}  // namespace
}  // namespace ulnet::tools::fgr
