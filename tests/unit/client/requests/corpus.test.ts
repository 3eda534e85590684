import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { isStatusError, systemClock, type ApiResponse } from '../../../../src/client.js';
import { readObject } from '../../../../src/client/requests/read-response.js';
import { root } from '../../../package/source-files.js';

interface Exchange {
  readonly step: string;
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

const { reference, scenarios } = JSON.parse(readFileSync(`${root}/tests/conformance/corpus/corpus.json`, 'utf8')) as {
  readonly reference: string;
  readonly scenarios: readonly { readonly id: string; readonly exchanges: readonly Exchange[] }[];
};

/** The recorded responses whose body is a JSON object. */
const exchanges = scenarios.flatMap(({ id, exchanges: all }) =>
  all.flatMap(({ step, status, headers, body }) =>
    typeof body === 'object' && body !== null && !Array.isArray(body) ? [{ id, step, status, headers, body }] : [],
  ),
);

const options = { clock: systemClock, maxResponseBytes: 10_000_000 };
const read = (response: ApiResponse) => readObject(options, response, new AbortController().signal);

it(`every recorded response of ${reference} is read as its object or its StatusError`, async () => {
  let refusals = 0;
  for (const { id, step, status, headers, body } of exchanges) {
    const response = { status, headers, body: JSON.stringify(body) };
    const where = `${id}: ${step}`;
    if (status < 400) {
      expect(await read(response), where).toEqual(body);
      continue;
    }
    const error: unknown = await read(response).catch((caught: unknown) => caught);
    expect(isStatusError(error), where).toBe(true);
    refusals++;
    const {
      message = '',
      reason = '',
      details,
    } = body as { message?: string; reason?: string; details?: { causes?: [] } };
    if ((body as { kind?: string }).kind === 'Status' && message !== '')
      expect(error, where).toMatchObject({ message, reason, code: status });
    if (details?.causes !== undefined) expect(error, where).toMatchObject({ causes: details.causes });
  }
  expect(exchanges.length).toBeGreaterThan(500);
  expect(refusals).toBeGreaterThan(100);
});
