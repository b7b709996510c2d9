// React: a board as SVG, and a game of a person against a bot.

import { Bot, Game, type Move, type State } from "ashta";
import { drawBoard } from "ashta/board";
import bytes from "ashta/bots/siga";
import { useEffect, useState } from "react";

/** Draws a position; `moves` are the moves of the last turn. */
export function Board({ state, moves }: { state: State; moves?: readonly Move[] }) {
  return (
    <div className="board" dangerouslySetInnerHTML={{ __html: drawBoard(state, { moves }) }} />
  );
}

/** A game of Siga. The person plays South. */
export function Siga() {
  const [bot, setBot] = useState<Bot | null>(null);
  const [{ state, moves }, setTurn] = useState<{ state: State | null; moves: Move[] }>({
    state: null,
    moves: [],
  });

  useEffect(() => {
    Promise.all([Game.load("siga"), Bot.load(bytes)]).then(([game, bot]) => {
      setBot(bot);
      setTurn({ state: game.initialState({ player: 0 }), moves: [] });
    });
  }, []);

  // The bot plays; leaving the page or a new position ends its search.
  useEffect(() => {
    if (!state || !bot || state.isTerminal() || state.turnPlayer() === 0) return;
    const search = new AbortController();
    if (state.isChanceNode()) setTurn({ state: state.throw(), moves });
    else {
      bot
        .choose(state, { lookahead: "2ply", signal: search.signal })
        .then((action) =>
          setTurn({
            state: state.apply(action),
            moves: state.view().actions.filter(({ id }) => id === action),
          }),
        )
        .catch((error) => {
          if (!search.signal.aborted) throw error;
        });
    }
    return () => search.abort();
  }, [state, bot]);

  if (!state) return <p>Loading …</p>;
  const isMine = state.turnPlayer() === 0;
  return (
    <>
      <Board state={state} moves={moves} />
      {state.isTerminal() && <p>{state.returns()[0] === 1 ? "You win." : "The bot wins."}</p>}
      {isMine && state.isChanceNode() && (
        <button onClick={() => setTurn({ state: state.throw(), moves })}>Throw</button>
      )}
      {isMine &&
        state.turns().map((turn) => (
          <button key={String(turn.state)} onClick={() => setTurn(turn)}>
            {turn.words}
          </button>
        ))}
    </>
  );
}
