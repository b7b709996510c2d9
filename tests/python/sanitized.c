/* The whole interface with valid and broken input; the sanitizer sees what it does to memory. */
#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ashta.h"

static const char *POSITION = "ashtapada S:5,30/N:off,23 S 4,2";

/* The content of a file; its length is written to `length`. */
static uint8_t *content_of(const char *path, size_t *length) {
    FILE *file = fopen(path, "rb");
    assert(file != NULL);
    fseek(file, 0, SEEK_END);
    *length = (size_t)ftell(file);
    rewind(file);
    uint8_t *content = malloc(*length);
    assert(content != NULL && fread(content, 1, *length, file) == *length);
    fclose(file);
    return content;
}

static void refused(ashta_agent *agent, const char *part) {
    assert(agent == NULL);
    if (strstr(ashta_last_error(), part) == NULL) {
        printf("`%s` does not say `%s`\n", ashta_last_error(), part);
        abort();
    }
}

static void begins(const char *part, char *text) {
    assert(text != NULL);
    if (strncmp(text, part, strlen(part)) != 0) {
        printf("`%s` does not begin with `%s`\n", text, part);
        abort();
    }
    ashta_text_free(text);
}

static void use(const ashta_agent *agent) {
    float values[4] = {-1, -1, -1, -1};
    assert(ashta_evaluate(agent, POSITION, values) == 2);
    assert(values[0] > 0 && values[1] > 0 && values[0] + values[1] > 0.999f && values[0] + values[1] < 1.001f);
    assert(values[2] == -1 && values[3] == -1);
    int action = ashta_choose(agent, POSITION, 7);
    assert((action == 0 || action == 1) && ashta_choose(agent, POSITION, 7) == action);
    assert(ashta_choose(agent, "no position", 0) == -1);
    assert(ashta_choose(agent, "\xff\xfe", 0) == -1 && strstr(ashta_last_error(), "UTF-8") != NULL);
    assert(ashta_choose(agent, NULL, 0) == -1 && strstr(ashta_last_error(), "NULL") != NULL);
    assert(ashta_choose(agent, "ashtapada S:5,30/N:off,23 S *", 0) == -1);
    assert(ashta_evaluate(agent, POSITION, NULL) == -1);
    assert(ashta_evaluate(agent, "pagade S:1", values) == -1);
    int seat;
    float returns[4];
    assert(ashta_node(agent, POSITION, &seat, returns) == ASHTA_CHOOSE && seat == 0 && returns[0] == 0);
    assert(ashta_node(agent, "ashtapada S:5,30/N:off,23 N *", NULL, NULL) == ASHTA_THROW);
    assert(ashta_node(agent, "ashtapada S:borne,borne/N:off,23 - -", &seat, returns) == ASHTA_OVER);
    assert(seat == -1 && returns[0] == 1 && returns[1] == 0 && returns[3] == 0);
    begins("ashtapada S:off,off/N:off,off N *", ashta_new_game(agent, "ashtapada", NULL, "N", 0));
    begins("ashtapada S:5,30/N:off,23 S 8,*\t8", ashta_throw(agent, "ashtapada S:5,30/N:off,23 S *\n", UINT64_MAX));
    begins("ashtapada S:11,30/N:off,23 N *\t0,0\tH3 to G8 by 4+2\t-\t0 H3 H4,H5,H6,H7,H8,G8 11 4,2\n",
           ashta_turns(agent, POSITION));
    begins("ashtapada S:", ashta_choose_turn(agent, POSITION, 7));
    begins("0\t4: 5\n1\t4: 30", ashta_legal(agent, POSITION));
    begins("ashtapada S:5,30/N:off,23 S 2;5+4", ashta_apply(agent, POSITION, 0));
    const char *broken[] = {NULL, "", "\t", "\n", "no position", "\xff", "ashtapada S:5,30/N:off,23 S", "pagade S:1"};
    for (int at = 0; at < 8; at++) {
        const char *text = broken[at];
        assert(ashta_node(agent, text, &seat, returns) == -1 && ashta_throw(agent, text, 0) == NULL);
        assert(ashta_turns(agent, text) == NULL && ashta_choose_turn(agent, text, 0) == NULL);
        assert(ashta_legal(agent, text) == NULL && ashta_apply(agent, text, 0) == NULL);
        assert(ashta_new_game(agent, text, NULL, NULL, 0) == NULL);
        if (text != NULL) assert(ashta_new_game(agent, "ashtapada", text, text, 0) == NULL);
    }
    assert(ashta_throw(agent, POSITION, 0) == NULL && ashta_apply(agent, POSITION, -1) == NULL);
    assert(ashta_apply(agent, POSITION, 99) == NULL);
    assert(ashta_choose_turn(agent, "ashtapada S:5,30/N:off,23 S *", 0) == NULL);
    char *answer = ashta_answer(agent, "{\"op\":\"hello\",\"id\":1}");
    assert(answer != NULL && strstr(answer, "\"protocol\":1") != NULL);
    ashta_text_free(answer);
}

