// Outputs of ibnetdiscover for tests: switches with adapters, each link at both of its ends.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>

namespace ulnet::plan {

/// Returns the line of a switch's port to which a host's adapter is connected. The port's number is
/// in the adapter's GUID.
inline std::string port(int number, std::string_view description) {
  return fmt::format("[{}]\t\"H-0002c90300{:06x}\"[1](2c90300{:06x}) \t\t# \"{}\" lid {} 4xQDR\n",
                     number, number, number + 1, description, number + 20);
}
inline std::string head(const char* guid, const char* description) {
  return fmt::format(
      "vendid=0x2c9\ndevid=0xbd36\nsysimgguid=0x{0}\nswitchguid=0x{0}({0})\n"
      "Switch\t36 \"S-{0}\"\t\t# \"{1}\" enhanced port 0 lid 1 lmc 0\n",
      guid, description);
}
/// Returns the text of this adapter's node.
inline std::string adapter(int number, std::string_view description, const char* at) {
  return fmt::format(
      "\nvendid=0x2c9\ndevid=0x673c\ncaguid=0x2c90300{0:06x}\nCa\t1 \"H-0002c90300{0:06x}\"\t\t# "
      "\"{1}\"\n[1](2c90300{2:06x}) \t\"S-{3}\"[{0}]\t\t# lid {0} lmc 0 \"x\" lid 1 4xQDR\n",
      number, description, number + 1, at);
}

/// Returns the fabric of the 2-SSU site of fgr/hosts/verify_fixture.h: left0 has its own
/// description, and right0 has the vendor's.
inline std::string two_switches() {
  constexpr const char* kLeft = "0002c90200423e60";
  constexpr const char* kRight = "0002c90200423e70";
  constexpr std::string_view kHosts[] = {"r1 HCA-1",      "R2.site.example mlx4_0",
                                         "snxn002 HCA-1", "snxn004 HCA-1",
                                         "snxn006 HCA-1", "r3 HCA-1",
                                         "r4 HCA-1",      "snxn003 HCA-1",
                                         "snxn005 HCA-1", "'snxn007' HCA-1"};
  std::string left, right, adapters;
  for (int i = 0; i < 10; ++i) {
    (i < 5 ? left : right) += port(i + 1, kHosts[i]);
    adapters += adapter(i + 1, kHosts[i], i < 5 ? kLeft : kRight);
  }
  return "#\n# Topology file: generated on Mon Jan  1 00:00:00 2024\n#\n" +
         head(kLeft, "MF0;left0:IS5035/U1") + left +
         "[36]\t\"S-0002c90200423e70\"[36]\t\t# \"x\" lid 2 4xQDR\n\n" +
         head(kRight, "Infiniscale-IV Mellanox Technologies") + right +
         "[36]\t\"S-0002c90200423e60\"[36]\t\t# \"MF0;left0:IS5035/U1\" lid 1 4xQDR\n" + adapters;
}

}  // namespace ulnet::plan
