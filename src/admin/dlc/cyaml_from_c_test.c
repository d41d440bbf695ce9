/* Compiled as C99: the public header is C, and its functions are called from C. */
#include "ulnet/cyaml.h"

char* text_of_a_tree_made_in_c(void);

char* text_of_a_tree_made_in_c(void) {
  struct cYAML* root = cYAML_create_object(NULL, NULL);
  struct cYAML* list = cYAML_create_seq(root, "peer list");
  struct cYAML* item = cYAML_create_object(list, NULL);
  char* text;
  cYAML_create_string(item, "nid", "10.0.0.1@tcp");
  cYAML_create_number(item, "count", 2);
  text = cYAML_print_tree2text(root);
  cYAML_free_tree(root);
  return text;
}
