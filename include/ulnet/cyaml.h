/*
 * Trees of YAML in C99: what the functions of ulnet/lnetconfig.h show, and the errors that they
 * report. Source: spec/cli-lnetctl.md 4, 7, 13.
 *
 * Ownership. The owner of a tree's root owns the whole tree, and frees it with one
 * cYAML_free_tree(). A node that is inserted belongs to its tree from then on. Keys and texts are
 * copied when a node is made, and freed with it.
 *
 * Threads. A tree is used by one thread at a time. The functions have no other state.
 *
 * Errors. A function that makes a node returns NULL when there is no memory, and when the parent
 * cannot have the child: a parent that is neither an object nor a sequence, a child of an object
 * without a key, a child of a sequence with a key.
 */
#ifndef ULNET_CYAML_H
#define ULNET_CYAML_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "ulnet/export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cYAML_type {
  CYAML_NULL = 0,
  CYAML_BOOL = 1,
  CYAML_NUMBER = 2,
  CYAML_STRING = 3,
  CYAML_SEQUENCE = 4, /* its children have no keys */
  CYAML_OBJECT = 5    /* its children have keys, in their order */
};

/* Callers may read it; only the functions below write it. */
struct cYAML {
  struct cYAML* next;   /* the sibling behind it; NULL in the last */
  struct cYAML* prev;   /* the sibling before it; NULL in the first */
  struct cYAML* child;  /* the first child; NULL when there is none */
  enum cYAML_type type; /* says which of the fields below count */
  char* key;            /* below an object; else NULL */
  char* string;         /* of a CYAML_STRING; else NULL */
  int64_t number;       /* of a CYAML_NUMBER; of a CYAML_BOOL 0 or 1; else 0 */
};

/* ---- making ---- */

/* Makes a node as the last child of `parent`, or as the root of a new tree when that is NULL. The
 * time to insert a child is proportional to the number of its parent's children. */
ULNET_EXPORT struct cYAML* cYAML_create_object(struct cYAML* parent, const char* key);
ULNET_EXPORT struct cYAML* cYAML_create_seq(struct cYAML* parent, const char* key);
ULNET_EXPORT struct cYAML* cYAML_create_string(struct cYAML* parent, const char* key,
                                               const char* value);
ULNET_EXPORT struct cYAML* cYAML_create_number(struct cYAML* parent, const char* key,
                                               int64_t value);
ULNET_EXPORT struct cYAML* cYAML_create_bool(struct cYAML* parent, const char* key, bool value);
/* Makes `node`, a separate root, the last child of `parent`. -EINVAL: `parent` cannot have that
 * child, or one of the two is NULL; then nothing changes. */
ULNET_EXPORT int cYAML_insert_child(struct cYAML* parent, struct cYAML* node);
/* Makes `node`, a separate root, the last of the siblings of `first`. Whether a parent of `first`
 * can have it is not checked. -EINVAL: one of the two is NULL. */
ULNET_EXPORT int cYAML_insert_sibling(struct cYAML* first, struct cYAML* node);
/* Frees the node and everything below it, and its siblings behind it; NULL is allowed. Meant for
 * roots. */
ULNET_EXPORT void cYAML_free_tree(struct cYAML* root);

/* ---- finding ---- */

/* Returns the child with this key; NULL: no such child, or `object` is no object. */
ULNET_EXPORT struct cYAML* cYAML_get_object_item(const struct cYAML* object, const char* key);
/* Returns the item of `seq` behind `*item`, or the first when `*item` is NULL; stores it in `*item`
 * too. NULL behind the last, and when `seq` is no sequence. */
ULNET_EXPORT struct cYAML* cYAML_get_next_seq_item(const struct cYAML* seq, struct cYAML** item);

/* ---- text ---- */

/* Reads one YAML document of `length` bytes: at most 16 MiB, 32 levels, no anchors, no key twice in
 * a mapping. Plain numbers become numbers, true and false become bools. Returns the root; an empty
 * text is an object without children. NULL after an error, which is added to `*err_rc` as
 * cYAML_build_error() does, with the line in its `descr`. */
ULNET_EXPORT struct cYAML* cYAML_build_tree(const char* text, size_t length, struct cYAML** err_rc);
/* Prints the tree as ulnetctl does: to the standard output, or to a file. NULL and nodes deeper
 * than 32 levels are not printed. -EIO: the file could not be written. */
ULNET_EXPORT int cYAML_print_tree(const struct cYAML* root);
ULNET_EXPORT int cYAML_print_tree2file(FILE* file, const struct cYAML* root);
/* The same text as a string that the caller frees with free(); NULL: no memory. */
ULNET_EXPORT char* cYAML_print_tree2text(const struct cYAML* root);

/* ---- errors ---- */

/* Adds an error to `*err_rc`, and makes that tree when it is NULL:
 *
 *   op:
 *       - entity:
 *             seq_no: 0        (absent when -1)
 *             errno: -17
 *             descr: "descr"
 *
 * Errors of the same operation are items of one sequence. Returns `rc`. With a NULL `err_rc`, or
 * without memory, no error is added. */
ULNET_EXPORT int cYAML_build_error(int rc, int seq_no, const char* op, const char* entity,
                                   const char* descr, struct cYAML** err_rc);

#ifdef __cplusplus
}
#endif

#endif
