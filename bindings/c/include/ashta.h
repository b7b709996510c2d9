/* The C library ashta: agents for Ashtapada, Ashte Kashte and Pagade.
 *
 * Positions are texts in the notation, such as `ashtapada S:5,30/N:off,23 S 4,2`. All texts are UTF-8 and end with a
 * zero byte. If a function fails, it returns NULL or -1, and ashta_last_error() returns a message. Several threads can
 * use one agent; their calls wait for each other. */
#ifndef ASHTA_H
#define ASHTA_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* An agent: a baseline, a bot or perfect play. */
typedef struct ashta_agent ashta_agent;

/* The version of the library, for example "0.1.0". */
const char *ashta_version(void);

/* The message of the last failed call of this thread; "" before the first failure. The text is valid until the next
 * failure. */
const char *ashta_last_error(void);

/* Returns the agent with this name, as on the command line: a baseline ("greedy+2ply"), the path of a bot with an
 * optional look-ahead or level ("ashtapada.bot", "ashtapada.bot+2ply", "ashtapada.bot+novice"), or the path of a table.
 * Free the agent with ashta_agent_free. Returns NULL if the agent does not exist or its file is damaged. */
ashta_agent *ashta_agent_named(const char *name);

/* Returns the agent from the content of a bot file or table file; the library copies the `length` bytes. `lookahead` is
 * the part that would follow the `+` in the name of a bot: "2ply", "mcts:800", "policy" or a level. NULL or "" means
 * one ply; a table requires NULL or "". Free the agent with ashta_agent_free. Returns NULL if the content is damaged or
 * the look-ahead does not exist. */
ashta_agent *ashta_agent_read(const uint8_t *content, size_t length, const char *lookahead);

/* Frees an agent. Does nothing for NULL. */
void ashta_agent_free(ashta_agent *agent);

/* Returns the action that the agent chooses at a decision node, a number from 0. Returns -1 if the position is invalid,
 * is not a decision node, or belongs to another game. Equal positions and seeds give equal actions; the seed matters
 * only for agents with random choices (levels, some baselines, mcts). */
int ashta_choose(const ashta_agent *agent, const char *position, uint64_t seed);

/* Writes the agent's value for each seat, 0 to 1, to `values`, in the order of the seats in the position. `values` has
 * room for four numbers. Returns the number of seats; -1 if the position is invalid or belongs to another game. */
int ashta_evaluate(const ashta_agent *agent, const char *position, float values[4]);

/* Returns the answer to a request of the engine protocol (docs/engine-protocol.md); both are JSON objects. Requests ask
 * for legal actions, probabilities, positions after actions and more. For requests about the rules, `agent` can be
 * NULL. An error of the protocol is also an answer. Free the text with ashta_text_free. Returns NULL only if `request`
 * is NULL or not UTF-8, or after an internal error. */
char *ashta_answer(const ashta_agent *agent, const char *request);

/* Frees a text from ashta_answer. Does nothing for NULL. */
void ashta_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
