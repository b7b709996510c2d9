// Reads bot files (bot-format.md) and evaluates their networks, without packages, in browsers, Node
// and Deno:
//
//   const bot = read(content);                              // the file, as an ArrayBuffer or a
//   Uint8Array const { values, policy } = bot.forward(observation);    // an array of zeros and
//   ones

const KNOWN = Object.entries({ format: 3, encoding: 4 });

const CRC = Uint32Array.from({ length: 256 }, (_, byte) => {
  for (let bit = 0; bit < 8; bit += 1) byte = byte & 1 ? (byte >>> 1) ^ 0xedb88320 : byte >>> 1;
  return byte;
});
const crc32 = (bytes) =>
  ~bytes.reduce((crc, byte) => CRC[(crc ^ byte) & 255] ^ (crc >>> 8), -1) >>> 0;

// The value of a 16-bit float; weights are finite.
function half(bits) {
  const exponent = (bits >> 10) & 31;
  const size = exponent ? (1024 + (bits & 1023)) * 2 ** (exponent - 25) : (bits & 1023) * 2 ** -24;
  return bits >> 15 ? -size : size;
}

// Returns `{ manifest, forward }`; throws an `Error` with the reason if it cannot read the bot.
export function read(content) {
  const bytes = content instanceof ArrayBuffer ? new Uint8Array(content) : content;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
  const length = bytes.length < 12 ? Infinity : Number(view.getBigUint64(0, true));
  if (length > bytes.length - 12) throw new Error("this is not a bot file");
  let header, manifest;
  try {
    header = JSON.parse(new TextDecoder().decode(bytes.subarray(8, 8 + length)));
    manifest = JSON.parse(header.__metadata__.ashta);
  } catch (cause) {
    throw new Error("this is not a bot file, or its header is damaged", { cause });
  }
  for (const [key, known] of KNOWN)
    if (manifest[key] !== known)
      throw new Error(`the bot has ${key} ${manifest[key]}, not ${known}`);
  if (crc32(bytes.subarray(0, -4)) !== view.getUint32(bytes.length - 4, true))
    throw new Error("the file is damaged");

  const tensor = (name) => {
    const [start, stop] = header[name].data_offsets.map((offset) => 8 + length + offset);
    return header[name].dtype === "F16"
      ? Float32Array.from({ length: (stop - start) / 2 }, (_, nth) =>
          half(view.getUint16(start + 2 * nth, true)),
        )
      : Float32Array.from({ length: (stop - start) / 4 }, (_, nth) =>
          view.getFloat32(start + 4 * nth, true),
        );
  };
  const layers = (network) => {
    const names = [...manifest.shape[network].hidden.keys()].map((layer) => `torso.${layer}`);
    return [...names, "head"].map((name) =>
      ["weight", "bias"].map((part) => tensor(`${network}.${name}.${part}`)),
    );
  };
  const networks = { value: layers("value"), policy: layers("policy") };

  // Returns the values, the observing seat or its team first, and all policy logits; these are
  // empty before a throw.
  function forward(observation) {
    const { value, policy } = manifest.shape;
    if (observation.length !== policy.observation)
      throw new Error(
        `the observation has ${observation.length} entries; the bot takes ${policy.observation}`,
      );
    const isStart = Array.prototype.every.call(
      observation,
      (entry, at) => at < value.observation || entry === 0,
    );
    let outputs = observation;
    networks[isStart ? "value" : "policy"].forEach(([weights, biases], layer) => {
      const sums = Float64Array.from(biases);
      outputs.forEach((entry, row) => {
        const input = layer ? Math.max(0, entry) : entry;
        if (input)
          sums.forEach(
            (_, column) => (sums[column] += input * weights[row * sums.length + column]),
          );
      });
      outputs = sums;
    });
    const logits = Array.from(outputs.subarray(0, value.values));
    const powers = logits.map((logit) => Math.exp(logit - Math.max(...logits)));
    const sum = powers.reduce((total, power) => total + power);
    const isSoftmax = value.value_head === "softmax";
    const values = isSoftmax
      ? powers.map((power) => power / sum)
      : logits.map((logit) => 1 / (1 + Math.exp(-logit)));
    return { values, policy: Array.from(outputs.subarray(value.values)) };
  }
  return { manifest, forward };
}
