import { openApiDocument } from '../../api/openapi/document.js';
import { createOpenApi, type OpenApi } from '../../api/openapi/open-api.js';
import type { Json } from '../../api/openapi/schemas.js';
import type { Clock } from '../../clock/clock.js';
import { coreEventShape, eventShape } from '../resource/schema.js';

/** A served group and version of the Event. The empty group is core. */
export interface EventsGroupVersion {
  readonly group: string;
  readonly version: string;
}

/** Options of {@link createEventsOpenApi}. */
export interface EventsOpenApiOptions {
  readonly clock?: Clock | undefined;
}

/** Serves the OpenAPI documents of the Event in the given versions. */
export function createEventsOpenApi(
  versions: readonly EventsGroupVersion[],
  { clock }: EventsOpenApiOptions = {},
): OpenApi {
  const documents = versions.map((one) => [documentName(one), () => eventsOpenApiDocument(one)] as const);
  return createOpenApi({ documents: new Map(documents), clock });
}

/** The OpenAPI 3.0 document of the Event in one version. */
export function eventsOpenApiDocument({ group, version }: EventsGroupVersion): Json {
  const shape = group === '' ? coreEventShape() : eventShape();
  return openApiDocument({ group, version, plural: 'events', kind: 'Event', shape });
}

const documentName = ({ group, version }: EventsGroupVersion): string =>
  group === '' ? `api/${version}` : `apis/${group}/${version}`;
