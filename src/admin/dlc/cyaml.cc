// The nodes of trees: making, inserting, finding, freeing. Source: spec/cli-lnetctl.md 13.
#include "ulnet/cyaml.h"

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <new>

#include "admin/dlc/tree.h"

namespace ulnet::dlc {

namespace {

bool can_have(const cYAML& parent, const char* key) {
  return parent.type == CYAML_OBJECT ? key != nullptr
                                     : parent.type == CYAML_SEQUENCE && key == nullptr;
}

cYAML* last_of(cYAML* first) {
  while (first->next != nullptr) first = first->next;
  return first;
}

void free_node(cYAML* node) {
  std::free(node->key);
  std::free(node->string);
  delete node;
}

/// Makes a node without parent; null if memory runs out.
cYAML* new_node(cYAML_type type, const char* key, const char* string) {
  cYAML* const node = new (std::nothrow) cYAML{};
  if (node == nullptr) return nullptr;
  node->type = type;
  if (key != nullptr) node->key = ::strdup(key);
  if (string != nullptr) node->string = ::strdup(string);
  const bool complete =
      (key == nullptr || node->key != nullptr) && (string == nullptr || node->string != nullptr);
  if (complete) return node;
  free_node(node);
  return nullptr;
}

cYAML* create(cYAML* parent, cYAML_type type, const char* key, const char* string,
              std::int64_t number) {
  if (parent != nullptr && !can_have(*parent, key)) return nullptr;
  cYAML* const node = new_node(type, key, string);
  if (node == nullptr) return nullptr;
  node->number = number;
  if (parent != nullptr) cYAML_insert_child(parent, node);
  return node;
}

}  // namespace

void Children::add(cYAML* node) {
  node->prev = last_;
  if (last_ == nullptr)
    parent_->child = node;
  else
    last_->next = node;
  last_ = node;
}

cYAML* create_null(const char* key) { return new_node(CYAML_NULL, key, nullptr); }

Children::Children(cYAML* parent)
    : parent_(parent), last_(parent->child == nullptr ? nullptr : last_of(parent->child)) {}

}  // namespace ulnet::dlc

using ulnet::dlc::create;

extern "C" {

cYAML* cYAML_create_object(cYAML* parent, const char* key) {
  return create(parent, CYAML_OBJECT, key, nullptr, 0);
}

cYAML* cYAML_create_seq(cYAML* parent, const char* key) {
  return create(parent, CYAML_SEQUENCE, key, nullptr, 0);
}

cYAML* cYAML_create_string(cYAML* parent, const char* key, const char* value) {
  return create(parent, CYAML_STRING, key, value == nullptr ? "" : value, 0);
}

cYAML* cYAML_create_number(cYAML* parent, const char* key, int64_t value) {
  return create(parent, CYAML_NUMBER, key, nullptr, value);
}

cYAML* cYAML_create_bool(cYAML* parent, const char* key, bool value) {
  return create(parent, CYAML_BOOL, key, nullptr, value ? 1 : 0);
}

int cYAML_insert_child(cYAML* parent, cYAML* node) {
  if (parent == nullptr || node == nullptr || !ulnet::dlc::can_have(*parent, node->key))
    return -EINVAL;
  ulnet::dlc::Children(parent).add(node);
  return 0;
}

int cYAML_insert_sibling(cYAML* first, cYAML* node) {
  if (first == nullptr || node == nullptr) return -EINVAL;
  cYAML* const last = ulnet::dlc::last_of(first);
  last->next = node;
  node->prev = last;
  return 0;
}

void cYAML_free_tree(cYAML* root) {
  // Puts the children of a node in front of the nodes that are still to be freed, so that a deep
  // tree needs no stack.
  while (root != nullptr) {
    cYAML* rest = root->next;
    if (root->child != nullptr) {
      ulnet::dlc::last_of(root->child)->next = rest;
      rest = root->child;
    }
    ulnet::dlc::free_node(root);
    root = rest;
  }
}

cYAML* cYAML_get_object_item(const cYAML* object, const char* key) {
  if (object == nullptr || key == nullptr || object->type != CYAML_OBJECT) return nullptr;
  cYAML* child = object->child;
  while (child != nullptr && (child->key == nullptr || std::strcmp(child->key, key) != 0))
    child = child->next;
  return child;
}

cYAML* cYAML_get_next_seq_item(const cYAML* seq, cYAML** item) {
  if (seq == nullptr || item == nullptr || seq->type != CYAML_SEQUENCE) return nullptr;
  *item = *item == nullptr ? seq->child : (*item)->next;
  return *item;
}

}  // extern "C"
