// The worker of long searches.

import { load, nodeModule } from "./shared/ashta.js";
import { serve } from "./shared/serve.js";

// The requests contain the bytes of a bot that the worker does not have.
const missing = async (name) => {
  throw new Error(`the worker does not have ${name}`);
};

serve(nodeModule("worker_threads")?.parentPort ?? self, load, missing, {
  ask: (answer, { request }) => answer(request),
});
