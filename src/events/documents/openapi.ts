import { openApiDocument } from '../../api/openapi/document.js';
import { createOpenApi, type OpenApi } from '../../api/openapi/open-api.js';
import type { Json } from '../../api/openapi/schemas.js';
import { coreEventShape, eventShape } from '../resource/schema.js';

/** A served group and version of the Event. The empty group is core. */
interface EventsGroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Serves the OpenAPI documents of the Event in the given versions, by their names below `/openapi/v3/`. */
export function createEventsOpenApi(versions: ReadonlyMap<string, EventsGroupVersion>): OpenApi {
  return createOpenApi({
    documents: new Map([...versions].map(([name, one]) => [name, () => eventsOpenApiDocument(one)])),
  });
}

/** The OpenAPI 3.0 document of the Event in one version. */
export function eventsOpenApiDocument({ group, version }: EventsGroupVersion): Json {
  const shape = group === '' ? coreEventShape() : eventShape();
  return openApiDocument({ group, version, plural: 'events', kind: 'Event', shape });
}
