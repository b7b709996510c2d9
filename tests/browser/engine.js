// The built program as an engine, to compare with the page.

import { spawn } from "node:child_process";
import { join } from "node:path";
import { createInterface } from "node:readline";

import { ROOT, TARGET } from "./browser.js";

export class Engine {
  constructor(agent) {
    const words = agent === "perfect" ? join(ROOT, "checkpoints", "ashtapada.table") : agent;
    this.process = spawn(join(TARGET, "release", "ashta"), ["engine", "--agent", words], {
      cwd: ROOT,
      stdio: ["pipe", "pipe", "inherit"],
    });
    this.lines = createInterface({ input: this.process.stdout })[Symbol.asyncIterator]();
  }

  async ask(request) {
    this.process.stdin.write(`${JSON.stringify(request)}\n`);
    const answer = JSON.parse((await this.lines.next()).value);
    if (answer.error) throw new Error(`${JSON.stringify(request)}: ${answer.error.message}`);
    return answer;
  }

  close() {
    const ended = new Promise((resolve) => this.process.once("exit", resolve));
    this.process.stdin.end();
    return ended;
  }
}
