#include "lnet/core/contract/ports.h"

#include <gtest/gtest.h>

#include <cerrno>

namespace ulnet::core {
namespace {

std::string said(const char* text, std::uint64_t detail = 0) {
  return to_string(Note{Note::Level::kInfo, Note::About::kOther, text, *Nid::parse("10.0.0.1@tcp2"),
                        detail, *Nid::parse("10.0.0.3@tcp")});
}

TEST(Note, SaysWhatItsTextNames) {  // field case 16: names, not numbers
  EXPECT_EQ(said("is forgotten", 7), "is forgotten");
  EXPECT_EQ(said("push sent, of this node's info number {}", 9),
            "push sent, of this node's info number 9");
  EXPECT_EQ(said("the ping has failed: {error}", EHOSTUNREACH),
            "the ping has failed: No route to host (-113)");
  EXPECT_EQ(said("{nid} came by {by}: see 'route show --net {net}' and 'ping {nid}'"),
            "10.0.0.1@tcp2 came by 10.0.0.3@tcp: see 'route show --net tcp2' and "
            "'ping 10.0.0.1@tcp2'");
}

TEST(Note, ANidInTheTextIsNotRepeated) {
  Note note;
  note.text = "the net {net}";
  EXPECT_TRUE(names_its_nid(note));
  note.text = "{nid} came";
  EXPECT_TRUE(names_its_nid(note));
  note.text = "buffers: {}";
  EXPECT_FALSE(names_its_nid(note));
}

}  // namespace
}  // namespace ulnet::core