/* Beginnings of a file are refused; with a byte changed it is refused, or it plays. */
static void damage(const uint8_t *content, size_t length) {
    for (size_t kept = 0; kept < length; kept += length / 50 + 1) {
        uint8_t *copy = malloc(kept + 1);
        assert(copy != NULL);
        memcpy(copy, content, kept);
        refused(ashta_agent_read(copy, kept, NULL), "");
        free(copy);
    }
    uint8_t *copy = malloc(length);
    assert(copy != NULL);
    for (size_t at = 0; at < length; at += length / 200 + 1) {
        memcpy(copy, content, length);
        copy[at] ^= 0x55;
        /* A letter of a name may change without harm. */
        ashta_agent *agent = ashta_agent_read(copy, length, "");
        float values[4];
        if (agent != NULL) assert(ashta_evaluate(agent, POSITION, values) == 2);
        ashta_agent_free(agent);
    }
    free(copy);
}

int main(int argc, char **argv) {
    assert(argc == 2);
    assert(strlen(ashta_last_error()) == 0 && strchr(ashta_version(), '.') != NULL);

    ashta_agent *greedy = ashta_agent_named("greedy");
    assert(greedy != NULL);
    use(greedy);
    ashta_agent_free(greedy);
    ashta_agent *bot = ashta_agent_named(argv[1]);
    assert(bot != NULL);
    use(bot);
    ashta_agent_free(bot);

    size_t length;
    uint8_t *content = content_of(argv[1], &length);
    const char *ways[] = {"", "2ply", "policy", "mcts:20", "novice", NULL};
    for (int way = 0; way < 6; way++) {
        ashta_agent *agent = ashta_agent_read(content, length, ways[way]);
        assert(agent != NULL);
        use(agent);
        ashta_agent_free(agent);
    }
    refused(ashta_agent_read(content, length, "sideways"), "not a look-ahead");
    refused(ashta_agent_read(NULL, 5, NULL), "NULL");
    refused(ashta_agent_read((const uint8_t *)"ASHTATBL", 8, NULL), "");
    refused(ashta_agent_read((const uint8_t *)"ASHTATBL", 8, "2ply"), "perfect");
    refused(ashta_agent_named(NULL), "NULL");
    refused(ashta_agent_named("\xff"), "UTF-8");
    refused(ashta_agent_named("nobody"), "not an agent");
    damage(content, length);
    free(content);

    assert(ashta_choose(NULL, POSITION, 0) == -1 && strstr(ashta_last_error(), "needs an agent") != NULL);
    assert(ashta_answer(NULL, NULL) == NULL && ashta_answer(NULL, "\xff") == NULL);
    const char *requests[] = {"", "{", "[]", "{\"op\":\"dance\"}", "{\"op\":\"legal\"}", "{\"op\":\"view\",\"position\":\"x\"}"};
    for (int request = 0; request < 6; request++) {
        char *answer = ashta_answer(NULL, requests[request]);
        assert(answer != NULL && strstr(answer, "\"error\"") != NULL);
        ashta_text_free(answer);
    }
    ashta_agent_free(NULL);
    ashta_text_free(NULL);
    puts("all as it should be");
    return EXIT_SUCCESS;
}
