import type { Json } from './schemas.js';

/** One OpenAPI 2.0 (Swagger) document with the content of several OpenAPI 3.0 documents. */
export function swaggerDocument(documents: readonly Json[]): Json {
  const paths = new Map<string, Json>();
  const definitions = new Map<string, Json>();
  for (const document of documents) {
    for (const [path, item] of entriesOf(document['paths'])) paths.set(path, pathItem(item));
    for (const [name, schema] of entriesOf(memberOf(document['components'], 'schemas'))) {
      definitions.set(name, merged(definitions.get(name), schemaOf(schema)));
    }
  }
  return {
    swagger: '2.0',
    info: documents[0]?.['info'],
    paths: Object.fromEntries([...paths].sort(byName)),
    definitions: Object.fromEntries([...definitions].sort(byName)),
    securityDefinitions: memberOf(documents[0]?.['components'], 'securitySchemes'),
    security: [{ BearerToken: [] }],
  };
}

type Entry = readonly [string, Json];

const byName = ([a]: Entry, [b]: Entry): number => (a < b ? -1 : 1);
const entriesOf = (value: unknown): readonly Entry[] => Object.entries((value ?? {}) as Record<string, Json>);
const memberOf = (value: unknown, name: string): unknown => (value as Json | undefined)?.[name];

const KINDS = 'x-kubernetes-group-version-kind';

/** Merges the same definition of two documents, which has the kinds of both. */
function merged(known: Json | undefined, schema: Json): Json {
  if (known?.[KINDS] === undefined || schema[KINDS] === undefined) return known ?? schema;
  const kinds = new Map(
    [...(known[KINDS] as Json[]), ...(schema[KINDS] as Json[])].map((one) => [JSON.stringify(one), one]),
  );
  return { ...known, [KINDS]: [...kinds.values()] };
}

function pathItem(item: Json): Json {
  const parts = Object.entries(item).map(([key, value]) =>
    key === 'parameters' ? [key, (value as Json[]).map(parameter)] : [key, operation(value as Json)],
  );
  return Object.fromEntries(parts) as Json;
}

function operation({ parameters, requestBody, responses, ...rest }: Json): Json {
  const given = ((parameters ?? []) as Json[]).map(parameter);
  const body = requestBody === undefined ? [] : [bodyParameter(requestBody as Json)];
  const consumes = requestBody === undefined ? ['*/*'] : Object.keys(contentOf(requestBody));
  const produces = Object.keys(contentOf(memberOf(responses, '200')));
  return {
    ...rest,
    consumes,
    produces,
    ...(given.length + body.length > 0 && { parameters: [...body, ...given] }),
    responses: Object.fromEntries(entriesOf(responses).map(([code, response]) => [code, responseOf(response)])),
  };
}

const contentOf = (value: unknown): Json => (memberOf(value, 'content') ?? {}) as Json;

function firstSchema(value: unknown): Json | undefined {
  const [first] = Object.values(contentOf(value)) as Json[];
  return first === undefined ? undefined : schemaOf(first['schema'] as Json);
}

/** In 2.0 the members of a parameter's `schema` are beside its name. */
function parameter({ schema, ...rest }: Json): Json {
  return { ...rest, ...(schema as Json) };
}

function bodyParameter(body: Json): Json {
  return { name: 'body', in: 'body', ...(body['required'] === true && { required: true }), schema: firstSchema(body) };
}

function responseOf(response: Json): Json {
  const schema = firstSchema(response);
  return { description: response['description'], ...(schema && { schema }) };
}

/** References have no siblings, and defaults are left out, as Kubernetes does. */
function schemaOf({ allOf, default: _default, ...schema }: Json): Json {
  const [only] = (allOf ?? []) as Json[];
  const out: Record<string, unknown> = { ...schema, ...(only && schemaOf(only)) };
  if (typeof out['$ref'] === 'string') out['$ref'] = out['$ref'].replace('#/components/schemas/', '#/definitions/');
  if (out['properties'] !== undefined) {
    out['properties'] = Object.fromEntries(entriesOf(out['properties']).map(([name, one]) => [name, schemaOf(one)]));
  }
  for (const name of ['items', 'additionalProperties']) {
    if (out[name] !== undefined) out[name] = schemaOf(out[name] as Json);
  }
  return out;
}
