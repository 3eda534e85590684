// Helpers of the script that runs the examples: they start an example, and make a client of it.
import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { root } from './gate.mjs';

/** How long anything may take before it counts as hanging, in milliseconds. */
const PATIENCE_MS = 20_000;

/** Starts `examples/<name>/main.ts` on a free port and resolves once it has printed where. */
export function startExample(name, { env = {} } = {}) {
  return startProcess(['--import', 'tsx', `examples/${name}/main.ts`], env);
}

/** Starts the program of the package and resolves once it has printed where it serves. */
export function startProgram(...args) {
  return startProcess(['dist/cli.js', ...args], {});
}

async function startProcess(words, env) {
  const child = spawn(process.execPath, words, {
    cwd: root,
    env: { ...process.env, PORT: '0', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let printed = '';
  const exited = once(child, 'exit').then(([code, signal]) => signal ?? code);
  child.stderr.setEncoding('utf8').on('data', (text) => (printed += text));
  const url = await inTime(
    new Promise((resolve, reject) => {
      createInterface({ input: child.stdout }).on('line', (line) => {
        printed += `${line}\n`;
        const address = /curl .*'(http:\/\/[^'/]+)/.exec(line)?.[1];
        if (address !== undefined) resolve(address);
      });
      exited.then((how) => reject(new Error(`it ended with ${how}:\n${printed}`)));
    }),
    'printing its address',
  ).catch((error) => {
    child.kill('SIGKILL');
    throw error;
  });
  return {
    url,
    output: () => printed,
    kill: () => child.kill('SIGKILL'),
    /** Sends SIGTERM and resolves to the exit code, or to the signal that ended the process. */
    stop: () => child.kill('SIGTERM') && inTime(exited, 'stopping'),
  };
}

/** A client of one example. Requests have its token unless they name another one; an empty one means none. */
export function createClient(url, ownToken) {
  const send = async (method, path, { json, text, type = 'application/json', token = ownToken, signal } = {}) => {
    const body = text ?? (json === undefined ? undefined : JSON.stringify(json));
    const headers = {
      ...(token && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { 'content-type': type }),
    };
    const limit = signal ?? AbortSignal.timeout(PATIENCE_MS);
    return fetch(url + path, { method, headers, body, signal: limit });
  };
  return {
    send,
    async text(path, status = 200, options = {}) {
      const response = await send('GET', path, options);
      const text = await response.text();
      assert.equal(response.status, status, `GET ${path}: ${text}`);
      return text;
    },
    async json(method, path, status, options = {}) {
      const response = await send(method, path, options);
      const text = await response.text();
      assert.equal(response.status, status, `${method} ${path}: ${text}`);
      return JSON.parse(text);
    },
    /** Opens a watch; each call of the result gives the next frame, or undefined at the end. */
    async watch(path) {
      // A signal of its own: the default one would end the watch after a while.
      const response = await inTime(send('GET', path, { signal: new AbortController().signal }), 'opening a watch');
      assert.equal(response.status, 200);
      const frames = framesOf(response.body);
      return async () => (await inTime(frames.next(), 'the next frame of a watch')).value;
    },
  };
}

async function* framesOf(body) {
  let rest = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const lines = (rest + text).split('\n');
    rest = lines.pop();
    for (const line of lines) yield JSON.parse(line);
  }
}

/** Rejects when the promise is not settled in time; the limit is only reached by something that hangs. */
async function inTime(promise, what) {
  let timer;
  const late = new Promise((_, reject) => {
    timer = setTimeout(() => reject(new Error(`${what} took more than ${PATIENCE_MS} ms`)), PATIENCE_MS);
  });
  return Promise.race([promise, late]).finally(() => clearTimeout(timer));
}
