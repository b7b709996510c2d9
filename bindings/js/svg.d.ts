import type { Move, State } from "ashta";

export interface DrawingOptions {
  /** The letter of the seat at the lower edge; the default is the first seat. */
  seenFrom?: "S" | "E" | "N" | "W";
  /**
   * The name of each player by the letter of the seat. Only boards in the form of a cross have room
   * for names.
   */
  labels?: Record<string, string>;
  /** The moves to show, such as the `moves` of the last turn. */
  moves?: readonly Move[];
  /**
   * Whether the text contains its styles; the default is `true`. Otherwise the page needs
   * `ashta/board.css`.
   */
  isStyled?: boolean;
  /** Whether pieces show the letter of their seat instead of its emblem; the default is `false`. */
  hasLetters?: boolean;
}

/**
 * Draws a position; returns the text of an element `<svg>` for browsers. Its colours follow
 * `color-scheme`.
 */
export function drawBoard(state: State, options?: DrawingOptions): string;
