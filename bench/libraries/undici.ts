import { Pool } from 'undici';
import type { Target } from '../protocol.js';
import { eachInFlight, IN_FLIGHT, NAMESPACE, type EventBody, type Library } from './contract.js';

/** The least that a client over undici can do: no retry, no deadline, no types. */
export function bareUndici({ host, port, base, token }: Target): Library {
  const pool = new Pool(`http://${host}:${port}`, { connections: IN_FLIGHT });
  const path = `${base}/namespaces/${NAMESPACE}/events`;
  const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/json' };
  const create = async (body: EventBody): Promise<void> => {
    const response = await pool.request({ method: 'POST', path, headers, body: JSON.stringify(body) });
    await response.body.json();
    if (response.statusCode !== 201) throw new Error(`a create was answered with ${response.statusCode}`);
  };
  const watch = async (count: number): Promise<void> => {
    const response = await pool.request({ method: 'GET', path: `${path}?watch=true&resourceVersion=0`, headers });
    let rest = '';
    let frames = 0;
    for await (const chunk of response.body.setEncoding('utf8')) {
      const lines = (rest + String(chunk)).split('\n');
      rest = lines.pop() ?? '';
      for (const line of lines) {
        JSON.parse(line);
        frames += 1;
      }
      if (frames >= count) break;
    }
  };
  return {
    record: (bodies) => eachInFlight(bodies, create),
    recordEqual: (body, times) =>
      eachInFlight(
        Array.from({ length: times }, (_, index) => named(body, index)),
        create,
      ),
    create: (bodies) => eachInFlight(bodies, create),
    get: (names) =>
      eachInFlight(names, async (name) => {
        const response = await pool.request({ method: 'GET', path: `${path}/${name}`, headers });
        await response.body.json();
        if (response.statusCode !== 200) throw new Error(`a get was answered with ${response.statusCode}`);
      }),
    watch,
    follow: watch,
    close: () => pool.destroy(),
  };
}

/** Gives each body a name of its own: without a recorder equal events are separate events. */
export const named = (body: EventBody, index: number): EventBody => ({
  ...body,
  metadata: { ...body.metadata, name: `${body.metadata.name}-${index}` },
});
