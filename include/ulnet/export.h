/* Marks what the shared library exports; all other symbols are hidden. */
#ifndef ULNET_EXPORT_H
#define ULNET_EXPORT_H

#if defined(__GNUC__)
#define ULNET_EXPORT __attribute__((visibility("default")))
#else
#define ULNET_EXPORT
#endif

#endif
