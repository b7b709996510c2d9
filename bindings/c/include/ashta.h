/* The C library ashta: rules and bots of Ashtapada, Ashte Kashte, Pagade and other race games.
 *
 * Positions are texts in the notation, such as `ashtapada S:5,30/N:off,23 S 4,2`. All texts are UTF-8 and end with a
 * zero byte. If a function fails, it returns NULL or -1, and ashta_last_error() returns a message. Several threads can
 * use one agent; their calls wait for each other.
 *
 * Free every text of type `char *` with ashta_text_free. Such a text has lines (separated by '\n', without one at the
 * end), and a line has fields (separated by '\t'). An empty list or a missing value is "-". Functions ignore everything
 * after the first tab or line break of a position, so you can pass a whole line of ashta_turns.
 *
 * For questions about the rules, the agent can be NULL. But an agent remembers the game of the last position and knows
 * the games of its bot and of sheets: with an agent, most functions are 2 to 15 times as fast. */
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

/* Returns the position before the first throw of a game: "pagade?teams=true", or the text of a sheet (TOML with more
 * than one line), whose game the agent then knows by name. `seats` is a number ("4") or letters ("SEW"), or NULL for
 * the usual seats. `first` is the letter of the seat that throws first, or NULL for the seat that `seed` determines.
 * Returns NULL if the game is unknown or does not allow the seats. */
char *ashta_new_game(const ashta_agent *agent, const char *game, const char *seats, const char *first, uint64_t seed);

/* What happens next in a position. */
enum { ASHTA_THROW = 0, ASHTA_CHOOSE = 1, ASHTA_OVER = 2 };

/* Returns what happens next. Writes the number of the seat that throws or chooses, from 0 in the order of the position
 * (-1 at the end), to `seat`, and the return of each seat, 0 to 1 (0 before the end), to `returns`. Both can be NULL.
 * Returns -1 if the position is invalid. */
int ashta_node(const ashta_agent *agent, const char *position, int *seat, float returns[4]);

/* Throws the dice; `random_bits` is a uniformly random number of 64 bits. Returns a line with the fields POSITION and
 * THROW, such as "ashtapada S:off,off/N:off,off S 4,*\t4"; commas separate dice. Returns NULL if no dice are thrown in
 * the position. */
char *ashta_throw(const ashta_agent *agent, const char *position, uint64_t random_bits);

/* Returns a line for each possible turn; "" if there is nothing to choose. Commas separate the elements of a list.
 *
 *     POSITION  the position after the turn
 *     ACTIONS   the actions of the turn, in order
 *     WORDS     the turn in words
 *     CAPTURES  the squares of captured pieces
 *     MOVE...   a field for each move: PIECES FROM PATH PLACE THROWS, separated by spaces
 *
 * PIECES are numbers from 0 in the order of the position, FROM is a square, PATH the squares of the steps, PLACE the
 * place that the pieces reach (as in the notation), THROWS the throws that the move uses. */
char *ashta_turns(const ashta_agent *agent, const char *position);

/* Returns the turn that the agent plays, as a line of ashta_turns. Equal positions and seeds give equal turns. */
char *ashta_choose_turn(const ashta_agent *agent, const char *position, uint64_t seed);

/* Returns a line for each legal action: its number and its text. Turns with several throws have several actions. */
char *ashta_legal(const ashta_agent *agent, const char *position);

/* Returns the position after a legal action. */
char *ashta_apply(const ashta_agent *agent, const char *position, int action);

/* Returns the action that the agent chooses at a decision node, a number from 0. Returns -1 if the position is invalid,
 * is not a decision node, or belongs to another game. Equal positions and seeds give equal actions; the seed matters
 * only for agents with random choices (levels, some baselines). */
int ashta_choose(const ashta_agent *agent, const char *position, uint64_t seed);

/* Writes the agent's value for each seat, 0 to 1, to `values`, in the order of the seats in the position. `values` has
 * room for four numbers. Returns the number of seats; -1 if the position is invalid or belongs to another game. */
int ashta_evaluate(const ashta_agent *agent, const char *position, float values[4]);

/* Returns the answer to a request of the engine protocol (docs/engine-protocol.md); both are JSON objects. Requests ask
 * for legal actions, probabilities, positions after actions and more. For requests about the rules, `agent` can be
 * NULL. An error of the protocol is also an answer. Returns NULL only if `request` is NULL or not UTF-8, or after an
 * internal error. */
char *ashta_answer(const ashta_agent *agent, const char *request);

/* Frees a text of this library. Does nothing for NULL. */
void ashta_text_free(char *text);

#ifdef __cplusplus
}
#endif

#endif
