/* Plays a game and prints a line for each turn. The agent plays for the first seat, the others play at random:
 *
 *     play AGENT GAME SEATS [SEED]
 *     play ashtapada.bot ashtapada 2 7 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashta.h"

/* 64 random bits (SplitMix64). */
static uint64_t bits(uint64_t *seed) {
    uint64_t value = *seed += 0x9E3779B97F4A7C15u;
    value = (value ^ (value >> 30)) * 0xBF58476D1CE4E5B9u;
    value = (value ^ (value >> 27)) * 0x94D049BB133111EBu;
    return value ^ (value >> 31);
}

/* A random line of a text with at least one line. */
static const char *random_line(const char *text, uint64_t *seed) {
    int count = 1;
    for (const char *end = text; (end = strchr(end, '\n')) != NULL; end++) count++;
    for (int skip = (int)(bits(seed) % (uint64_t)count); skip > 0; skip--) text = strchr(text, '\n') + 1;
    return text;
}

/* Plays to the end. Returns whether this was possible. */
static bool play(const ashta_agent *agent, const char *game, const char *seats, uint64_t seed) {
    char *text = ashta_new_game(agent, game, seats, NULL, bits(&seed));
    /* A line of `text`: it begins with the position. */
    const char *position = text;
    for (;;) {
        int seat;
        float returns[4];
        char *next = NULL;
        switch (text == NULL ? -1 : ashta_node(agent, position, &seat, returns)) {
        case ASHTA_THROW:
            position = next = ashta_throw(agent, position, bits(&seed));
            break;
        case ASHTA_CHOOSE:
            next = seat == 0 ? ashta_choose_turn(agent, position, bits(&seed)) : ashta_turns(agent, position);
            position = next == NULL ? NULL : random_line(next, &seed);
            if (next != NULL) printf("%.*s\n", (int)strcspn(position, "\n"), position);
            break;
        case ASHTA_OVER:
            printf("returns %g %g %g %g\n", returns[0], returns[1], returns[2], returns[3]);
            ashta_text_free(text);
            return true;
        default:
            ashta_text_free(text);
            return false;
        }
        ashta_text_free(text);
        text = next;
    }
}

int main(int argc, char **argv) {
    if (argc != 4 && argc != 5) {
        fprintf(stderr, "usage: %s AGENT GAME SEATS [SEED]\n", argv[0]);
        return EXIT_FAILURE;
    }
    ashta_agent *agent = ashta_agent_named(argv[1]);
    bool is_over = agent != NULL && play(agent, argv[2], argv[3], argc == 5 ? strtoull(argv[4], NULL, 10) : 0);
    if (!is_over) fprintf(stderr, "%s\n", ashta_last_error());
    ashta_agent_free(agent);
    return is_over ? EXIT_SUCCESS : EXIT_FAILURE;
}
