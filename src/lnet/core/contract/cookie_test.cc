#include "lnet/core/contract/cookie.h"

#include <gtest/gtest.h>

namespace ulnet::core {
namespace {

TEST(Cookie, HasItsPartsWhereTheFormatSays) {  // lnet/core/contract/cookie.h
  EXPECT_EQ(kCookieSlots, 1U << 23);
  EXPECT_EQ(make_cookie(CookieKind::kMd, 5, {3, 9}), 4ULL << 33 | 3U << 10 | 5U << 2 | 1U);
  EXPECT_EQ(make_cookie(CookieKind::kMe, 256 + 6, {2, 3}), 1ULL << 33 | 2U << 10 | 6U << 2 | 2U);
  EXPECT_EQ(shard_of_cookie(make_cookie(CookieKind::kMe, 255, {7, 7})), 255U);
  EXPECT_FALSE(read_cookie(CookieKind::kMd, 6, make_cookie(CookieKind::kMd, 5, {3, 9})));
}

TEST(Cookie, IsReadBackOnlyAsItsKind) {  // lnet/core/contract/cookie.h
  const Handle handle{kCookieSlots - 1, 0xffffffffU};
  EXPECT_EQ(read_cookie(CookieKind::kMd, 255, make_cookie(CookieKind::kMd, 255, handle)), handle);
  EXPECT_FALSE(read_cookie(CookieKind::kMe, 255, make_cookie(CookieKind::kMd, 255, handle)));
}

}  // namespace
}  // namespace ulnet::core
