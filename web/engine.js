// The engine of the worker: the WebAssembly module. `ashta serve` replaces this file by
// `native.js`.

export { fetchBytes, load } from "./ashta.js";
export const source = "ashta.wasm";
export const place = "browser";
