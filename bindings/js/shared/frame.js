// The layout of the drawing of a board, with any seat at the lower edge: squares, trays, and the
// edges of the seats.
//
// A square is 40 units wide.

export const SEATS = { S: "South", E: "East", N: "North", W: "West" };
// The partner of each seat in games of two teams.
export const PARTNERS = { S: "N", N: "S", E: "W", W: "E" };
export const SIZE = 40;
const EDGE = 22,
  STRIP = 44;
// On boards with fewer rows and columns, trays and names are smaller.
const USUAL = 8;
// Trays need at least this number of free rows and columns in each corner of a board.
const FREE = 6;
const MARGIN = 14;
// The width and height of a tray beside the board, and the gap between both.
const BOX = [90, 96],
  GAP = 8;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
// Row and column of a square such as "C7", from 0.
export const placeOf = (square) => [Number(square.slice(1)) - 1, LETTERS.indexOf(square[0])];
const AROUND = ["S", "E", "N", "W"];

export class Frame {
  // `board` as the engine describes it, the letters of the seats, the seat at the lower edge, and
  // whether the trays are beside the board.
  constructor(board, seats, seenFrom, isBeside = false) {
    this.board = board;
    this.turned = AROUND.indexOf(seenFrom);
    this.isAcross = this.turned % 2 === 1;
    [this.rows, this.columns] = this.isAcross
      ? [board.columns, board.rows]
      : [board.rows, board.columns];
    // The free rows and columns in each corner.
    this.corners = Math.min(
      ...board.squares.map(({ square }) => {
        const [row, column] = placeOf(square);
        return Math.max(
          Math.min(column, board.columns - 1 - column),
          Math.min(row, board.rows - 1 - row),
        );
      }),
    );
    // Whether the trays are in the corners, and not along the edges.
    this.isCross = this.corners >= FREE;
    this.isBeside = isBeside && !this.isCross;
    const edges = seats.map((seat) => this.edgeOf(seat));
    // Two trays are both at the right, and the tray of this edge is the lower one.
    this.lower = seats.length < 3 ? Math.min(...edges) : null;
    this.scale = Math.min(1, Math.max(this.rows, this.columns) / USUAL);
    const taken = this.isBeside ? [1, this.lower === null ? 3 : 1] : this.isCross ? [] : edges,
      size = this.isBeside ? BOX[0] + GAP : STRIP;
    const strip = (edge) => (taken.includes(edge) ? size * this.scale : 0);
    this.edge = EDGE * this.scale;
    this.left = this.edge + strip(3);
    this.top = strip(2) || 3;
    this.across = this.columns * SIZE;
    this.down = this.rows * SIZE;
    this.width = this.left + this.across + strip(1) + 4;
    this.height = this.top + this.down + this.edge + strip(0);
  }

  // The edge of a seat in the drawing: 0 is the lower edge, 1 right, 2 upper, 3 left.
  edgeOf(seat) {
    return (AROUND.indexOf(seat) - this.turned + 4) % 4;
  }

  // Row and column of a square in the drawing, from 0.
  place(square) {
    let [row, column] = placeOf(square),
      { rows, columns } = this.board;
    for (let quarter = 0; quarter < this.turned; quarter++) {
      [row, column, rows, columns] = [columns - 1 - column, row, columns, rows];
    }
    return [row, column];
  }

  // The upper left corner of a square.
  corner(square) {
    const [row, column] = this.place(square);
    return [this.left + column * SIZE, this.top + (this.rows - 1 - row) * SIZE];
  }

  centre(square) {
    const [x, y] = this.corner(square);
    return [x + SIZE / 2, y + SIZE / 2];
  }

  // Names of rows and columns along the left and the lower edge: [text, x, y].
  names() {
    const columns = [...LETTERS.slice(0, this.board.columns)].map((letter) => [
      letter,
      `${letter}1`,
      this.isAcross,
    ]);
    const rows = Array.from({ length: this.board.rows }, (_, at) => [
      String(at + 1),
      `A${at + 1}`,
      !this.isAcross,
    ]);
    return [...columns, ...rows].map(([text, square, isBeside]) => {
      const [x, y] = this.centre(square);
      return isBeside
        ? [text, this.left - this.edge / 2, y]
        : [text, x, this.top + this.down + this.edge / 2];
    });
  }

  // The tray of a seat: its width and height, `transform`, which scales and turns the tray,
  // `at(along, down)`, which converts a point of the tray to a point of the drawing, and the point
  // `exit` of the tray for a piece that leaves the board.
  tray(seat) {
    const { isCross, isBeside, scale, across, down, edge } = this;
    const along = this.edgeOf(seat) % 2 ? down : across;
    const [width, height] = isBeside
      ? BOX
      : isCross
        ? [this.corners * SIZE - 2 * MARGIN, 116]
        : [along / scale, STRIP - 6];
    const [right, low, apart] = [across - width - MARGIN, down - height - MARGIN, 4 * scale],
      at = this.edgeOf(seat),
      isPair = this.lower !== null,
      isLow = isPair ? at === this.lower : at % 3 === 0;
    // The offset of the tray from the upper left corner of the squares, and its angle.
    const [dx, dy, turn = 0] = isBeside
      ? [
          isPair || at < 2 ? across + GAP * scale : -edge - width * scale,
          isLow ? down - height * scale : 0,
        ]
      : (isCross
          ? [
              [right, low],
              [right, MARGIN],
              [MARGIN, MARGIN],
              [MARGIN, low],
            ]
          : [
              [0, down + edge + apart],
              [across + apart + 2, down, -90],
              [0, 1 - this.top],
              [-edge - apart, 0, 90],
            ])[at];
    const [x, y] = [this.left + dx, this.top + dy];
    const [cos, sin] = [Math.cos, Math.sin].map((part) => part((turn * Math.PI) / 180) * scale);
    return {
      width,
      height,
      exit: isBeside ? [width / 2, height - 20] : [width - 60, height / 2],
      transform: `translate(${x} ${y}) rotate(${turn}) scale(${scale})`,
      at: (along, down) => [x + along * cos - down * sin, y + along * sin + down * cos],
    };
  }
}
