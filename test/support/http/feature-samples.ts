import { requestExamples } from '../../../adapters/koa/openapi/examples/request-examples.ts';
import { QUOTA } from './quota-catalog.ts';
import type { MakeSample, Sample } from './samples.ts';
import { expectStatus } from './serving.ts';
import type { World } from './world.ts';

const segments = { feature: QUOTA };

/** Samples of the routes for features. */
export const featureSamples: Readonly<Record<string, MakeSample>> = {
  getFeatures: () => ({}),
  canUseFeature: () => ({ segments, query: 'amount=5' }),
  explainFeature: () => ({ segments }),
  consumeFeature: () => ({ segments }),
  releaseFeature: async (world) => {
    await change(world, 'consume', requestExamples.consumeFeature as object);
    return { segments };
  },
  overrideFeature: () => ({ segments }),
  endFeatureOverride: async (world): Promise<Sample> => {
    const overrideId = await change(world, 'overrides', { value: '10', per: 'DAY' });
    return { segments, query: `overrideId=${overrideId}` };
  },
};

async function change(
  { serving, accountId }: World,
  path: string,
  body: object,
): Promise<string | undefined> {
  const url = `/1.0/kb/accounts/${accountId}/features/${QUOTA}/${path}`;
  const { json } = expectStatus(await serving.call('POST', url, { body }), 200);
  return (json as { readonly overrideId?: string }).overrideId;
}
