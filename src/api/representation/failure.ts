import { choose, PLAIN, type NegotiationInputs } from './choice.js';
import type { StatusRepresentation } from './contract.js';
import { indented } from './json.js';
import { JSON_HEADERS, respond } from './respond.js';

const encoder = new TextEncoder();

/**
 * The form of a failure. Never throws: where Accept names nothing that can be written, or only conversions, the Status is
 * indented JSON without a newline at the end.
 */
export function errorRepresentation(inputs: NegotiationInputs): StatusRepresentation {
  return {
    status(status, code) {
      const choice = choose(inputs, PLAIN);
      const json = encoder.encode(JSON.stringify(status));
      if (!choice) return { status: code, headers: JSON_HEADERS, body: indented(json) };
      return respond(code, choice.serializer.mediaType, choice.serializer.value(json), inputs.acceptEncoding);
    },
  };
}
