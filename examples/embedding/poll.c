/* LNet in C: events wait in a queue and are dispatched by a polling thread. One node sends to
 * itself. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <ulnet/lnet.h>

#define PORTAL 9
#define MESSAGES 100

static lnet_handle_eq_t queue;
static char inbox[64 * MESSAGES];
static char outbox[64] = "a message";

static int check(const char* what, int rc) {
  if (rc < 0) fprintf(stderr, "%s: %d (%s)\n", what, rc, ulnet_last_error());
  return rc;
}

/* Dispatches until every message was sent, received and acknowledged. */
static void* dispatch(void* counts_ptr) {
  int* counts = counts_ptr;
  while (counts[LNET_EVENT_PUT] < MESSAGES || counts[LNET_EVENT_ACK] < MESSAGES ||
         counts[LNET_EVENT_SEND] < MESSAGES) {
    struct lnet_event event;
    int which;
    int rc = LNetEQPoll(&queue, 1, 10000, &event, &which);
    if (rc <= 0) {
      fprintf(stderr, rc == 0 ? "no event in 10 s\n" : "events were lost\n");
      return NULL;
    }
    if (event.status == 0) ++counts[event.type];
  }
  return NULL;
}

int main(void) {
  struct lnet_processid self;
  struct lnet_processid any = {{0}, LNET_PID_ANY};
  struct lnet_md target = {0}, source = {0};
  lnet_handle_me_t me;
  lnet_handle_md_t target_md, source_md;
  pthread_t dispatcher;
  int counts[LNET_EVENT_UNLINK + 1] = {0};
  char text[LNET_NIDSTR_SIZE];
  int i;

  ulnet_set_networks("tcp(127.0.77.5)");
  ulnet_set_param("accept", "trust");
  ulnet_set_param("accept_port", "11988");
  if (check("LNetNIInit", LNetNIInit(LNET_PID_LUSTRE)) < 0) return 1;
  if (check("LNetGetId", LNetGetId(1, &self, true)) < 0) return 1;
  if (check("LNetEQAlloc", LNetEQAlloc(4 * MESSAGES, NULL, &queue)) < 0) return 1;

  any.nid = LNET_ANY_NID;
  target.start = inbox;
  target.length = sizeof inbox;
  target.threshold = LNET_MD_THRESH_INF;
  target.options = LNET_MD_OP_PUT;
  target.eq = queue;
  if (check("LNetMEAttach", LNetMEAttach(PORTAL, &any, 1, 0, LNET_UNLINK, LNET_INS_AFTER, &me)) < 0)
    return 1;
  if (check("LNetMDAttach", LNetMDAttach(me, &target, LNET_RETAIN, &target_md)) < 0) return 1;
  source.start = outbox;
  source.length = sizeof outbox;
  source.threshold = LNET_MD_THRESH_INF;
  source.eq = queue;
  if (check("LNetMDBind", LNetMDBind(&source, LNET_RETAIN, &source_md)) < 0) return 1;

  pthread_create(&dispatcher, NULL, dispatch, counts);
  for (i = 0; i < MESSAGES; ++i)
    if (check("LNetPut", LNetPut(NULL, source_md, LNET_ACK_REQ, &self, PORTAL, 1, 0, (uint64_t)i)) <
        0)
      return 1;
  pthread_join(dispatcher, NULL);

  printf("%s: %d sent, %d received, %d acknowledged; the last one says \"%s\"\n",
         ulnet_nid_format(&self.nid, text, sizeof text), counts[LNET_EVENT_SEND],
         counts[LNET_EVENT_PUT], counts[LNET_EVENT_ACK], inbox + 64 * (MESSAGES - 1));
  LNetMDUnlink(source_md);
  LNetMDUnlink(target_md);
  check("LNetEQFree", LNetEQFree(queue));
  LNetNIFini();
  return counts[LNET_EVENT_PUT] == MESSAGES && strcmp(inbox + 64 * (MESSAGES - 1), outbox) == 0 ? 0
                                                                                                : 1;
}
