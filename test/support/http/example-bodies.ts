import { exampleIds } from '../../../adapters/koa/openapi/examples/named-examples.ts';
import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import type { Sample } from './sample.ts';
import type { World } from './world.ts';

type Members = Readonly<Record<string, unknown>>;

/** Members that have to be new, or to name what a sample has made. */
const ownMembers: ReadonlySet<string> = new Set([
  'apiKey',
  'clientId',
  'externalKey',
  'name',
  'paymentExternalKey',
  'planId',
  'productName',
  'role',
  'stateName',
  'trackingId',
  'transactionExternalKey',
  'username',
  'value',
]);
const formType = 'application/x-www-form-urlencoded';

/**
 * The sample with the body that the documents show for the operation: with the ids of the world, and with what the sample
 * says of it itself. @throws Error if that is more than a new name or an id.
 */
export function withExample(operationId: string, sample: Sample, world: World): Sample {
  if (!(operationId in requestExamples)) return sample;
  const example = requestExamples[operationId];
  const { body: own, segments, headers } = sample;
  // A document has a catalog that can be read at a glance; samples send versions of a larger one.
  if (typeof example === 'string' && own !== undefined) return sample;
  if (headers?.['content-type'] === formType)
    return { ...sample, body: new URLSearchParams(example as Record<string, string>).toString() };
  return { ...sample, body: merged(example, own, { place: operationId, ids: { ...world, ...segments } }) };
}

interface Merging {
  readonly place: string;
  readonly ids: Members;
}

function merged(example: unknown, own: unknown, { place, ids }: Merging): unknown {
  if (own === undefined) return withIds(example, ids);
  if (Array.isArray(example) && Array.isArray(own) && example.length === own.length)
    return example.map((each, index) => merged(each, own[index], { place: `${place}[${index}]`, ids }));
  if (isObject(example) && isObject(own)) {
    const names = new Set([...Object.keys(example), ...Object.keys(own)]);
    return Object.fromEntries(
      [...names].map((name) => [name, merged(example[name], own[name], { place: `${place}.${name}`, ids })]),
    );
  }
  const name = place.slice(place.lastIndexOf('.') + 1);
  if (own === example || ownMembers.has(name) || idNameOf(example) !== undefined) return own;
  throw new Error(`${place} is ${JSON.stringify(example)} in the documents and ${JSON.stringify(own)} here`);
}

/** The value that an example stands for in the world: what an example id names, and anything else as it is. */
export function withIds(example: unknown, ids: Members): unknown {
  if (Array.isArray(example)) return example.map((each) => withIds(each, ids));
  if (isObject(example))
    return Object.fromEntries(Object.entries(example).map(([name, each]) => [name, withIds(each, ids)]));
  const name = idNameOf(example);
  return name === undefined ? example : ids[name];
}

function idNameOf(value: unknown): string | undefined {
  return Object.entries(exampleIds).find(([, id]) => id === value)?.[0];
}

function isObject(value: unknown): value is Members {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
