// Where everything lies in the drawing of a board: squares, trays, edges; seen from any seat.
//
// Units are those of the drawing, forty to a square.

export const SIZE = 40;
const EDGE = 22, STRIP = 44;
// Boards of fewer rows are drawn with smaller trays and names, as these have as much to say.
const USUAL = 8;
// Squares that the corners of a board must leave free, each way, for the trays to lie there.
const FREE = 6;
const LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const AROUND = ["S", "E", "N", "W"];

export class Frame {
  // `board` as the engine describes it, the letters of the seats, and the seat that sits at the lower edge.
  constructor(board, seats, seenFrom) {
    this.side = board.side;
    this.turned = AROUND.indexOf(seenFrom);
    this.corners = freeCorners(board);
    // Whether the trays lie in the corners of the frame, as beside a cross; else they lie along the edges.
    this.isCross = this.corners >= FREE;
    // The size of what stands beside the squares.
    this.scale = Math.min(1, board.side / USUAL);
    const taken = seats.map(seat => this.edgeOf(seat));
    const strip = edge => !this.isCross && taken.includes(edge) ? STRIP * this.scale : 0;
    this.edge = EDGE * this.scale;
    this.left = this.edge + strip(3);
    this.top = strip(2);
    this.length = this.side * SIZE;
    this.width = this.left + this.length + strip(1) + (strip(1) ? 4 : 2);
    this.height = this.top + this.length + this.edge + strip(0);
  }

  // The edge of the drawing at which a seat sits: 0 below, 1 right, 2 above, 3 left.
  edgeOf(seat) {
    return (AROUND.indexOf(seat) - this.turned + 4) % 4;
  }

  // Row and column of a square such as "C7", from 0, as they are drawn.
  place(square) {
    let [row, column] = [Number(square.slice(1)) - 1, LETTERS.indexOf(square[0])];
    for (let quarter = 0; quarter < this.turned; quarter++) [row, column] = [this.side - 1 - column, row];
    return [row, column];
  }

  // The upper left corner of a square.
  corner(square) {
    const [row, column] = this.place(square);
    return [this.left + column * SIZE, this.top + (this.side - 1 - row) * SIZE];
  }

  centre(square) {
    const [x, y] = this.corner(square);
    return [x + SIZE / 2, y + SIZE / 2];
  }

  // Names of rows and columns along the left and the lower edge: [text, x, y].
  names() {
    const numbers = [...Array(this.side).keys()].map(at => String(at + 1));
    const letters = [...LETTERS.slice(0, this.side)];
    const isAcross = this.turned % 2 === 1;
    let [up, along] = isAcross ? [letters, numbers] : [numbers, letters];
    if (this.turned === 1 || this.turned === 2) up = [...up].reverse();
    if (this.turned === 2 || this.turned === 3) along = [...along].reverse();
    return [
      ...up.map((text, at) => [text, this.left - this.edge / 2, this.top + (this.side - 1 - at + 0.5) * SIZE]),
      ...along.map((text, at) => [text, this.left + (at + 0.5) * SIZE, this.top + this.length + this.edge / 2]),
    ];
  }

  // Where a seat's tray lies: its place as a transform, its width and height before it is scaled, and how far it is
  // turned.
  tray(seat) {
    const edge = this.edgeOf(seat);
    if (this.isCross) {
      const arm = this.corners * SIZE, [margin, far] = [14, this.length - arm];
      const [x, y] = [[far, far], [far, 0], [0, 0], [0, far]][edge];
      const height = 116, down = edge === 0 || edge === 3 ? arm - height - margin : margin;
      return { x: this.left + x + margin, y: this.top + y + down, width: arm - 2 * margin, height, turn: 0 };
    }
    const [width, height] = [this.length / this.scale, STRIP - 6];
    const apart = 4 * this.scale;
    return [
      { x: this.left, y: this.top + this.length + this.edge + apart, width, height, turn: 0 },
      { x: this.left + this.length + apart + 2, y: this.top + this.length, width, height, turn: -90 },
      { x: this.left, y: 1, width, height, turn: 0 },
      { x: this.left - this.edge - apart, y: this.top, width, height, turn: 90 },
    ][edge];
  }
}

// Rows and columns that are free in each corner of the frame.
function freeCorners({ side, squares }) {
  const inCorner = squares.map(({ square }) => {
    const [column, row] = [LETTERS.indexOf(square[0]), Number(square.slice(1)) - 1];
    return Math.max(Math.min(column, side - 1 - column), Math.min(row, side - 1 - row));
  });
  return Math.min(...inCorner);
}
