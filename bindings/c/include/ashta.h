/* The C library ashta: agents for Ashtapada, Ashte Kashte and Pagade.
 *
 * Positions are texts in the notation, as `ashtapada S:5,30/N:off,23 S 4,2`; all texts are UTF-8 and end with a zero
 * byte. Functions that fail return NULL or -1, and ashta_last_error() says why. An agent may be used from several
 * threads; calls wait for each other. */
#ifndef ASHTA_H
#define ASHTA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An agent: a baseline, a bot or perfect play. */
typedef struct ashta_agent ashta_agent;

/* The version of the library, as "0.1.0". */
const char *ashta_version(void);

/* Why the last call of this thread that failed did so; "" if none has. The text is valid until the next failure. */
const char *ashta_last_error(void);

/* The agent of this name, as on the command line: a baseline ("greedy+2ply"), the path of a bot with how far it looks
 * ahead or its level ("ashtapada.bot", "ashtapada.bot+2ply", "ashtapada.bot+novice"), or the path of a table. Free it
 * with ashta_agent_free. NULL if there is no such agent, or its file is damaged. */
ashta_agent *ashta_agent_named(const char *name);

/* The agent of the content of a bot or a table, `length` bytes, which are copied. `lookahead` is what would follow the
 * `+`: "2ply", "mcts:800", "policy", a level; NULL or "" for one ply, and always for a table. Free it with
 * ashta_agent_free. NULL if the content is damaged, or there is no such look-ahead. */
ashta_agent *ashta_agent_read(const uint8_t *content, size_t length, const char *lookahead);

/* Frees an agent. NULL is allowed. */
void ashta_agent_free(ashta_agent *agent);

/* The number of the action, from 0, that the agent chooses in a position in which something is to be chosen; -1 if
 * the position is none, or not of its game. The same position and seed give the same action; only agents that draw
 * (levels, some baselines, mcts) depend on the seed. */
int ashta_choose(const ashta_agent *agent, const char *position, uint64_t seed);

/* Writes to `values`, which has room for four, what the agent expects each seat to get, 0 to 1, in the order of the
 * position, and returns how many these are; -1 if the position is none, or not of its game. */
int ashta_evaluate(const ashta_agent *agent, const char *position, float values[4]);

/* The answer to a request of the engine protocol, both JSON objects: legal actions, chances, positions after actions
 * and all else (docs/engine-protocol.md). `agent` may be NULL where only rules are asked for. Refusals are answers, too.
 * Free the text with ashta_text_free. NULL only if `request` is NULL or no UTF-8. */
char *ashta_answer(const ashta_agent *agent, const char *request);

/* Frees a text that came from ashta_answer. NULL is allowed. */
void ashta_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
