import type { PluginLimit, PluginNamed } from '../../../ports/index.ts';
import type { Limit, Unit } from '../../model/catalog-model.ts';
import type { PluginValues } from './plugin-values.ts';

/** A name, and the pretty one that it stands for where there is none. */
export function named({ name, prettyName }: PluginNamed): Unit {
  return { name, prettyName: prettyName ?? name };
}

export function limitContent(values: PluginValues, limit: PluginLimit, owner: string): Limit {
  return {
    unit: limit.unit,
    max: values.bound(limit.max, owner),
    min: values.bound(limit.min, owner),
  };
}
