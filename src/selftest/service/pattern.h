// The pattern of bulk data: what a source fills in and a sink checks. Source:
// spec/wire-selftest.md 6.
#pragma once

#include "lnet/wire/lst_message.h"
#include "selftest/service/bulk.h"

namespace ulnet::svc::selftest {

inline constexpr std::uint64_t kMagic = 0xeeb0eeb1eeb2eeb3;
inline constexpr std::uint64_t kPoison = 0xbeefbeefbeefbeef;

// Between ulnet nodes a length may be no multiple of a word: then the last word is cut.

/// For a sender: fills `length` bytes from `offset` on with kMagic if `check` looks at any word,
/// so that they are right whatever page size the receiver has. `wrong` spoils the first word.
void fill_source(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check,
                 bool wrong);
/// For a receiver: overwrites what `check` will look at, before the data come.
void poison_sink(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check);
/// For a receiver: whether the data that came look right (looks_right()). If `check` looks at all
/// words they are poisoned again while they are in the cache, which spares the next poison_sink()
/// a pass through memory.
bool check_sink(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check,
                bool swapped);
/// Whether the data are what `check` wants: every word, or the first and the last, which are
/// right whatever page size the sender has. `swapped`: the sender's words have the other byte
/// order.
bool looks_right(ByteView data, wire::LstCheck check, bool swapped);

}  // namespace ulnet::svc::selftest
