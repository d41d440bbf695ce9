#include "lab/live/journal.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include "lab/live/home.h"
#include "lnet/base/temp_folder_fixture.h"

namespace ulnet::tools::lab {
namespace {

TEST(LabJournal, SaysWhatWasNoted) {
  const TempFolder folder;
  const std::string path = folder / "journal";
  {
    auto journal = Journal::open(path);
    ASSERT_TRUE(journal);
    ASSERT_TRUE(journal->note_space("ulnet-lab.pair.client"));
    ASSERT_TRUE(journal->note_process("client", {17, 4711}));
  }
  {
    auto again = Journal::open(path);  // as `restart` does
    ASSERT_TRUE(again);
    ASSERT_TRUE(again->note_process("client", {18, 4712}));
  }
  const Noted noted = read_journal(*read_whole(path));
  EXPECT_EQ(noted.spaces, std::vector<std::string>{"ulnet-lab.pair.client"});
  const std::vector<Noted::Process> expected = {{"client", {17, 4711}}, {"client", {18, 4712}}};
  EXPECT_EQ(noted.processes, expected);
}

TEST(LabJournal, LinesThatWereNotWrittenToTheirEndAreLeftOut) {
  const std::string whole = "space a\nprocess one 12 345\nprocess two 13 346\n";
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const Noted noted = read_journal(std::string_view(whole).substr(0, length));
    const bool first = length >= std::string_view("space a\nprocess one 12 345\n").size();
    EXPECT_EQ(noted.processes.size(), first ? 1U : 0U) << length;
  }
}

TEST(LabJournal, UnknownLinesAreLeftOut) {
  const Noted noted = read_journal(
      "nonsense\nspace\nspace a b\nprocess x 1\nprocess x -1 5\nprocess x 0 5\nprocess x 1 y\n"
      "process x 99999999999999999999 5\n\n");
  EXPECT_TRUE(noted.spaces.empty());
  EXPECT_TRUE(noted.processes.empty());
}

TEST(LabJournal, IsNotWrittenThroughALink) {
  const TempFolder folder;
  const std::string path = folder / "link";
  ASSERT_EQ(::symlink("/dev/null", path.c_str()), 0);
  EXPECT_FALSE(Journal::open(path));
  EXPECT_FALSE(read_whole(path));
}

}  // namespace
}  // namespace ulnet::tools::lab
