// The pattern of bulk data: a source fills it in, and a sink checks it. Source:
// spec/wire-selftest.md 6.
#pragma once

#include "lnet/wire/lst_message.h"
#include "selftest/service/bulk.h"

namespace ulnet::svc::selftest {

inline constexpr std::uint64_t kMagic = 0xeeb0eeb1eeb2eeb3;
inline constexpr std::uint64_t kPoison = 0xbeefbeefbeefbeef;

// Between ulnet nodes a length need not be a multiple of a word: then the last word is cut.

/// For a sender: fills `length` bytes from `offset` on with kMagic if `check` looks at any word.
/// The data are then right whatever page size the receiver has. `wrong` spoils the first word.
void fill_source(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check,
                 bool wrong);
/// For a receiver: overwrites the words that `check` looks at, before the data come.
void poison_sink(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check);
/// For a receiver: returns whether the data that came look right (looks_right()). If `check` looks
/// at all words, this function also poisons them again while they are in the cache. The next
/// poison_sink() then saves a pass through memory.
bool check_sink(Bulk& bulk, std::size_t offset, std::size_t length, wire::LstCheck check,
                bool swapped);
/// Whether the words that `check` looks at are right: every word, or the first and the last, which
/// are right whatever page size the sender has. `swapped`: the sender's words have the other byte
/// order.
bool looks_right(ByteView data, wire::LstCheck check, bool swapped);

}  // namespace ulnet::svc::selftest
