/* Asks an agent about positions through the C library: `parity AGENT < POSITIONS`. Legal actions and observations are
 * printed as the engine protocol answers them. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashta.h"

static void print_answer(const char *name, const char *op, const char *position) {
    char request[512];
    snprintf(request, sizeof request, "{\"op\":\"%s\",\"position\":\"%s\"}", op, position);
    char *answer = ashta_answer(NULL, request);
    if (answer == NULL) exit(EXIT_FAILURE);
    printf("\"%s\":%s,", name, answer);
    ashta_text_free(answer);
}

int main(int argc, char **argv) {
    ashta_agent *agent = argc == 2 ? ashta_agent_named(argv[1]) : NULL;
    if (agent == NULL) {
        fprintf(stderr, "%s\n", ashta_last_error());
        return EXIT_FAILURE;
    }
    char position[256];
    while (fgets(position, sizeof position, stdin) != NULL) {
        position[strcspn(position, "\n")] = '\0';
        float values[4];
        int seats = ashta_evaluate(agent, position, values);
        if (seats < 0) {
            fprintf(stderr, "%s\n", ashta_last_error());
            return EXIT_FAILURE;
        }
        putchar('{');
        print_answer("legal", "legal", position);
        print_answer("observe", "observe", position);
        for (int seat = 0; seat < seats; seat++) printf("%s%.9g", seat == 0 ? "\"values\":[" : ",", values[seat]);
        /* Where the dice are to be thrown there is nothing to choose. */
        printf("],\"action\":%d}\n", ashta_choose(agent, position, 0));
    }
    ashta_agent_free(agent);
    return EXIT_SUCCESS;
}
