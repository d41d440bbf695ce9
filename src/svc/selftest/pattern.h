// The pattern of bulk data: what a source fills in and a sink looks for. Source:
// spec/wire-selftest.md 6.
#pragma once

#include "svc/selftest/bulk.h"
#include "wire/lst_message.h"

namespace ulnet::svc::selftest {

inline constexpr std::uint64_t kMagic = 0xeeb0eeb1eeb2eeb3;
inline constexpr std::uint64_t kPoison = 0xbeefbeefbeefbeef;

// Between ulnet nodes a length may be no multiple of a word: then the last word is cut.

/// For a sender: `length` bytes from `offset` on hold kMagic in every word when anything is
/// checked, whatever pages the receiver has. `wrong` spoils the first word.
void fill_source(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check,
                 bool wrong);
/// For a receiver: what will be looked at holds something else, until data come.
void poison_sink(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check);
/// For a receiver: what came looks_right(). Of words that were all looked at, poison is left while
/// they are in the cache, which spares the next poison_sink() a way through the memory.
bool check_sink(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check,
                bool swapped);
/// What came is what `check` wants: every word, or the first and the last, which are right however
/// large the sender's pages are. `swapped`: the sender's words have the other byte order.
bool looks_right(ByteView data, wire::LstCheck check, bool swapped);

}  // namespace ulnet::svc::selftest
