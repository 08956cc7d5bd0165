import type { PluginProperty } from '../../../../lib/records/index.ts';

/** A plugin property of a body, as plugins get it. */
export function propertyOf(property: {
  readonly key?: string | null;
  readonly value?: string | null;
  readonly isUpdatable?: boolean | null;
}): PluginProperty {
  return {
    key: property.key ?? '',
    value: property.value ?? null,
    isUpdatable: property.isUpdatable ?? false,
  };
}
