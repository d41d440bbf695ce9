#include "svc/selftest/pattern.h"

#include <cstring>

namespace ulnet::svc::selftest {
namespace {

using wire::LstCheck;

constexpr std::size_t kWord = sizeof(std::uint64_t);

void fill(std::byte* at, std::size_t length, std::uint64_t word) {
  for (std::size_t i = 0; i < length; i += kWord) store_le(at + i, word);
}

// Whole words; a length that is none is not asked for (4.2).
bool every_word_is(ByteView data, std::uint64_t word) {
  std::uint64_t differ = 0;
  for (std::size_t i = 0; i < data.size(); i += kWord)
    differ |= load_le<std::uint64_t>(data.data() + i) ^ word;
  return differ == 0;
}

}  // namespace

void fill_source(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check, bool wrong) {
  if (check != LstCheck::kSimple && check != LstCheck::kFull) return;
  if (offset != 0 || bulk.magic < length) fill(bulk.memory.get() + offset, length, kMagic);
  bulk.magic = offset != 0 ? 0 : std::max(bulk.magic, length);
  if (!wrong) return;
  fill(bulk.memory.get() + offset, kWord, kMagic + 1);
  bulk.magic = 0;
}

void poison_sink(Bulk& bulk, std::size_t offset, std::size_t length, LstCheck check) {
  bulk.magic = 0;
  std::byte* data = bulk.memory.get() + offset;
  if (check == LstCheck::kFull) fill(data, length, kPoison);
  if (check != LstCheck::kSimple) return;
  fill(data, kWord, kPoison);
  fill(data + length - kWord, kWord, kPoison);
}

bool looks_right(ByteView data, LstCheck check, bool swapped) {
  const std::uint64_t word = swapped ? swap_bytes(kMagic) : kMagic;
  if (check == LstCheck::kFull) return every_word_is(data, word);
  if (check != LstCheck::kSimple) return true;
  return every_word_is(data.first(kWord), word) && every_word_is(data.last(kWord), word);
}

}  // namespace ulnet::svc::selftest
