// Each header of the C++ interface includes this, so that an older C++ is told in one line.
#pragma once

#if __cplusplus < 202002L
#error "ulnet's C++ interface needs C++20 (-std=c++20); ulnet/lnet.h is for C99 and any C++"
#endif
