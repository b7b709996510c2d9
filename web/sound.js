// Sounds of throws and pieces, synthesized from noise.

let context = null;

// A knock: noise that fades within `length` seconds, around a pitch in hertz, `delay` seconds from
// now.
function knock(pitch, length, loudness, delay) {
  context ??= new AudioContext();
  const samples = Math.ceil(length * context.sampleRate),
    buffer = context.createBuffer(1, samples, context.sampleRate);
  buffer.getChannelData(0).forEach((_, at, data) => {
    data[at] = (2 * Math.random() - 1) * (1 - at / samples) ** 4;
  });
  const source = new AudioBufferSourceNode(context, { buffer });
  source
    .connect(new BiquadFilterNode(context, { type: "bandpass", frequency: pitch, Q: 2 }))
    .connect(new GainNode(context, { gain: loudness }))
    .connect(context.destination);
  source.start(context.currentTime + delay);
}

export function rattle() {
  for (let at = 0; at < 4; at++) knock(2400 + 300 * (at % 3), 0.06, 0.5, at * 0.07);
}

// The sound of pieces that land `walk` milliseconds from now, and then the sound of captured
// pieces.
export function land(pieces, captured, walk) {
  for (let at = 0; at < pieces + captured; at++)
    knock(at < pieces ? 420 : 240, 0.16, 1, walk / 1000 + at * 0.12);
}
