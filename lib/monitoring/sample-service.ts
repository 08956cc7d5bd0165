import type { Ports } from '../ports/index.ts';
import type { CallContext, WithContext } from '../records/index.ts';
import { turnsOf } from '../runtime/index.ts';
import { invalidParameter } from '../values/errors/index.ts';
import { SAMPLES_KEPT_MS } from '../values/limits.ts';
import type { SampleOperations, SamplesRequest } from './sample-operations.ts';
import { Granularity, type SampleSeries, SeriesOfSamples } from './sample-series.ts';

/** Values of samples that one call returns. */
const MAX_SAMPLE_VALUES = 500_000;

/** Tells what was measured (platform §12.3). */
export class SampleService implements SampleOperations<WithContext> {
  readonly #ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>;

  constructor(ports: Pick<Ports, 'storage' | 'systemClock' | 'scopes'>) {
    this.#ports = ports;
  }

  async samples(_context: CallContext, request: SamplesRequest): Promise<readonly SampleSeries[]> {
    const { storage, systemClock } = this.#ports;
    const nextTurn = turnsOf(this.#ports);
    const { nodeNames, eventGroup, kinds = [], granularity = Granularity.SECOND } = request;
    const nowMs = systemClock.nowMs();
    const asked = new Set(kinds.map(({ eventCategory, sampleKind }) => `${eventCategory},${sampleKind}`));
    const isAsked = (category: string, kind: string): boolean =>
      asked.size === 0 || asked.has(`${category},${kind}`);
    const series = new SeriesOfSamples(granularity, isAsked);
    const found = storage.monitoring.samples({
      fromMs: request.from ?? nowMs - SAMPLES_KEPT_MS,
      toMs: request.to ?? nowMs,
      nodeNames: nodeNames === undefined || nodeNames.length === 0 ? null : nodeNames,
      eventGroup: eventGroup ?? null,
      eventCategories:
        kinds.length === 0 ? null : [...new Set(kinds.map(({ eventCategory }) => eventCategory))],
    });
    for await (const part of found) {
      for (const sample of part) series.add(sample);
      if (series.size > MAX_SAMPLE_VALUES) throw tooMany();
      // A database in the process gives nobody else a turn.
      await nextTurn();
    }
    return series.list();
  }
}

function tooMany(): Error {
  return invalidParameter(
    `More than ${MAX_SAMPLE_VALUES} values are asked for; name categories or nodes, a shorter time or a coarser granularity`,
  );
}
