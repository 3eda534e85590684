import { setFlagsFromString } from 'node:v8';

/**
 * Makes V8 allocate all objects in the young generation. It tracks which allocation sites make long-lived objects, and
 * after a burst of writes it takes requests for such objects, because most were still in progress when it looked. From
 * then on Node's requests and responses are made in the old generation, and collecting them there takes a fifth of the
 * CPU of a get (decision 81). Call it before anything is served.
 */
export function disablePretenuring(): void {
  setFlagsFromString('--no-allocation-site-pretenuring');
}
