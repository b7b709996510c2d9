// The engine that the worker asks: the WebAssembly module. `ashta serve` has `native.js` in this place.

export { fetchBytes, load } from "./ashta.js";
export const source = "ashta.wasm";
