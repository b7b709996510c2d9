/* Loads an agent and prints its action and its values in a position:
 *
 *     choose AGENT POSITION [SEED]
 *     choose ashtapada.bot "ashtapada S:5,30/N:off,23 S 4,2" */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashta.h"

static int fail(const char *what) {
    fprintf(stderr, "%s: %s\n", what, ashta_last_error());
    return EXIT_FAILURE;
}

/* Prints the legal actions in the position, as JSON. */
static int print_legal(const char *position) {
    size_t length = strlen(position) + 64;
    char *request = malloc(length);
    if (request == NULL) return EXIT_FAILURE;
    /* Positions contain no quotes or backslashes, so the text needs no escapes. */
    snprintf(request, length, "{\"op\":\"legal\",\"position\":\"%s\"}", position);
    char *answer = ashta_answer(NULL, request);
    free(request);
    if (answer == NULL) return fail("legal");
    puts(answer);
    ashta_text_free(answer);
    return EXIT_SUCCESS;
}

int main(int argc, char **argv) {
    if (argc != 3 && argc != 4) {
        fprintf(stderr, "usage: %s AGENT POSITION [SEED]\n", argv[0]);
        return EXIT_FAILURE;
    }
    const char *position = argv[2];
    uint64_t seed = argc == 4 ? strtoull(argv[3], NULL, 10) : 0;
    ashta_agent *agent = ashta_agent_named(argv[1]);
    if (agent == NULL) return fail("agent");

    float values[4];
    int seats = ashta_evaluate(agent, position, values);
    int action = seats < 0 ? -1 : ashta_choose(agent, position, seed);
    if (action < 0) {
        int status = fail("position");
        ashta_agent_free(agent);
        return status;
    }
    printf("action %d\n", action);
    for (int seat = 0; seat < seats; seat++) printf("value %.6f\n", values[seat]);
    int status = print_legal(position);
    ashta_agent_free(agent);
    return status;
}
