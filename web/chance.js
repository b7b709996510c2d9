// The source of throws: the cryptographic generator of the browser, or a generator with a seed for
// repeatable throws.

const SCALE = 2 ** -53;
// Combines two 32-bit numbers to a number in [0, 1) with 53 random bits.
const unit = (high, low) => ((high >>> 5) * 2 ** 26 + (low >>> 6)) * SCALE;

// The random generator sfc32 by Chris Doty-Humphrey.
function seeded(seed) {
  let [a, b, c, count] = [seed >>> 0, Math.floor(seed / 2 ** 32) >>> 0, 0x9e3779b9, 1];
  const next = () => {
    const result = (a + b + count++) >>> 0;
    a = b ^ (b >>> 9);
    b = (c + (c << 3)) >>> 0;
    c = (((c << 21) | (c >>> 11)) + result) >>> 0;
    return result;
  };
  for (let round = 0; round < 15; round++) next();
  return next;
}

// Uniform random numbers in [0, 1); repeatable if the address has a seed (`?seed=NUMBER`).
const [, seed] = /[?&]seed=(\d{1,15})(&|$)/.exec(location.search) ?? [];
const next = seed === undefined ? null : seeded(Number(seed));
const random = next
  ? () => unit(next(), next())
  : () => unit(...crypto.getRandomValues(new Uint32Array(2)));

export const newSeed = () => Math.floor(random() * 2 ** 32);

// Draws one of `outcomes` [{ p, throw }] with its probability.
export function draw(outcomes) {
  let left = random();
  for (const outcome of outcomes) {
    left -= outcome.p;
    if (left < 0) return outcome.throw;
  }
  return outcomes.at(-1).throw;
}
