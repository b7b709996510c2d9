// Where throws come from: the browser's generator for cryptography, or a small one that a seed repeats.

const SCALE = 2 ** -53;
// 53 bits of two numbers of 32, as a number from 0 to below 1.
const unit = (high, low) => ((high >>> 5) * 2 ** 26 + (low >>> 6)) * SCALE;

// Chris Doty-Humphrey's sfc32.
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

// Numbers drawn uniformly from 0 to below 1; those of the seed that the address asks for (`?seed=NUMBER`), if it does.
const [, seed] = /[?&]seed=(\d{1,15})(&|$)/.exec(location.search) ?? [];
const next = seed === undefined ? null : seeded(Number(seed));
const random = next ? () => unit(next(), next()) : () => unit(...crypto.getRandomValues(new Uint32Array(2)));

// A seed for what draws its own numbers.
export const newSeed = () => Math.floor(random() * 2 ** 32);

// One of `outcomes` [{ p, throw }], each with its probability.
export function draw(outcomes) {
  let left = random();
  for (const outcome of outcomes) {
    left -= outcome.p;
    if (left < 0) return outcome.throw;
  }
  return outcomes[outcomes.length - 1].throw;
}
